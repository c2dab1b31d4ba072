// Classes that are taught by labelled samples on the device.
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

constexpr std::uint32_t kFeatures = 37, kEmbedding = 9, kWeakModels = 11;
constexpr ScoreForm kScoreForms[] = {ScoreForm::Plain, ScoreForm::Half, ScoreForm::Cosine};
constexpr bzscr_rt_form kTaughtForms[] = {BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_FORM_FACTORS};

TestModel model_for(ScoreForm score) {  // classes 3, 23 and 43 are seen, 13 and 33 are not
  TestModel model = random_model_with_forms(kFeatures, kEmbedding, kWeakModels, 5, score);
  model.w.back() = 0;  // a direction that only taught classes use
  model.seen_penalty = 0.125f;
  return model;
}

OpenOptions teachable(bzscr_rt_form form = BZSCR_RT_FORM_AUTO,
                      bzscr_rt_storage storage = BZSCR_RT_STORAGE_FLOAT32) {
  OpenOptions options;
  options.class_capacity = 8;
  options.form = form;
  options.storage = storage;
  options.teachable = true;
  return options;
}

std::vector<float> sample(unsigned i) { return random_vector(kFeatures, 300 + i); }

std::vector<Example> examples(std::size_t n, unsigned first = 0) {
  std::vector<Example> all;
  for (std::size_t i = 0; i < n; ++i)
    all.push_back({sample(first + static_cast<unsigned>(i)), i % 3 == 2 ? 0.5f : 1.0f});
  return all;
}

void teach(bzscr_rt* handle, std::uint32_t id, const std::vector<Example>& all) {
  for (const Example& one : all)
    REQUIRE(bzscr_rt_teach(handle, id, one.x.data(), one.weight) == BZSCR_RT_OK);
}

/// What a class was taught: sum[k], then count.
std::vector<float> taught(const bzscr_rt* handle, std::uint32_t id) {
  std::vector<float> all(kWeakModels + 1);
  REQUIRE(bzscr_rt_get_examples(handle, id, all.data(), &all.back()) == BZSCR_RT_OK);
  return all;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

double tolerance(bzscr_rt_storage storage) {
  return storage == BZSCR_RT_STORAGE_INT8      ? 4e-2
         : storage == BZSCR_RT_STORAGE_FLOAT16 ? 2e-3
                                               : 1e-5;
}

}  // namespace

TEST_CASE(
    "a taught class scores by the definition: seen and unseen, with an embedding and without, in "
    "every score form, form and storage") {
  for (const ScoreForm score : kScoreForms)
    for (const bool offsets : {false, true})
      for (const bzscr_rt_form form : kTaughtForms)
        for (const bzscr_rt_storage storage : kStorages)
          for (const std::size_t n : {1u, 2u, 7u}) {
            CAPTURE(score);
            CAPTURE(form);
            CAPTURE(storage);
            CAPTURE(n);
            TestModel model = model_for(score);
            if (!offsets) model.offsets.clear();
            const OpenedModel opened(model, teachable(form, storage));
            const std::vector<float> phi = random_vector(kEmbedding, 55);
            REQUIRE(bzscr_rt_set_class(opened, 7, "nothing", nullptr) == BZSCR_RT_OK);
            REQUIRE(bzscr_rt_set_class(opened, 8, "added", phi.data()) == BZSCR_RT_OK);
            struct Taught {
              std::uint32_t id;
              std::vector<double> row;
              double penalty;
            };
            const Taught all[] = {{23, reference_row(model, 2), 0.125},
                                  {33, reference_row(model, 3), 0},
                                  {7, {}, 0},
                                  {8, reference_row(model, phi), 0}};
            for (const Taught& one : all) {
              teach(opened, one.id, examples(n, one.id));
              const std::vector<float> x = sample(99);
              double scale = static_cast<double>(model.teaching->length);
              for (const double value : one.row) scale = std::max(scale, std::abs(value));
              CAPTURE(one.id);
              CHECK(std::abs(static_cast<double>(opened.score_of(one.id, x)) + one.penalty -
                             reference_taught_score(model, x, one.row, examples(n, one.id))) <=
                    tolerance(storage) * scale * 3);
            }
          }
}

