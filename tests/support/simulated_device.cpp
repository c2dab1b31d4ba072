#include "support/simulated_device.h"

#include <algorithm>
#include <cstring>

namespace bzscr::test {

SimulatedDevice::SimulatedDevice(const Shape& shape, std::uint8_t first_content)
    : bytes(std::size_t{shape.block_bytes} * shape.blocks, first_content),
      shape_(shape),
      synced_(bytes) {}

bzscr_store_device SimulatedDevice::device() {
  bzscr_store_device device{};
  device.context = this;
  device.block_bytes = shape_.block_bytes;
  device.blocks = shape_.blocks;
  device.write_bytes = shape_.write_bytes;
  device.erase_value = shape_.erase_value;
  device.read = [](void* context, std::uint32_t at, void* into,
                   std::uint32_t size) -> std::int32_t {
    auto& self = *static_cast<SimulatedDevice*>(context);
    if (self.off_ || std::uint64_t{at} + size > self.bytes.size()) return 1;
    std::memcpy(into, self.bytes.data() + at, size);
    return 0;
  };
  device.program = [](void* context, std::uint32_t at, const void* from,
                      std::uint32_t size) -> std::int32_t {
    return static_cast<SimulatedDevice*>(context)->program(
        at, static_cast<const std::uint8_t*>(from), size);
  };
  device.erase = [](void* context, std::uint32_t block) -> std::int32_t {
    return static_cast<SimulatedDevice*>(context)->erase(block);
  };
  device.sync = [](void* context) -> std::int32_t {
    return static_cast<SimulatedDevice*>(context)->sync();
  };
  return device;
}

// Counts an operation, and returns whether it fails.
bool SimulatedDevice::goes_off() {
  if (off_) return true;
  if (left_ == 0) {
    left_ = UINT32_MAX;
    off_ = !only_fails_;
    only_fails_ = false;
    return true;
  }
  if (left_ != UINT32_MAX) --left_;
  ++operations;
  return false;
}

int SimulatedDevice::program(std::uint32_t at, const std::uint8_t* from, std::uint32_t size) {
  if (std::uint64_t{at} + size > bytes.size() || at % shape_.write_bytes != 0 ||
      size % shape_.write_bytes != 0)
    return broken_rule = true, 1;
  if (std::any_of(bytes.begin() + at, bytes.begin() + at + size,
                  [&](std::uint8_t byte) { return byte != shape_.erase_value; }))
    return broken_rule = true, 1;
  const bool was_off = off_;
  const bool fails = goes_off();
  if (was_off) return 1;
  pending_.push_back({at, {from, from + size}});  // also if it fails: a part may have been written
  std::uint32_t done = fails ? size / 2 / shape_.write_bytes * shape_.write_bytes : size;
  std::memcpy(bytes.data() + at, from, done);
  programmed += done;
  return fails ? 1 : 0;
}

int SimulatedDevice::erase(std::uint32_t block) {
  if (block >= shape_.blocks) return broken_rule = true, 1;
  const bool was_off = off_;
  const bool fails = goes_off();
  if (was_off) return 1;
  const std::uint32_t at = block * shape_.block_bytes;
  pending_.push_back({at, {}});
  if (!fails) std::fill_n(bytes.begin() + at, shape_.block_bytes, shape_.erase_value);
  return fails ? 1 : 0;
}

int SimulatedDevice::sync() {
  if (goes_off()) return 1;
  pending_.clear();
  synced_ = bytes;
  return 0;
}

void SimulatedDevice::restart(std::mt19937& random) {
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  std::shuffle(pending_.begin(), pending_.end(), random);
  for (const Pending& each : pending_) {
    const bool whole = one_in(3), dropped = !whole && one_in(2);
    // In a file that has already grown, lost bytes may be zero.
    if (dropped && !each.written.empty() && one_in(4))
      std::fill_n(synced_.begin() + each.at, each.written.size(), std::uint8_t{0});
    if (dropped) continue;
    const std::size_t size = each.written.empty() ? shape_.block_bytes : each.written.size();
    std::size_t from = 0, to = size;
    if (!whole && one_in(2)) to = random() % (size + 1);    // the end is lost
    if (!whole && one_in(4)) from = random() % (size + 1);  // the beginning is lost
    const bool scattered = !whole && one_in(3);             // single bytes are lost
    for (std::size_t i = from; i < to; ++i) {
      if (scattered && one_in(2)) continue;
      std::uint8_t& byte = synced_[each.at + i];
      if (!each.written.empty())
        byte = each.written[i];
      else
        byte = scattered && one_in(8) ? static_cast<std::uint8_t>(random()) : shape_.erase_value;
    }
  }
  pending_.clear();
  bytes = synced_;
  off_ = false;
  left_ = UINT32_MAX;
}

}  // namespace bzscr::test
