#include "store_memory.h"

#include <algorithm>

namespace bzscr::cli {
namespace {

constexpr std::uint8_t kBlank = 0xFF;

}  // namespace

MemoryDevice::MemoryDevice(std::uint32_t bank_bytes) {
  device_.context = this;
  device_.block_bytes = bank_bytes;
  device_.blocks = 2;
  device_.write_bytes = 1;
  device_.erase_value = kBlank;
  device_.read = [](void* context, std::uint32_t at, void* into,
                    std::uint32_t size) -> std::int32_t {
    const MemoryDevice& self = *static_cast<MemoryDevice*>(context);
    const auto& bank = self.banks_[at / self.device_.block_bytes];
    const std::size_t begin = std::min<std::size_t>(at % self.device_.block_bytes, bank.size());
    const std::size_t end = std::min<std::size_t>(begin + size, bank.size());
    auto* bytes = static_cast<std::uint8_t*>(into);
    std::fill(std::copy(bank.begin() + static_cast<std::ptrdiff_t>(begin),
                        bank.begin() + static_cast<std::ptrdiff_t>(end), bytes),
              bytes + size, kBlank);
    return 0;
  };
  device_.program = [](void* context, std::uint32_t at, const void* from,
                       std::uint32_t size) -> std::int32_t {
    MemoryDevice& self = *static_cast<MemoryDevice*>(context);
    auto& bank = self.banks_[at / self.device_.block_bytes];
    const std::size_t begin = at % self.device_.block_bytes;
    bank.resize(std::max(bank.size(), begin + size), kBlank);
    const auto* bytes = static_cast<const std::uint8_t*>(from);
    std::copy(bytes, bytes + size, bank.begin() + static_cast<std::ptrdiff_t>(begin));
    return 0;
  };
  device_.erase = [](void* context, std::uint32_t block) -> std::int32_t {
    static_cast<MemoryDevice*>(context)->banks_[block].clear();
    return 0;
  };
  device_.sync = [](void*) -> std::int32_t { return 0; };
  device_.used = [](void* context, std::uint32_t bank, std::uint32_t* bytes) -> std::int32_t {
    *bytes = static_cast<std::uint32_t>(static_cast<MemoryDevice*>(context)->banks_[bank].size());
    return 0;
  };
}

}  // namespace bzscr::cli
