#include "opened_store.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <set>

using namespace bzscr;
using namespace bzscr::test;

using Kind = format::ChangeKind;

TEST_CASE("what was changed is there after a restart, from the log as from a snapshot") {
  Fixture one;
  KnownTable known = one.host.as_trained();
  const std::vector<TestChange> changes = {set(5, "okapi"), remove(3), replace(13, {3, -1}),
                                           rename(23, "gnu"), set(33, "class 0", {4, 4})};
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

/// CRC-32C bit by bit.
std::uint32_t plain_crc32c(const std::uint8_t* bytes, std::size_t size) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
  }
  return ~crc;
}

/// As if a bank had been written so many times; README.md has the bytes of its header.
void set_generation(Fixture& one, std::size_t bank, std::uint32_t generation) {
  std::uint8_t* const header = one.flash.bytes.data() + bank * one.flash.bytes.size() / 2;
  std::memcpy(header + 8, &generation, sizeof generation);
  const std::uint32_t crc = plain_crc32c(header, 44);
  std::memcpy(header + 44, &crc, sizeof crc);
}

TEST_CASE("the bank that was written last is read, past 2^32 generations too") {
  Fixture one;
  REQUIRE(one.host.change({set(5, "okapi"), remove(3)}) == BZSCR_STORE_OK);
  const KnownTable in_first = one.host.state();
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  REQUIRE(one.host.change({rename(5, "giraffe")}) == BZSCR_STORE_OK);
  const KnownTable in_second = one.host.state();
  CHECK_FALSE(in_first == in_second);
  for (const std::uint32_t last : {1u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
    CAPTURE(last);
    set_generation(one, 0, last);
    set_generation(one, 1, last + 1);
    REQUIRE(one.reopen() == BZSCR_STORE_OK);
    CHECK(one.host.state() == in_second);
    set_generation(one, 0, last + 2);
    REQUIRE(one.reopen() == BZSCR_STORE_OK);
    CHECK(one.host.state() == in_first);
  }
  // What is written next is newer than both.
  set_generation(one, 0, 0xFFFFFFFEu);
  set_generation(one, 1, 0xFFFFFFFFu);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  REQUIRE(one.host.change({rename(5, "zebra")}) == BZSCR_STORE_OK);
  const KnownTable renamed = one.host.state();
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == renamed);
}

TEST_CASE("names may go round in a circle") {
  Fixture one;
  KnownTable known = one.host.as_trained();
  const std::vector<TestChange> changes = {rename(3, "x"), rename(13, "class 0"),
                                           rename(23, "class 1"), rename(3, "class 2"),
                                           replace(3, {5, 6})};
  REQUIRE(known.make(changes) == BZSCR_RT_OK);
  REQUIRE(one.host.change(changes) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  REQUIRE(bzscr_store_rollback(one.host.store(), one.host.history().front().sequence) ==
          BZSCR_STORE_OK);
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
  CHECK(one.host.change({set(1, "a"), set(2, "b"), set(4, "c"), set(5, "d"), set(6, "e")}) ==
        of_class(BZSCR_RT_TABLE_FULL));
  CHECK(one.host.refusal.change == 4);
  CHECK(one.host.info().sequence == 0);
  CHECK(one.host.change({remove(3), set(1, "a"), set(2, "b"), set(4, "c"), set(5, "d"),
                         set(6, "e")}) == BZSCR_STORE_OK);
}

TEST_CASE("a pack is taken whole, once, and its counter must grow") {
  Fixture one;
  KnownTable known = one.host.as_trained();
  const std::vector<TestChange> changes = {set(5, "okapi"), remove(3)};
  known.make(changes);
  REQUIRE(one.host.apply(pack_for(one.host.model(), 7, changes)) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  CHECK(one.host.info().counter == 7);
  for (const std::uint8_t byte : one.host.info().model_hash)
    CHECK(byte == 0xAB);  // what the pack carries too
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  for (const std::uint64_t counter : {1, 6, 7})
    CHECK(one.host.apply(pack_for(one.host.model(), counter, {remove(13)})) == BZSCR_STORE_STALE);
  CHECK(one.host.refusal.pack_counter == 7);
  CHECK(one.host.refusal.last_counter == 7);
  CHECK(one.host.state() == known);
  CHECK(one.host.apply(pack_for(one.host.model(), 3, {remove(13)}), BZSCR_STORE_ALLOW_OLDER) ==
        BZSCR_STORE_OK);
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
  refused(BZSCR_STORE_PACK_TOO_NEW, [](TestPack& pack) { pack.format_version = 3; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.payload_identifier = "BZSM"; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.model_hash.pop_back(); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.counter = 0; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes.clear(); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].phi.push_back(1); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].phi[0] = INFINITY; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].name.clear(); });
  refused(BZSCR_STORE_PACK_DAMAGED,
          [](TestPack& pack) { pack.changes[0].name = std::string("a\0b", 3); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].kind = Kind::Remove; });
  refused(BZSCR_STORE_PACK_DAMAGED,
          [](TestPack& pack) { pack.changes[0].kind = static_cast<Kind>(9); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.key_id.assign(8, 1); });
  refused(of_class(BZSCR_RT_NO_SUCH_CLASS),
          [](TestPack& pack) { pack.changes.push_back(remove(6)); });
  CHECK(one.host.refusal.change == 1);
}

