#include "opened_model.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace bzscr;
using namespace bzscr::test;

namespace {

// The tolerance is relative to the largest score, because scores near zero may be cancelled sums.
void check_scores(const std::vector<float>& scores, const std::vector<double>& expected) {
  REQUIRE(scores.size() == expected.size());
  double largest = 0;
  for (const double each : expected) largest = std::max(largest, std::abs(each));
  for (std::size_t r = 0; r < scores.size(); ++r) {
    CAPTURE(r);
    CHECK(std::abs(static_cast<double>(scores[r]) - expected[r]) <= 1e-5 * largest);
  }
}

std::vector<double> reference_scores(const TestModel& model, const std::vector<float>& x) {
  std::vector<double> scores;
  for (const TestClass& one : model.classes) scores.push_back(reference_score(model, x, one.phi));
  return scores;
}

TestModel transformed_model(std::uint32_t m, std::uint32_t d, std::uint32_t k,
                            std::uint32_t classes) {
  TestModel model = random_model(m, d, k, classes);
  model.feature_scaling = format::FeatureScaling::Unit;
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = random_vector(d, 99);
  return model;
}

std::vector<float> times(std::vector<float> values, float factor) {
  for (float& value : values) value *= factor;
  return values;
}

}  // namespace

TEST_CASE("every form gives the scores of plain loops, for sizes around multiples of 8") {
  for (const std::uint32_t m : {1u, 7u, 8u, 9u, 33u})
    for (const std::uint32_t d : {1u, 7u, 8u, 9u, 33u})
      for (const std::uint32_t k : {1u, 7u, 8u, 9u, 40u})
        for (const bzscr_rt_form form : kForms) {
          CAPTURE(m);
          CAPTURE(d);
          CAPTURE(k);
          CAPTURE(form);
          const TestModel model = random_model(m, d, k, 5);
          const std::vector<float> x = random_vector(m, 7);
          check_scores(OpenedModel(model, {0, 0, form}).scores(x), reference_scores(model, x));
        }
}

TEST_CASE(
    "raw inputs are transformed as the model records, for classes of the file and added ones") {
  for (const auto features : {format::FeatureScaling::None, format::FeatureScaling::Unit})
    for (const auto embeddings : {format::EmbeddingScaling::None, format::EmbeddingScaling::Unit,
                                  format::EmbeddingScaling::CentreUnit})
      for (const bzscr_rt_form form : kForms) {
        TestModel model = random_model(19, 11, 6, 4);
        model.feature_scaling = features;
        model.embedding_scaling = embeddings;
        if (embeddings == format::EmbeddingScaling::CentreUnit)
          model.centre = random_vector(11, 99);
        const OpenedModel opened(model, {5, 0, form});
        const std::vector<float> phi = times(random_vector(11, 55), 30);
        REQUIRE(bzscr_rt_set_class(opened, 1, "added", phi.data()) == BZSCR_RT_OK);
        model.classes.push_back({1, "added", false, phi});

        const std::vector<float> x = times(random_vector(19, 7), 1000);
        check_scores(opened.scores(x), reference_scores(model, x));
      }
}

TEST_CASE(
    "each part of a joined embedding is transformed on its own, for classes of the file and added "
    "ones") {
  for (const std::vector<std::uint32_t>& parts :
       std::vector<std::vector<std::uint32_t>>{{1, 10}, {8, 3}, {3, 7, 1}, {1, 1, 9}})
    for (const auto embeddings :
         {format::EmbeddingScaling::Unit, format::EmbeddingScaling::CentreUnit})
      for (const bzscr_rt_form form : kForms) {
        CAPTURE(form);
        TestModel model = random_model(19, 11, 6, 4);
        model.format_version = 2;
        model.embedding_scaling = embeddings;
        if (embeddings == format::EmbeddingScaling::CentreUnit)
          model.centre = random_vector(11, 99);
        model.parts = parts;
        const OpenedModel opened(model, {5, 0, form});
        std::vector<float> phi = random_vector(11, 55);
        for (std::uint32_t i = 0; i < parts[0]; ++i)
          phi[i] *= 1e20f;  // would dominate if phi were scaled as a whole
        REQUIRE(bzscr_rt_set_class(opened, 1, "added", phi.data()) == BZSCR_RT_OK);
        model.classes.push_back({1, "added", false, phi});

        const std::vector<float> x = random_vector(19, 7);
        check_scores(opened.scores(x), reference_scores(model, x));
        for (std::uint32_t i = 0; i < parts[0]; ++i)
          phi[i] = model.centre.empty() ? 0 : model.centre[i];
        CHECK(bzscr_rt_set_class(opened, 1, "added", phi.data()) == BZSCR_RT_ZERO_INPUT);
      }
}

