#include "opened_store.h"

#include <cstdlib>
#include <random>

using namespace bzscr;
using namespace bzscr::test;

namespace {

using Kind = format::ChangeKind;
using Random = std::mt19937;

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
  enum { kChange, kPack, kRollback, kCompact } kind;
  std::vector<TestChange> changes;
  std::uint64_t counter = 0;
  std::uint32_t sequence = 0;

  bzscr_store_status perform(Host& host) const {
    switch (kind) {
      case kChange: return host.change(changes);
      case kPack: return host.apply(pack_for(host.model(), counter, changes));
      case kRollback: return bzscr_store_rollback(host.store(), sequence);
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
  std::uint64_t cuts = 0, before = 0, after = 0;
};

Action random_action(Random& random, const Host& host) {
  Action action{Action::kChange, {}};
  const unsigned draw = below(10, random);
  if (draw == 0) action.kind = Action::kCompact;
  if (draw == 1) {
    const auto history = host.history();
    action.kind = Action::kRollback;
    action.sequence = history[below(static_cast<std::uint32_t>(history.size()), random)].sequence;
  }
  if (draw >= 7) action.kind = Action::kPack;
  action.counter = host.info().counter + 1 + below(3, random);
  for (unsigned n = 1 + below(3, random); n > 0; --n)
    action.changes.push_back(random_change(random));
  return action;
}

// What the action makes of a table, or why it cannot be.
bzscr_store_status expected(const Action& action, const Life& life, KnownTable& after) {
  after = life.now;
  if (action.kind == Action::kCompact) return BZSCR_STORE_OK;
  if (action.kind == Action::kRollback)
    return after = life.past.at(action.sequence), BZSCR_STORE_OK;
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
  const bzscr_store_status due = expected(action, life, after);
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

SimulatedDevice::Shape random_shape(Random& random) {
  const SimulatedDevice::Shape shapes[] = {{512, 4, 1, 0xFF},    {256, 8, 4, 0xFF},
                                           {1024, 2, 8, 0xFF},   {512, 6, 16, 0x00},
                                           {2048, 4, 256, 0xFF}, {4096, 2, 1, 0xFF}};
  return shapes[below(6, random)];
}

/// More of them: BZSCR_CRASH_HISTORIES=5000.
unsigned histories() {
  const char* text = std::getenv("BZSCR_CRASH_HISTORIES");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 300;
}

}  // namespace

TEST_CASE(
    "power may fail at any operation of any change and the table is as before it or as after it") {
  Host host(small_store_model(), kCapacity);
  Tally tally;
  for (unsigned history = 0; history < histories(); ++history) {
    CAPTURE(history);
    Random random(history);
    const auto shape = random_shape(random);
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
                      << " the state after, none another");
  CHECK(tally.before > 0);
  CHECK(tally.after > 0);
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