TEST_CASE("teaching a class changes the score of no other class") {
  const OpenedModel opened(model_for(ScoreForm::Cosine), teachable());
  const std::vector<float> x = sample(99), before = opened.scores(x);
  teach(opened, 13, examples(3));
  std::vector<float> after = opened.scores(x);
  CHECK(after[1] != before[1]);
  after[1] = before[1];
  CHECK(same_bits(after, before));
}

TEST_CASE(
    "the same samples in the same order give the same bits with every kernel, and the same sums in "
    "every form and storage") {
  const TestModel model = model_for(ScoreForm::Half);
  std::vector<float> sums;
  for (const bzscr_rt_form form : kTaughtForms)
    for (const bzscr_rt_storage storage : kStorages) {
      std::vector<float> scores;
      for (const char* kernel : kernel_names()) {
        OpenOptions options = teachable(form, storage);
        options.kernel = kernel;
        const OpenedModel opened(model, options);
        teach(opened, 13, examples(5));
        if (sums.empty()) sums = taught(opened, 13);
        if (scores.empty()) scores = opened.scores(sample(99));
        CHECK(same_bits(taught(opened, 13), sums));
        CHECK(same_bits(opened.scores(sample(99)), scores));
      }
    }
  CHECK(sums.back() == 4.5f);
}

TEST_CASE("a class that forgets scores as if it had never been taught, bit for bit") {
  for (const ScoreForm score : kScoreForms)
    for (const bzscr_rt_form form : kTaughtForms)
      for (const bzscr_rt_storage storage : kStorages)
        for (const bool shared : {false, true}) {
          OpenOptions options = teachable(form, storage);
          options.shared = shared;
          const OpenedModel opened(model_for(score), options);
          REQUIRE(bzscr_rt_set_class(opened, 7, "nothing", nullptr) == BZSCR_RT_OK);
          const std::vector<float> x = sample(99), before = opened.scores(x);
          for (const std::uint32_t id : {3u, 13u, 7u}) {
            teach(opened, id, examples(4));
            CHECK_FALSE(same_bits(opened.scores(x), before));
            REQUIRE(bzscr_rt_forget(opened, id) == BZSCR_RT_OK);
            CHECK(same_bits(opened.scores(x), before));
            CHECK(taught(opened, id) == std::vector<float>(kWeakModels + 1, 0.0f));
            REQUIRE(bzscr_rt_forget(opened, id) == BZSCR_RT_OK);
            CHECK(same_bits(opened.scores(x), before));
          }
        }
}

TEST_CASE("a table that can be taught scores like one that cannot before a class is taught") {
  for (const ScoreForm score : kScoreForms)
    for (const bzscr_rt_form form : kTaughtForms)
      for (const bzscr_rt_storage storage : kStorages) {
        OpenOptions options = teachable(form, storage);
        const OpenedModel opened(model_for(score), options);
        options.teachable = false;
        CHECK(same_bits(opened.scores(sample(99)),
                        OpenedModel(model_for(score), options).scores(sample(99))));
      }
}

TEST_CASE("a class without an embedding and samples scores -FLT_MAX and ranks last") {
  for (const bzscr_rt_storage storage : kStorages) {
    TestModel model = model_for(ScoreForm::Plain);
    model.seen_penalty = 0x1p30f;  // the seen classes score lowest of the others
    const OpenedModel opened(model, teachable(BZSCR_RT_FORM_FACTORS, storage));
    REQUIRE(bzscr_rt_set_class(opened, 1, "nothing", nullptr) == BZSCR_RT_OK);
    const std::vector<float> x = sample(99);
    CHECK(opened.score_of(1, x) == -FLT_MAX);
    CHECK(opened.top(x, 6).back().id == 1);
    std::int32_t seen = -1;
    CHECK(bzscr_rt_class_seen(opened, 1, &seen) == BZSCR_RT_OK);
    CHECK(seen == 0);
    teach(opened, 1, {{x, 1}});
    CHECK(opened.top(x, 1)[0].score > -FLT_MAX);
    CHECK(opened.score_of(1, x) > -FLT_MAX);
  }
}

