#pragma once

#include <bzscr_store/bzscr_store.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace bzscr::cli {

/// A blank device in memory for a store, with two banks that take what is programmed.
class MemoryDevice {
 public:
  explicit MemoryDevice(std::uint32_t bank_bytes);
  MemoryDevice(const MemoryDevice&) = delete;
  MemoryDevice& operator=(const MemoryDevice&) = delete;

  const bzscr_store_device& device() const { return device_; }

 private:
  std::array<std::vector<std::uint8_t>, 2> banks_;  ///< blank after their ends
  bzscr_store_device device_{};
};

}  // namespace bzscr::cli
