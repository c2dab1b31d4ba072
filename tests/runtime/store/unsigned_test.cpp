// The store as devices have it that have no room for libsodium.
#include "opened_store.h"

using namespace bzscr;
using namespace bzscr::test;

TEST_CASE(
    "a store that cannot check signatures says so, and is refused keys and the demand for "
    "signatures") {
  CHECK(bzscr_store_checks_signatures() == 0);
  const std::vector<std::uint8_t> key(32, 1);
  Fixture one;
  one.host.config.keys = key.data();
  one.host.config.key_count = 1;
  one.host.config.require_signatures = 1;
  CHECK(one.reopen() == BZSCR_STORE_NO_SIGNATURES);
  one.host.config.require_signatures = 0;
  CHECK(one.reopen() == BZSCR_STORE_NO_SIGNATURES);  // keys alone are relied on too
  CHECK(one.host.format(one.flash.device()) == BZSCR_STORE_NO_SIGNATURES);
  SimulatedDevice blank({4096, 4, 4, 0xFF});
  one.host.config.create = 1;
  CHECK(one.host.open(blank.device()) == BZSCR_STORE_NO_SIGNATURES);
  one.host.config.create = 0;
  one.host.config.read_only = 1;
  CHECK(one.reopen() == BZSCR_STORE_NO_SIGNATURES);
  one.host.config.read_only = 0;
  one.host.config.keys = nullptr;
  one.host.config.key_count = 0;
  one.host.config.require_signatures = 1;
  CHECK(one.reopen() == BZSCR_STORE_NO_SIGNATURES);
  one.host.config.require_signatures = 0;
  REQUIRE(one.reopen() == BZSCR_STORE_OK);

  TestPack pack = pack_for(one.host.model(), 1, {set(5, "okapi")});
  pack.key_id.assign(8, 1);
  pack.signature.assign(64, 1);  // nobody's
  const AlignedBytes bytes = serialise(pack);
  CHECK(bzscr_store_verify_pack(bytes.data(), bytes.size(), key.data(), 1) ==
        BZSCR_STORE_NO_SIGNATURES);
  CHECK(bzscr_store_verify_pack(bytes.data(), bytes.size(), nullptr, 0) == BZSCR_STORE_OK);
  const AlignedBytes model = serialise(one.host.model());
  CHECK(bzscr_store_verify_model(model.data(), model.size(), key.data(), 1) ==
        BZSCR_STORE_NO_SIGNATURES);
  CHECK(one.host.apply(pack) == BZSCR_STORE_OK);
  CHECK(one.host.apply(pack) == BZSCR_STORE_STALE);
}