TEST_CASE("a class is recognised after a few of its samples") {
  const TestModel model = model_for(ScoreForm::Cosine);
  const OpenedModel opened(model, teachable());
  REQUIRE(bzscr_rt_set_class(opened, 7, "tapir", nullptr) == BZSCR_RT_OK);
  const std::vector<float> centre = sample(99);
  const auto near_it = [&](unsigned i) {
    std::vector<float> x = centre;
    const std::vector<float> noise = sample(200 + i);
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += 0.2f * noise[j];
    return x;
  };
  for (unsigned i = 0; i < 3; ++i) teach(opened, 7, {{near_it(i), 1}});
  for (unsigned i = 10; i < 20; ++i) CHECK(opened.top(near_it(i), 1)[0].id == 7);
}

TEST_CASE("examples of one table, set in another, give the same scores there") {
  for (const ScoreForm score : kScoreForms)
    for (const bzscr_rt_form form : kTaughtForms) {
      const OpenedModel one(model_for(score), teachable(form));
      const OpenedModel other(model_for(score), teachable(form));
      for (const std::uint32_t id : {3u, 13u}) {
        teach(one, id, examples(4, id));
        const std::vector<float> all = taught(one, id);
        REQUIRE(bzscr_rt_set_examples(other, id, all.data(), all.back()) == BZSCR_RT_OK);
        CHECK(same_bits(taught(other, id), all));
      }
      CHECK(same_bits(one.scores(sample(99)), other.scores(sample(99))));
      teach(one, 3, examples(1, 70));  // teaching goes on from there
      teach(other, 3, examples(1, 70));
      CHECK(same_bits(one.scores(sample(99)), other.scores(sample(99))));
      REQUIRE(bzscr_rt_set_examples(other, 3, nullptr, 0) == BZSCR_RT_OK);
      REQUIRE(bzscr_rt_forget(one, 3) == BZSCR_RT_OK);
      CHECK(same_bits(one.scores(sample(99)), other.scores(sample(99))));
    }
}

TEST_CASE(
    "a class keeps its samples when its embedding or name changes, and loses them when it is "
    "removed") {
  const TestModel model = model_for(ScoreForm::Half);
  const OpenedModel opened(model, teachable());
  const std::vector<float> x = sample(99), phi = random_vector(kEmbedding, 55);
  const std::vector<float> untaught = opened.scores(x);
  teach(opened, 13, examples(3));
  const std::vector<float> all = taught(opened, 13);
  const float before = opened.score_of(13, x);

  REQUIRE(bzscr_rt_set_class(opened, 13, nullptr, phi.data()) == BZSCR_RT_OK);
  CHECK(taught(opened, 13) == all);
  CHECK(static_cast<double>(opened.score_of(13, x)) ==
        doctest::Approx(reference_taught_score(model, x, reference_row(model, phi), examples(3)))
            .epsilon(1e-4));
  REQUIRE(bzscr_rt_set_class(opened, 13, "other", nullptr) == BZSCR_RT_OK);
  CHECK(opened.name_of(13) == "other");
  CHECK(taught(opened, 13) == all);
  REQUIRE(bzscr_rt_restore_class(opened, 13, nullptr) == BZSCR_RT_OK);
  CHECK(taught(opened, 13) == all);
  CHECK(opened.score_of(13, x) == before);

  // The last class moves to the place of a class that is removed, with its samples.
  teach(opened, 43, examples(2, 60));
  const std::vector<float> last = taught(opened, 43);
  const float score_of_last = opened.score_of(43, x);
  REQUIRE(bzscr_rt_remove_class(opened, 13) == BZSCR_RT_OK);
  CHECK(taught(opened, 43) == last);
  CHECK(opened.score_of(43, x) == score_of_last);
  REQUIRE(bzscr_rt_restore_class(opened, 13, nullptr) == BZSCR_RT_OK);
  CHECK(taught(opened, 13) == std::vector<float>(kWeakModels + 1, 0.0f));
  CHECK(opened.score_of(13, x) == untaught[1]);
}

