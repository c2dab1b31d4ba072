// The forms of scores: lengths of rows, own values of seen classes, offsets and standard scaling.
#include "opened_model.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

using namespace bzscr;
using namespace bzscr::test;

namespace {

using format::ScoreForm;

constexpr ScoreForm kScoreForms[] = {ScoreForm::Plain, ScoreForm::Half, ScoreForm::Cosine};

OpenOptions options_for(bzscr_rt_form form, bzscr_rt_storage storage = BZSCR_RT_STORAGE_FLOAT32,
                        const char* kernel = nullptr) {
  OpenOptions options;
  options.class_capacity = 8;
  options.form = form;
  options.storage = storage;
  options.kernel = kernel;
  return options;
}

TestModel model_with(ScoreForm score, bool own, bool offsets, std::uint32_t m, std::uint32_t d,
                     std::uint32_t k) {
  TestModel model = random_model_with_forms(m, d, k, 5, score);
  model.embedding_scaling = format::EmbeddingScaling::Unit;
  if (!own) model.own.clear();
  if (!offsets) model.offsets.clear();
  return model;
}

double tolerance(bzscr_rt_storage storage) {
  return storage == BZSCR_RT_STORAGE_INT8      ? 4e-2
         : storage == BZSCR_RT_STORAGE_FLOAT16 ? 1e-3
                                               : 1e-5;
}

double length_of(const std::vector<double>& values) { return std::sqrt(dot(values, values)); }

// How long the row of a class is, times how long a query can be for each unit of U x.
double length_of_products(const TestModel& model, std::size_t r, bzscr_rt_form form) {
  TestModel plain = model;
  plain.score = ScoreForm::Plain;
  const double row = length_of(reference_row(model, r));
  if (form != BZSCR_RT_FORM_DENSE) return row;
  double phi = 1;  // scaled to unit length, unless the model scales nothing
  if (model.embedding_scaling == format::EmbeddingScaling::None)
    phi = length_of({model.classes[r].phi.begin(), model.classes[r].phi.end()});
  return row * phi / length_of(reference_row(plain, r)) * static_cast<double>(model.w[0]);
}

// Scores near zero may be cancelled sums: errors are relative to the largest product of lengths.
void check_scores(const TestModel& model, const OpenedModel& opened, const std::vector<float>& x,
                  double error) {
  const std::vector<double> t = reference_features(model, x);
  double scale = 0;
  for (std::size_t r = 0; r < model.classes.size(); ++r)
    scale = std::max(scale, length_of_products(model, r, opened.info().form));
  scale *= length_of(t) + length_of({model.offsets.begin(), model.offsets.end()});
  const std::vector<float> scores = opened.scores(x);
  REQUIRE(scores.size() == model.classes.size());
  for (std::size_t r = 0; r < scores.size(); ++r) {
    CAPTURE(r);
    CHECK(std::abs(static_cast<double>(scores[r]) - reference_score(model, x, r)) <= error * scale);
  }
}

bzscr_rt_status status_for(const OpenedModel& opened, const std::vector<float>& x) {
  bzscr_rt_result best{};
  std::size_t count = 0;
  return bzscr_rt_top(opened, x.data(), nullptr, 1, &best, &count);
}

}  // namespace

TEST_CASE(
    "every form and storage gives the scores of the definition for every score form, with and "
    "without own values and offsets, for sizes around multiples of 8") {
  struct Sizes {
    std::uint32_t m, d, k;
  };
  for (const Sizes size :
       {Sizes{1, 1, 1}, Sizes{9, 7, 1}, Sizes{8, 8, 8}, Sizes{33, 10, 17}, Sizes{41, 9, 9}})
    for (const ScoreForm score : kScoreForms)
      for (const bool own : {false, true})
        for (const bool offsets : {false, true})
          for (const bzscr_rt_form form : kForms)
            for (const bzscr_rt_storage storage : kStorages) {
              if (own && form == BZSCR_RT_FORM_DENSE) continue;  // not possible
              CAPTURE(size.m);
              CAPTURE(score);
              CAPTURE(own);
              CAPTURE(offsets);
              CAPTURE(form);
              CAPTURE(storage);
              const TestModel model = model_with(score, own, offsets, size.m, size.d, size.k);
              check_scores(model, OpenedModel(model, options_for(form, storage)),
                           random_vector(size.m, 7), tolerance(storage));
            }
}

