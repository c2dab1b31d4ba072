// Classes that change while other threads score.
#include "opened_model.h"

#include <sched.h>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <thread>

using namespace bzscr;
using namespace bzscr::test;

namespace {

constexpr std::uint32_t kFeatures = 40, kEmbedding = 10, kCapacity = 24;
constexpr std::size_t kSteps = 120;

OpenOptions options_for(bzscr_rt_storage storage, bzscr_rt_form form, bool shared) {
  OpenOptions options;
  options.class_capacity = kCapacity;
  options.storage = storage;
  options.form = form;
  options.shared = shared;
  return options;
}

struct Step {
  enum Kind { kSet, kRemove, kRename } kind;
  std::uint32_t id;
  std::string name;
  std::vector<float> phi;

  bzscr_rt_status apply(bzscr_rt* handle) const {
    switch (kind) {
      case kSet: return bzscr_rt_set_class(handle, id, name.c_str(), phi.data());
      case kRemove: return bzscr_rt_remove_class(handle, id);
      default: return bzscr_rt_rename_class(handle, id, name.c_str());
    }
  }
};

/// The ids and scores that a query returns, best first. Every change uses a new embedding, so the
/// states differ.
using State = std::vector<std::pair<std::uint32_t, float>>;

State state_of(const bzscr_rt* handle, const std::vector<float>& x, void* scratch) {
  bzscr_rt_result results[kCapacity];
  std::size_t count = 0;
  State state;
  if (bzscr_rt_top(handle, x.data(), scratch, kCapacity, results, &count) != BZSCR_RT_OK)
    return {{UINT32_MAX, -1.0f}};  // equal to no state of the table
  for (std::size_t i = 0; i < count; ++i) state.emplace_back(results[i].id, results[i].score);
  return state;
}

/// A sequence of steps that all succeed, and the state after each, computed by one thread alone.
struct History {
  History(const TestModel& model, const OpenOptions& options, const std::vector<float>& x) {
    const OpenedModel alone(model, options);
    std::mt19937 random(3);
    states[state_of(alone, x, nullptr)] = 0;
    while (steps.size() < kSteps) {
      const auto id = static_cast<std::uint32_t>(random() % 30) * 10 + 3;
      const auto number = static_cast<unsigned>(steps.size());
      const auto kind = static_cast<Step::Kind>(random() % 5 < 3    ? Step::kSet
                                                : random() % 2 == 0 ? Step::kRemove
                                                                    : Step::kRename);
      Step step{kind, id, std::to_string(id) + "/" + std::to_string(number),
                random_vector(kEmbedding, 500 + number)};
      if (step.apply(alone) != BZSCR_RT_OK) continue;
      steps.push_back(step);
      // Renaming does not change the state: then the first step with it is kept.
      states.emplace(state_of(alone, x, nullptr), steps.size());
    }
    last = state_of(alone, x, nullptr);
  }

  std::vector<Step> steps;
  std::map<State, std::size_t> states;  ///< state -> number of steps
  State last;
};

void read_until(const std::atomic<bool>& done, const bzscr_rt* handle, const History& history,
                const std::vector<float>& x, std::atomic<int>& errors,
                std::atomic<std::size_t>& seen_states) {
  const AlignedBytes scratch(2 * bzscr_rt_scratch_bytes(handle));
  std::size_t before = 0;
  std::size_t distinct = 0;
  while (!done.load()) {
    const auto found = history.states.find(state_of(handle, x, scratch.data()));
    if (found == history.states.end() || found->second < before) {
      ++errors;
      return;
    }
    distinct += found->second != before ? 1 : 0;
    before = found->second;

    // bzscr_rt_score() succeeds, and both samples of a batch are scored with the same state.
    float scores[kCapacity];
    std::uint32_t ids[kCapacity];
    std::size_t count = 0;
    if (bzscr_rt_score(handle, x.data(), scratch.data(), kCapacity, scores, ids, &count) !=
        BZSCR_RT_OK)
      ++errors;
    std::vector<float> two(x);
    two.insert(two.end(), x.begin(), x.end());
    bzscr_rt_result results[2];
    std::size_t counts[2];
    if (bzscr_rt_top_batch(handle, two.data(), 2, scratch.data(), scratch.size(), 1, results,
                           counts, nullptr) != BZSCR_RT_OK ||
        counts[0] != counts[1] ||
        (counts[0] == 1 &&
         (results[0].id != results[1].id || results[0].score != results[1].score)))
      ++errors;

    // The name of a class in the table is one of those that it was given.
    char name[32];
    const std::uint32_t id = 3 + 10 * static_cast<std::uint32_t>(before % 30);
    const bzscr_rt_status status = bzscr_rt_class_name(handle, id, name, sizeof name);
    const std::string own = std::to_string(id) + "/", first = "class " + std::to_string(id / 10);
    if (status != BZSCR_RT_NO_SUCH_CLASS &&
        (status != BZSCR_RT_OK ||
         (std::strncmp(name, own.c_str(), own.size()) != 0 && name != first)))
      ++errors;
  }
  seen_states += distinct;
}

}  // namespace

TEST_CASE(
    "while a writer changes classes, each query sees one state of the table, and states are seen "
    "in order") {
  const TestModel model = random_model(kFeatures, kEmbedding, 7, 12);
  const std::vector<float> x = random_vector(kFeatures, 7);
  for (const bzscr_rt_storage storage : kStorages) {
    const bzscr_rt_form form =
        storage == BZSCR_RT_STORAGE_INT8 ? BZSCR_RT_FORM_FACTORS : BZSCR_RT_FORM_PROTOTYPES;
    const History history(model, options_for(storage, form, false), x);
    const AlignedBytes file = serialise(model);
    bzscr_rt_config config = config_for(file, options_for(storage, form, true));
    config.wait = [](void* waits) { ++*static_cast<std::size_t*>(waits), sched_yield(); };
    std::size_t waits = 0;
    config.wait_context = &waits;
    REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
    const AlignedBytes arena(config.arena_bytes);
    config.arena = arena.data();
    bzscr_rt* handle = nullptr;
    REQUIRE(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);

    std::atomic<bool> done{false};
    std::atomic<int> errors{0};
    std::atomic<std::size_t> seen_states{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i)
      readers.emplace_back([&] { read_until(done, handle, history, x, errors, seen_states); });
    for (const Step& step : history.steps) {
      if (step.apply(handle) != BZSCR_RT_OK) ++errors;
      if (&step - history.steps.data() < 100) sched_yield();
    }
    done = true;
    for (std::thread& reader : readers) reader.join();
    CHECK(errors == 0);
    const AlignedBytes scratch(bzscr_rt_scratch_bytes(handle));
    CHECK(state_of(handle, x, scratch.data()) == history.last);
    MESSAGE("readers saw ", seen_states.load(), " changes, the writer waited ", waits, " times");
  }
}

TEST_CASE(
    "a shared table is reported, and takes a second copy of names and ids but only one more row") {
  const TestModel model = random_model(200, kEmbedding, 7, 12);
  const auto info = [&](bool shared) {
    return OpenedModel(model,
                       options_for(BZSCR_RT_STORAGE_FLOAT32, BZSCR_RT_FORM_PROTOTYPES, shared))
        .info();
  };
  CHECK(info(false).shared == 0);
  CHECK(info(true).shared == 1);
  const std::size_t more = info(true).arena_bytes - info(false).arena_bytes;
  CHECK(more < 800 + kCapacity * (32 + 4 + 1 + 2 * 4 * 3) + 1024);
}