TEST_CASE("an embedding can be added to a class that has only samples") {
  const TestModel model = model_for(ScoreForm::Cosine);
  const OpenedModel opened(model, teachable());
  const std::vector<float> x = sample(99), phi = random_vector(kEmbedding, 55);
  REQUIRE(bzscr_rt_set_class(opened, 7, "tapir", nullptr) == BZSCR_RT_OK);
  teach(opened, 7, examples(2));
  REQUIRE(bzscr_rt_set_class(opened, 7, nullptr, phi.data()) == BZSCR_RT_OK);
  CHECK(static_cast<double>(opened.score_of(7, x)) ==
        doctest::Approx(reference_taught_score(model, x, reference_row(model, phi), examples(2)))
            .epsilon(1e-4));
}

TEST_CASE("samples that cancel leave the embedding, or a row of zeros without one") {
  TestModel model = model_for(ScoreForm::Cosine);
  model.offsets.clear();
  const OpenedModel opened(model, teachable());
  REQUIRE(bzscr_rt_set_class(opened, 7, "nothing", nullptr) == BZSCR_RT_OK);
  const std::vector<float> x = sample(99), zeros(kWeakModels, 0.0f), before = opened.scores(x);
  REQUIRE(bzscr_rt_set_examples(opened, 7, zeros.data(), 3) == BZSCR_RT_OK);
  CHECK(opened.score_of(7, x) == -model.teaching->offset);
  REQUIRE(bzscr_rt_set_examples(opened, 13, zeros.data(), 1.5f) == BZSCR_RT_OK);  // a = 1/2
  CHECK(static_cast<double>(opened.score_of(13, x)) ==
        doctest::Approx(static_cast<double>(before[1]) -
                        static_cast<double>(model.teaching->offset) / 2)
            .epsilon(1e-5));
}

TEST_CASE("examples as large and as small as floats can be give finite scores") {
  for (const ScoreForm score : kScoreForms)
    for (const bzscr_rt_form form : kTaughtForms)
      for (const bzscr_rt_storage storage : kStorages) {
        const OpenedModel opened(model_for(score), teachable(form, storage));
        REQUIRE(bzscr_rt_set_class(opened, 7, "nothing", nullptr) == BZSCR_RT_OK);
        for (const std::uint32_t id : {3u, 7u})
          for (const float value : {FLT_MAX, 1e-30f, std::numeric_limits<float>::denorm_min()})
            for (const float count : {FLT_MAX, 1.0f, std::numeric_limits<float>::denorm_min()}) {
              const std::vector<float> sum(kWeakModels, value);
              REQUIRE(bzscr_rt_set_examples(opened, id, sum.data(), count) == BZSCR_RT_OK);
              teach(opened, id, {{sample(1), 1024}});
              CHECK(std::abs(opened.score_of(id, sample(99))) < 1e3f);
              const std::vector<float> all = taught(opened, id);
              CHECK(bzscr_rt_set_examples(opened, id, all.data(), all.back()) == BZSCR_RT_OK);
            }
      }
}

TEST_CASE("a batch shows what it taught at its end, all at once, and drops it if it is cancelled") {
  OpenOptions options = teachable();
  options.shared = true;
  const OpenedModel opened(model_for(ScoreForm::Cosine), options);
  const OpenedModel alone(model_for(ScoreForm::Cosine), teachable());
  const std::vector<float> x = sample(99), before = opened.scores(x);
  for (const bool keep : {false, true}) {
    bzscr_rt* batch = nullptr;
    REQUIRE(bzscr_rt_begin_changes(opened, &batch) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_set_class(batch, 7, "nothing", nullptr) == BZSCR_RT_OK);
    teach(batch, 7, examples(2));
    teach(batch, 13, examples(3));
    CHECK(taught(batch, 13).back() == 2.5f);
    CHECK(taught(opened, 13).back() == 0);
    CHECK(same_bits(opened.scores(x), before));
    CHECK(bzscr_rt_teach(opened, 13, x.data(), 1) == BZSCR_RT_BUSY);
    CHECK(bzscr_rt_forget(opened, 13) == BZSCR_RT_BUSY);
    CHECK((keep ? bzscr_rt_end_changes(opened) : bzscr_rt_cancel_changes(opened)) == BZSCR_RT_OK);
    CHECK(bzscr_rt_teach(batch, 13, x.data(), 1) == BZSCR_RT_CLOSED);
    if (!keep) CHECK(same_bits(opened.scores(x), before));
    if (!keep) CHECK(taught(opened, 13).back() == 0);
  }
  REQUIRE(bzscr_rt_set_class(alone, 7, "nothing", nullptr) == BZSCR_RT_OK);
  teach(alone, 7, examples(2));
  teach(alone, 13, examples(3));
  CHECK(same_bits(opened.scores(x), alone.scores(x)));
  teach(opened, 13, examples(1, 80));  // both copies of the table have the same sums
  teach(opened, 13, examples(1, 81));
  teach(alone, 13, examples(1, 80));
  teach(alone, 13, examples(1, 81));
  CHECK(same_bits(opened.scores(x), alone.scores(x)));
  CHECK(same_bits(taught(opened, 13), taught(alone, 13)));
}

