#include "opened_store.h"

#include "support/no_alloc.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace bzscr;
using namespace bzscr::test;

namespace {

using Kind = format::ChangeKind;

/// A store on a simulated device, opened as the configuration of its host says.
struct Fixture {
  explicit Fixture(const TestModel& model = small_store_model(), std::uint32_t capacity = 8, SimulatedDevice::Shape shape = {4096, 4, 4, 0xFF})
      : flash(shape), host(model, capacity) {
    REQUIRE(host.format(flash.device()) == BZSCR_STORE_OK);
    REQUIRE(host.open(flash.device()) == BZSCR_STORE_OK);
  }
  bzscr_store_status reopen() { return host.open(flash.device()); }

  SimulatedDevice flash;
  Host host;
};

TestChange set(std::uint32_t id, const std::string& name, std::vector<float> phi = {1, 2}) { return {Kind::Set, id, name, phi}; }
TestChange rename(std::uint32_t id, const std::string& name) { return {Kind::Rename, id, name, {}}; }
TestChange remove(std::uint32_t id) { return {Kind::Remove, id, "", {}}; }
TestChange replace(std::uint32_t id, std::vector<float> phi) { return {Kind::Replace, id, "", phi}; }

constexpr bzscr_store_status of_class(bzscr_rt_status status) { return BZSCR_STORE_CLASS + status; }

}  // namespace

