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

OpenOptions options_for(bzscr_rt_storage storage, bzscr_rt_form form, bool shared,
                        bool teachable = false) {
  OpenOptions options;
  options.teachable = teachable;
  options.class_capacity = kCapacity;
  options.storage = storage;
  options.form = form;
  options.shared = shared;
  return options;
}

struct Step {
  enum Kind { kSet, kRemove, kRename, kTeach } kind;
  std::uint32_t id;
  std::string name;
  std::vector<float> phi, sample;

  bzscr_rt_status apply(bzscr_rt* handle) const {
    switch (kind) {
      case kSet: return bzscr_rt_set_class(handle, id, name.c_str(), phi.data());
      case kRemove: return bzscr_rt_remove_class(handle, id);
      case kTeach: return bzscr_rt_teach(handle, id, sample.data(), 1);
      default: return bzscr_rt_rename_class(handle, id, name.c_str());
    }
  }
};

/// The ids and scores that a query returns, best first. Every change uses a new embedding or sample,
/// so the states differ.
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
      const auto kind =
          static_cast<Step::Kind>(options.teachable && random() % 2 == 0 ? Step::kTeach
                                  : random() % 5 < 3                     ? Step::kSet
                                  : random() % 2 == 0                    ? Step::kRemove
                                                                         : Step::kRename);
      Step step{kind, id, std::to_string(id) + "/" + std::to_string(number),
                random_vector(kEmbedding, 500 + number), random_vector(kFeatures, 900 + number)};
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
    "while a writer changes and teaches classes, each query sees one state of the table, and "
    "states "
    "are seen in order") {
  const std::vector<float> x = random_vector(kFeatures, 7);
  for (const bool teachable : {false, true})
    for (const bzscr_rt_storage storage : kStorages) {
      const TestModel model =
          teachable ? random_model_with_forms(kFeatures, kEmbedding, 7, 12, format::ScoreForm::Half)
                    : random_model(kFeatures, kEmbedding, 7, 12);
      const bzscr_rt_form form =
          storage == BZSCR_RT_STORAGE_INT8 ? BZSCR_RT_FORM_FACTORS : BZSCR_RT_FORM_PROTOTYPES;
      const History history(model, options_for(storage, form, false, teachable), x);
      const AlignedBytes file = serialise(model);
      bzscr_rt_config config = config_for(file, options_for(storage, form, true, teachable));
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

TEST_CASE("a shared table is reported, and takes a second copy of the classes") {
  const TestModel model = random_model(200, kEmbedding, 7, 12);
  const auto info = [&](bool shared) {
    return OpenedModel(model,
                       options_for(BZSCR_RT_STORAGE_FLOAT32, BZSCR_RT_FORM_PROTOTYPES, shared))
        .info();
  };
  CHECK(info(false).shared == 0);
  CHECK(info(true).shared == 1);
  const std::size_t more = info(true).arena_bytes - info(false).arena_bytes;
  CHECK(more < kCapacity * (800 + 32 + 4 + 1 + 1 + 2 * 4 * 3) + 2048);
}

namespace {

/// A shared model, and threads that look at it until they are stopped; `look` returns whether what
/// it sees is right.
class Watched {
 public:
  explicit Watched(const TestModel& model, bzscr_rt_storage storage = BZSCR_RT_STORAGE_FLOAT32)
      : file_(serialise(model)) {
    OpenOptions options = options_for(storage, BZSCR_RT_FORM_AUTO, true);
    bzscr_rt_config config = config_for(file_, options);
    config.wait = [](void* self) { static_cast<Watched*>(self)->wait(); };
    config.wait_context = this;
    REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
    arena_ = AlignedBytes(config.arena_bytes);
    config.arena = arena_.data();
    REQUIRE(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);
  }
  ~Watched() { stop(); }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  template <class Look>
  void watch(int threads, Look look) {
    for (int i = 0; i < threads; ++i)
      threads_.emplace_back([this, look] {
        const AlignedBytes scratch(bzscr_rt_scratch_bytes(handle));
        while (!done_) {
          if (!look(handle, scratch.data())) ++errors;
          ++looks;
        }
      });
  }
  void stop() {
    done_ = true;
    for (std::thread& each : threads_) each.join();
    threads_.clear();
  }

  bzscr_rt* handle = nullptr;
  std::atomic<std::size_t> looks{0}, errors{0};
  std::size_t waits = 0;

 private:
  // A change waits for readers, so another one is refused.
  void wait() {
    if (bzscr_rt_rename_class(handle, 3, "second") != BZSCR_RT_BUSY) ++errors;
    ++waits;
    sched_yield();
  }

  AlignedBytes file_, arena_;
  std::atomic<bool> done_{false};
  std::vector<std::thread> threads_;
};

}  // namespace

TEST_CASE("a class that is restored never goes missing, and a change while another waits is BUSY") {
  TestModel model = random_model(kFeatures, kEmbedding, 7, 5);
  model.seen_penalty = 1000;  // tells a seen class from an unseen one by its score
  Watched table(model);
  const std::vector<float> x = random_vector(kFeatures, 7), other = random_vector(kEmbedding, 9);
  const OpenedModel alone(model, options_for(0, BZSCR_RT_FORM_AUTO, false));
  const float seen_score = alone.score_of(23, x);
  REQUIRE(bzscr_rt_remove_class(alone, 23) == BZSCR_RT_OK);
  REQUIRE(bzscr_rt_set_class(alone, 23, "new", other.data()) == BZSCR_RT_OK);
  const float unseen_score = alone.score_of(23, x);

  bzscr_rt* batch = nullptr;
  table.watch(3, [&](const bzscr_rt* handle, void* scratch) {
    float scores[kCapacity];
    std::uint32_t ids[kCapacity], index = 0;
    std::size_t count = 0;
    if (bzscr_rt_score(handle, x.data(), scratch, kCapacity, scores, ids, &count) != BZSCR_RT_OK ||
        count != 5 || bzscr_rt_find_class(handle, 23, &index) != BZSCR_RT_OK ||
        bzscr_rt_class_count(handle) != 5)
      return false;
    for (std::size_t r = 0; r < count; ++r)
      if (ids[r] == 23) return scores[r] == seen_score || scores[r] == unseen_score;
    return false;
  });
  bool changed = true;
  for (int i = 0; i < 300 || (table.waits == 0 && i < 1000000); ++i) {
    changed = changed && bzscr_rt_begin_changes(table.handle, &batch) == BZSCR_RT_OK &&
              bzscr_rt_remove_class(batch, 23) == BZSCR_RT_OK &&
              bzscr_rt_set_class(batch, 23, "new", other.data()) == BZSCR_RT_OK &&
              bzscr_rt_end_changes(table.handle) == BZSCR_RT_OK;
    changed = changed && bzscr_rt_restore_class(table.handle, 23, nullptr) == BZSCR_RT_OK;
  }
  table.stop();
  CHECK(changed);
  CHECK(table.errors == 0);
  CHECK(table.waits > 0);
}

TEST_CASE("a batch of many changes is seen before it or after it, in every storage") {
  for (const bzscr_rt_storage storage : kStorages) {
    const TestModel model = random_model(kFeatures, kEmbedding, 7, 12);
    Watched table(model, storage);
    const std::vector<float> x = random_vector(kFeatures, 7);
    // In one batch every class gets another embedding, two exchange their names, three go and six
    // come. The next batch undoes all of it.
    const auto change = [&](bzscr_rt* batch, unsigned round) {
      bool ok = true;
      const auto note = [&ok](bzscr_rt_status status) { ok = ok && status == BZSCR_RT_OK; };
      const bool there = round % 2 == 0;
      for (std::uint32_t r = 0; r < 3; ++r) {
        if (there) note(bzscr_rt_remove_class(batch, 10 * r + 3));
        if (!there) note(bzscr_rt_remove_class(batch, 1000 + r));
        if (!there) note(bzscr_rt_remove_class(batch, 2000 + r));
      }
      note(bzscr_rt_rename_class(batch, 33, "on its way"));
      note(bzscr_rt_rename_class(batch, 43, there ? "class 3" : "class 4"));
      note(bzscr_rt_rename_class(batch, 33, there ? "class 4" : "class 3"));
      for (std::uint32_t r = 0; r < 12; ++r)
        if (r >= 3 || !there)
          note(there ? bzscr_rt_set_class(batch, 10 * r + 3, nullptr,
                                          random_vector(kEmbedding, 70 + r).data())
                     : bzscr_rt_restore_class(batch, 10 * r + 3,
                                              r == 3   ? "class 3"
                                              : r == 4 ? "class 4"
                                                       : nullptr));
      for (std::uint32_t r = 0; r < 3 && there; ++r)
        for (const std::uint32_t id : {1000 + r, 2000 + r})
          note(bzscr_rt_set_class(batch, id, ("new " + std::to_string(id)).c_str(),
                                  random_vector(kEmbedding, id).data()));
      return ok;
    };
    const OpenedModel alone(model, options_for(storage, BZSCR_RT_FORM_AUTO, false));
    const State first = state_of(alone, x, nullptr);
    REQUIRE(change(alone, 0));
    const State second = state_of(alone, x, nullptr);
    REQUIRE(first.size() == 12);
    REQUIRE(second.size() == 15);

    table.watch(3, [&](const bzscr_rt* handle, void* scratch) {
      const State found = state_of(handle, x, scratch);
      std::uint32_t id = 0;  // a name that two classes exchange is never nobody's
      return (found == first || found == second) &&
             bzscr_rt_find_name(handle, "class 3", &id) == BZSCR_RT_OK && (id == 33 || id == 43);
    });
    bool changed = true;
    for (unsigned round = 0; round < 200; ++round) {
      bzscr_rt* batch = nullptr;
      changed = changed && bzscr_rt_begin_changes(table.handle, &batch) == BZSCR_RT_OK &&
                change(batch, round);
      // A batch that is cancelled is never seen.
      if (round % 5 == 4) {
        changed = changed && bzscr_rt_cancel_changes(table.handle) == BZSCR_RT_OK &&
                  bzscr_rt_begin_changes(table.handle, &batch) == BZSCR_RT_OK &&
                  change(batch, round);
      }
      changed = changed && bzscr_rt_end_changes(table.handle) == BZSCR_RT_OK;
      if (round % 8 == 0) sched_yield();
    }
    table.stop();
    CHECK(changed);
    CHECK(table.errors == 0);
  }
}

TEST_CASE("of two threads that change classes at once, one gets BUSY, and the table stays whole") {
  for (const bool shared : {true, false}) {
    const TestModel model = random_model(kFeatures, kEmbedding, 7, 4);
    const OpenedModel table(model, options_for(0, BZSCR_RT_FORM_AUTO, shared));
    std::atomic<int> errors{0}, busy{0}, done{0};
    std::atomic<bool> ready{false};
    const auto write = [&](std::uint32_t first) {
      while (!ready) sched_yield();
      const std::vector<float> phi = random_vector(kEmbedding, first);
      for (std::uint32_t i = 0; i < 2000 || (busy == 0 && i < 20000); ++i) {
        const std::uint32_t id = first + i % 5, old = first + (i + 2) % 5;
        bzscr_rt* batch = nullptr;
        const bool batched = shared && i % 3 == 0;
        bzscr_rt_status status = batched ? bzscr_rt_begin_changes(table, &batch) : BZSCR_RT_OK;
        if (status == BZSCR_RT_BUSY) {
          ++busy;
          continue;
        }
        if (status != BZSCR_RT_OK) ++errors;
        if (!batched) batch = table;
        for (const bzscr_rt_status each :
             {bzscr_rt_set_class(batch, id, std::to_string(id).c_str(), phi.data()),
              bzscr_rt_remove_class(batch, old)}) {
          busy += each == BZSCR_RT_BUSY ? 1 : 0;
          if (each != BZSCR_RT_OK && each != BZSCR_RT_NO_SUCH_CLASS &&
              (each != BZSCR_RT_BUSY || batched))
            ++errors;
        }
        if (batched && bzscr_rt_end_changes(table) != BZSCR_RT_OK) ++errors;
      }
      ++done;
    };
    std::thread one(write, 1000), two(write, 2000);
    ready = true;
    one.join();
    two.join();
    CHECK(done == 2);
    CHECK(errors == 0);
    MESSAGE(busy.load(), " changes were BUSY");
    // What is left is a table like any other.
    const std::uint32_t n = bzscr_rt_class_count(table);
    for (std::uint32_t index = 0; index < n; ++index) {
      std::uint32_t id = 0, found = 0;
      CHECK(bzscr_rt_class_id(table, index, &id) == BZSCR_RT_OK);
      CHECK(bzscr_rt_find_class(table, id, &found) == BZSCR_RT_OK);
      CHECK(found == index);
      CHECK(bzscr_rt_find_name(table, table.name_of(id).c_str(), &found) == BZSCR_RT_OK);
      CHECK(found == id);
    }
    bzscr_rt* batch = nullptr;
    CHECK(bzscr_rt_begin_changes(table, &batch) == BZSCR_RT_OK);
    CHECK(bzscr_rt_end_changes(table) == BZSCR_RT_OK);
  }
}

TEST_CASE("once a shared table is closed no reader reads the model, and readers get CLOSED") {
  const TestModel model = random_model(kFeatures, kEmbedding, 7, 12);
  const std::vector<float> x = random_vector(kFeatures, 7);
  for (int round = 0; round < 20; ++round) {
    const AlignedBytes files[2] = {serialise(model), serialise(model)};
    AlignedBytes arenas[2];
    bzscr_rt* handles[2];
    for (int i = 0; i < 2; ++i) {
      bzscr_rt_config config =
          config_for(files[i], options_for(BZSCR_RT_STORAGE_FLOAT32, BZSCR_RT_FORM_FACTORS, true));
      config.wait = [](void*) { sched_yield(); };
      REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
      arenas[i] = AlignedBytes(config.arena_bytes);
      config.arena = arenas[i].data();
      REQUIRE(bzscr_rt_open(&config, &handles[i]) == BZSCR_RT_OK);
    }
    const State expected = state_of(handles[1], x, nullptr);
    std::atomic<bzscr_rt*> current{handles[0]};
    std::atomic<bool> stop{false};
    std::atomic<int> errors{0}, refused{0}, scored{0};
    const auto read = [&] {
      const AlignedBytes scratch(bzscr_rt_scratch_bytes(handles[1]));
      while (!stop) {
        bzscr_rt* handle = current;
        bzscr_rt_result best[3];
        std::size_t count = 0;
        const bzscr_rt_status status =
            bzscr_rt_top(handle, x.data(), scratch.data(), 3, best, &count);
        const bool right =
            count == 3 && best[0].id == expected[0].first && best[0].score == expected[0].second;
        if (status == BZSCR_RT_OK && right) {
          ++scored;
        } else if (status == BZSCR_RT_CLOSED && handle == handles[0]) {
          ++refused;
        } else {
          ++errors;
        }
      }
    };
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) readers.emplace_back(read);
    while (scored < 30) sched_yield();
    if (round % 2 == 0) current = handles[1];
    if (bzscr_rt_close(handles[0]) != BZSCR_RT_OK) ++errors;
    // A reader that still read the model would get other scores, and the thread sanitizer reports
    // it.
    std::memset(files[0].data(), 0xA5, files[0].size());
    if (round % 2 == 1) {  // readers come late
      while (refused < 30) sched_yield();
      current = handles[1];
    }
    const int before = scored;
    while (scored < before + 30) sched_yield();
    stop = true;
    for (std::thread& each : readers) each.join();
    CHECK(errors == 0);
    CHECK(bzscr_rt_close(handles[0]) == BZSCR_RT_CLOSED);
  }
}
