#pragma once

#include "bzscr_rt/bzscr_rt.h"
#include "support/model_builder.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace bzscr::test {

struct OpenOptions {
  std::uint32_t class_capacity = 0;
  std::uint32_t name_bytes = 0;
  bzscr_rt_form form = BZSCR_RT_FORM_AUTO;
  bzscr_rt_storage storage = BZSCR_RT_STORAGE_FLOAT32;
  const char* kernel = nullptr;
  bool shared = false;
  bool teachable = false;
};

inline bzscr_rt_config config_for(const AlignedBytes& file, const OpenOptions& options = {}) {
  bzscr_rt_config config{};
  config.struct_size = sizeof config;
  config.model = file.data();
  config.model_bytes = file.size();
  config.class_capacity = options.class_capacity;
  config.name_bytes = options.name_bytes;
  config.form = options.form;
  config.storage = options.storage;
  config.kernel = options.kernel;
  config.shared = options.shared ? 1 : 0;
  config.teachable = options.teachable ? 1 : 0;
  return config;
}

/// The status of bzscr_rt_arena_bytes() and bzscr_rt_open() for a file, which must be the same.
inline bzscr_rt_status status_of(const AlignedBytes& file, const OpenOptions& options = {}) {
  static const AlignedBytes arena(std::size_t{1} << 20);
  bzscr_rt_config config = config_for(file, options);
  std::size_t needed = 0;
  const bzscr_rt_status measured = bzscr_rt_arena_bytes(&config, &needed);
  config.arena = arena.data();
  config.arena_bytes = arena.size();
  bzscr_rt* handle = nullptr;
  const bzscr_rt_status opened = bzscr_rt_open(&config, &handle);
  CHECK(opened == measured);
  CHECK((handle != nullptr) == (opened == BZSCR_RT_OK));
  return opened;
}

/// A model opened in an arena of exactly the size that bzscr_rt_arena_bytes() returned.
class OpenedModel {
 public:
  explicit OpenedModel(const TestModel& model, const OpenOptions& options = {})
      : file_(serialise(model)) {
    bzscr_rt_config config = config_for(file_, options);
    REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
    arena_ = AlignedBytes(config.arena_bytes);
    config.arena = arena_.data();
    REQUIRE(bzscr_rt_open(&config, &handle_) == BZSCR_RT_OK);
  }

  operator bzscr_rt*() const { return handle_; }

  bzscr_rt_info info() const {
    bzscr_rt_info info{};
    info.struct_size = sizeof info;
    REQUIRE(bzscr_rt_describe(handle_, &info) == BZSCR_RT_OK);
    return info;
  }

  std::vector<float> scores(const std::vector<float>& x) const {
    std::vector<float> scores(bzscr_rt_class_count(handle_));
    std::size_t count = 0;
    float nothing = 0;
    REQUIRE(bzscr_rt_score(handle_, x.data(), nullptr, scores.size(),
                           scores.empty() ? &nothing : scores.data(), nullptr,
                           &count) == BZSCR_RT_OK);
    CHECK(count == scores.size());
    return scores;
  }

  float score_of(std::uint32_t id, const std::vector<float>& x) const {
    std::uint32_t index = 0;
    REQUIRE(bzscr_rt_find_class(handle_, id, &index) == BZSCR_RT_OK);
    return scores(x)[index];
  }

  std::vector<bzscr_rt_result> top(const std::vector<float>& x, std::size_t length) const {
    std::vector<bzscr_rt_result> results(length);
    std::size_t count = 0;
    REQUIRE(bzscr_rt_top(handle_, x.data(), nullptr, length, results.data(), &count) ==
            BZSCR_RT_OK);
    results.resize(count);
    return results;
  }

  std::string name_of(std::uint32_t id) const {
    std::string name(info().name_bytes, '\0');
    REQUIRE(bzscr_rt_class_name(handle_, id, name.data(), name.size()) == BZSCR_RT_OK);
    return name.c_str();
  }

 private:
  AlignedBytes file_;
  AlignedBytes arena_;
  bzscr_rt* handle_ = nullptr;
};

constexpr bzscr_rt_form kForms[] = {BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_FORM_FACTORS,
                                    BZSCR_RT_FORM_DENSE};
constexpr bzscr_rt_storage kStorages[] = {BZSCR_RT_STORAGE_FLOAT32, BZSCR_RT_STORAGE_INT8,
                                          BZSCR_RT_STORAGE_FLOAT16};

inline std::vector<const char*> kernel_names() {
  std::vector<const char*> names;
  while (const char* name = bzscr_rt_kernel_name(static_cast<std::uint32_t>(names.size())))
    names.push_back(name);
  return names;
}

}  // namespace bzscr::test
