// Checks the binary compatibility of the header's structs with the first release. Fields are added
// only at the end, and the sizes of types never change.
#include "opened_model.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

using namespace bzscr;
using namespace bzscr::test;

namespace {

// Copies of the first release's structs. Do not edit them, not even for new fields.
struct FirstConfig {
  std::size_t struct_size;
  const void* model;
  std::size_t model_bytes;
  void* arena;
  std::size_t arena_bytes;
  std::uint32_t class_capacity;
  std::uint32_t name_bytes;
  std::int32_t form;
  std::int32_t storage;
  const char* kernel;
  std::int32_t shared;
  void (*wait)(void* context);
  void* wait_context;
};

struct FirstInfo {
  std::size_t struct_size;
  std::uint32_t feature_dimension;
  std::uint32_t embedding_dimension;
  std::uint32_t weak_models;
  std::uint32_t classes;
  std::uint32_t class_capacity;
  std::uint32_t name_bytes;
  std::int32_t form;
  std::int32_t feature_scaling;
  std::int32_t embedding_scaling;
  float seen_penalty;
  std::size_t arena_bytes;
  std::size_t scratch_bytes;
  const char* form_name;
  const char* kernel_name;
};

struct FirstPlan {
  std::size_t struct_size;
  std::size_t arena_bytes;
  const void* model;
  std::size_t model_bytes;
  std::uint32_t model_check;
  std::uint32_t plan_check;
};

#define SAME_PLACE(first, now, field)                    \
  CHECK(offsetof(first, field) == offsetof(now, field)); \
  CHECK(std::is_same_v<decltype(first::field), decltype(now::field)>)

/// A struct as a caller has it that was compiled when it had `size` bytes, in memory that ends
/// where it ends.
template <class Struct>
class Callers {
 public:
  Callers(const Struct& today, std::size_t size, std::size_t struct_size)
      : bytes_((std::max(size, sizeof(std::size_t)))) {
    std::memcpy(bytes_.data(), &today, size);
    std::memcpy(bytes_.data(), &struct_size, sizeof struct_size);
  }
  Struct* get() const { return reinterpret_cast<Struct*>(bytes_.data()); }
  template <class First>
  const First& as() const {
    return *reinterpret_cast<const First*>(bytes_.data());
  }
  std::vector<std::uint8_t> bytes() const { return {bytes_.data(), bytes_.data() + bytes_.size()}; }

 private:
  AlignedBytes bytes_;
};

/// The sizes that a struct had from the first release on: one for each field that was added, where
/// the compiler pads the end.
template <class First, class Now>
std::vector<std::size_t> released_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t size = sizeof(First); size <= sizeof(Now); size += alignof(Now))
    sizes.push_back(size);
  return sizes;
}

/// Sizes that no release had: unset, cut short, and what a stack or a newer header may hold.
template <class First, class Now>
std::vector<std::size_t> other_sizes() {
  return {0,
          1,
          sizeof(std::size_t),
          sizeof(First) - 1,
          sizeof(First) - alignof(Now),
          sizeof(Now) - 1,
          sizeof(Now) + 1,
          sizeof(Now) + alignof(Now),
          4096,
          65536,
          std::size_t{1} << 31,
          SIZE_MAX / 2,
          SIZE_MAX};
}

/// A model in memory, and a configuration with its arena.
struct Opened {
  Opened() : file(serialise(random_model(5, 4, 3, 2))), config(config_for(file)) {
    REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
    arena = AlignedBytes(config.arena_bytes);
    config.arena = arena.data();
    REQUIRE(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);
  }
  AlignedBytes file, arena;
  bzscr_rt_config config;
  bzscr_rt* handle = nullptr;
};

}  // namespace

TEST_CASE("a configuration of every size since the first release opens the model") {
  Opened one;
  for (const std::size_t size : released_sizes<FirstConfig, bzscr_rt_config>()) {
    CAPTURE(size);
    const Callers<bzscr_rt_config> config(one.config, size, size);
    std::size_t needed = 0;
    bzscr_rt_plan plan{};
    plan.struct_size = sizeof plan;
    bzscr_rt* handle = nullptr;
    CHECK(bzscr_rt_arena_bytes(config.get(), &needed) == BZSCR_RT_OK);
    CHECK(needed == one.config.arena_bytes);
    CHECK(bzscr_rt_open(config.get(), &handle) == BZSCR_RT_OK);
    CHECK(bzscr_rt_plan_model(config.get(), &plan) == BZSCR_RT_OK);
    CHECK(bzscr_rt_open_planned(config.get(), &plan, &handle) == BZSCR_RT_OK);
    CHECK(bzscr_rt_class_count(handle) == 2);
  }
}

