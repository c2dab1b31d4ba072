#pragma once

#include "bzscr_store/bzscr_store.h"

#include <cstdint>
#include <random>
#include <vector>

namespace bzscr::test {

/// Flash in memory that loses power at the operation one wants. What was not synced by then may
/// have happened or not, in any order, or to a part of its bytes; an erasure may leave anything in
/// its block. It fails (broken_rule) when a byte is programmed twice, or programmed off its unit:
/// real flash would hold something else then.
class SimulatedDevice {
 public:
  struct Shape {
    std::uint32_t block_bytes = 512;
    std::uint32_t blocks = 8;
    std::uint32_t write_bytes = 4;
    std::uint8_t erase_value = 0xFF;
  };
  explicit SimulatedDevice(const Shape& shape, std::uint8_t first_content = 0xFF);

  /// Of this object; lost when it is copied or moved.
  bzscr_store_device device();

  void cut_after(std::uint32_t count) {
    left_ = count;
  }  ///< operations that write; the next one fails, and all after
  void fail_after(std::uint32_t count) {
    cut_after(count), only_fails_ = true;
  }  ///< once, power stays
  bool is_off() const { return off_; }
  /// What a restart finds: the unsynced operations, some of them, and power again.
  void restart(std::mt19937& random);

  std::vector<std::uint8_t> bytes;  ///< as reads see them while power lasts
  std::uint32_t operations = 0;     ///< so far, that write
  std::uint64_t programmed = 0;     ///< bytes
  bool broken_rule = false;

 private:
  struct Pending {
    std::uint32_t at;
    std::vector<std::uint8_t> written;  ///< empty: a block was erased
  };
  bool goes_off();
  int program(std::uint32_t at, const std::uint8_t* from, std::uint32_t size);
  int erase(std::uint32_t block);
  int sync();

  Shape shape_;
  std::vector<std::uint8_t> synced_;
  std::vector<Pending> pending_;
  std::uint32_t left_ = UINT32_MAX;
  bool off_ = false;
  bool only_fails_ = false;
};

}  // namespace bzscr::test