TEST_CASE("every kernel gives the same bits for every score form, in every form and storage") {
  for (const ScoreForm score : kScoreForms)
    for (const bzscr_rt_form form : kForms)
      for (const bzscr_rt_storage storage : kStorages) {
        const TestModel model = model_with(score, form != BZSCR_RT_FORM_DENSE, true, 75, 21, 37);
        const std::vector<float> x = random_vector(75, 7);
        const std::vector<float> expected =
            OpenedModel(model, options_for(form, storage, "scalar")).scores(x);
        for (const char* kernel : kernel_names()) {
          CAPTURE(kernel);
          const std::vector<float> scores =
              OpenedModel(model, options_for(form, storage, kernel)).scores(x);
          CHECK(std::memcmp(scores.data(), expected.data(), scores.size() * sizeof(float)) == 0);
        }
      }
}

TEST_CASE(
    "own values belong to a seen class until it is removed, and to no class that is added with its "
    "id") {
  for (const ScoreForm score : kScoreForms)
    for (const bzscr_rt_form form : {BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_FORM_FACTORS})
      for (const bool shared : {false, true}) {
        TestModel model = model_with(score, true, true, 19, 11, 6);  // 3, 23 and 43 are seen
        OpenOptions options = options_for(form);
        options.shared = shared;
        const OpenedModel opened(model, options);
        const std::vector<float> x = random_vector(19, 7), phi = random_vector(11, 55);
        const std::vector<float> before = opened.scores(x);

        REQUIRE(bzscr_rt_set_class(opened, 23, nullptr, phi.data()) == BZSCR_RT_OK);
        TestModel changed = model;
        changed.classes[2].phi = phi;
        check_scores(changed, opened, x, 1e-5);

        REQUIRE(bzscr_rt_remove_class(opened, 43) == BZSCR_RT_OK);
        REQUIRE(bzscr_rt_set_class(opened, 43, "anew", phi.data()) == BZSCR_RT_OK);
        changed.classes[4] = {43, "anew", false, phi};
        check_scores(changed, opened, x, 1e-5);
        REQUIRE(bzscr_rt_set_class(opened, 43, nullptr, model.classes[4].phi.data()) ==
                BZSCR_RT_OK);
        changed.classes[4].phi = model.classes[4].phi;
        check_scores(changed, opened, x, 1e-5);

        REQUIRE(bzscr_rt_restore_class(opened, 43, nullptr) == BZSCR_RT_OK);
        REQUIRE(bzscr_rt_restore_class(opened, 23, nullptr) == BZSCR_RT_OK);
        CHECK(opened.scores(x) == before);
      }
}

TEST_CASE("the row of a class that the model maps to nothing is zero, unless scores are plain") {
  for (const ScoreForm score : kScoreForms)
    for (const bzscr_rt_form form : kForms) {
      TestModel model = random_model_with_forms(3, 2, 1, 2, score);
      model.own.clear();
      model.v = {1, 0};
      model.w = {1};
      model.classes[0].phi = {0x1p-31f, 1};  // |q| is 2^-31 |phi|
      model.classes[1].phi = {0x1p-29f, 1};
      const std::vector<float> x = random_vector(3, 7);
      const OpenedModel opened(model, options_for(form));
      const double t = reference_features(model, x)[0];
      const double first = score == ScoreForm::Plain ? 0x1p-31 * t : 0;
      const double second = score == ScoreForm::Plain  ? 0x1p-29 * t
                            : score == ScoreForm::Half ? std::sqrt(0x1p-29) * t
                                                       : t;
      CHECK(static_cast<double>(opened.scores(x)[0]) == doctest::Approx(first).epsilon(1e-4));
      CHECK(static_cast<double>(opened.scores(x)[1]) == doctest::Approx(second).epsilon(1e-4));
      if (score != ScoreForm::Plain) CHECK(opened.scores(x)[0] == 0);
    }
}