TEST_CASE("a sample that cannot be scored, and wrong arguments, teach nothing") {
  const OpenedModel opened(model_for(ScoreForm::Half), teachable());
  teach(opened, 13, examples(2));
  const std::vector<float> x = sample(99), before = opened.scores(x), all = taught(opened, 13);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> bad = x;
  bad[36] = nan;
  CHECK(bzscr_rt_teach(opened, 13, bad.data(), 1) == BZSCR_RT_NOT_FINITE);
  bad[36] = FLT_MAX;
  bad[3] = nan;
  CHECK(bzscr_rt_teach(opened, 13, bad.data(), 1) == BZSCR_RT_NOT_FINITE);
  CHECK(bzscr_rt_teach(opened, 13, model_for(ScoreForm::Half).feature_mean.data(), 1) ==
        BZSCR_RT_ZERO_INPUT);
  CHECK(bzscr_rt_teach(opened, 4711, x.data(), 1) == BZSCR_RT_NO_SUCH_CLASS);
  for (const float weight : {0.0f, -1.0f, 1024.5f, nan, infinity})
    CHECK(bzscr_rt_teach(opened, 13, x.data(), weight) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_teach(nullptr, 13, x.data(), 1) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_teach(opened, 13, nullptr, 1) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_forget(nullptr, 13) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_forget(opened, 4711) == BZSCR_RT_NO_SUCH_CLASS);
  std::vector<float> sum(kWeakModels, 1.0f);
  float count = 77;
  CHECK(bzscr_rt_get_examples(opened, 4711, sum.data(), &count) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_get_examples(opened, 13, nullptr, &count) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_get_examples(opened, 13, sum.data(), nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_get_examples(nullptr, 13, sum.data(), &count) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(sum == std::vector<float>(kWeakModels, 1.0f));
  CHECK(count == 77);
  CHECK(bzscr_rt_set_examples(opened, 4711, sum.data(), 1) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_set_examples(opened, 13, nullptr, 1) == BZSCR_RT_BAD_ARGUMENT);
  for (const float wrong : {-1.0f, nan, infinity})
    CHECK(bzscr_rt_set_examples(opened, 13, sum.data(), wrong) == BZSCR_RT_BAD_ARGUMENT);
  for (const float wrong : {nan, infinity}) {
    sum[kWeakModels - 1] = wrong;
    CHECK(bzscr_rt_set_examples(opened, 13, sum.data(), 1) == BZSCR_RT_NOT_FINITE);
  }
  const std::vector<float> phi(kEmbedding, 0.0f);
  CHECK(bzscr_rt_set_class(opened, 13, nullptr, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_set_class(opened, 99, nullptr, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_set_class(opened, 13, "class 0", nullptr) == BZSCR_RT_DUPLICATE_NAME);
  CHECK(bzscr_rt_set_class(opened, 99, "", nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(same_bits(opened.scores(x), before));
  CHECK(taught(opened, 13) == all);
  REQUIRE(bzscr_rt_close(opened) == BZSCR_RT_OK);
  CHECK(bzscr_rt_teach(opened, 13, x.data(), 1) == BZSCR_RT_CLOSED);
  CHECK(bzscr_rt_get_examples(opened, 13, sum.data(), &count) == BZSCR_RT_CLOSED);
}

TEST_CASE("an input that is not scaled and too long teaches nothing") {
  TestModel model = model_for(ScoreForm::Plain);
  model.feature_scaling = format::FeatureScaling::None;
  model.feature_mean.clear();
  model.feature_factor.clear();
  const OpenedModel opened(model, teachable());
  const std::vector<float> x(kFeatures, 0x1p29f);
  CHECK(bzscr_rt_teach(opened, 13, x.data(), 1) == BZSCR_RT_OUT_OF_RANGE);
  CHECK(taught(opened, 13).back() == 0);
}

TEST_CASE("a table that was opened without teaching refuses it, and classes without an embedding") {
  OpenOptions options = teachable();
  options.teachable = false;
  const OpenedModel opened(model_for(ScoreForm::Cosine), options);
  const std::vector<float> x = sample(99);
  std::vector<float> sum(kWeakModels);
  float count = 0;
  CHECK(bzscr_rt_teach(opened, 13, x.data(), 1) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_forget(opened, 13) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_get_examples(opened, 13, sum.data(), &count) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_set_examples(opened, 13, sum.data(), 1) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_set_class(opened, 7, "nothing", nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_set_class(opened, 13, "other", nullptr) == BZSCR_RT_BAD_ARGUMENT);
}

TEST_CASE("only models with values for it can be taught, and not in the dense form") {
  TestModel model = model_for(ScoreForm::Cosine);
  model.own.clear();
  CHECK(status_of(serialise(model), teachable()) == BZSCR_RT_OK);
  CHECK(status_of(serialise(model), teachable(BZSCR_RT_FORM_DENSE)) == BZSCR_RT_BAD_ARGUMENT);
  const AlignedBytes file = serialise(model);
  for (const std::int32_t wrong : {-1, 2, 256, INT32_MIN}) {
    bzscr_rt_config config = config_for(file, teachable());
    config.teachable = wrong;
    std::size_t bytes = 0;
    CHECK(bzscr_rt_arena_bytes(&config, &bytes) == BZSCR_RT_BAD_ARGUMENT);
  }
  model.teaching.reset();
  CHECK(status_of(serialise(model), teachable()) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(status_of(serialise(random_model(9, 4, 3, 2)), teachable()) == BZSCR_RT_BAD_ARGUMENT);
  // AUTO would take DENSE: many more weak models than values of an embedding.
  TestModel wide = random_model_with_forms(64, 4, 40, 1, ScoreForm::Plain);
  wide.own.clear();
  OpenOptions options = teachable();
  options.class_capacity = 500;
  CHECK(OpenedModel(wide, options).info().form == BZSCR_RT_FORM_FACTORS);
}

TEST_CASE("a description has the bytes of the arena that teaching takes for each class") {
  for (const bool shared : {false, true})
    for (const bool offsets : {false, true}) {
      TestModel model = model_for(ScoreForm::Cosine);
      if (!offsets) model.offsets.clear();
      const auto info_with = [&](std::uint32_t capacity, bool can_be_taught) {
        OpenOptions options = teachable(BZSCR_RT_FORM_FACTORS);
        options.class_capacity = capacity;
        options.shared = shared;
        options.teachable = can_be_taught;
        return OpenedModel(model, options).info();
      };
      const auto more = [&](std::uint32_t capacity) {
        return info_with(capacity, true).arena_bytes - info_with(capacity, false).arena_bytes;
      };
      CHECK(info_with(64, true).teachable == 1);
      CHECK(info_with(64, true).example_bytes * 64 == more(128) - more(64));
      CHECK(info_with(64, false).example_bytes == 0);
      CHECK(info_with(64, true).scratch_bytes == info_with(64, false).scratch_bytes);
    }
}

TEST_CASE("a model with one weak model, or none, can be taught") {
  for (const std::uint32_t k : {0u, 1u})
    for (const bzscr_rt_form form : kTaughtForms) {
      const TestModel model = random_model_with_forms(9, 4, k, 2, ScoreForm::Half);
      const OpenedModel opened(model, teachable(form));
      const std::vector<float> x = random_vector(9, 7);
      const Example one{random_vector(9, 8), 2};
      REQUIRE(bzscr_rt_teach(opened, 13, one.x.data(), one.weight) == BZSCR_RT_OK);
      CHECK(static_cast<double>(opened.score_of(13, x)) ==
            doctest::Approx(reference_taught_score(model, x, reference_row(model, 1), {one}))
                .epsilon(1e-4));
    }
}
