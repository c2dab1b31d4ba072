#include "opened_store.h"

#include <cstdlib>
#include <functional>
#include <random>

using namespace bzscr;
using namespace bzscr::test;

namespace {

using Kind = format::ChangeKind;
using Random = std::mt19937;
using Floats = std::vector<float>;

std::uint32_t below(std::uint32_t limit, Random& random) {
  return static_cast<std::uint32_t>(random() % limit);
}

constexpr std::uint32_t kCapacity = 7;

// Small numbers, so that ids and names meet often.
TestChange random_change(Random& random) {
  static const char* const names[] = {"class 0", "class 1", "class 2",
                                      "ox",      "okapi",   "a rather long name of a class"};
  const Kind kinds[] = {Kind::Set, Kind::Set, Kind::Set, Kind::Replace, Kind::Remove, Kind::Rename};
  TestChange change{kinds[below(6, random)], 0, "", {}};
  change.id = below(2, random) == 0 ? 10 * (below(4, random)) + 3 : below(5, random);
  const bool may_lack_name = change.kind == Kind::Replace && below(2, random) == 0;
  if (change.kind != Kind::Remove && !may_lack_name) change.name = names[below(6, random)];
  if (change.kind == Kind::Set || change.kind == Kind::Replace)
    change.phi = random_vector(2, static_cast<unsigned>(random()));
  return change;
}

struct Action {
  enum { kChange, kPack, kRollback, kCompact, kTeach, kForget } kind;
  std::vector<TestChange> changes;
  std::uint64_t counter = 0;
  std::uint32_t sequence = 0;
  std::uint32_t id = 0;  ///< of the class that is taught, or forgets
  std::vector<float> x = {};
  float weight = 1;