TEST_CASE("scores do not depend on the length of an input that is scaled, from subnormal to huge") {
  const TestModel model = transformed_model(13, 9, 5, 6);
  const OpenedModel opened(model);
  const std::vector<float> x = random_vector(13, 7);
  const std::vector<double> expected = reference_scores(model, x);
  for (const float factor : {1e-30f, 1e-20f, 1e-10f, 1.0f, 1e10f, 1e20f, 3e38f}) {
    CAPTURE(factor);
    check_scores(opened.scores(times(x, factor)), expected);
  }

  // Also for the smallest subnormal number, 2^-149.
  std::vector<float> tiny(13, 0.0f);
  tiny[4] = std::numeric_limits<float>::denorm_min();
  std::vector<float> one(13, 0.0f);
  one[4] = 1.0f;
  CHECK(opened.scores(tiny) == opened.scores(one));
}

TEST_CASE("a long vector of FLT_MAX is scaled to unit length") {
  TestModel model = random_model(1000, 3, 2, 2);
  model.feature_scaling = format::FeatureScaling::Unit;
  const OpenedModel opened(model);
  check_scores(opened.scores(std::vector<float>(1000, FLT_MAX)),
               reference_scores(model, std::vector<float>(1000, 1.0f)));
}

TEST_CASE("an input that cannot be scored is refused and nothing is written") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const TestModel plain = random_model(9, 4, 3, 2);
  const TestModel scaled = transformed_model(9, 4, 3, 2);
  const auto refused = [](const TestModel& model, const std::vector<float>& x) {
    const OpenedModel opened(model);
    float scores[2] = {-7, -7};
    bzscr_rt_result best{4711, 0, 0};
    std::size_t count = 77;
    const bzscr_rt_status status =
        bzscr_rt_score(opened, x.data(), nullptr, 2, scores, nullptr, &count);
    CHECK(bzscr_rt_top(opened, x.data(), nullptr, 1, &best, &count) == status);
    if (status != BZSCR_RT_OK) {
      CHECK(scores[0] == -7);
      CHECK(best.id == 4711);
      CHECK(count == 77);
    }
    return status;
  };
  const auto with = [](float value, std::size_t at) {
    std::vector<float> x = random_vector(9, 7);
    x[at] = value;
    return x;
  };
  for (const std::size_t at : {0u, 7u, 8u})
    for (const float bad : {nan, infinity, -infinity}) {
      CHECK(refused(plain, with(bad, at)) == BZSCR_RT_NOT_FINITE);
      CHECK(refused(scaled, with(bad, at)) == BZSCR_RT_NOT_FINITE);
    }
  CHECK(refused(scaled, std::vector<float>(9, 0.0f)) == BZSCR_RT_ZERO_INPUT);
  CHECK(refused(scaled, std::vector<float>(9, -0.0f)) == BZSCR_RT_ZERO_INPUT);
  CHECK(refused(plain, std::vector<float>(9, 0.0f)) == BZSCR_RT_OK);
  CHECK(refused(plain, with(1.1e9f, 3)) == BZSCR_RT_OUT_OF_RANGE);
  CHECK(refused(plain, with(FLT_MAX, 3)) == BZSCR_RT_OUT_OF_RANGE);
  CHECK(refused(plain, with(1e9f, 3)) == BZSCR_RT_OK);
}

