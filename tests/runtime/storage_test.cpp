#include "opened_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace bzscr;
using namespace bzscr::test;

namespace {

TestModel scaled_model(std::uint32_t m, std::uint32_t d, std::uint32_t k, std::uint32_t classes) {
  TestModel model = random_model(m, d, k, classes);
  model.feature_scaling = format::FeatureScaling::Unit;
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = random_vector(d, 99);
  return model;
}

OpenOptions options_for(bzscr_rt_form form, bzscr_rt_storage storage,
                        const char* kernel = nullptr) {
  OpenOptions options;
  options.form = form;
  options.storage = storage;
  options.kernel = kernel;
  return options;
}

/// A vector rounded to integer multiples of its largest value / 127, by the definition of int8.
struct Steps {
  explicit Steps(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::abs(value));
    scale = largest / 127;
    for (const double value : values) steps.push_back(std::lround(value / scale));
  }
  std::vector<long> steps;
  double scale = 0;
};

}  // namespace

TEST_CASE("every kernel gives the same bits, in every form and storage") {
  const TestModel model = scaled_model(75, 21, 37, 70);
  const std::vector<float> x = random_vector(75, 7);
  for (const bzscr_rt_form form : kForms)
    for (const bzscr_rt_storage storage : kStorages) {
      const std::vector<float> expected =
          OpenedModel(model, options_for(form, storage, "scalar")).scores(x);
      for (const char* kernel : kernel_names()) {
        CAPTURE(kernel);
        const OpenedModel opened(model, options_for(form, storage, kernel));
        CHECK(std::string(opened.info().kernel_name) == kernel);
        const std::vector<float> scores = opened.scores(x);
        CHECK(std::memcmp(scores.data(), expected.data(), scores.size() * sizeof(float)) == 0);
      }
    }
}

TEST_CASE("int8 scores are the integer sums of rounded rows and queries, times both scales") {
  TestModel model = random_model(40, 30, 1, 3);  // one weak model: a prototype is a multiple of u
  const std::vector<float> x = random_vector(40, 7);
  const std::vector<float> scores =
      OpenedModel(model, options_for(BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_STORAGE_INT8)).scores(x);
  const Steps query({x.begin(), x.end()});
  for (std::size_t r = 0; r < 3; ++r) {
    double along_v = 0;
    for (std::size_t i = 0; i < 30; ++i)
      along_v += static_cast<double>(model.v[i]) * static_cast<double>(model.classes[r].phi[i]);
    std::vector<double> prototype;
    for (const float each : model.u)
      prototype.push_back(static_cast<double>(model.w[0]) * along_v * static_cast<double>(each));
    const Steps row(prototype);
    long sum = 0;
    for (std::size_t i = 0; i < 40; ++i) sum += row.steps[i] * query.steps[i];
    CHECK(static_cast<double>(scores[r]) ==
          doctest::Approx(static_cast<double>(sum) * row.scale * query.scale).epsilon(1e-5));
  }
}

TEST_CASE("the errors of float16 and int8 storage are within their resolution") {
  for (const bzscr_rt_form form : kForms) {
    const TestModel model = scaled_model(150, 40, 24, 60);
    const std::vector<float> x = random_vector(150, 7);
    const std::vector<float> exact =
        OpenedModel(model, options_for(form, BZSCR_RT_STORAGE_FLOAT32)).scores(x);
    float largest = 0;
    for (const float each : exact) largest = std::max(largest, std::abs(each));
    const auto error_of = [&](bzscr_rt_storage storage) {
      const std::vector<float> scores = OpenedModel(model, options_for(form, storage)).scores(x);
      float error = 0;
      for (std::size_t r = 0; r < scores.size(); ++r)
        error = std::max(error, std::abs(scores[r] - exact[r]));
      return error / largest;
    };
    CHECK(error_of(BZSCR_RT_STORAGE_FLOAT16) < 1e-3f);
    CHECK(error_of(BZSCR_RT_STORAGE_INT8) < 4e-2f);
    CHECK(error_of(BZSCR_RT_STORAGE_INT8) > 0);
  }
}

TEST_CASE("rows and queries of any length, tiny or huge, are scored in every storage") {
#if defined(__arm__)
  constexpr double kFlushed = 8 * 0x1p-126;  // ARMv7's NEON treats numbers below 2^-126 as zero
#else
  constexpr double kFlushed = 0;
#endif
  for (const bzscr_rt_storage storage : kStorages)
    for (const float factor : {1e-36f, 1e-20f, 1.0f, 1e8f}) {
      CAPTURE(storage);
      CAPTURE(factor);
      TestModel model = random_model(9, 6, 4, 2);
      for (TestClass& one : model.classes)
        for (float& value : one.phi) value *= factor;
      const OpenedModel opened(model, options_for(BZSCR_RT_FORM_FACTORS, storage));
      const std::vector<float> x = random_vector(9, 7);
      const std::vector<float> scores = opened.scores(x);
      for (std::size_t r = 0; r < 2; ++r) {
        const double expected = reference_score(model, x, model.classes[r].phi);
        CHECK(std::abs(static_cast<double>(scores[r]) - expected) <=
              0.05 * std::abs(expected) + 0.05 * static_cast<double>(factor) + kFlushed);
      }
    }
  TestModel nothing = random_model(9, 6, 4, 2);
  for (TestClass& one : nothing.classes) one.phi.assign(6, 0.0f);
  for (const bzscr_rt_storage storage : kStorages)
    CHECK(OpenedModel(nothing, options_for(BZSCR_RT_FORM_DENSE, storage))
              .scores(random_vector(9, 7)) == std::vector<float>{0, 0});
}