TEST_CASE("a configuration that ends before `teachable` opens a table that cannot be taught") {
  const AlignedBytes file =
      serialise(random_model_with_forms(5, 4, 3, 2, format::ScoreForm::Plain));
  bzscr_rt_config today = config_for(file);
  today.teachable = 1;
  for (const std::size_t size : released_sizes<FirstConfig, bzscr_rt_config>()) {
    const Callers<bzscr_rt_config> config(today, size, size);
    std::size_t needed = 0;
    REQUIRE(bzscr_rt_arena_bytes(config.get(), &needed) == BZSCR_RT_OK);
    const AlignedBytes arena(needed);
    bzscr_rt_config with_arena{};
    std::memcpy(&with_arena, config.get(), size);
    with_arena.arena = arena.data();
    with_arena.arena_bytes = needed;
    const Callers<bzscr_rt_config> opening(with_arena, size, size);
    bzscr_rt* handle = nullptr;
    REQUIRE(bzscr_rt_open(opening.get(), &handle) == BZSCR_RT_OK);
    const bool has_field = size > offsetof(bzscr_rt_config, teachable);
    const std::vector<float> x = random_vector(5, 7);
    CHECK(bzscr_rt_teach(handle, 3, x.data(), 1) ==
          (has_field ? BZSCR_RT_OK : BZSCR_RT_BAD_ARGUMENT));
  }
}

TEST_CASE("a description of every size since the first release gets the fields that it has") {
  Opened one;
  bzscr_rt_info today{};
  today.struct_size = sizeof today;
  REQUIRE(bzscr_rt_describe(one.handle, &today) == BZSCR_RT_OK);
  for (const std::size_t size : released_sizes<FirstInfo, bzscr_rt_info>()) {
    CAPTURE(size);
    bzscr_rt_info unset;
    std::memset(&unset, 0xA5, sizeof unset);
    const Callers<bzscr_rt_info> info(unset, size, size);
    REQUIRE(bzscr_rt_describe(one.handle, info.get()) == BZSCR_RT_OK);
    const Callers<bzscr_rt_info> expected(today, size, size);
    CHECK(info.bytes() == expected.bytes());
    CHECK(info.as<FirstInfo>().classes == 2);
    CHECK(info.as<FirstInfo>().kernel_name == today.kernel_name);
  }
}

TEST_CASE("a plan of every size since the first release is filled and opens the model") {
  Opened one;
  for (const std::size_t size : released_sizes<FirstPlan, bzscr_rt_plan>()) {
    CAPTURE(size);
    const Callers<bzscr_rt_plan> plan(bzscr_rt_plan{}, size, size);
    bzscr_rt* handle = nullptr;
    CHECK(bzscr_rt_plan_model(&one.config, plan.get()) == BZSCR_RT_OK);
    CHECK(plan.as<FirstPlan>().arena_bytes == one.config.arena_bytes);
    CHECK(bzscr_rt_open_planned(&one.config, plan.get(), &handle) == BZSCR_RT_OK);
  }
}

// The memory of each struct ends at the size of the first release: a sanitizer reports any access
// past it, and without one the bytes of today's size are compared.
TEST_CASE("a struct_size that no release had is refused, and nothing past it is read or written") {
  Opened one;
  bzscr_rt* handle = nullptr;
  std::size_t needed = 0;
  for (const std::size_t size : other_sizes<FirstConfig, bzscr_rt_config>()) {
    CAPTURE(size);
    const Callers<bzscr_rt_config> config(one.config, sizeof(std::size_t), size);
    bzscr_rt_plan plan{};
    plan.struct_size = sizeof plan;
    CHECK(bzscr_rt_arena_bytes(config.get(), &needed) == BZSCR_RT_BAD_ARGUMENT);
    CHECK(bzscr_rt_open(config.get(), &handle) == BZSCR_RT_BAD_ARGUMENT);
    CHECK(bzscr_rt_plan_model(config.get(), &plan) == BZSCR_RT_BAD_ARGUMENT);
    CHECK(bzscr_rt_open_planned(config.get(), &plan, &handle) == BZSCR_RT_BAD_ARGUMENT);
  }
  for (const std::size_t size : other_sizes<FirstInfo, bzscr_rt_info>()) {
    CAPTURE(size);
    const Callers<bzscr_rt_info> info(bzscr_rt_info{}, sizeof(bzscr_rt_info), size);
    const auto before = info.bytes();
    CHECK(bzscr_rt_describe(one.handle, info.get()) == BZSCR_RT_BAD_ARGUMENT);
    CHECK(info.bytes() == before);
    const Callers<bzscr_rt_info> no_more(bzscr_rt_info{}, sizeof(std::size_t), size);
    CHECK(bzscr_rt_describe(one.handle, no_more.get()) == BZSCR_RT_BAD_ARGUMENT);
  }
  for (const std::size_t size : other_sizes<FirstPlan, bzscr_rt_plan>()) {
    CAPTURE(size);
    const Callers<bzscr_rt_plan> plan(bzscr_rt_plan{}, sizeof(bzscr_rt_plan), size);
    const auto before = plan.bytes();
    CHECK(bzscr_rt_plan_model(&one.config, plan.get()) == BZSCR_RT_BAD_ARGUMENT);
    CHECK(bzscr_rt_open_planned(&one.config, plan.get(), &handle) == BZSCR_RT_BAD_ARGUMENT);
    CHECK(plan.bytes() == before);
    const Callers<bzscr_rt_plan> no_more(bzscr_rt_plan{}, sizeof(std::size_t), size);
    CHECK(bzscr_rt_plan_model(&one.config, no_more.get()) == BZSCR_RT_BAD_ARGUMENT);
    CHECK(bzscr_rt_open_planned(&one.config, no_more.get(), &handle) == BZSCR_RT_BAD_ARGUMENT);
  }
}

