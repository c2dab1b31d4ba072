#pragma once

#include "bzscr_store/bzscr_store.h"

#include <cstdint>
#include <random>
#include <vector>

namespace bzscr::test {

/// Simulated flash memory that loses power at a chosen operation. Operations that were not synced
/// before may have been performed or not, in any order and for any part of their bytes; an
/// interrupted erasure may leave any content in its block. broken_rule is set if a byte is
/// programmed twice or programming is not aligned to write_bytes, which real flash does not
/// support.
///
/// With error correction (Shape::corrects) a unit that was neither completed nor left alone cannot
/// be read: BZSCR_STORE_READ_TORN, until its block is erased.
class SimulatedDevice {
 public:
  struct Shape {
    std::uint32_t block_bytes = 512;
    std::uint32_t blocks = 8;
    std::uint32_t write_bytes = 4;
    std::uint8_t erase_value = 0xFF;
    bool corrects = false;
  };
  explicit SimulatedDevice(const Shape& shape, std::uint8_t first_content = 0xFF);

  /// The device of this object; invalid after the object is copied or moved.
  bzscr_store_device device();

  /// Power is lost after `count` writing operations: the next one fails, and all after it.
  void cut_after(std::uint32_t count) { left_ = count; }
  /// One operation fails after `count` writing operations; power stays on.
  void fail_after(std::uint32_t count) { cut_after(count), only_fails_ = true; }
  bool is_off() const { return off_; }
  /// Performs a random part of the operations that were not synced, and turns power on.
  void restart(std::mt19937& random);
  /// The same for one way in which power may have failed: of the units that the operations were to
  /// change, in order, those before `unit` were changed, it was torn, those after were not. False if
  /// there are not so many units.
  bool restart_torn_at(std::uint32_t unit);

  std::vector<std::uint8_t> bytes;  ///< the content that reads return before power is lost
  std::vector<bool> torn;           ///< units that cannot be read
  std::uint32_t torn_reads = 0;     ///< number of reads that could not be done
  std::uint32_t operations = 0;     ///< number of writing operations so far
  std::uint64_t programmed = 0;     ///< number of bytes programmed so far
  bool broken_rule = false;

 private:
  struct Pending {
    std::uint32_t at;
    std::vector<std::uint8_t> written;  ///< empty: a block was erased
  };
  bool goes_off();
  void turn_on();
  void tear(std::uint32_t unit, std::uint32_t noise);
  std::uint32_t first_unit(const Pending& pending) const;
  std::uint32_t units(const Pending& pending) const;
  void complete(const Pending& pending, std::uint32_t unit);
  void restart_units(std::mt19937& random);
  int program(std::uint32_t at, const std::uint8_t* from, std::uint32_t size);
  int erase(std::uint32_t block);
  int sync();

  Shape shape_;
  std::vector<std::uint8_t> synced_;
  std::vector<bool> synced_torn_;
  std::vector<Pending> pending_;
  std::uint32_t left_ = UINT32_MAX;
  bool off_ = false;
  bool only_fails_ = false;
};

}  // namespace bzscr::test
