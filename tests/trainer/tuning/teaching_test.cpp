#include "tuning/teaching.h"

#include "core/feature_spectrum.h"
#include "decompositions.h"
#include "plain_loops.h"
#include "trainer/core/random_problem.h"

#include <doctest/doctest.h>

#include <cmath>
#include <iterator>

namespace bzscr {
namespace {

constexpr std::size_t kTrials =
    1 + 4 * 5;  // untaught, and every number of samples with every blend

/// A fold whose samples lie around one direction for each class.
struct TaughtFold {
  static constexpr Index kSeen = 4, kTargets = 3, kEach = 24, kFeatures = 9, kEmbedding = 5;

  explicit TaughtFold(double noise = 0.3) {
    const Index C = kSeen + kTargets;
    const Matrix centres = test::random_matrix(C, kFeatures, 3);
    file.resize(C * kEach, kFeatures);
    const Matrix scatter = noise * test::random_matrix(C * kEach, kFeatures, 4);
    Problem& problem = fold.split.problem;
    for (Index i = 0; i < file.rows(); ++i) {
      file.row(i) = (centres.row(i % C) + scatter.row(i)).cast<float>();
      fold.y.push_back(static_cast<std::int32_t>(i % C));
      fold.X.rows.push_back(i);
    }
    fold.X.features = {file.data(), Storage::kFloat32, false, file.rows(), file.cols()};
    fold.X.scale = test::plain_features(unscaled()).rowwise().norm().cwiseInverse();
    fold.X.centre = 0.1 * test::random_matrix(kFeatures, 1, 5).col(0);
    problem.seen = kSeen;
    problem.Phi = test::random_matrix(C, kEmbedding, 6);
    const test::PlainSvd svd = test::plain_svd(test::random_matrix(kFeatures, kEmbedding, 7));
    ensemble = {svd.U, svd.V, svd.sigma};
  }

  Samples unscaled() const {
    Samples X = fold.X;
    X.scale = Vector::Ones(X.size());
    return X;
  }

  MatrixF file;
  CalibrationFold fold;
  Ensemble ensemble;
};

/// U among the targets alone: the mean over classes of the share of samples that lead their kind.
double among_targets(const std::vector<JointOutcome>& outcomes) {
  double right = 0, all = 0;
  for (const JointOutcome& each : outcomes)
    if (!each.seen) {
      right += each.leads_kind;
      ++all;
    }
  return right / all;
}

}  // namespace

TEST_CASE("directions for teaching are orthonormal to U and to one another, by falling variance") {
  const test::RandomProblem random({400, 9, 3, 6, 2});
  const FeatureSpectrum spectrum = feature_spectrum(random.problem.X);
  const Matrix U = test::plain_svd(test::random_matrix(9, 3, 2)).U;
  const Matrix X = test::plain_features(random.problem.X);
  for (const Index total : {0, 3, 5, 9, 128}) {
    CAPTURE(total);
    const Matrix D = teaching_directions(spectrum, U, total);
    CHECK(D.cols() == std::max<Index>(0, std::min<Index>(total, 9) - 3));
    Matrix all(9, 3 + D.cols());
    all << U, D;
    CHECK((all.transpose() * all - Matrix::Identity(all.cols(), all.cols())).norm() < 1e-8);
    for (Index j = 1; j < D.cols(); ++j)
      CHECK((X * D.col(j)).squaredNorm() <= (X * D.col(j - 1)).squaredNorm() * (1 + 1e-3));
  }
}

TEST_CASE(
    "teaching recognises classes whose embeddings say nothing, and more samples do it better") {
  const TaughtFold one;
  const Matrix directions =
      teaching_directions(feature_spectrum(one.fold.X), one.ensemble.U, TaughtFold::kFeatures);
  for (const ScoreForm form : {ScoreForm::kPlain, ScoreForm::kHalf, ScoreForm::kCosine}) {
    const auto trials = taught_outcomes(one.fold, one.ensemble, form, directions, 1);
    REQUIRE(trials.size() == kTrials);
    for (const auto& trial : trials) CHECK(trial.size() == trials[0].size());
    const std::size_t blend = 2;  // of the five
    const double untaught = among_targets(trials[0]), once = among_targets(trials[1 + blend]),
                 often = among_targets(trials[1 + 3 * 5 + blend]);
    CHECK(once > untaught);
    CHECK(often >= once);
    // The lengths of rows, which say nothing here, stay in the scores unless these are cosines.
    CHECK(often > (form == ScoreForm::kCosine ? 0.9 : 0.7));
  }
}

TEST_CASE(
    "untaught outcomes are those of plain loops over the scores, without the taught samples") {
  const TaughtFold one;
  const Matrix none(TaughtFold::kFeatures, 0);
  const auto trials = taught_outcomes(one.fold, one.ensemble, ScoreForm::kCosine, none, 1);
  const Matrix W = one.ensemble.U * one.ensemble.w.asDiagonal() * one.ensemble.V.transpose();
  const Matrix X = test::plain_features(one.fold.X), P = one.fold.split.problem.Phi * W.transpose();
  // Ten samples of each of the three target classes are taught.
  CHECK(trials[0].size() == static_cast<std::size_t>(X.rows()) - 3 * 10);
  double right = 0, all = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    const auto y = one.fold.y[static_cast<std::size_t>(i)];
    if (y >= TaughtFold::kSeen) continue;
    Index best = 0;
    for (Index r = 1; r < TaughtFold::kSeen; ++r)
      if (X.row(i).dot(P.row(r)) / P.row(r).norm() > X.row(i).dot(P.row(best)) / P.row(best).norm())
        best = r;
    right += best == y;
    ++all;
  }
  double found = 0;
  for (const JointOutcome& each : trials[0]) found += each.seen && each.leads_kind;
  CHECK(all == TaughtFold::kSeen * TaughtFold::kEach);
  CHECK(found == right);
}

TEST_CASE(
    "the offset is never negative, lets S fall by little, and the accuracy is what it gives") {
  const TaughtFold one(0.6);
  const Matrix none(TaughtFold::kFeatures, 0);
  const auto trials = taught_outcomes(one.fold, one.ensemble, ScoreForm::kCosine, none, 1);
  const double penalty = choose_penalty({trials[0]}).penalty;
  const Teaching chosen = choose_teaching({trials}, penalty);
  CHECK(chosen.offset >= 0);
  CHECK(chosen.blend > 0);
  const auto measured = taught_accuracy(trials, chosen, penalty);
  REQUIRE(measured.size() == 1 + std::size(kShots));
  REQUIRE(chosen.accuracy.size() == measured.size());
  for (std::size_t n = 0; n < measured.size(); ++n) {
    CHECK(chosen.accuracy[n] == measured[n].joint.unseen);
    CHECK(measured[n].among_unseen >= measured[n].joint.unseen);
  }
  CHECK(measured.back().joint.unseen > measured.front().joint.unseen);
}

TEST_CASE("without samples of both kinds nothing is chosen for teaching") {
  const Teaching chosen = choose_teaching({}, 0.25);
  CHECK(chosen.offset == 0);
  CHECK(chosen.accuracy.empty());
}

}  // namespace bzscr