TEST_CASE("lengths of rows are right for classes and weights as large and as small as allowed") {
  for (const ScoreForm score : {ScoreForm::Half, ScoreForm::Cosine})
    for (const bzscr_rt_form form : kForms)
      for (const bzscr_rt_storage storage : kStorages)
        for (const float factor : {1e-12f, 1.0f, 5e8f})
          for (const float weight : {1e-12f, 1.0f, 0x1p30f}) {
            CAPTURE(factor);
            CAPTURE(weight);
            TestModel model = model_with(score, false, false, 20, 6, 5);
            model.embedding_scaling = format::EmbeddingScaling::None;
            const float times = weight / model.w.front();
            for (float& value : model.w) value *= times;
            for (TestClass& one : model.classes)
              for (float& value : one.phi) value *= factor;
            check_scores(model, OpenedModel(model, options_for(form, storage)),
                         random_vector(20, 7), tolerance(storage));
          }
}

TEST_CASE("standard scaling ignores a column of factor zero, and centres before it scales") {
  TestModel model = model_with(ScoreForm::Cosine, true, true, 19, 11, 6);
  model.feature_factor[7] = 0;  // the column was constant
  model.feature_mean[3] = 101325;
  model.feature_factor[3] = 1e-2f;
  const OpenedModel opened(model);
  std::vector<float> x = random_vector(19, 7);
  x[3] = 101400;
  check_scores(model, opened, x, 1e-5);
  const std::vector<float> before = opened.scores(x);
  for (const float any : {0.0f, -1e30f, FLT_MAX}) {
    x[7] = any;
    CHECK(opened.scores(x) == before);
  }
}

TEST_CASE("a sample that standard scaling cannot transform is refused") {
  const float infinity = std::numeric_limits<float>::infinity();
  TestModel model = model_with(ScoreForm::Plain, false, false, 9, 4, 3);
  model.feature_factor[2] = 4;
  model.feature_factor[5] = 0;
  const OpenedModel opened(model);
  const auto status_with = [&](std::size_t at, float value) {
    std::vector<float> x = random_vector(9, 7);
    x[at] = value;
    return status_for(opened, x);
  };
  for (const std::size_t at : {0u, 5u, 8u})
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity})
      CHECK(status_with(at, bad) == BZSCR_RT_NOT_FINITE);
  CHECK(status_with(2, FLT_MAX) == BZSCR_RT_OUT_OF_RANGE);
  CHECK(status_with(2, -FLT_MAX) == BZSCR_RT_OUT_OF_RANGE);
  CHECK(status_with(2, 1e30f) == BZSCR_RT_OK);
  CHECK(status_with(5, FLT_MAX) == BZSCR_RT_OK);
  CHECK(status_for(opened, model.feature_mean) == BZSCR_RT_ZERO_INPUT);
}

TEST_CASE("the dense form is refused for models with own values, and never chosen for them") {
  TestModel model = random_model_with_forms(64, 4, 40, 1, ScoreForm::Plain);
  const auto status_with = [](const TestModel& from, bzscr_rt_form form) {
    OpenOptions options;
    options.form = form;
    options.class_capacity = 500;
    return status_of(serialise(from), options);
  };
  CHECK(status_with(model, BZSCR_RT_FORM_DENSE) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(OpenedModel(model, {500, 0, BZSCR_RT_FORM_AUTO}).info().form == BZSCR_RT_FORM_FACTORS);
  model.own.clear();
  CHECK(status_with(model, BZSCR_RT_FORM_DENSE) == BZSCR_RT_OK);
  CHECK(OpenedModel(model, {500, 0, BZSCR_RT_FORM_AUTO}).info().form == BZSCR_RT_FORM_DENSE);
}

TEST_CASE("a description has the score form, the scaling of features and its name") {
  const char* names[] = {"plain", "half", "cosine"};
  for (const ScoreForm score : kScoreForms) {
    const bzscr_rt_info info = OpenedModel(random_model_with_forms(9, 4, 3, 2, score)).info();
    CHECK(info.score_form == static_cast<bzscr_rt_score_form>(score));
    CHECK(info.score_form_name == std::string(names[static_cast<int>(score)]));
    CHECK(info.feature_scaling == BZSCR_RT_SCALING_STANDARD);
    CHECK(info.teachable == 0);
    CHECK(info.example_bytes == 0);
  }
  CHECK(OpenedModel(random_model(9, 4, 3, 2)).info().score_form_name == std::string("plain"));
}