TEST_CASE("what was changed is there after a restart, from the log as from a snapshot") {
  Fixture one;
  KnownTable known = one.host.as_trained();
  const std::vector<TestChange> changes = {set(5, "okapi"), remove(3), replace(13, {3, -1}), rename(23, "gnu"), set(33, "class 0", {4, 4})};
  REQUIRE(known.make(changes) == BZSCR_RT_OK);
  REQUIRE(one.host.change(changes) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  CHECK(one.host.info().changed == 5);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  CHECK(one.host.info().last_good == 1);
}

TEST_CASE("names may go round in a circle") {
  Fixture one;
  KnownTable known = one.host.as_trained();
  const std::vector<TestChange> changes = {rename(3, "x"),       rename(13, "class 0"), rename(23, "class 1"), rename(3, "class 2"),
                                           replace(3, {5, 6})};
  REQUIRE(known.make(changes) == BZSCR_RT_OK);
  REQUIRE(one.host.change(changes) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  REQUIRE(bzscr_store_rollback(one.host.store(), one.host.history().front().sequence) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
}

TEST_CASE("a batch with one change that cannot be made changes nothing, and the change is named") {
  Fixture one;
  const std::vector<std::pair<std::vector<TestChange>, bzscr_rt_status>> batches = {
      {{set(5, "okapi"), remove(99)}, BZSCR_RT_NO_SUCH_CLASS},
      {{set(5, "okapi"), rename(99, "x")}, BZSCR_RT_NO_SUCH_CLASS},
      {{set(5, "okapi"), replace(99, {1, 2})}, BZSCR_RT_NO_SUCH_CLASS},
      {{set(5, "okapi"), set(6, "okapi")}, BZSCR_RT_DUPLICATE_NAME},
      {{set(5, "okapi"), rename(3, "class 1")}, BZSCR_RT_DUPLICATE_NAME},
      {{set(5, "okapi"), set(6, std::string(40, 'n'))}, BZSCR_RT_NAME_TOO_LONG},
      {{set(5, "okapi"), set(6, "x", {NAN, 1})}, BZSCR_RT_NOT_FINITE},
      {{set(5, "okapi"), set(6, "x", {2e9f, 1})}, BZSCR_RT_OUT_OF_RANGE},
      {{set(5, "okapi"), set(6, "")}, BZSCR_RT_BAD_ARGUMENT},
      {{set(5, "okapi"), rename(3, "")}, BZSCR_RT_BAD_ARGUMENT},
      {{set(5, "okapi"), set(6, "x", {})}, BZSCR_RT_BAD_ARGUMENT},
      {{set(5, "okapi"), TestChange{Kind::None, 3, "x", {}}}, BZSCR_RT_BAD_ARGUMENT}};
  for (const auto& [changes, status] : batches) {
    CHECK(one.host.change(changes) == of_class(status));
    CHECK(one.host.refusal.change == 1);
    CHECK(one.host.refusal.id == changes[1].id);
    CHECK(one.host.state() == one.host.as_trained());
  }
  CHECK(one.host.change({set(1, "a"), set(2, "b"), set(4, "c"), set(5, "d"), set(6, "e")}) == of_class(BZSCR_RT_TABLE_FULL));
  CHECK(one.host.refusal.change == 4);
  CHECK(one.host.info().sequence == 0);
  CHECK(one.host.change({remove(3), set(1, "a"), set(2, "b"), set(4, "c"), set(5, "d"), set(6, "e")}) == BZSCR_STORE_OK);
}

TEST_CASE("a pack is taken whole, once, and its counter must grow") {
  Fixture one;
  KnownTable known = one.host.as_trained();
  const std::vector<TestChange> changes = {set(5, "okapi"), remove(3)};
  known.make(changes);
  REQUIRE(one.host.apply(pack_for(one.host.model(), 7, changes)) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  CHECK(one.host.info().counter == 7);
  for (const std::uint8_t byte : one.host.info().model_hash) CHECK(byte == 0xAB);  // what the pack carries too
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  for (const std::uint64_t counter : {1, 6, 7})
    CHECK(one.host.apply(pack_for(one.host.model(), counter, {remove(13)})) == BZSCR_STORE_STALE);
  CHECK(one.host.refusal.pack_counter == 7);
  CHECK(one.host.refusal.last_counter == 7);
  CHECK(one.host.state() == known);
  CHECK(one.host.apply(pack_for(one.host.model(), 3, {remove(13)}), BZSCR_STORE_ALLOW_OLDER) == BZSCR_STORE_OK);
  CHECK(one.host.info().counter == 3);
  CHECK(one.host.apply(pack_for(one.host.model(), UINT64_MAX, {remove(23)})) == BZSCR_STORE_OK);
  REQUIRE(bzscr_store_rollback(one.host.store(), 0) == BZSCR_STORE_OK);
  CHECK(one.host.state() == one.host.as_trained());
  CHECK(one.host.info().counter == UINT64_MAX);  // does not go back
}

TEST_CASE("a pack for something else is refused with the reason") {
  Fixture one;
  const auto refused = [&](bzscr_store_status status, auto change) {
    TestPack pack = pack_for(one.host.model(), 1, {set(5, "okapi")});
    change(pack);
    CHECK(one.host.apply(pack) == status);
    CHECK(one.host.state() == one.host.as_trained());
    CHECK(one.host.info().sequence == 0);
  };
  refused(BZSCR_STORE_WRONG_MODEL, [](TestPack& pack) { pack.model_hash[3] ^= 1; });
  refused(BZSCR_STORE_WRONG_EMBEDDING, [](TestPack& pack) { pack.embedding_name = "glove"; });
  refused(BZSCR_STORE_WRONG_DIMENSION, [](TestPack& pack) {
    pack.dimension = 3;
    pack.changes[0].phi = {1, 2, 3};
  });
  refused(BZSCR_STORE_NOT_A_PACK, [](TestPack& pack) { pack.kind = format::Kind::Model; });
  refused(BZSCR_STORE_PACK_TOO_NEW, [](TestPack& pack) { pack.format_version = 2; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.payload_identifier = "BZSM"; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.model_hash.pop_back(); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.counter = 0; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes.clear(); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].phi.push_back(1); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].phi[0] = INFINITY; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].name.clear(); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].name = std::string("a\0b", 3); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].kind = Kind::Remove; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].kind = static_cast<Kind>(9); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.key_id.assign(8, 1); });
  refused(of_class(BZSCR_RT_NO_SUCH_CLASS), [](TestPack& pack) { pack.changes.push_back(remove(6)); });
  CHECK(one.host.refusal.change == 1);
}