TEST_CASE("history tells who changed what, and any state of it can be gone back to") {
  Fixture one;
  std::vector<KnownTable> past = {one.host.as_trained()};
  for (std::uint32_t i = 0; i < 3; ++i) {
    past.push_back(past.back());
    const std::vector<TestChange> changes = {set(100 + i, "new " + std::to_string(i)),
                                             replace(3, {static_cast<float>(i), 2})};
    past.back().make(changes);
    REQUIRE((i == 1 ? one.host.apply(pack_for(one.host.model(), 9, changes))
                    : one.host.change(changes)) == BZSCR_STORE_OK);
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
    REQUIRE(one.host.change({set(50, "n" + std::to_string(i), {static_cast<float>(i), 1}),
                             i % 2 == 0 ? remove(3) : set(3, "class 0")}) == BZSCR_STORE_OK);
    if (i % 4 == 1) REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
    if (i % 3 == 1) REQUIRE(other.change({set(60, "m" + std::to_string(i))}) == BZSCR_STORE_OK);
    REQUIRE(bzscr_store_refresh(other.store(), &changed) == BZSCR_STORE_OK);
    CHECK(changed == (i % 3 == 1 ? 0 : 1));
    REQUIRE(bzscr_store_refresh(one.host.store(), &changed) == BZSCR_STORE_OK);
    CHECK(one.host.state() == other.state());
    CHECK(one.host.info().sequence == other.info().sequence);
  }
}

TEST_CASE("history and embeddings are those of now, whoever wrote them") {
  Fixture one;
  Host other(small_store_model(), 8);
  REQUIRE(other.open(one.flash.device()) == BZSCR_STORE_OK);
  REQUIRE(one.host.change({set(50, "okapi", {3, 4})}) == BZSCR_STORE_OK);
  std::int32_t own = 0;
  std::vector<float> phi(2);
  REQUIRE(bzscr_store_embedding(other.store(), 50, &own, phi.data()) == BZSCR_STORE_OK);
  CHECK(own == 1);
  CHECK(phi == std::vector<float>{3, 4});
  // The bank that it stood in is written anew, twice over.
  for (int i = 0; i < 2; ++i) REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  REQUIRE(one.host.change({replace(50, {5, 6})}) == BZSCR_STORE_OK);
  const auto ours = one.host.history(), theirs = other.history();
  REQUIRE(theirs.size() == 2);
  CHECK(theirs[0].source == BZSCR_STORE_FROM_COMPACTION);
  CHECK(theirs[1].sequence == ours[1].sequence);
  REQUIRE(bzscr_store_embedding(other.store(), 50, &own, phi.data()) == BZSCR_STORE_OK);
  CHECK(phi == std::vector<float>{5, 6});
  CHECK(other.state() == one.host.state());
  REQUIRE(one.host.change({remove(50)}) == BZSCR_STORE_OK);
  CHECK(bzscr_store_embedding(other.store(), 50, &own, nullptr) ==
        of_class(BZSCR_RT_NO_SUCH_CLASS));
}

