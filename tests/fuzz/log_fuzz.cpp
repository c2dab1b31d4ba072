// Opens a store on a device with arbitrary bytes: it returns a status and never reads outside the
// device. A store that opens can be changed, compacted, rolled back and opened again. Input: a byte
// that selects the device and whether damage is accepted, then the content of the device.
#include "fuzz.h"

#include <algorithm>
#include <cstring>

using namespace bzscr::fuzz;

namespace {

Memory memory_of(std::uint8_t choice) {
  switch (choice % 4) {
    case 0: return {256, 8, 4, 0xFF};
    case 1: return {1024, 2, 1, 0xFF};
    case 2: return {512, 4, 16, 0x00};
    default: return {2048, 2, 256, 0xFF};
  }
}

std::uint32_t number(const std::uint8_t* at) {
  std::uint32_t value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

void put(std::uint8_t* at, std::uint32_t value) { std::memcpy(at, &value, sizeof value); }

// Writes the correct magic words, model hash and checksums into a bank, because mutations do not
// find them. runtime/store/README.md describes the layout.
void repair_bank(std::uint8_t* bank, std::uint32_t bytes, std::uint32_t unit, const Host& host) {
  const auto padded = [unit](std::uint32_t size) { return (size + unit - 1) / unit * unit; };
  const auto& model =
      *bzscr::format::GetModel(bzscr::format::GetEnvelope(host.model().data())->payload()->data());
  std::memcpy(bank, "BZSB", 4);
  put(bank + 4, 1 + (bank[4] & 1));
  bank[10] = bank[11] = 0;  // generations of two banks are never 2^31 apart
  put(bank + 12, Host::kDimension);
  std::copy_n(model.training()->data_hash()->data(), 16, bank + 16);
  put(bank + 32, unit);
  put(bank + 44, bzscr::format::crc32c(0, bank, 44));
  std::uint64_t at = padded(48);
  for (;;) {
    const std::uint64_t payload = at + padded(48) + padded(4);
    if (payload > bytes || std::memcmp(bank + at, "BZSR", 4) != 0) return;
    const std::uint32_t size = number(bank + at + 16);
    if (payload + size > bytes) return;
    put(bank + at + 20, bzscr::format::crc32c(0, bank + payload, size));
    put(bank + at + 44, bzscr::format::crc32c(0, bank + at, 44));
    at = payload + padded(size);
  }
}

void use(Host& host, Memory& memory) {
  const std::uint64_t calls[] = {0, 1, 2};
  for (const std::uint64_t call : calls) {
    const auto before = host.scores();
    bzscr_store_record records[64];
    std::uint32_t count = 0;
    const bzscr_store_status listed = bzscr_store_history(host.store(), 64, records, &count);
    require(listed == BZSCR_STORE_OK || listed == BZSCR_STORE_DAMAGED, "the history can be listed");
    const float phi[] = {1, 2};
    const bzscr_store_change change{BZSCR_STORE_SET, 3, "okapi", phi};
    const bzscr_store_status status =
        call == 0 ? bzscr_store_change_classes(host.store(), &change, 1, nullptr)
        : call == 1
            ? bzscr_store_rollback(host.store(),
                                   count > 0 && listed == BZSCR_STORE_OK ? records[0].sequence : 0)
            : bzscr_store_compact(host.store());
    require(status != BZSCR_STORE_BAD_ARGUMENT, "all arguments are valid");
    if (status == BZSCR_STORE_DAMAGED)
      return;  // a record holds an embedding that the library would not have written
    if (status != BZSCR_STORE_OK) {
      require(host.scores() == before, "a refused change changes nothing");
      continue;
    }
    const auto after = host.scores();
    require(host.open(memory.device()) == BZSCR_STORE_OK, "a changed store opens again");
    require(host.scores() == after, "a restart finds the same classes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  static Host host;
  const std::uint8_t choice = bytes[0];
  host.config.accept_last_good = choice / 4 % 2;
  for (const bool repaired : {false, true}) {
    Memory memory = memory_of(choice);
    std::copy_n(bytes + 1, std::min(size - 1, memory.bytes.size()), memory.bytes.begin());
    const std::uint32_t bank = memory.block_bytes * (memory.blocks / 2);
    if (repaired) {
      repair_bank(memory.bytes.data(), bank, memory.write_bytes, host);
      // Also in the other bank, unless it is blank.
      if (memory.bytes[bank] != memory.erase_value)
        repair_bank(memory.bytes.data() + bank, bank, memory.write_bytes, host);
    }
    if (host.open(memory.device()) == BZSCR_STORE_OK) use(host, memory);
  }
  return 0;
}
