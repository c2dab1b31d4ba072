#pragma once

#include "bzscr_store/bzscr_store.h"
#include "support/model_builder.h"
#include "support/pack_builder.h"
#include "support/simulated_device.h"

#include <doctest/doctest.h>

#include <cmath>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bzscr::test {

struct KnownClass {
  std::string name;
  bool seen;
  std::vector<float> phi;
  bool operator==(const KnownClass& other) const {
    return name == other.name && seen == other.seen && phi == other.phi;
  }
};

/// A class table in the plainest way, and what changes do to it.
struct KnownTable {
  std::map<std::uint32_t, KnownClass> classes;
  std::size_t capacity = 0;

  bool operator==(const KnownTable& other) const { return classes == other.classes; }
  bool has_name(const std::string& name, std::uint32_t but_of) const {
    for (const auto& [id, one] : classes)
      if (id != but_of && one.name == name) return true;
    return false;
  }
  /// BZSCR_RT_OK, or why not; then nothing has changed.
  bzscr_rt_status make(const TestChange& change) {
    const bool there = classes.count(change.id) > 0;
    const bool named = change.with_name || !change.name.empty();
    if (change.kind != format::ChangeKind::Set && !there) return BZSCR_RT_NO_SUCH_CLASS;
    if (change.kind == format::ChangeKind::Remove) return classes.erase(change.id), BZSCR_RT_OK;
    if (named && has_name(change.name, change.id)) return BZSCR_RT_DUPLICATE_NAME;
    if (!there && classes.size() == capacity) return BZSCR_RT_TABLE_FULL;
    KnownClass& one = classes.try_emplace(change.id, KnownClass{"", false, {}}).first->second;
    if (named) one.name = change.name;
    if (!change.phi.empty()) one.phi = change.phi;
    return BZSCR_RT_OK;
  }
  bzscr_rt_status make(const std::vector<TestChange>& changes) {
    KnownTable tried = *this;
    for (const TestChange& each : changes)
      if (const bzscr_rt_status status = tried.make(each)) return status;
    *this = tried;
    return BZSCR_RT_OK;
  }
};

inline std::vector<bzscr_store_change> as_changes(const std::vector<TestChange>& changes) {
  std::vector<bzscr_store_change> list;
  for (const TestChange& each : changes)
    list.push_back({static_cast<bzscr_store_kind>(each.kind), each.id,
                    each.name.empty() ? nullptr : each.name.c_str(),
                    each.phi.empty() ? nullptr : each.phi.data()});
  return list;
}

/// A device's memory: model, table and store, opened anew as often as one likes.
class Host {
 public:
  explicit Host(const TestModel& model, std::uint32_t capacity, bool shared = false)
      : model_(model), capacity_(capacity), file_(serialise(model)) {
    rt_.struct_size = sizeof rt_;
    rt_.model = file_.data();
    rt_.model_bytes = file_.size();
    rt_.class_capacity = capacity;
    rt_.shared = shared ? 1 : 0;
    REQUIRE(bzscr_rt_arena_bytes(&rt_, &rt_.arena_bytes) == BZSCR_RT_OK);
    rt_arena_ = AlignedBytes(rt_.arena_bytes);
    rt_.arena = rt_arena_.data();
    config.struct_size = sizeof config;
    config.model = file_.data();
  }

  bzscr_store_config config{};
  bzscr_store_refusal refusal{};

  bzscr_store_status format(const bzscr_store_device& device) {
    start(device);
    return bzscr_store_format(&config);
  }
  bzscr_store_status open(const bzscr_store_device& device) {
    start(device);
    store_ = nullptr;
    return bzscr_store_open(&config, &store_);
  }
  bzscr_store* store() const { return store_; }
  bzscr_rt* table() const { return table_; }
  const TestModel& model() const { return model_; }

  bzscr_store_status change(const std::vector<TestChange>& changes) {
    const auto list = as_changes(changes);
    return bzscr_store_change_classes(store_, list.data(), static_cast<std::uint32_t>(list.size()),
                                      &refusal);
  }
  bzscr_store_status apply(const TestPack& pack, std::uint32_t flags = 0) {
    const AlignedBytes bytes = serialise(pack);
    return bzscr_store_apply(store_, bytes.data(), bytes.size(), flags, &refusal);
  }
  bzscr_store_info info() const {
    bzscr_store_info info{};
    info.struct_size = sizeof info;
    REQUIRE(bzscr_store_describe(store_, &info) == BZSCR_STORE_OK);
    return info;
  }
  std::vector<bzscr_store_record> history() const {
    std::vector<bzscr_store_record> records(64);
    std::uint32_t count = 0;
    REQUIRE(bzscr_store_history(store_, 64, records.data(), &count) == BZSCR_STORE_OK);
    REQUIRE(count <= records.size());
    records.resize(count);
    return records;
  }

