// What libsodium decides.
#include "opened_store.h"

#include "support/no_alloc.h"

#include <algorithm>
#include <cstring>

using namespace bzscr;
using namespace bzscr::test;

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
  pack.key_id.assign(trusted.id.begin(), trusted.id.end());
  CHECK(one.host.apply(pack) ==
        BZSCR_STORE_FORGED);  // the stranger's signature under the trusted key's id
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
  CHECK(std::equal(rotated.id.begin(), rotated.id.end(), last.key_id));

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
    accepted += bzscr_store_apply(one.host.store(), bytes.data(), bytes.size(), 0, nullptr) ==
                        BZSCR_STORE_OK
                    ? 1
                    : 0;
  };
  const auto* envelope = format::GetEnvelope(good.data());
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    const AlignedBytes flipped(good.data(), good.size());
    flipped.data()[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    apply(flipped);
    // With the checksums that it then ought to have: what the signature covers.
    const std::uint8_t* at = good.data() + bit / 8;
    const auto within = [&](const auto* bytes) {
      return at >= bytes->data() && at < bytes->data() + bytes->size();
    };
    if (!within(envelope->payload()) && !within(envelope->signature()) &&
        !within(envelope->key_id()))
      continue;
    repair_checksums(flipped);
    apply(flipped);
  }
  for (std::size_t size = 0; size < good.size(); ++size) apply(good.first(size));
  CHECK(accepted == 0);
  CHECK(tried > good.size() * 9);
  MESSAGE(tried << " forged packs, accepted: " << accepted);
  CHECK(one.host.state() == one.host.as_trained());
  CHECK(bzscr_store_apply(one.host.store(), good.data(), good.size(), 0, nullptr) ==
        BZSCR_STORE_OK);
}

TEST_CASE("nothing is allocated") {
  static std::uint8_t memory[1 << 14];
  bzscr_store_device device{};
  device.block_bytes = sizeof memory / 2;
  device.blocks = 2;
  device.write_bytes = 1;
  device.erase_value = 0xFF;
  device.read = [](void*, std::uint32_t at, void* into, std::uint32_t size) {
    return std::memcpy(into, memory + at, size), std::int32_t{0};
  };
  device.program = [](void*, std::uint32_t at, const void* from, std::uint32_t size) {
    return std::memcpy(memory + at, from, size), std::int32_t{0};
  };
  device.erase = [](void*, std::uint32_t block) {
    return std::memset(memory + block * (sizeof memory / 2), 0xFF, sizeof memory / 2),
           std::int32_t{0};
  };
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
  const bzscr_store_status applied =
      bzscr_store_apply(store, bytes.data(), bytes.size(), 0, nullptr);
  const bzscr_store_status rolled_back = bzscr_store_rollback(store, 0);
  const std::size_t after = allocations();
  CHECK(opened == BZSCR_STORE_OK);
  CHECK(applied == BZSCR_STORE_OK);
  CHECK(rolled_back == BZSCR_STORE_OK);
  CHECK(after == before);
}
