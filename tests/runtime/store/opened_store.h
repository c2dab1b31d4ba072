#pragma once

#include "bzscr_store/bzscr_store.h"
#include "support/model_builder.h"
#include "support/pack_builder.h"
#include "support/simulated_device.h"

#include <doctest/doctest.h>

#include <cmath>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bzscr::test {

struct KnownClass {
  std::string name;
  bool seen;
  std::vector<float> phi;
  std::vector<float> taught = {};  ///< sum, then count; empty: nothing
  bool operator==(const KnownClass& other) const {
    return name == other.name && seen == other.seen && phi == other.phi && taught == other.taught;
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
    if (change.kind == format::ChangeKind::Teach) {
      std::vector<float>& taught = classes.at(change.id).taught;
      taught = change.sum;
      if (change.count > 0) taught.push_back(change.count);
      return BZSCR_RT_OK;
    }
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
    rt_.teachable = model.teaching ? 1 : 0;
    REQUIRE(bzscr_rt_arena_bytes(&rt_, &rt_.arena_bytes) == BZSCR_RT_OK);
    rt_arena_ = AlignedBytes(rt_.arena_bytes);
    rt_.arena = rt_arena_.data();
    plain_arena_ = AlignedBytes(rt_.arena_bytes);
    config.struct_size = sizeof config;
    config.model = file_.data();
  }

  bzscr_store_config config{};
  bzscr_store_refusal refusal{};

  /// From the next time that it is opened; the model can be taught.
  void teachable(bool is) { rt_.teachable = is ? 1 : 0; }

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
  bzscr_store_status teach(std::uint32_t id, const std::vector<float>& x, float weight = 1) {
    return bzscr_store_teach(store_, id, x.data(), weight);
  }
  bzscr_store_status forget(std::uint32_t id) { return bzscr_store_forget(store_, id); }
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

  /// What a class that was taught `before` has been taught with one sample more, by a table that no
  /// store changes.
  std::vector<float> taught_more(const std::vector<float>& before, const std::vector<float>& x,
                                 float weight = 1) const {
    bzscr_rt* plain = open_plain();
    std::vector<float> taught = before.empty() ? std::vector<float>(model_.k + 1) : before;
    const std::uint32_t id = model_.classes[0].id;
    REQUIRE(bzscr_rt_set_examples(plain, id, taught.data(), taught[model_.k]) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_teach(plain, id, x.data(), weight) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_get_examples(plain, id, taught.data(), &taught[model_.k]) == BZSCR_RT_OK);
    return taught;
  }

  /// The scores of classes in a table that no store changes.
  std::map<std::uint32_t, float> plain_scores(const KnownTable& known,
                                              const std::vector<float>& x) const {
    bzscr_rt* plain = open_plain();
    for (const TestClass& one : model_.classes) {
      const auto found = known.classes.find(one.id);
      if (found == known.classes.end() || found->second.seen != one.seen)
        REQUIRE(bzscr_rt_remove_class(plain, one.id) == BZSCR_RT_OK);
    }
    for (const auto& [id, one] : known.classes) {
      const std::string name = "n" + std::to_string(id);
      REQUIRE(bzscr_rt_set_class(plain, id, name.c_str(), one.phi.data()) == BZSCR_RT_OK);
      if (!one.taught.empty())
        REQUIRE(bzscr_rt_set_examples(plain, id, one.taught.data(), one.taught[model_.k]) ==
                BZSCR_RT_OK);
    }
    return scores_of(plain, x);
  }

  /// What table and store say, and whether each class's score is that of its embedding and of what
  /// it was taught.
  KnownTable state() const {
    KnownTable known;
    known.capacity = capacity_;
    const std::vector<float> x = random_vector(model_.m, 77);
    const std::map<std::uint32_t, float> scores = scores_of(table_, x);
    for (const auto& [id, score] : scores) {
      char name[64];
      std::int32_t seen = 0, own = 0;
      std::vector<float> phi(model_.d);
      bool read = bzscr_rt_class_name(table_, id, name, sizeof name) == BZSCR_RT_OK;
      read = read && bzscr_rt_class_seen(table_, id, &seen) == BZSCR_RT_OK;
      read = read && bzscr_store_embedding(store_, id, &own, phi.data()) == BZSCR_STORE_OK;
      const double expected = model_.teaching ? 0 : reference_score(model_, x, phi);
      if (!read ||
          (!model_.teaching && !(std::abs(static_cast<double>(score) - expected) < 1e-4))) {
        FAIL_CHECK("class " << id << " scores " << score << ", not " << expected);
      }
      known.classes[id] = {name, seen != 0, phi, taught(id)};
    }
    if (model_.teaching) CHECK(scores == plain_scores(known, x));  // bit for bit
    return known;
  }

  std::map<std::uint32_t, float> scores() const {
    return scores_of(table_, random_vector(model_.m, 77));
  }
  /// Sum, then count; empty: nothing.
  std::vector<float> taught(std::uint32_t id) const {
    if (rt_.teachable == 0) return {};
    std::vector<float> taught(model_.k + 1);
    REQUIRE(bzscr_rt_get_examples(table_, id, taught.data(), &taught[model_.k]) == BZSCR_RT_OK);
    return taught[model_.k] > 0 ? taught : std::vector<float>{};
  }

 private:
  bzscr_rt* open_plain() const {
    bzscr_rt_config alone = rt_;
    alone.arena = plain_arena_.data();
    bzscr_rt* plain = nullptr;
    REQUIRE(bzscr_rt_open(&alone, &plain) == BZSCR_RT_OK);
    return plain;
  }
  std::map<std::uint32_t, float> scores_of(const bzscr_rt* table,
                                           const std::vector<float>& x) const {
    std::vector<float> scores(capacity_);
    std::vector<std::uint32_t> ids(capacity_);
    std::size_t count = 0;
    REQUIRE(bzscr_rt_score(table, x.data(), nullptr, capacity_, scores.data(), ids.data(),
                           &count) == BZSCR_RT_OK);
    std::map<std::uint32_t, float> by_id;
    for (std::size_t i = 0; i < count; ++i) by_id[ids[i]] = scores[i];
    return by_id;
  }

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
  AlignedBytes file_, rt_arena_, plain_arena_, arena_;
  bzscr_rt_config rt_{};
  bzscr_rt* table_ = nullptr;
  bzscr_store_device device_{};
  bzscr_store* store_ = nullptr;
};

inline TestModel small_store_model() { return random_model(3, 2, 2, 4); }
/// The same classes, which can be taught.
inline TestModel teachable_store_model() {
  return random_model_with_forms(3, 2, 2, 4, format::ScoreForm::Half);
}

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
/// In packs. \param taught  sum, then count; empty: the class forgets
inline TestChange teach(std::uint32_t id, std::vector<float> taught) {
  TestChange change{format::ChangeKind::Teach, id, "", {}};
  if (taught.empty()) return change;
  change.count = taught.back();
  taught.pop_back();
  change.sum = taught;
  return change;
}
inline TestChange replace(std::uint32_t id, std::vector<float> phi) {
  return {format::ChangeKind::Replace, id, "", phi};
}

constexpr bzscr_store_status of_class(bzscr_rt_status status) { return BZSCR_STORE_CLASS + status; }

}  // namespace bzscr::test