  KnownTable as_trained() const {
    KnownTable known;
    known.capacity = capacity_;
    for (const TestClass& one : model_.classes)
      known.classes[one.id] = {one.name, one.seen, one.phi};
    return known;
  }

  /// What table and store say, and whether each class's score is that of its embedding.
  KnownTable state() const {
    KnownTable known;
    known.capacity = capacity_;
    const std::vector<float> x = random_vector(model_.m, 77);
    std::vector<float> scores(capacity_);
    std::vector<std::uint32_t> ids(capacity_);
    std::size_t count = 0;
    REQUIRE(bzscr_rt_score(table_, x.data(), nullptr, capacity_, scores.data(), ids.data(),
                           &count) == BZSCR_RT_OK);
    for (std::size_t i = 0; i < count; ++i) {
      char name[64];
      std::int32_t seen = 0, own = 0;
      std::vector<float> phi(model_.d);
      bool read = bzscr_rt_class_name(table_, ids[i], name, sizeof name) == BZSCR_RT_OK;
      read = read && bzscr_rt_class_seen(table_, ids[i], &seen) == BZSCR_RT_OK;
      read = read && bzscr_store_embedding(store_, ids[i], &own, phi.data()) == BZSCR_STORE_OK;
      const double expected = reference_score(model_, x, phi);
      if (!read || !(std::abs(static_cast<double>(scores[i]) - expected) < 1e-4)) {
        FAIL_CHECK("class " << ids[i] << " scores " << scores[i] << ", not " << expected);
      }
      known.classes[ids[i]] = {name, seen != 0, phi};
    }
    return known;
  }

 private:
  void start(const bzscr_store_device& device) {
    REQUIRE(bzscr_rt_open(&rt_, &table_) == BZSCR_RT_OK);
    device_ = device;
    config.device = &device_;
    config.table = table_;
    std::size_t needed = 0;
    REQUIRE(bzscr_store_arena_bytes(&config, &needed) == BZSCR_STORE_OK);
    if (arena_.size() != needed) arena_ = AlignedBytes(needed);
    config.arena = arena_.data();
    config.arena_bytes = arena_.size();
  }

  TestModel model_;
  std::uint32_t capacity_;
  AlignedBytes file_, rt_arena_, arena_;
  bzscr_rt_config rt_{};
  bzscr_rt* table_ = nullptr;
  bzscr_store_device device_{};
  bzscr_store* store_ = nullptr;
};

inline TestModel small_store_model() { return random_model(3, 2, 2, 4); }

/// A store on a simulated device, opened as the configuration of its host says.
struct Fixture {
  explicit Fixture(const TestModel& model = small_store_model(), std::uint32_t capacity = 8,
                   SimulatedDevice::Shape shape = {4096, 4, 4, 0xFF})
      : flash(shape), host(model, capacity) {
    REQUIRE(host.format(flash.device()) == BZSCR_STORE_OK);
    REQUIRE(host.open(flash.device()) == BZSCR_STORE_OK);
  }
  bzscr_store_status reopen() { return host.open(flash.device()); }

  SimulatedDevice flash;
  Host host;
};

inline TestChange set(std::uint32_t id, const std::string& name, std::vector<float> phi = {1, 2}) {
  return {format::ChangeKind::Set, id, name, phi};
}
inline TestChange rename(std::uint32_t id, const std::string& name) {
  return {format::ChangeKind::Rename, id, name, {}};
}
inline TestChange remove(std::uint32_t id) { return {format::ChangeKind::Remove, id, "", {}}; }
inline TestChange replace(std::uint32_t id, std::vector<float> phi) {
  return {format::ChangeKind::Replace, id, "", phi};
}

constexpr bzscr_store_status of_class(bzscr_rt_status status) { return BZSCR_STORE_CLASS + status; }

}  // namespace bzscr::test
