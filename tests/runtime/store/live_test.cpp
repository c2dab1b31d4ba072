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
    changed = changed &&
              host.apply(pack_for(model, ++counter, {set(50, "quagga", first)})) == BZSCR_STORE_OK;
    changed = changed && bzscr_store_compact(host.store()) == BZSCR_STORE_OK;
    make({remove(50)});
  } while (counter < 100 || queries < 1000);
  stop = true;
  for (std::thread& each : scorers) each.join();
  CHECK(changed);
  CHECK(wrong == 0);
}
