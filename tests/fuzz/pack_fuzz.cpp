// Applies arbitrary bytes as a pack: it never reads outside them. No pack is accepted if signatures
// are required. Otherwise a pack is applied completely or not at all, and a restart finds the same
// classes.
#include "fuzz.h"

#include <algorithm>

using namespace bzscr::fuzz;

namespace {

void apply(const AlignedBytes& pack, bool require_signatures) {
  static const std::uint8_t key[32] = {// RFC 8032, 7.1, test 2: a key that signs no packs
                                       0x3d, 0x40, 0x17, 0xc3, 0xe8, 0x43, 0x89, 0x5a,
                                       0x92, 0xb7, 0x0a, 0xa7, 0x4d, 0x1b, 0x7e, 0xbc,
                                       0x9c, 0x98, 0x2c, 0xcf, 0x2e, 0xc4, 0x96, 0x8c,
                                       0xc0, 0xcd, 0x55, 0xf1, 0x2a, 0xf4, 0x66, 0x0c};
  static Host host;
  host.config.create = 1;
  host.config.keys = key;
  host.config.key_count = require_signatures ? 1 : 0;
  host.config.require_signatures = require_signatures ? 1 : 0;
  Memory memory(1024, 4, 4, 0xFF);
  require(host.open(memory.device()) == BZSCR_STORE_OK, "a blank device becomes a store");
  const auto before = host.scores();
  const std::vector<std::uint8_t> device = memory.bytes;
  const bzscr_store_status status =
      bzscr_store_apply(host.store(), pack.data(), pack.size(), 0, nullptr);
  require(status != BZSCR_STORE_IO && status != BZSCR_STORE_BAD_ARGUMENT,
          "a refused pack has a status that says why");
  if (status != BZSCR_STORE_OK) {
    require(host.scores() == before && memory.bytes == device, "a refused pack changes nothing");
    return;
  }
  require(!require_signatures, "no pack is accepted without a trusted signature");
  const auto after = host.scores();
  require(host.open(memory.device()) == BZSCR_STORE_OK, "a restart opens the store");
  require(host.scores() == after, "a restart finds the same classes");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const AlignedBytes pack(bytes, size);
  apply(pack, true);
  repair(pack);
  apply(pack, true);
  apply(pack, false);
  return 0;
}
