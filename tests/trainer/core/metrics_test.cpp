#include "core/metrics.h"

#include <doctest/doctest.h>

#include <random>

namespace bzscr {
namespace {

// Four classes, the last without samples. Class 0: 2 of 4 right; 1: 1 of 1; 2: 0 of 1.
const Labels kTruth = {0, 0, 0, 0, 1, 2};
const Labels kBest = {0, 0, 1, 3, 1, 0};

Matrix example_delta() {
  Matrix Delta(4, 4);
  Delta << 0.0, 0.5, 0.25, 1.0,  //
      0.5, 0.0, 0.75, 0.5,       //
      0.125, 0.75, 0.0, 0.5,     // not symmetric: row is the true class
      1.0, 0.5, 0.5, 0.0;
  return Delta;
}

TEST_CASE("the error rate weighs all samples equally, whatever their class") {
  CHECK(error_rate(kTruth, kBest) == doctest::Approx(3.0 / 6.0));
  CHECK(error_rate({1}, {1}) == 0.0);
  CHECK(error_rate({1}, {0}) == 1.0);
}

TEST_CASE("mean Delta weighs each error by the divergence from the true to the predicted class") {
  CHECK(mean_delta(kTruth, kBest, example_delta()) == doctest::Approx((0.5 + 1.0 + 0.125) / 6.0));
}

TEST_CASE("mean Delta with 0-1 divergences is the error rate") {
  const Matrix zero_one = Matrix::Ones(4, 4) - Matrix::Identity(4, 4);
  CHECK(mean_delta(kTruth, kBest, zero_one) == doctest::Approx(error_rate(kTruth, kBest)));
}

TEST_CASE(
    "a confusion matrix counts each sample once in the row of its class, and its diagonal counts "
    "correct predictions") {
  RowMatrix<Index> expected(4, 4);
  expected << 2, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0;
  CHECK(confusion_matrix(kTruth, kBest, 4) == expected);
  CHECK(confusion_matrix({}, {}, 2) == RowMatrix<Index>(RowMatrix<Index>::Zero(2, 2)));
}

TEST_CASE("per-class accuracy weighs classes equally and ignores those without samples") {
  const std::vector<ClassCount> counts = count_by_class(kTruth, kBest, 4);
  REQUIRE(counts.size() == 4);
  CHECK(counts[0].samples == 4);
  CHECK(counts[0].correct == 2);
  CHECK(counts[2].samples == 1);
  CHECK(counts[2].correct == 0);
  CHECK(counts[3].samples == 0);
  CHECK(per_class_accuracy(counts) == doctest::Approx((0.5 + 1.0 + 0.0) / 3.0));
}

TEST_CASE("top-k accuracy counts the true class at any of the first k ranks, and ignores padding") {
  Ranking ranking(3, 5);
  ranking << 0, 1, 2, -1, -1,  //
      1, 2, 0, -1, -1,         //
      1, 0, -1, -1, -1;
  const Labels truth = {0, 0, 2};
  CHECK(top_k_accuracy(truth, ranking, 1) == doctest::Approx(1.0 / 3.0));
  CHECK(top_k_accuracy(truth, ranking, 2) == doctest::Approx(1.0 / 3.0));
  CHECK(top_k_accuracy(truth, ranking, 3) == doctest::Approx(2.0 / 3.0));
  CHECK(top_k_accuracy(truth, ranking, 5) == doctest::Approx(2.0 / 3.0));
}

TEST_CASE("score_predictions() gives the values of the single measures") {
  Ranking ranking = Ranking::Constant(6, 5, -1);
  for (Index i = 0; i < 6; ++i) ranking(i, 0) = kBest[static_cast<std::size_t>(i)];
  ranking(5, 4) = 2;
  const Scores scores = score_predictions(kTruth, ranking, example_delta());
  CHECK(scores.samples == 6);
  CHECK(scores.classes == 3);
  CHECK(scores.error_rate == doctest::Approx(0.5));
  CHECK(scores.mean_delta == doctest::Approx(1.625 / 6.0));
  CHECK(scores.per_class_top1 == doctest::Approx(0.5));
  CHECK(scores.top5 == doctest::Approx(4.0 / 6.0));
}

// Seen and unseen classes, by plain loops: predictions at each penalty, counted.

/// Scores of samples among classes 0 to 6, of which 0, 2, 3 and 5 are seen; 3 and 6 have no
/// samples.
struct Joint {
  std::vector<bool> seen = {true, false, true, true, false, true, false};
  Labels truth;
  Matrix scores;
  std::vector<JointOutcome> outcomes;