  bzscr_store_status perform(Host& host) const {
    switch (kind) {
      case kChange: return host.change(changes);
      case kPack:
        return host.apply(pack_for(host.model(), counter, changes), BZSCR_STORE_REPLACE_CLASSES);
      case kRollback: return bzscr_store_rollback(host.store(), sequence);
      case kTeach: return host.teach(id, x, weight);
      case kForget: return host.forget(id);
      default: return bzscr_store_compact(host.store());
    }
  }
};

/// One device's life. `past` has the state after every record that there ever was.
struct Life {
  SimulatedDevice device;
  KnownTable now;
  std::map<std::uint32_t, KnownTable> past;
};

struct Tally {
  std::uint64_t cuts = 0, before = 0, after = 0, torn_reads = 0;
};

Action random_action(Random& random, const Host& host) {
  Action action{Action::kChange, {}};
  const unsigned draw = below(host.model().teaching ? 15 : 10, random);
  if (draw == 0) action.kind = Action::kCompact;
  if (draw == 1) {
    const auto history = host.history();
    action.kind = Action::kRollback;
    action.sequence = history[below(static_cast<std::uint32_t>(history.size()), random)].sequence;
  }
  if (draw >= 7) action.kind = Action::kPack;
  if (draw >= 10) {
    action.kind = draw < 14 ? Action::kTeach : Action::kForget;
    action.id = 10 * below(4, random) + 3;
    action.x = random_vector(host.model().m, static_cast<unsigned>(random()));
    action.weight = 0.5f * static_cast<float>(1 + below(4, random));
  }
  action.counter = host.info().counter + 1 + below(3, random);
  for (unsigned n = 1 + below(3, random); n > 0; --n)
    action.changes.push_back(random_change(random));
  if (action.kind == Action::kPack && host.model().teaching && below(2, random) == 0) {
    std::vector<float> taught = random_vector(host.model().k, static_cast<unsigned>(random()));
    taught.push_back(static_cast<float>(1 + below(3, random)));
    const bool forget = below(3, random) == 0;
    action.changes.push_back(teach(10 * below(4, random) + 3, forget ? Floats{} : taught));
  }
  return action;
}

// What the action makes of a table, or why it cannot be.
bzscr_store_status expected(const Action& action, const Host& host, const Life& life,
                            KnownTable& after) {
  after = life.now;
  if (action.kind == Action::kCompact) return BZSCR_STORE_OK;
  if (action.kind == Action::kRollback)
    return after = life.past.at(action.sequence), BZSCR_STORE_OK;
  if (action.kind == Action::kTeach || action.kind == Action::kForget) {
    const auto found = after.classes.find(action.id);
    if (found == after.classes.end()) return of_class(BZSCR_RT_NO_SUCH_CLASS);
    std::vector<float>& taught = found->second.taught;
    const bool teach = action.kind == Action::kTeach;
    taught = teach ? host.taught_more(taught, action.x, action.weight) : std::vector<float>{};
    return BZSCR_STORE_OK;
  }
  const bzscr_rt_status status = after.make(action.changes);
  return status == BZSCR_RT_OK ? BZSCR_STORE_OK : BZSCR_STORE_CLASS + status;
}

void open(Host& host, SimulatedDevice& device) {
  REQUIRE(host.open(device.device()) == BZSCR_STORE_OK);
}

// Cuts power at the first operation of the action, then at the second, and so on until it goes
// through.
void live_through(const Action& action, Host& host, Life& life, Random& random, Tally& tally) {
  KnownTable after;
  const bzscr_store_status due = expected(action, host, life, after);
  for (std::uint32_t cut = 0;; ++cut) {
    SimulatedDevice device = life.device;
    open(host, device);
    device.cut_after(cut);
    const bzscr_store_status status = action.perform(host);
    REQUIRE_FALSE(device.broken_rule);
    if (!device.is_off()) {
      const bool full = status == BZSCR_STORE_FULL && due == BZSCR_STORE_OK;  // small devices are
      REQUIRE((full || status == due));
      REQUIRE(host.state() == (status == BZSCR_STORE_OK ? after : life.now));
      if (status == BZSCR_STORE_OK) life.now = after;
      life.past[host.info().sequence] = life.now;
      life.device = device;
      life.device.cut_after(UINT32_MAX);
      return;
    }
    ++tally.cuts;
    REQUIRE(status == BZSCR_STORE_IO);
    REQUIRE(host.info().sequence <= life.past.rbegin()->first);  // nothing is claimed
    device.restart(random);
    open(host, device);
    tally.torn_reads += device.torn_reads;
    const KnownTable found = host.state();
    const bool is_before = found == life.now, is_after = found == after;
    REQUIRE((is_before || is_after));
    tally.before += is_before ? 1 : 0;
    tally.after += is_before ? 0 : 1;
    if (below(8, random) == 0) {  // life goes on from here
      life.now = found;
      life.past[host.info().sequence] = found;
      life.device = device;
      return;
    }
  }
}

constexpr SimulatedDevice::Shape kShapes[] = {{512, 4, 1, 0xFF},    {256, 8, 4, 0xFF},
                                              {1024, 2, 8, 0xFF},   {512, 6, 16, 0x00},
                                              {2048, 4, 256, 0xFF}, {4096, 2, 1, 0xFF}};

SimulatedDevice::Shape random_shape(Random& random, bool corrects = false) {
  SimulatedDevice::Shape shape = kShapes[below(6, random)];
  shape.corrects = corrects;
  return shape;
}

/// More of them: BZSCR_CRASH_HISTORIES=5000.
unsigned histories() {
  const char* text = std::getenv("BZSCR_CRASH_HISTORIES");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 300;
}

void live_histories(const TestModel& model, bool corrects) {
  Host host(model, kCapacity);
  Tally tally;
  for (unsigned history = 0; history < histories(); ++history) {
    CAPTURE(history);
    Random random(history);
    const auto shape = random_shape(random, corrects);
    Life life{SimulatedDevice(shape, shape.erase_value), host.as_trained(), {}};
    REQUIRE(host.format(life.device.device()) == BZSCR_STORE_OK);
    life.past[0] = life.now;
    for (int step = 0; step < 10; ++step) {
      CAPTURE(step);
      open(host, life.device);
      live_through(random_action(random, host), host, life, random, tally);
    }
  }
  MESSAGE(histories() << " histories, " << tally.cuts << " power cuts: " << tally.before
                      << " found the state before, " << tally.after
                      << " the state after, none another; reads that met a torn unit: "
                      << tally.torn_reads);
  CHECK(tally.before > 0);
  CHECK(tally.after > 0);
  CHECK((tally.torn_reads > 0) == corrects);
}

/// An action on a store, and the states before and after it.
struct Trial {
  const char* name;
  std::function<bzscr_store_status(Host&)> perform;
  KnownTable after;
};

/// Changes of every kind, from a store with a log and an older bank.
std::vector<Trial> trials(const Host& host, const KnownTable& now, const KnownTable& first) {
  const std::vector<TestChange> changes = {set(60, "quagga", {3, -2}), remove(13),
                                           rename(23, "gnu")};
  KnownTable changed = now;
  REQUIRE(changed.make(changes) == BZSCR_RT_OK);
  KnownTable taught = now, forgotten = now;
  taught.classes.at(23).taught = host.taught_more({}, {1, -2, 3});
  forgotten.classes.at(3).taught.clear();
  const TestPack pack = pack_for(host.model(), 5, changes);
  return {{"change", [=](Host& on) { return on.change(changes); }, changed},
          {"pack", [=](Host& on) { return on.apply(pack); }, changed},
          {"compaction", [](Host& on) { return bzscr_store_compact(on.store()); }, now},
          {"rollback", [](Host& on) { return bzscr_store_rollback(on.store(), 2); }, first},
          {"teach",
           [=](Host& on) {
             return on.teach(23, {1, -2, 3});
           },
           taught},
          {"forget", [](Host& on) { return on.forget(3); }, forgotten}};
}

}  // namespace

