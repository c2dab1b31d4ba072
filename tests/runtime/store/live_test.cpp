// Changes of the store while others score.
#include "opened_store.h"

#include <atomic>
#include <thread>

using namespace bzscr;
using namespace bzscr::test;

TEST_CASE(
    "while the store changes classes, others score each of them as before a change or as after "
    "it") {
  const TestModel model = small_store_model();
  SimulatedDevice flash({4096, 4, 4, 0xFF});
  Host host(model, 8, /*shared=*/true);
  host.config.create = 1;
  REQUIRE(host.open(flash.device()) == BZSCR_STORE_OK);
  const std::vector<float> x = random_vector(3, 77), first = {1, 2}, second = {-3, 1};
  const double at_first = reference_score(model, x, first),
               at_second = reference_score(model, x, second);
  std::vector<double> trained;
  for (const TestClass& one : model.classes) trained.push_back(reference_score(model, x, one.phi));

  std::atomic<bool> stop{false};
  std::atomic<unsigned> queries{0}, wrong{0};
  const auto score = [&] {
    const AlignedBytes scratch(bzscr_rt_scratch_bytes(host.table()));
    const auto near = [](float found, double expected) {
      return std::abs(static_cast<double>(found) - expected) < 1e-4;
    };
    while (!stop) {
      float scores[8];
      std::uint32_t ids[8];
      std::size_t count = 0;
      bool right = bzscr_rt_score(host.table(), x.data(), scratch.data(), 8, scores, ids, &count) ==
                   BZSCR_RT_OK;
      right = right && (count == 4 || count == 5);
      for (std::size_t i = 0; i < count; ++i)
        right = right && (ids[i] == 50 ? near(scores[i], at_first) || near(scores[i], at_second)
                                       : near(scores[i], trained[ids[i] / 10]));
      wrong += right ? 0 : 1;
      ++queries;
    }
  };
  std::vector<std::thread> scorers;
  for (int i = 0; i < 2; ++i) scorers.emplace_back(score);
  std::uint64_t counter = 0;
  bool changed = true;
  const auto make = [&](const std::vector<TestChange>& changes) {
    changed = changed && host.change(changes) == BZSCR_STORE_OK;
  };
  do {
    make({set(50, "okapi", first)});
    make({replace(50, second), rename(50, "gnu")});
    changed = changed && host.apply(pack_for(model, ++counter, {set(50, "quagga", first)}),
                                    BZSCR_STORE_REPLACE_CLASSES) == BZSCR_STORE_OK;
    changed = changed && bzscr_store_compact(host.store()) == BZSCR_STORE_OK;
    make({remove(50)});
  } while (counter < 100 || queries < 1000);
  stop = true;
  for (std::thread& each : scorers) each.join();
  CHECK(changed);
  CHECK(wrong == 0);
}

TEST_CASE(
    "a batch of the store is seen whole: two classes that exchange their names never go missing") {
  const TestModel model = small_store_model();
  SimulatedDevice flash({4096, 4, 4, 0xFF});
  Host host(model, 8, /*shared=*/true);
  host.config.create = 1;
  REQUIRE(host.open(flash.device()) == BZSCR_STORE_OK);
  const std::vector<float> x = random_vector(3, 77);
  bzscr_rt* table = host.table();

  // 3 and 13 exchange their names, which takes one of them out; 23 and 33 get other embeddings; 43
  // and 53 come, 63 goes, or the other way round. Readers see 5 or 6 classes, and all of a batch.
  const auto batch = [](bool there) {
    std::vector<TestChange> changes = {
        rename(3, "x"), rename(13, there ? "class 0" : "class 1"),
        rename(3, there ? "class 1" : "class 0"),
        replace(23, there ? std::vector<float>{3, 1} : std::vector<float>{-1, 2}),
        replace(33, there ? std::vector<float>{1, -1} : std::vector<float>{2, 2})};
    if (there) {
      changes.insert(changes.end(), {set(43, "okapi"), set(53, "gnu", {2, 1}), remove(63)});
    } else {
      changes.insert(changes.end(), {remove(43), remove(53), set(63, "quagga", {1, 3})});
    }
    return changes;
  };
  using Seen = std::vector<std::pair<std::uint32_t, float>>;
  const auto look = [&](void* scratch) {
    bzscr_rt_result results[8];
    std::size_t count = 0;
    Seen seen;
    if (bzscr_rt_top(table, x.data(), scratch, 8, results, &count) != BZSCR_RT_OK) return seen;
    for (std::size_t i = 0; i < count; ++i) seen.emplace_back(results[i].id, results[i].score);
    return seen;
  };
  REQUIRE(host.change({set(63, "quagga", {1, 3})}) == BZSCR_STORE_OK);
  REQUIRE(host.change(batch(true)) == BZSCR_STORE_OK);
  const Seen second = look(nullptr);
  REQUIRE(host.change(batch(false)) == BZSCR_STORE_OK);
  const Seen first = look(nullptr);
  REQUIRE(first.size() == 5);
  REQUIRE(second.size() == 6);

  std::atomic<bool> stop{false};
  std::atomic<unsigned> queries{0}, missing{0}, between{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      const AlignedBytes scratch(bzscr_rt_scratch_bytes(table));
      while (!stop) {
        std::uint32_t id = 0, index = 0;
        for (const char* name : {"class 0", "class 1"})
          missing += bzscr_rt_find_name(table, name, &id) == BZSCR_RT_OK ? 0 : 1;
        for (const std::uint32_t each : {3u, 13u})
          missing += bzscr_rt_find_class(table, each, &index) == BZSCR_RT_OK ? 0 : 1;
        const Seen seen = look(scratch.data());
        between += seen == first || seen == second ? 0 : 1;
        ++queries;
      }
    });
  bool changed = true;
  std::uint64_t counter = 0;
  do {
    changed = changed && host.change(batch(true)) == BZSCR_STORE_OK;
    changed = changed && host.apply(pack_for(model, ++counter, batch(false))) == BZSCR_STORE_OK;
  } while (changed && (counter < 100 || queries < 1000));
  stop = true;
  for (std::thread& each : readers) each.join();
  CHECK(changed);
  CHECK(missing == 0);
  CHECK(between == 0);
}

TEST_CASE("while another batch changes the table, the store is refused and writes nothing") {
  Host host(small_store_model(), 8, /*shared=*/true);
  SimulatedDevice flash({4096, 4, 4, 0xFF});
  host.config.create = 1;
  REQUIRE(host.open(flash.device()) == BZSCR_STORE_OK);
  const auto before = flash.bytes;
  bzscr_rt* batch = nullptr;
  REQUIRE(bzscr_rt_begin_changes(host.table(), &batch) == BZSCR_RT_OK);
  CHECK(host.change({remove(3)}) == of_class(BZSCR_RT_BUSY));
  CHECK(flash.bytes == before);
  REQUIRE(bzscr_rt_cancel_changes(host.table()) == BZSCR_RT_OK);
  CHECK(host.change({remove(3)}) == BZSCR_STORE_OK);
}