TEST_CASE(
    "adding takes no id that another class has, not even one that another process has just given") {
  Fixture one;
  Host other(small_store_model(), 8);
  REQUIRE(other.open(one.flash.device()) == BZSCR_STORE_OK);
  const float phi[] = {1, 2};
  const bzscr_store_change add{BZSCR_STORE_ADD, 50, "okapi", phi},
      again{BZSCR_STORE_ADD, 50, "gnu", phi};
  bzscr_store_refusal refusal{};
  REQUIRE(bzscr_store_change_classes(one.host.store(), &add, 1, &refusal) == BZSCR_STORE_OK);
  CHECK(bzscr_store_change_classes(other.store(), &again, 1, &refusal) == BZSCR_STORE_ID_TAKEN);
  CHECK(refusal.change == 0);
  CHECK(refusal.id == 50);
  CHECK(other.state() == one.host.state());
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == other.state());
}

TEST_CASE(
    "a damaged store is told from one that was cut off, and its last good state can be taken") {
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
  for (std::uint32_t i = 0; i < 2 * (tails[3] - tails[0]); ++i) {
    const std::uint32_t at = tails[0] + i / 2;
    CAPTURE(at);
    SimulatedDevice flash({4096, 4, 4, 0xFF});
    flash.bytes = good;
    if (i % 2 == 0)
      flash.bytes[at] ^= 0x10;
    else
      flash.torn[at / 4] = true;  // cannot be read any more
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

TEST_CASE("a store takes shapes and classes from its table, and refuses another model beside it") {
  Fixture one;
  const AlignedBytes same = serialise(small_store_model());
  const auto open_with = [&](const void* model) {
    one.host.config.model = model;
    return one.reopen();
  };
  CHECK(open_with(nullptr) == BZSCR_STORE_OK);
  CHECK(open_with(same.data()) == BZSCR_STORE_OK);  // the same bytes elsewhere
  const float phi[] = {1, 2};
  const bzscr_store_change add{BZSCR_STORE_ADD, 50, "okapi", phi};
  REQUIRE(bzscr_store_change_classes(one.host.store(), &add, 1, nullptr) == BZSCR_STORE_OK);
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  const KnownTable known = one.host.state();

  TestModel weights = small_store_model();
  weights.w[0] *= 2;
  for (const TestModel& other :
       {random_model(3, 200, 2, 4), random_model(3, 1, 2, 4), random_model(3, 2, 2, 7), weights}) {
    const AlignedBytes file = serialise(other);
    CHECK(open_with(file.data()) == BZSCR_STORE_OTHER_MODEL);
    CHECK(one.host.format(one.flash.device()) == BZSCR_STORE_OTHER_MODEL);
  }
  const AlignedBytes noise(64);
  std::memset(noise.data(), 0xA5, noise.size());
  CHECK(open_with(noise.data()) == BZSCR_STORE_OTHER_MODEL);
  CHECK(open_with(noise.data() + 1) == BZSCR_STORE_OTHER_MODEL);
  REQUIRE(open_with(nullptr) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
}

TEST_CASE("a store tells that it was written with another model of the same data") {
  Fixture one;
  REQUIRE(one.host.change({set(5, "okapi")}) == BZSCR_STORE_OK);
  CHECK(one.host.info().other_model == 0);
  TestModel retrained = small_store_model();
  retrained.w[0] *= 2;
  Host host(retrained, 8);
  REQUIRE(host.open(one.flash.device()) == BZSCR_STORE_OK);
  CHECK(host.info().other_model == 1);
  CHECK(host.state().classes.at(5).name == "okapi");
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.info().other_model == 0);
  REQUIRE(host.open(one.flash.device()) == BZSCR_STORE_OK);
  REQUIRE(host.change({remove(3)}) == BZSCR_STORE_OK);
  CHECK(host.info().other_model == 1);
  REQUIRE(bzscr_store_compact(host.store()) == BZSCR_STORE_OK);
  CHECK(host.info().other_model == 0);
  REQUIRE(host.open(one.flash.device()) == BZSCR_STORE_OK);
  CHECK(host.info().other_model == 0);
  // What a store of the time before the checksum has there.
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.info().other_model == 1);
  std::memset(one.flash.bytes.data() + one.flash.bytes.size() / 2 + 36, 0, 4);
  set_generation(one, 1, 2);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.info().other_model == 0);
}