TEST_CASE(
    "smaller values need a smaller arena, and AUTO chooses the form that reads the fewest bytes") {
  const TestModel model = random_model(256, 64, 40, 4);
  const auto info = [&](bzscr_rt_storage storage, std::uint32_t capacity) {
    OpenOptions options = options_for(BZSCR_RT_FORM_AUTO, storage);
    options.class_capacity = capacity;
    return OpenedModel(model, options).info();
  };
  const bzscr_rt_info full = info(BZSCR_RT_STORAGE_FLOAT32, 60);
  const bzscr_rt_info bytes = info(BZSCR_RT_STORAGE_INT8, 60);
  CHECK(std::string(full.form_name) == "factors");      // (256 + 60) 40 4 < 60 256 4 bytes
  CHECK(std::string(bytes.form_name) == "prototypes");  // 60 256 < 256 40 4 + 60 40
  CHECK(std::string(full.storage_name) == "float32");
  CHECK(std::string(bytes.storage_name) == "int8");
  CHECK(full.class_bytes == 160);
  CHECK(bytes.class_bytes == 256);
  const auto arena = [&](bzscr_rt_storage storage) {
    OpenOptions options = options_for(BZSCR_RT_FORM_PROTOTYPES, storage);
    options.class_capacity = 1000;
    return OpenedModel(model, options).info().arena_bytes;
  };
  CHECK(arena(BZSCR_RT_STORAGE_FLOAT32) - arena(BZSCR_RT_STORAGE_FLOAT16) > 1000 * 500);
  CHECK(arena(BZSCR_RT_STORAGE_FLOAT16) - arena(BZSCR_RT_STORAGE_INT8) > 1000 * 250);
}

TEST_CASE(
    "opening needs exactly the size that bzscr_rt_arena_bytes returns, for 1000 random shapes and "
    "options") {
  std::mt19937 random(17);
  for (int trial = 0; trial < 1000; ++trial) {
    const auto below = [&](unsigned n) { return static_cast<std::uint32_t>(random() % n); };
    const std::uint32_t classes = below(6);
    const TestModel model = random_model(1 + below(40), 1 + below(20), below(12), classes,
                                         static_cast<unsigned>(trial));
    const AlignedBytes file = serialise(model);
    OpenOptions options;
    options.class_capacity = classes + below(30);
    options.name_bytes = 9 + below(40);
    options.form = static_cast<bzscr_rt_form>(below(4));
    options.storage = static_cast<bzscr_rt_storage>(below(3));
    options.shared = below(2) == 1;
    bzscr_rt_config config = config_for(file, options);
    REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
    const AlignedBytes arena(config.arena_bytes);  // a sanitizer reports any access past the end
    config.arena = arena.data();
    bzscr_rt* handle = nullptr;
    REQUIRE(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);
    bzscr_rt_info info{};
    info.struct_size = sizeof info;
    REQUIRE(bzscr_rt_describe(handle, &info) == BZSCR_RT_OK);
    CHECK(info.arena_bytes == config.arena_bytes);
    for (std::uint32_t i = classes; i < info.class_capacity; ++i)
      REQUIRE(bzscr_rt_set_class(handle, 1000 + i, std::to_string(i).c_str(),
                                 random_vector(model.d, i).data()) == BZSCR_RT_OK);
    bzscr_rt_result best[3];
    std::size_t count = 0;
    REQUIRE(bzscr_rt_top(handle, random_vector(model.m, 7).data(), nullptr, 3, best, &count) ==
            BZSCR_RT_OK);
    config.arena_bytes -= 1;
    CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_ARENA_TOO_SMALL);
  }
}

TEST_CASE("an unknown storage, an unknown kernel and rows too long for int8 are refused") {
  const AlignedBytes file = serialise(random_model(5, 4, 3, 2));
  for (const int storage : {-1, 3})
    CHECK(status_of(file, options_for(BZSCR_RT_FORM_AUTO, storage)) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(status_of(file, options_for(BZSCR_RT_FORM_AUTO, BZSCR_RT_STORAGE_INT8, "abacus")) ==
        BZSCR_RT_NO_SUCH_KERNEL);
  CHECK(status_of(file, options_for(BZSCR_RT_FORM_AUTO, BZSCR_RT_STORAGE_INT8, "scalar")) ==
        BZSCR_RT_OK);

  const AlignedBytes wide = serialise(random_model((1u << 17) + 1, 1, 1, 1));
  const auto arena = [&](bzscr_rt_form form, bzscr_rt_storage storage) {
    const bzscr_rt_config config = config_for(wide, options_for(form, storage));
    std::size_t bytes = 0;
    return bzscr_rt_arena_bytes(&config, &bytes);
  };
  CHECK(arena(BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_STORAGE_INT8) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(arena(BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_STORAGE_FLOAT16) == BZSCR_RT_OK);
  CHECK(arena(BZSCR_RT_FORM_AUTO, BZSCR_RT_STORAGE_INT8) == BZSCR_RT_OK);
}