TEST_CASE("where signatures are required only a trusted key's own pack is taken") {
  const TestKey trusted = make_key(1), rotated = make_key(2), stranger = make_key(3);
  Fixture one;
  std::vector<std::uint8_t> keys(trusted.open.begin(), trusted.open.end());
  keys.insert(keys.end(), rotated.open.begin(), rotated.open.end());
  one.host.config.keys = keys.data();
  one.host.config.key_count = 2;
  one.host.config.require_signatures = 1;
  REQUIRE(bzscr_store_checks_signatures() == 1);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);

  TestPack pack = pack_for(one.host.model(), 1, {set(5, "okapi")});
  CHECK(one.host.apply(pack) == BZSCR_STORE_UNSIGNED);
  pack.key = &stranger;
  CHECK(one.host.apply(pack) == BZSCR_STORE_UNKNOWN_KEY);
  const auto id = trusted.id();
  pack.key_id.assign(id.begin(), id.end());
  CHECK(one.host.apply(pack) == BZSCR_STORE_FORGED);  // the stranger's signature under the trusted key's id
  pack.signature.assign(64, 0);
  CHECK(one.host.apply(pack) == BZSCR_STORE_FORGED);
  pack.signature.assign(63, 0);
  CHECK(one.host.apply(pack) == BZSCR_STORE_PACK_DAMAGED);
  CHECK(one.host.state() == one.host.as_trained());

  pack = pack_for(one.host.model(), 1, {set(5, "okapi")});
  pack.key = &trusted;
  CHECK(one.host.apply(pack) == BZSCR_STORE_OK);
  pack.counter = 2;
  pack.key = &rotated;
  CHECK(one.host.apply(pack) == BZSCR_STORE_OK);
  const auto last = one.host.history().back();
  const auto rotated_id = rotated.id();
  CHECK(std::equal(rotated_id.begin(), rotated_id.end(), last.key_id));

  // A signature is looked at where none is required, too.
  one.host.config.require_signatures = 0;
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  pack.key = &stranger;
  CHECK(one.host.apply(pack) == BZSCR_STORE_UNKNOWN_KEY);
}

TEST_CASE("a signed pack with any bit flipped, or of any other length, is refused") {
  const TestKey key = make_key(1);
  Fixture one;
  one.host.config.keys = key.open.data();
  one.host.config.key_count = 1;
  one.host.config.require_signatures = 1;
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  TestPack pack = pack_for(one.host.model(), 1, {set(5, "okapi")});
  pack.key = &key;
  const AlignedBytes good = serialise(pack);
  std::size_t tried = 0, accepted = 0;
  const auto apply = [&](const AlignedBytes& bytes) {
    ++tried;
    accepted += bzscr_store_apply(one.host.store(), bytes.data(), bytes.size(), 0, nullptr) == BZSCR_STORE_OK ? 1 : 0;
  };
  const auto* envelope = format::GetEnvelope(good.data());
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    const AlignedBytes flipped(good.data(), good.size());
    flipped.data()[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    apply(flipped);
    // With the checksums that it then ought to have: what the signature covers.
    const std::uint8_t* at = good.data() + bit / 8;
    const auto within = [&](const auto* bytes) { return at >= bytes->data() && at < bytes->data() + bytes->size(); };
    if (!within(envelope->payload()) && !within(envelope->signature()) && !within(envelope->key_id())) continue;
    repair_checksums(flipped);
    apply(flipped);
  }
  for (std::size_t size = 0; size < good.size(); ++size) apply(good.first(size));
  CHECK(accepted == 0);
  CHECK(tried > good.size() * 9);
  MESSAGE(tried << " forged packs, accepted: " << accepted);
  CHECK(one.host.state() == one.host.as_trained());
  CHECK(bzscr_store_apply(one.host.store(), good.data(), good.size(), 0, nullptr) == BZSCR_STORE_OK);
}

