#include "opened_model.h"

#include <sys/mman.h>

#include <cstring>

using namespace bzscr;
using namespace bzscr::test;

TEST_CASE("opening needs exactly the arena size that bzscr_rt_arena_bytes returns, for any shape") {
  unsigned seed = 0;
  for (const std::uint32_t m : {1u, 8u, 30u})
    for (const std::uint32_t d : {1u, 9u, 17u})
      for (const std::uint32_t k : {0u, 1u, 12u})
        for (const std::uint32_t classes : {0u, 1u, 10u})
          for (const bzscr_rt_form form : kForms) {
            const TestModel model = random_model(m, d, k, classes, ++seed);
            const AlignedBytes file = serialise(model);
            bzscr_rt_config config = config_for(file, {classes + 3, 13, form});
            std::size_t needed = 0;
            REQUIRE(bzscr_rt_arena_bytes(&config, &needed) == BZSCR_RT_OK);

            constexpr std::size_t kCanaries = 64;
            const AlignedBytes arena(needed + kCanaries);
            std::memset(arena.data(), 0xC5, arena.size());
            config.arena = arena.data();
            config.arena_bytes = needed - 1;
            bzscr_rt* handle = nullptr;
            CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_ARENA_TOO_SMALL);
            CHECK(handle == nullptr);

            config.arena_bytes = needed;
            REQUIRE(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);
            bzscr_rt_info info{};
            info.struct_size = sizeof info;
            REQUIRE(bzscr_rt_describe(handle, &info) == BZSCR_RT_OK);
            CHECK(info.arena_bytes == needed);
            for (std::uint32_t i = 0; i < 3; ++i)
              REQUIRE(bzscr_rt_set_class(handle, 1000 + i, std::to_string(i).c_str(),
                                         random_vector(d, i).data()) == BZSCR_RT_OK);
            std::vector<float> scores(classes + 3);
            std::size_t count = 0;
            REQUIRE(bzscr_rt_score(handle, random_vector(m, 7).data(), nullptr, scores.size(),
                                   scores.data(), nullptr, &count) == BZSCR_RT_OK);
            for (std::size_t i = 0; i < kCanaries; ++i) REQUIRE(arena.data()[needed + i] == 0xC5);
          }
}

TEST_CASE("misaligned memory is refused") {
  const AlignedBytes file = serialise(random_model(5, 4, 3, 2));
  const AlignedBytes arena(1 << 16);
  bzscr_rt* handle = nullptr;
  for (const std::size_t shift : {1u, 2u, 4u, 8u, 16u, 31u}) {
    bzscr_rt_config config = config_for(file);
    config.arena = arena.data() + shift;
    config.arena_bytes = arena.size() - shift;
    CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_MISALIGNED);

    const AlignedBytes moved(file.size() + shift);
    std::memcpy(moved.data() + shift, file.data(), file.size());
    config.model = moved.data() + shift;
    config.arena = arena.data();
    std::size_t needed = 0;
    CHECK(bzscr_rt_arena_bytes(&config, &needed) == BZSCR_RT_MISALIGNED);
    CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_MISALIGNED);
  }
  CHECK(handle == nullptr);
}