TEST_CASE("offsets and types of the fields of bzscr_rt_config are those of the first release") {
  CHECK(sizeof(bzscr_rt_config) >= sizeof(FirstConfig));
  SAME_PLACE(FirstConfig, bzscr_rt_config, struct_size);
  SAME_PLACE(FirstConfig, bzscr_rt_config, model);
  SAME_PLACE(FirstConfig, bzscr_rt_config, model_bytes);
  SAME_PLACE(FirstConfig, bzscr_rt_config, arena);
  SAME_PLACE(FirstConfig, bzscr_rt_config, arena_bytes);
  SAME_PLACE(FirstConfig, bzscr_rt_config, class_capacity);
  SAME_PLACE(FirstConfig, bzscr_rt_config, name_bytes);
  SAME_PLACE(FirstConfig, bzscr_rt_config, form);
  SAME_PLACE(FirstConfig, bzscr_rt_config, storage);
  SAME_PLACE(FirstConfig, bzscr_rt_config, kernel);
  SAME_PLACE(FirstConfig, bzscr_rt_config, shared);
  SAME_PLACE(FirstConfig, bzscr_rt_config, wait);
  SAME_PLACE(FirstConfig, bzscr_rt_config, wait_context);
}

TEST_CASE("offsets and types of the fields of bzscr_rt_info are those of the first release") {
  CHECK(sizeof(bzscr_rt_info) >= sizeof(FirstInfo));
  SAME_PLACE(FirstInfo, bzscr_rt_info, struct_size);
  SAME_PLACE(FirstInfo, bzscr_rt_info, feature_dimension);
  SAME_PLACE(FirstInfo, bzscr_rt_info, embedding_dimension);
  SAME_PLACE(FirstInfo, bzscr_rt_info, weak_models);
  SAME_PLACE(FirstInfo, bzscr_rt_info, classes);
  SAME_PLACE(FirstInfo, bzscr_rt_info, class_capacity);
  SAME_PLACE(FirstInfo, bzscr_rt_info, name_bytes);
  SAME_PLACE(FirstInfo, bzscr_rt_info, form);
  SAME_PLACE(FirstInfo, bzscr_rt_info, feature_scaling);
  SAME_PLACE(FirstInfo, bzscr_rt_info, embedding_scaling);
  SAME_PLACE(FirstInfo, bzscr_rt_info, seen_penalty);
  SAME_PLACE(FirstInfo, bzscr_rt_info, arena_bytes);
  SAME_PLACE(FirstInfo, bzscr_rt_info, scratch_bytes);
  SAME_PLACE(FirstInfo, bzscr_rt_info, form_name);
  SAME_PLACE(FirstInfo, bzscr_rt_info, kernel_name);
}

TEST_CASE("offsets and types of the fields of bzscr_rt_plan are those of the first release") {
  CHECK(sizeof(bzscr_rt_plan) >= sizeof(FirstPlan));
  SAME_PLACE(FirstPlan, bzscr_rt_plan, struct_size);
  SAME_PLACE(FirstPlan, bzscr_rt_plan, arena_bytes);
  SAME_PLACE(FirstPlan, bzscr_rt_plan, model);
  SAME_PLACE(FirstPlan, bzscr_rt_plan, model_bytes);
  SAME_PLACE(FirstPlan, bzscr_rt_plan, model_check);
  SAME_PLACE(FirstPlan, bzscr_rt_plan, plan_check);
}

TEST_CASE("bzscr_rt_result is id, index and score of 4 bytes each, and a status has 32 bits") {
  CHECK(sizeof(bzscr_rt_result) == 12);
  CHECK(offsetof(bzscr_rt_result, id) == 0);
  CHECK(offsetof(bzscr_rt_result, index) == 4);
  CHECK(offsetof(bzscr_rt_result, score) == 8);
  CHECK(sizeof(bzscr_rt_status) == 4);
}