TEST_CASE(
    "power may fail at any operation of any change and the table is as before it or as after it") {
  live_histories(small_store_model(), /*corrects=*/false);
  live_histories(teachable_store_model(), /*corrects=*/false);
}

TEST_CASE(
    "power may leave units that the device cannot read, and the table is as before or as after") {
  live_histories(small_store_model(), /*corrects=*/true);
  live_histories(teachable_store_model(), /*corrects=*/true);
}

TEST_CASE("whichever unit power tears in a change, the store opens and takes the next change") {
  Host host(teachable_store_model(), kCapacity);
  std::uint64_t tried = 0, torn_reads = 0;
  for (SimulatedDevice::Shape shape : kShapes) {
    shape.corrects = true;
    CAPTURE(shape.write_bytes);
    SimulatedDevice start(shape, shape.erase_value);
    REQUIRE(host.format(start.device()) == BZSCR_STORE_OK);
    open(host, start);
    REQUIRE(bzscr_store_compact(host.store()) == BZSCR_STORE_OK);
    REQUIRE(host.teach(3, {1, 2, 3}) == BZSCR_STORE_OK);
    REQUIRE(host.change({set(50, "okapi")}) == BZSCR_STORE_OK);
    const KnownTable first = host.state();
    REQUIRE(host.change({replace(3, {4, 1})}) == BZSCR_STORE_OK);
    const KnownTable now = host.state();
    for (const Trial& trial : trials(host, now, first))
      for (std::uint32_t cut = 0, unit = 0;;) {
        CAPTURE(trial.name);
        CAPTURE(cut);
        CAPTURE(unit);
        SimulatedDevice device = start;
        open(host, device);
        device.cut_after(cut);
        const bzscr_store_status status = trial.perform(host);
        REQUIRE((device.is_off() || status == BZSCR_STORE_OK));
        if (!device.is_off()) break;
        if (!device.restart_torn_at(unit)) {
          ++cut, unit = 0;
          continue;
        }
        ++unit, ++tried;
        open(host, device);
        KnownTable found = host.state();
        REQUIRE((found == now || found == trial.after));
        REQUIRE(found.make(rename(3, "zebra")) == BZSCR_RT_OK);
        REQUIRE(host.change({rename(3, "zebra")}) == BZSCR_STORE_OK);
        REQUIRE_FALSE(device.broken_rule);
        open(host, device);
        REQUIRE(host.state() == found);
        torn_reads += device.torn_reads;
      }
  }
  MESSAGE(tried << " torn units, none lost; reads that met one: " << torn_reads);
  CHECK(tried > 1000);
  CHECK(torn_reads > 1000);
}