TEST_CASE("the penalty is subtracted from seen classes, whichever other classes the table holds") {
  TestModel model = random_model(6, 5, 4, 4);  // classes 3 and 23 are seen, 13 and 33 are not
  const std::vector<float> x = random_vector(6, 7);
  const OpenedModel free(model);
  model.seen_penalty = 0.75f;
  const OpenedModel opened(model, {5, 0, BZSCR_RT_FORM_AUTO});

  CHECK(opened.score_of(3, x) == free.score_of(3, x) - 0.75f);
  CHECK(opened.score_of(23, x) == free.score_of(23, x) - 0.75f);
  CHECK(opened.score_of(13, x) == free.score_of(13, x));

  REQUIRE(bzscr_rt_remove_class(opened, 13) == BZSCR_RT_OK);
  REQUIRE(bzscr_rt_remove_class(opened, 33) == BZSCR_RT_OK);
  CHECK(opened.score_of(3, x) == free.score_of(3, x) - 0.75f);

  REQUIRE(bzscr_rt_set_class(opened, 99, "new", random_vector(5, 3).data()) == BZSCR_RT_OK);
  CHECK(opened.score_of(3, x) == free.score_of(3, x) - 0.75f);
  CHECK(opened.top(x, 5).size() == 3);
  for (const bzscr_rt_result& one : opened.top(x, 5))
    CHECK(one.score == opened.scores(x)[one.index]);
}

TEST_CASE("a minimum score accepts the same samples before and after unseen classes come and go") {
  for (const bzscr_rt_form form : kForms) {
    TestModel model = random_model(6, 5, 4, 6);
    model.seen_penalty = 0.75f;
    for (TestClass& one : model.classes) one.seen = true;
    const OpenedModel opened(model, {7, 0, form});
    std::vector<bzscr_rt_result> before;
    for (unsigned i = 0; i < 20; ++i)
      before.push_back(opened.top(random_vector(6, 100 + i), 1).front());
    std::vector<float> sorted;
    for (const bzscr_rt_result& one : before) sorted.push_back(one.score);
    std::sort(sorted.begin(), sorted.end());
    const float minimum = sorted[10];
    // An unseen class that is never the best one.
    std::vector<float> phi(5);
    for (std::size_t i = 0; i < 5; ++i) phi[i] = 1e-6f * model.classes[0].phi[i];
    for (const bool added : {false, true, false}) {
      if (added) REQUIRE(bzscr_rt_set_class(opened, 99, "new", phi.data()) == BZSCR_RT_OK);
      if (!added) bzscr_rt_remove_class(opened, 99);
      for (unsigned i = 0; i < 20; ++i) {
        if (before[i].score <= 0) continue;  // the new class scores 0
        bzscr_rt_result best{};
        std::int32_t accepted = -1;
        REQUIRE(bzscr_rt_recognise(opened, random_vector(6, 100 + i).data(), nullptr, minimum, 0,
                                   &best, &accepted) == BZSCR_RT_OK);
        CHECK(best.id == before[i].id);
        CHECK(best.score == before[i].score);
        CHECK(accepted == (before[i].score >= minimum ? 1 : 0));
      }
    }
  }
}

TEST_CASE("a penalty that is set replaces the model's, in every form and storage and in batches") {
  for (const bzscr_rt_form form : kForms)
    for (const bzscr_rt_storage storage : kStorages) {
      TestModel model = random_model(6, 5, 4, 4);
      const std::vector<float> x = random_vector(6, 7);
      OpenOptions options;
      options.form = form;
      options.storage = storage;
      const OpenedModel free(model, options);
      model.seen_penalty = 0.75f;
      const OpenedModel opened(model, options);
      CHECK(opened.info().seen_penalty == 0.75f);
      for (const float penalty : {0.0f, 0.125f, -3.0f, 1073741824.0f}) {
        REQUIRE(bzscr_rt_set_seen_penalty(opened, penalty) == BZSCR_RT_OK);
        CHECK(opened.info().seen_penalty == penalty);
        const std::vector<float> plain = free.scores(x);
        std::vector<float> expected = plain;
        for (const std::size_t r : {0u, 2u}) expected[r] -= penalty;
        CHECK(opened.scores(x) == expected);
        bzscr_rt_result results[4];
        std::size_t count = 0;
        REQUIRE(bzscr_rt_top_batch(opened, x.data(), 1, nullptr, 0, 4, results, &count, nullptr) ==
                BZSCR_RT_OK);
        for (const bzscr_rt_result& one : results) CHECK(one.score == expected[one.index]);
        for (const bzscr_rt_result& one : opened.top(x, 4)) CHECK(one.score == expected[one.index]);
      }
      for (const float bad : {std::numeric_limits<float>::quiet_NaN(), HUGE_VALF, -HUGE_VALF,
                              1073741952.0f, -1073741952.0f})
        CHECK(bzscr_rt_set_seen_penalty(opened, bad) == BZSCR_RT_BAD_ARGUMENT);
      CHECK(opened.info().seen_penalty == 1073741824.0f);
    }
}