TEST_CASE("history tells who changed what, and any state of it can be gone back to") {
  Fixture one;
  std::vector<KnownTable> past = {one.host.as_trained()};
  for (std::uint32_t i = 0; i < 3; ++i) {
    past.push_back(past.back());
    const std::vector<TestChange> changes = {set(100 + i, "new " + std::to_string(i)), replace(3, {static_cast<float>(i), 2})};
    past.back().make(changes);
    REQUIRE((i == 1 ? one.host.apply(pack_for(one.host.model(), 9, changes)) : one.host.change(changes)) == BZSCR_STORE_OK);
  }
  const auto history = one.host.history();
  REQUIRE(history.size() == 4);
  CHECK(history[0].source == BZSCR_STORE_FROM_FORMAT);
  CHECK(history[1].source == BZSCR_STORE_FROM_DEVICE);
  CHECK(history[2].source == BZSCR_STORE_FROM_PACK);
  CHECK(history[2].counter == 9);
  CHECK(history[2].changes == 2);
  CHECK(bzscr_store_rollback(one.host.store(), 4) == BZSCR_STORE_NO_SUCH_RECORD);
  REQUIRE(bzscr_store_rollback(one.host.store(), 2) == BZSCR_STORE_OK);
  CHECK(one.host.state() == past[2]);
  CHECK(one.host.history().size() == 1);
  CHECK(one.host.history()[0].source == BZSCR_STORE_FROM_ROLLBACK);
  CHECK(bzscr_store_rollback(one.host.store(), 2) == BZSCR_STORE_NO_SUCH_RECORD);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == past[2]);
}

TEST_CASE("what another process wrote is taken up, before a change of one's own too") {
  Fixture one;
  Host other(small_store_model(), 8);
  bzscr_store_device device = one.flash.device();
  // What tells that others may write: a lock.
  device.lock = [](void*, std::int32_t) -> std::int32_t { return 0; };
  device.unlock = [](void*) {};
  REQUIRE(one.host.open(device) == BZSCR_STORE_OK);
  REQUIRE(other.open(device) == BZSCR_STORE_OK);
  std::int32_t changed = 1;
  REQUIRE(bzscr_store_refresh(other.store(), &changed) == BZSCR_STORE_OK);
  CHECK(changed == 0);
  for (std::uint32_t i = 0; i < 12; ++i) {
    REQUIRE(one.host.change({set(50, "n" + std::to_string(i), {static_cast<float>(i), 1}), i % 2 == 0 ? remove(3) : set(3, "class 0")}) == BZSCR_STORE_OK);
    if (i % 4 == 1) REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
    if (i % 3 == 1) REQUIRE(other.change({set(60, "m" + std::to_string(i))}) == BZSCR_STORE_OK);
    REQUIRE(bzscr_store_refresh(other.store(), &changed) == BZSCR_STORE_OK);
    CHECK(changed == (i % 3 == 1 ? 0 : 1));
    REQUIRE(bzscr_store_refresh(one.host.store(), &changed) == BZSCR_STORE_OK);
    CHECK(one.host.state() == other.state());
    CHECK(one.host.info().sequence == other.info().sequence);
  }
}

TEST_CASE("a damaged store is told from one that was cut off, and its last good state can be taken") {
  Fixture one;
  std::vector<KnownTable> past = {one.host.as_trained()};
  std::vector<std::uint32_t> tails = {one.host.info().used_bytes};
  for (std::uint32_t i = 0; i < 3; ++i) {
    past.push_back(past.back());
    past.back().make(set(100 + i, "new " + std::to_string(i)));
    REQUIRE(one.host.change({set(100 + i, "new " + std::to_string(i))}) == BZSCR_STORE_OK);
    tails.push_back(one.host.info().used_bytes);
  }
  const std::vector<std::uint8_t> good = one.flash.bytes;
  for (std::uint32_t at = tails[0]; at < tails[3]; ++at) {
    CAPTURE(at);
    SimulatedDevice flash({4096, 4, 4, 0xFF});
    flash.bytes = good;
    flash.bytes[at] ^= 0x10;
    one.host.config.accept_last_good = 0;
    const bzscr_store_status status = one.host.open(flash.device());
    const std::size_t record = at < tails[1] ? 0 : at < tails[2] ? 1 : 2;
    // A mark that is hurt leaves a record that is whole.
    if (status == BZSCR_STORE_OK) {
      CHECK(one.host.state() == past[3]);
      continue;
    }
    CHECK(status == BZSCR_STORE_DAMAGED);
    one.host.config.accept_last_good = 1;
    REQUIRE(one.host.open(flash.device()) == BZSCR_STORE_OK);
    CHECK(one.host.info().damaged == 1);
    CHECK(one.host.state() == past[record]);
    REQUIRE(one.host.change({remove(13)}) == BZSCR_STORE_OK);  // mends it
    one.host.config.accept_last_good = 0;
    CHECK(one.host.open(flash.device()) == BZSCR_STORE_OK);
  }
  one.host.config.accept_last_good = 0;
}