  explicit Joint(unsigned seed) : scores(40, 7) {
    std::mt19937 random(seed);
    const std::int32_t with_samples[] = {0, 1, 2, 4, 5};
    for (Index i = 0; i < 40; ++i) {
      truth.push_back(with_samples[random() % 5]);
      for (Index r = 0; r < 7; ++r)  // few values, so that leads coincide
        scores(i, r) = static_cast<double>(random() % 8) + static_cast<double>(r) / 64 +
                       (r == truth.back() ? 3 : 0) + (seen[static_cast<std::size_t>(r)] ? 2 : 0);
      outcomes.push_back(joint_outcome(truth.back(), scores.row(i).transpose(), seen));
    }
  }

  SeenUnseen at(double penalty) const {
    Matrix F = scores;
    for (Index r = 0; r < 7; ++r)
      if (seen[static_cast<std::size_t>(r)]) F.col(r).array() -= penalty;
    Labels of[2], predicted[2];
    for (Index i = 0; i < 40; ++i) {
      Index best = 0;
      F.row(i).maxCoeff(&best);
      const bool kind = seen[static_cast<std::size_t>(truth[static_cast<std::size_t>(i)])];
      of[kind].push_back(truth[static_cast<std::size_t>(i)]);
      predicted[kind].push_back(static_cast<std::int32_t>(best));
    }
    return {per_class_accuracy(count_by_class(of[1], predicted[1], 7)),
            per_class_accuracy(count_by_class(of[0], predicted[0], 7))};
  }
};

TEST_CASE(
    "for any penalty, the accuracies on seen and unseen classes are those of predictions with the "
    "penalty subtracted") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Joint joint(seed);
    const SeenUnseenCurve curve = seen_unseen_curve(joint.outcomes);
    CHECK(accuracy_at(curve, -1e9).unseen == 0);
    CHECK(accuracy_at(curve, 1e9).seen == 0);
    for (double penalty = -12.003; penalty < 16; penalty += 0.01) {
      const SeenUnseen expected = joint.at(penalty), got = accuracy_at(curve, penalty);
      CAPTURE(penalty);
      CHECK(got.seen == doctest::Approx(expected.seen));
      CHECK(got.unseen == doctest::Approx(expected.unseen));
      CHECK(got.harmonic() == doctest::Approx(expected.seen + expected.unseen == 0
                                                  ? 0
                                                  : 2 / (1 / expected.seen + 1 / expected.unseen)));
    }
  }
}

TEST_CASE(
    "the area under the curve is the sum of trapezoids over all penalties, and does not change if "
    "all leads are shifted") {
  const Joint joint(4);
  double area = 0;
  SeenUnseen before = joint.at(-100);
  for (double penalty = -12.003; penalty < 16; penalty += 0.01) {
    const SeenUnseen after = joint.at(penalty);
    area += (before.seen - after.seen) * (before.unseen + after.unseen) / 2;
    before = after;
  }
  CHECK(area_under(seen_unseen_curve(joint.outcomes)) == doctest::Approx(area));
  std::vector<JointOutcome> shifted = joint.outcomes;
  for (JointOutcome& each : shifted) each.lead += 5;
  CHECK(area_under(seen_unseen_curve(shifted)) == doctest::Approx(area));
  CHECK(area_under(seen_unseen_curve({{0, true, true, 1}, {1, false, true, -1}})) == 1);
  CHECK(area_under(seen_unseen_curve({{0, true, true, -1}, {1, false, true, 1}})) == 0);
  CHECK(area_under(seen_unseen_curve({{0, true, true, 0}, {1, false, true, 0}})) ==
        0.5);  // neither can be told first
}

TEST_CASE(
    "the best penalty has the highest harmonic mean of any, over all curves, and may be negative") {
  const Joint a(5), b(6);
  const ChosenPenalty best =
      best_penalty({seen_unseen_curve(a.outcomes), seen_unseen_curve(b.outcomes)});
  const auto mean = [&](double penalty) {
    return (a.at(penalty).harmonic() + b.at(penalty).harmonic()) / 2;
  };
  CHECK(best.harmonic == doctest::Approx(mean(best.penalty)));
  for (double penalty = -12.003; penalty < 16; penalty += 0.01)
    CHECK(mean(penalty) <= best.harmonic + 1e-12);

  CHECK(best_penalty({seen_unseen_curve({{0, true, true, -2}, {1, false, true, -4}})}).penalty ==
        -3);
  const ChosenPenalty never =
      best_penalty({seen_unseen_curve({{0, true, false, -2}, {1, false, true, -4}})});
  CHECK(never.penalty == 0);
  CHECK(never.harmonic == 0);
  CHECK(best_penalty({}).penalty == 0);
}

}  // namespace
}  // namespace bzscr