TEST_CASE("a store is made where power failed in one attempt to make it, or in two") {
  Host host(small_store_model(), kCapacity);
  host.config.create = 1;
  std::uint64_t tried = 0;
  for (SimulatedDevice::Shape shape : kShapes) {
    shape.corrects = true;
    const SimulatedDevice blank(shape, shape.erase_value);
    std::vector<SimulatedDevice> starts = {blank};
    for (int attempt = 0; attempt < 2; ++attempt) {
      std::vector<SimulatedDevice> left;
      for (const SimulatedDevice& start : starts)
        for (std::uint32_t cut = 0, unit = 0;;) {
          CAPTURE(attempt);
          CAPTURE(cut);
          CAPTURE(unit);
          SimulatedDevice device = start;
          device.cut_after(cut);
          const bzscr_store_status status = host.open(device.device());
          if (!device.is_off()) {
            REQUIRE(status == BZSCR_STORE_OK);
            break;
          }
          if (!device.restart_torn_at(unit)) {
            ++cut, unit = 0;
            continue;
          }
          ++unit, ++tried;
          if (unit % 7 == 1) left.push_back(device);
          REQUIRE(host.open(device.device()) == BZSCR_STORE_OK);
          REQUIRE_FALSE(device.broken_rule);
          REQUIRE(host.state() == host.as_trained());
          REQUIRE(host.change({remove(3)}) == BZSCR_STORE_OK);
          open(host, device);
        }
      starts = left;
    }
  }
  CHECK(tried > 1000);
}

TEST_CASE("a first store that power did not let be finished is none, and can be made again") {
  Host host(small_store_model(), kCapacity);
  Random random(5);
  for (unsigned history = 0; history < 100; ++history) {
    const auto shape = random_shape(random);
    for (std::uint32_t cut = 0;; ++cut) {
      SimulatedDevice device(shape, shape.erase_value);
      device.cut_after(cut);
      const bzscr_store_status status = host.format(device.device());
      if (!device.is_off()) {
        REQUIRE(status == BZSCR_STORE_OK);
        break;
      }
      REQUIRE(status == BZSCR_STORE_IO);
      device.restart(random);
      const bzscr_store_status found = host.open(device.device());
      REQUIRE((found == BZSCR_STORE_NO_STORE || found == BZSCR_STORE_DAMAGED ||
               found == BZSCR_STORE_OK));
      if (found != BZSCR_STORE_OK) REQUIRE(host.format(device.device()) == BZSCR_STORE_OK);
      open(host, device);
      REQUIRE(host.state() == host.as_trained());
    }
  }
}

TEST_CASE(
    "an operation of the device that fails leaves the table as it was, and the next change goes "
    "through") {
  Host host(small_store_model(), kCapacity);
  std::uint64_t failures = 0;
  for (unsigned history = 0; history < 100; ++history) {
    Random random(1000 + history);
    const auto shape = random_shape(random);
    SimulatedDevice device(shape, shape.erase_value);
    REQUIRE(host.format(device.device()) == BZSCR_STORE_OK);
    open(host, device);
    KnownTable now = host.as_trained();
    for (int step = 0; step < 12; ++step) {
      const std::vector<TestChange> changes = {random_change(random)};
      KnownTable after = now;
      const bool possible = after.make(changes) == BZSCR_RT_OK;
      device.fail_after(below(6, random));
      bzscr_store_status status = host.change(changes);
      if (status == BZSCR_STORE_IO) {
        ++failures;
        REQUIRE(possible);
        REQUIRE(host.state() == now);
        device.cut_after(UINT32_MAX);
        status = host.change(changes);
      }
      device.cut_after(UINT32_MAX);
      REQUIRE_FALSE(device.broken_rule);
      if (status == BZSCR_STORE_OK) now = after;
      REQUIRE(host.state() == now);
    }
    open(host, device);
    REQUIRE(host.state() == now);
  }
  CHECK(failures > 100);
}