TEST_CASE("a damaged snapshot gives way to the state before it") {
  Fixture one;
  REQUIRE(one.host.change({set(5, "okapi")}) == BZSCR_STORE_OK);
  const KnownTable before = one.host.state();
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  one.flash.bytes[2 * 4096 + 48 + 60] ^= 1;  // in the second bank's snapshot
  CHECK(one.reopen() == BZSCR_STORE_DAMAGED);
  one.host.config.accept_last_good = 1;
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.info().damaged == 1);
  CHECK(one.host.state() == before);
  REQUIRE(one.host.change({remove(3)}) == BZSCR_STORE_OK);
  one.host.config.accept_last_good = 0;
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.info().damaged == 0);
}

TEST_CASE("a store is of one model, and says so to another") {
  Fixture one;
  TestModel longer = random_model(3, 3, 2, 4);
  Host host(longer, 8);
  CHECK(host.open(one.flash.device()) == BZSCR_STORE_WRONG_DIMENSION);
  TestModel nameless = small_store_model();
  nameless.with_training = false;
  Host without(nameless, 8);
  CHECK(without.open(one.flash.device()) == BZSCR_STORE_WRONG_MODEL);
  REQUIRE(one.host.change({set(5, "okapi"), set(6, "gnu")}) == BZSCR_STORE_OK);
  Host smaller(small_store_model(), 5);
  CHECK(smaller.open(one.flash.device()) == of_class(BZSCR_RT_TABLE_FULL));
}

TEST_CASE("a full device refuses, and keeps what it has") {
  Fixture one(random_model(3, 40, 2, 4), 20, {1024, 2, 4, 0xFF});
  KnownTable known = one.host.as_trained();
  bzscr_store_status status = BZSCR_STORE_OK;
  std::uint32_t id = 100;
  for (; status == BZSCR_STORE_OK; ++id) {
    const TestChange change = set(id, "c" + std::to_string(id), random_vector(40, id));
    status = one.host.change({change});
    if (status == BZSCR_STORE_OK) known.make(change);
  }
  CHECK(status == BZSCR_STORE_FULL);
  CHECK(id > 104);
  CHECK(one.host.state() == known);
  CHECK(one.host.change({remove(100)}) == BZSCR_STORE_OK);
  known.make(remove(100));
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
}

TEST_CASE("read only means that nothing is written") {
  Fixture one;
  one.host.config.read_only = 1;
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  const auto before = one.flash.bytes;
  CHECK(one.host.change({remove(3)}) == BZSCR_STORE_READ_ONLY);
  CHECK(one.host.apply(pack_for(one.host.model(), 1, {remove(3)})) == BZSCR_STORE_READ_ONLY);
  CHECK(bzscr_store_compact(one.host.store()) == BZSCR_STORE_READ_ONLY);
  CHECK(bzscr_store_rollback(one.host.store(), 0) == BZSCR_STORE_READ_ONLY);
  CHECK(one.host.format(one.flash.device()) == BZSCR_STORE_READ_ONLY);
  CHECK(one.flash.bytes == before);
}