TEST_CASE("a negative penalty favours seen classes") {
  TestModel model = random_model(6, 5, 4, 2);
  const std::vector<float> x = random_vector(6, 7);
  const OpenedModel free(model);
  model.seen_penalty = -2.0f;
  CHECK(OpenedModel(model).score_of(3, x) == free.score_of(3, x) + 2.0f);
}

TEST_CASE("the caller's scratch memory gives the scores of the handle's own") {
  for (const bzscr_rt_form form : kForms) {
    const TestModel model = transformed_model(21, 10, 30, 7);
    const OpenedModel opened(model, {0, 0, form});
    const std::vector<float> x = random_vector(21, 7);
    const AlignedBytes scratch(bzscr_rt_scratch_bytes(opened));
    CHECK(scratch.size() == opened.info().scratch_bytes);
    CHECK(scratch.size() % 32 == 0);

    std::vector<float> scores(7);
    std::vector<std::uint32_t> ids(7);
    std::size_t count = 0;
    REQUIRE(bzscr_rt_score(opened, x.data(), scratch.data(), 7, scores.data(), ids.data(),
                           &count) == BZSCR_RT_OK);
    CHECK(scores == opened.scores(x));
    for (std::uint32_t r = 0; r < 7; ++r) CHECK(ids[r] == model.classes[r].id);
    CHECK(bzscr_rt_score(opened, x.data(), scratch.data() + 4, 7, scores.data(), nullptr, &count) ==
          BZSCR_RT_MISALIGNED);
  }
}

TEST_CASE("x may have any alignment of a float") {
  const TestModel model = transformed_model(17, 4, 3, 3);
  const OpenedModel opened(model);
  const std::vector<float> x = random_vector(17, 7);
  std::vector<float> shifted(18);
  std::copy(x.begin(), x.end(), shifted.begin() + 1);
  float scores[3];
  std::size_t count = 0;
  REQUIRE(bzscr_rt_score(opened, shifted.data() + 1, nullptr, 3, scores, nullptr, &count) ==
          BZSCR_RT_OK);
  CHECK(std::equal(scores, scores + 3, opened.scores(x).begin()));
}

TEST_CASE("without weak models every score is zero before the penalty") {
  TestModel model = random_model(6, 5, 0, 4);
  model.seen_penalty = 0.5f;
  for (const bzscr_rt_form form : kForms)
    CHECK(OpenedModel(model, {0, 0, form}).scores(random_vector(6, 7)) ==
          std::vector<float>{-0.5f, 0, -0.5f, 0});
}

TEST_CASE("the cheapest form is chosen for a full table") {
  const auto chosen = [](std::uint32_t m, std::uint32_t d, std::uint32_t k,
                         std::uint32_t capacity) {
    return std::string(
        OpenedModel(random_model(m, d, k, 1), {capacity, 0, BZSCR_RT_FORM_AUTO}).info().form_name);
  };
  CHECK(chosen(64, 32, 8, 5) == "prototypes");  // 5 x 64  <  (64 + 5) 8  <  (64 + 5) 32
  CHECK(chosen(64, 32, 8, 100) == "factors");   // 100 x 64  >  (64 + 100) 8
  CHECK(chosen(64, 16, 80, 100) == "dense");    // k > d, as with --solver paper
  CHECK(chosen(8, 8, 8, 1000000) == "prototypes");
}