/// A struct of an older caller, in memory that ends where that one ends.
template <class Struct>
struct Older {
  Older(const Struct& now, std::size_t size) : bytes(new unsigned char[size]) {
    std::memcpy(bytes.get(), &now, size);
    std::memcpy(bytes.get(), &size, sizeof size);
  }
  Struct* get() const { return reinterpret_cast<Struct*>(bytes.get()); }
  std::unique_ptr<unsigned char[]> bytes;
};

TEST_CASE("callers with the structs of each release are served, within those structs") {
  Fixture one;
  one.host.config.create = 1;
  for (const std::size_t size :
       {offsetof(bzscr_store_config, create), sizeof(bzscr_store_config)}) {
    CAPTURE(size);
    REQUIRE(one.reopen() == BZSCR_STORE_OK);
    REQUIRE(one.host.format(one.flash.device()) == BZSCR_STORE_OK);
    const Older<bzscr_store_config> config(one.host.config, size);
    std::size_t bytes = 0;
    CHECK(bzscr_store_arena_bytes(config.get(), &bytes) == BZSCR_STORE_OK);
    CHECK(bytes == one.host.config.arena_bytes);
    CHECK(bzscr_store_format(config.get()) == BZSCR_STORE_OK);
    bzscr_store* store = nullptr;
    CHECK(bzscr_store_open(config.get(), &store) == BZSCR_STORE_OK);
    const float phi[] = {1, 2};
    const bzscr_store_change add{BZSCR_STORE_ADD, 50, "okapi", phi};
    CHECK(bzscr_store_change_classes(store, &add, 1, nullptr) == BZSCR_STORE_OK);

    const bool has_create = size > offsetof(bzscr_store_config, create);
    SimulatedDevice blank({4096, 4, 4, 0xFF});
    const bzscr_store_device device = blank.device();
    config.get()->device = &device;
    CHECK(bzscr_store_open(config.get(), &store) ==
          (has_create ? BZSCR_STORE_OK : BZSCR_STORE_NO_STORE));
  }
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  const bzscr_store_info whole = one.host.info();
  for (const std::size_t size :
       {offsetof(bzscr_store_info, model_hash), offsetof(bzscr_store_info, other_model),
        sizeof(bzscr_store_info)}) {
    CAPTURE(size);
    const Older<bzscr_store_info> info(bzscr_store_info{}, size);
    CHECK(bzscr_store_describe(one.host.store(), info.get()) == BZSCR_STORE_OK);
    CHECK(info.get()->struct_size == size);
    CHECK(std::memcmp(info.bytes.get() + sizeof size,
                      reinterpret_cast<const char*>(&whole) + sizeof size,
                      size - sizeof size) == 0);
  }
}

TEST_CASE("a struct_size that no release had is refused, and nothing beyond it is touched") {
  Fixture one;
  const bzscr_store_config good = one.host.config;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, sizeof(std::size_t),
        offsetof(bzscr_store_config, create) - 8, sizeof good - 1, sizeof good + 1, sizeof good + 8,
        std::size_t{4096}, std::size_t{65536}, SIZE_MAX}) {
    CAPTURE(size);
    bzscr_store_config config = good;
    config.struct_size = size;
    std::size_t bytes = 0;
    bzscr_store* store = nullptr;
    CHECK(bzscr_store_arena_bytes(&config, &bytes) == BZSCR_STORE_BAD_ARGUMENT);
    CHECK(bzscr_store_format(&config) == BZSCR_STORE_BAD_ARGUMENT);
    CHECK(bzscr_store_open(&config, &store) == BZSCR_STORE_BAD_ARGUMENT);
  }
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, sizeof(std::size_t),
        offsetof(bzscr_store_info, model_hash) - 1, offsetof(bzscr_store_info, model_hash) + 8,
        sizeof(bzscr_store_info) - 1, sizeof(bzscr_store_info) + 1, sizeof(bzscr_store_info) + 8,
        std::size_t{4096}, std::size_t{65536}, SIZE_MAX}) {
    CAPTURE(size);
    bzscr_store_info info;
    std::memset(&info, 0x5A, sizeof info);
    info.struct_size = size;
    const bzscr_store_info before = info;
    CHECK(bzscr_store_describe(one.host.store(), &info) == BZSCR_STORE_BAD_ARGUMENT);
    CHECK(std::memcmp(&info, &before, sizeof info) == 0);
  }
}