TEST_CASE("what cannot be is refused: null, a short struct, an odd device, a small arena") {
  Fixture one;
  bzscr_store* store = nullptr;
  const auto open = [&](auto change) {
    bzscr_store_config config = one.host.config;
    bzscr_store_device device = *config.device;
    config.device = &device;
    change(config, device);
    return bzscr_store_open(&config, &store);
  };
  using Config = bzscr_store_config;
  using Device = bzscr_store_device;
  CHECK(open([](Config& config, Device&) { config.struct_size -= 1; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config& config, Device&) { config.table = nullptr; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config& config, Device&) { config.key_count = 1; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config&, Device& device) { device.write_bytes = 3; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config&, Device& device) { device.write_bytes = 0; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config&, Device& device) { device.blocks = 3; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config&, Device& device) { device.blocks = 0; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config&, Device& device) { device.block_bytes = 1u << 30; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config&, Device& device) { device.sync = nullptr; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config& config, Device&) { config.arena_bytes -= 1; }) == BZSCR_STORE_ARENA_TOO_SMALL);
  CHECK(open([](Config& config, Device&) { config.arena = static_cast<char*>(config.arena) + 1; }) == BZSCR_STORE_ARENA_TOO_SMALL);
  CHECK(open([](Config&, Device& device) { device.write_bytes = 8; }) == BZSCR_STORE_TOO_NEW);  // written for units of 4
  CHECK(bzscr_store_apply(nullptr, nullptr, 0, 0, nullptr) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(bzscr_store_apply(one.host.store(), nullptr, 0, 0, nullptr) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(bzscr_store_change_classes(one.host.store(), nullptr, 1, nullptr) == BZSCR_STORE_BAD_ARGUMENT);
  SimulatedDevice blank({4096, 4, 4, 0xFF});
  CHECK(one.host.open(blank.device()) == BZSCR_STORE_NO_STORE);
  one.host.config.create = 1;
  CHECK(one.host.open(blank.device()) == BZSCR_STORE_OK);
  CHECK(one.host.change({remove(3)}) == BZSCR_STORE_OK);
  CHECK(one.host.open(blank.device()) == BZSCR_STORE_OK);
  CHECK(one.host.info().sequence == 1);  // not made anew
}

TEST_CASE("every status has a text of its own") {
  std::set<std::string> texts;
  for (bzscr_store_status status = BZSCR_STORE_OK; status <= BZSCR_STORE_READ_ONLY; ++status) CHECK(texts.insert(bzscr_store_status_text(status)).second);
  CHECK(bzscr_store_status_text(of_class(BZSCR_RT_TABLE_FULL)) == std::string(bzscr_rt_status_text(BZSCR_RT_TABLE_FULL)));
  for (const bzscr_store_status status : {-1, 21, 100, INT32_MAX, INT32_MIN}) CHECK(texts.count(bzscr_store_status_text(status)) == 0);
}

TEST_CASE("nothing is allocated") {
  static std::uint8_t memory[1 << 14];
  bzscr_store_device device{};
  device.block_bytes = sizeof memory / 2;
  device.blocks = 2;
  device.write_bytes = 1;
  device.erase_value = 0xFF;
  device.read = [](void*, std::uint32_t at, void* into, std::uint32_t size) { return std::memcpy(into, memory + at, size), std::int32_t{0}; };
  device.program = [](void*, std::uint32_t at, const void* from, std::uint32_t size) { return std::memcpy(memory + at, from, size), std::int32_t{0}; };
  device.erase = [](void*, std::uint32_t block) { return std::memset(memory + block * (sizeof memory / 2), 0xFF, sizeof memory / 2), std::int32_t{0}; };
  device.sync = [](void*) { return std::int32_t{0}; };
  const TestKey key = make_key(1);
  Host host(small_store_model(), 8);
  host.config.keys = key.open.data();
  host.config.key_count = 1;
  REQUIRE(host.format(device) == BZSCR_STORE_OK);
  TestPack pack = pack_for(host.model(), 1, {set(5, "okapi")});
  pack.key = &key;
  const AlignedBytes bytes = serialise(pack);
  bzscr_store* store = nullptr;
  const std::size_t before = allocations();
  const bzscr_store_status opened = bzscr_store_open(&host.config, &store);
  const bzscr_store_status applied = bzscr_store_apply(store, bytes.data(), bytes.size(), 0, nullptr);
  const bzscr_store_status rolled_back = bzscr_store_rollback(store, 0);
  const std::size_t after = allocations();
  CHECK(opened == BZSCR_STORE_OK);
  CHECK(applied == BZSCR_STORE_OK);
  CHECK(rolled_back == BZSCR_STORE_OK);
  CHECK(after == before);
}