TEST_CASE(
    "a model in read-only pages can be opened, scored and changed, and its bytes do not change") {
  const TestModel model = random_model(9, 6, 4, 5);
  const AlignedBytes file = serialise(model);
  void* pages =
      mmap(nullptr, file.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  std::memcpy(pages, file.data(), file.size());
  REQUIRE(mprotect(pages, file.size(), PROT_READ) == 0);

  for (const bzscr_rt_form form : kForms) {
    bzscr_rt_config config = config_for(file, {6, 0, form});
    config.model = pages;
    REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
    const AlignedBytes arena(config.arena_bytes);
    config.arena = arena.data();
    bzscr_rt* handle = nullptr;
    REQUIRE(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);
    CHECK(bzscr_rt_set_class(handle, 3, "renamed", random_vector(6, 1).data()) == BZSCR_RT_OK);
    CHECK(bzscr_rt_set_class(handle, 4, "added", random_vector(6, 2).data()) == BZSCR_RT_OK);
    CHECK(bzscr_rt_remove_class(handle, 13) == BZSCR_RT_OK);
    bzscr_rt_result best[3];
    std::size_t count = 0;
    CHECK(bzscr_rt_top(handle, random_vector(9, 7).data(), nullptr, 3, best, &count) ==
          BZSCR_RT_OK);
  }
  CHECK(std::memcmp(pages, file.data(), file.size()) == 0);
  munmap(pages, file.size());
}

TEST_CASE("bzscr_rt_describe returns the properties of the model") {
  TestModel model = random_model(11, 6, 4, 5);
  model.feature_scaling = format::FeatureScaling::Unit;
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = random_vector(6, 99);
  model.seen_penalty = 0.25f;
  const bzscr_rt_info info = OpenedModel(model, {9, 40, BZSCR_RT_FORM_FACTORS}).info();
  CHECK(info.feature_dimension == 11);
  CHECK(info.embedding_dimension == 6);
  CHECK(info.weak_models == 4);
  CHECK(info.classes == 5);
  CHECK(info.class_capacity == 9);
  CHECK(info.name_bytes == 40);
  CHECK(info.form == BZSCR_RT_FORM_FACTORS);
  CHECK(std::string(info.form_name) == "factors");
  CHECK(std::string(info.kernel_name) == bzscr_rt_kernel_name(0));
  CHECK(info.feature_scaling == BZSCR_RT_SCALING_UNIT);
  CHECK(info.embedding_scaling == BZSCR_RT_SCALING_CENTRE_UNIT);
  CHECK(info.seen_penalty == 0.25f);
  CHECK(info.scratch_bytes == (16 + 8) * sizeof(float));
}

TEST_CASE(
    "zero capacity and name_bytes in the configuration are replaced by values that fit the model") {
  TestModel model = random_model(5, 4, 3, 2);
  CHECK(OpenedModel(model).info().class_capacity == 2);
  CHECK(OpenedModel(model).info().name_bytes == 32);
  model.classes[1].name = std::string(50, 'n');
  CHECK(OpenedModel(model).info().name_bytes == 51);
}

TEST_CASE("classes of the model that exceed the configured capacity or name_bytes are refused") {
  const AlignedBytes file = serialise(random_model(5, 4, 3, 12));  // the longest name is "class 11"
  CHECK(status_of(file, {11, 0, 0}) == BZSCR_RT_TABLE_FULL);
  CHECK(status_of(file, {12, 8, 0}) == BZSCR_RT_NAME_TOO_LONG);
  CHECK(status_of(file, {12, 9, 0}) == BZSCR_RT_OK);
}

TEST_CASE("a model without classes can be opened, and classes can be added to it") {
  const TestModel model = random_model(5, 4, 3, 0);
  const std::vector<float> phi = random_vector(4, 3);
  CHECK(bzscr_rt_set_class(OpenedModel(model), 1, "first", phi.data()) == BZSCR_RT_TABLE_FULL);

  const OpenedModel opened(model, {2, 0, BZSCR_RT_FORM_AUTO});
  const std::vector<float> x = random_vector(5, 7);
  CHECK(opened.scores(x).empty());
  REQUIRE(bzscr_rt_set_class(opened, 1, "first", phi.data()) == BZSCR_RT_OK);
  CHECK(opened.scores(x)[0] == doctest::Approx(reference_score(model, x, phi)).epsilon(1e-5));
}

TEST_CASE("an invalid configuration gives BAD_ARGUMENT") {
  const AlignedBytes file = serialise(random_model(5, 4, 3, 2));
  const auto status = [](const bzscr_rt_config* config) {
    std::size_t needed = 0;
    return bzscr_rt_arena_bytes(config, &needed);
  };
  bzscr_rt_config config = config_for(file);
  REQUIRE(status(&config) == BZSCR_RT_OK);
  CHECK(status(nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_arena_bytes(&config, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_open(&config, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  bzscr_rt* handle = nullptr;
  CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_BAD_ARGUMENT);  // no arena

  for (const bzscr_rt_form form : {-1, 4}) {
    config.form = form;
    CHECK(status(&config) == BZSCR_RT_BAD_ARGUMENT);
  }
  config = config_for(file);
  config.model = nullptr;
  CHECK(status(&config) == BZSCR_RT_BAD_ARGUMENT);
  config = config_for(file);
  config.struct_size = 0;
  CHECK(status(&config) == BZSCR_RT_BAD_ARGUMENT);
  config.struct_size = sizeof config - 1;
  CHECK(status(&config) == BZSCR_RT_BAD_ARGUMENT);
  config = config_for(file, {UINT32_MAX, 0, 0});
  CHECK(status(&config) == BZSCR_RT_BAD_ARGUMENT);
}

TEST_CASE("arena sizes that overflow an address are refused") {
  const AlignedBytes file = serialise(random_model(5, 4, 3, 2));
  bzscr_rt_config config = config_for(file, {1u << 30, UINT32_MAX, 0});
  std::size_t needed = 0;
  const bzscr_rt_status status = bzscr_rt_arena_bytes(&config, &needed);
  if (sizeof(std::size_t) > 4) {
    CHECK(status == BZSCR_RT_OK);  // 2^62 bytes fit a size_t
    CHECK(needed > std::size_t{1} << 61);
    const AlignedBytes arena(1024);
    config.arena = arena.data();
    config.arena_bytes = arena.size();
    bzscr_rt* handle = nullptr;
    CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_ARENA_TOO_SMALL);
  } else {
    CHECK(status == BZSCR_RT_BAD_ARGUMENT);
  }
}

TEST_CASE("every function returns BAD_ARGUMENT for a null pointer") {
  const OpenedModel opened(random_model(5, 4, 3, 2));
  const std::vector<float> x = random_vector(5, 7);
  float scores[2];
  bzscr_rt_result best[2];
  std::size_t count = 0;
  std::uint32_t number = 0;
  std::int32_t seen = 0;
  char name[32];
  const bzscr_rt_status expected = BZSCR_RT_BAD_ARGUMENT;
  CHECK(bzscr_rt_score(nullptr, x.data(), nullptr, 2, scores, nullptr, &count) == expected);
  CHECK(bzscr_rt_score(opened, nullptr, nullptr, 2, scores, nullptr, &count) == expected);
  CHECK(bzscr_rt_score(opened, x.data(), nullptr, 2, nullptr, nullptr, &count) == expected);
  CHECK(bzscr_rt_score(opened, x.data(), nullptr, 2, scores, nullptr, nullptr) == expected);
  CHECK(bzscr_rt_score(opened, x.data(), nullptr, 1, scores, nullptr, &count) ==
        expected);  // length 1, but two classes
  CHECK(bzscr_rt_top(nullptr, x.data(), nullptr, 2, best, &count) == expected);
  CHECK(bzscr_rt_top(opened, nullptr, nullptr, 2, best, &count) == expected);
  CHECK(bzscr_rt_top(opened, x.data(), nullptr, 2, nullptr, &count) == expected);
  CHECK(bzscr_rt_top(opened, x.data(), nullptr, 2, best, nullptr) == expected);
  CHECK(bzscr_rt_describe(nullptr, nullptr) == expected);
  CHECK(bzscr_rt_describe(opened, nullptr) == expected);
  CHECK(bzscr_rt_class_id(nullptr, 0, &number) == expected);
  CHECK(bzscr_rt_class_id(opened, 0, nullptr) == expected);
  CHECK(bzscr_rt_class_name(nullptr, 3, name, sizeof name) == expected);
  CHECK(bzscr_rt_class_name(opened, 3, nullptr, 0) == expected);
  CHECK(bzscr_rt_class_seen(nullptr, 3, &seen) == expected);
  CHECK(bzscr_rt_class_seen(opened, 3, nullptr) == expected);
  CHECK(bzscr_rt_find_class(nullptr, 3, &number) == expected);
  CHECK(bzscr_rt_find_class(opened, 3, nullptr) == expected);
  CHECK(bzscr_rt_find_name(nullptr, "class 0", &number) == expected);
  CHECK(bzscr_rt_find_name(opened, nullptr, &number) == expected);
  CHECK(bzscr_rt_find_name(opened, "class 0", nullptr) == expected);
  CHECK(bzscr_rt_set_class(nullptr, 3, "name", x.data()) == expected);
  CHECK(bzscr_rt_set_class(opened, 3, "name", nullptr) == expected);
  CHECK(bzscr_rt_remove_class(nullptr, 3) == expected);
  CHECK(bzscr_rt_set_seen_penalty(nullptr, 0) == expected);
  bzscr_rt* batch = nullptr;
  CHECK(bzscr_rt_begin_changes(nullptr, &batch) == expected);
  CHECK(bzscr_rt_begin_changes(opened, nullptr) == expected);
  CHECK(bzscr_rt_end_changes(nullptr) == expected);
  CHECK(bzscr_rt_cancel_changes(nullptr) == expected);
  CHECK(bzscr_rt_close(nullptr) == expected);
  CHECK(bzscr_rt_class_count(nullptr) == 0);
  CHECK(bzscr_rt_scratch_bytes(nullptr) == 0);
}