TEST_CASE("a pack's class with the id of another class is refused, unless it may replace it") {
  Fixture one;
  REQUIRE(one.host.apply(pack_for(one.host.model(), 1, {set(50, "okapi")})) == BZSCR_STORE_OK);
  KnownTable known = one.host.state();
  const TestPack other = pack_for(one.host.model(), 2, {remove(3), set(50, "gnu", {3, 4})});
  CHECK(one.host.apply(other) == BZSCR_STORE_ID_TAKEN);
  CHECK(one.host.refusal.change == 1);
  CHECK(one.host.refusal.id == 50);
  CHECK(one.host.apply(other, BZSCR_STORE_ALLOW_OLDER) == BZSCR_STORE_ID_TAKEN);
  CHECK(one.host.apply(pack_for(one.host.model(), 2, {set(13, "zebra")})) ==
        BZSCR_STORE_ID_TAKEN);  // the model's
  CHECK(one.host.state() == known);
  // The same class anew, an id that the pack frees before, and what renames on purpose.
  CHECK(one.host.apply(pack_for(one.host.model(), 2, {set(50, "okapi", {5, 6})})) ==
        BZSCR_STORE_OK);
  CHECK(one.host.apply(pack_for(one.host.model(), 3, {remove(50), set(50, "gnu")})) ==
        BZSCR_STORE_OK);
  CHECK(one.host.apply(pack_for(one.host.model(), 4, {rename(50, "okapi")})) == BZSCR_STORE_OK);
  known = one.host.state();
  REQUIRE(known.make({remove(3), set(50, "gnu", {3, 4})}) == BZSCR_RT_OK);
  TestPack last = other;
  last.counter = 5;
  CHECK(one.host.apply(last, BZSCR_STORE_REPLACE_CLASSES) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  CHECK(one.host.apply(last, 4) == BZSCR_STORE_BAD_ARGUMENT);  // no such flag
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
}

TEST_CASE("an embedding that is all zero is none, whatever the model's transform makes of it") {
  TestModel model = small_store_model();
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = {0.25f, -0.5f};
  for (const TestModel& each : {small_store_model(), model}) {
    Fixture one(each);
    const std::vector<float> zero = {0, -0.0f};
    CHECK(one.host.change({set(50, "ghost", zero)}) == of_class(BZSCR_RT_ZERO_INPUT));
    CHECK(one.host.change({replace(3, zero)}) == of_class(BZSCR_RT_ZERO_INPUT));
    CHECK(one.host.apply(pack_for(each, 1, {set(50, "ghost", zero)})) ==
          of_class(BZSCR_RT_ZERO_INPUT));
    CHECK(one.host.refusal.id == 50);
    CHECK(one.host.info().sequence == 0);
  }
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
  CHECK(open([](Config&, Device& device) { device.block_bytes = 1u << 30; }) ==
        BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config&, Device& device) { device.sync = nullptr; }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(open([](Config& config, Device&) { config.arena_bytes -= 1; }) ==
        BZSCR_STORE_ARENA_TOO_SMALL);
  CHECK(open([](Config& config, Device&) {
          config.arena = static_cast<char*>(config.arena) + 1;
        }) == BZSCR_STORE_ARENA_TOO_SMALL);
  CHECK(open([](Config&, Device& device) { device.write_bytes = 8; }) ==
        BZSCR_STORE_TOO_NEW);  // written for units of 4
  CHECK(bzscr_store_apply(nullptr, nullptr, 0, 0, nullptr) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(bzscr_store_apply(one.host.store(), nullptr, 0, 0, nullptr) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(bzscr_store_change_classes(one.host.store(), nullptr, 1, nullptr) ==
        BZSCR_STORE_BAD_ARGUMENT);
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
  for (bzscr_store_status status = BZSCR_STORE_OK; status <= BZSCR_STORE_EXAMPLES_OF_OTHER_MODEL;
       ++status)
    CHECK(texts.insert(bzscr_store_status_text(status)).second);
  CHECK(bzscr_store_status_text(of_class(BZSCR_RT_TABLE_FULL)) ==
        std::string(bzscr_rt_status_text(BZSCR_RT_TABLE_FULL)));
  for (const bzscr_store_status status : {-1, 25, 100, INT32_MAX, INT32_MIN})
    CHECK(texts.count(bzscr_store_status_text(status)) == 0);
}
