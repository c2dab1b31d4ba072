// Checks the binary compatibility of the header's structs with the first release. Fields are added
// only at the end, and the sizes of types never change.
#include "bzscr_rt/bzscr_rt.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

}  // namespace

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
