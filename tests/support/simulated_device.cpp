#include "support/simulated_device.h"

#include <algorithm>
#include <cstring>

namespace bzscr::test {

SimulatedDevice::SimulatedDevice(const Shape& shape, std::uint8_t first_content)
    : bytes(std::size_t{shape.block_bytes} * shape.blocks, first_content),
      torn(bytes.size() / shape.write_bytes),
      shape_(shape),
      synced_(bytes),
      synced_torn_(torn) {}

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
    const std::uint32_t unit = self.shape_.write_bytes;
    for (std::uint32_t i = at / unit; i < (at + size + unit - 1) / unit; ++i)
      if (self.torn[i]) return ++self.torn_reads, BZSCR_STORE_READ_TORN;
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
  const auto first = torn.begin() + at / shape_.write_bytes;
  if (std::any_of(bytes.begin() + at, bytes.begin() + at + size,
                  [&](std::uint8_t byte) { return byte != shape_.erase_value; }) ||
      std::find(first, first + size / shape_.write_bytes, true) !=
          first + size / shape_.write_bytes)
    return broken_rule = true, 1;
  const bool was_off = off_;
  const bool fails = goes_off();
  if (was_off) return 1;
  pending_.push_back({at, {from, from + size}});  // also if it fails: a part may have been written
  std::uint32_t done = fails ? size / 2 / shape_.write_bytes * shape_.write_bytes : size;
  std::memcpy(bytes.data() + at, from, done);
  programmed += done;
  if (fails && shape_.corrects) torn[(at + done) / shape_.write_bytes] = true;
  return fails ? 1 : 0;
}

int SimulatedDevice::erase(std::uint32_t block) {
  if (block >= shape_.blocks) return broken_rule = true, 1;
  const bool was_off = off_;
  const bool fails = goes_off();
  if (was_off) return 1;
  const std::uint32_t at = block * shape_.block_bytes;
  pending_.push_back({at, {}});
  if (fails) return 1;
  std::fill_n(bytes.begin() + at, shape_.block_bytes, shape_.erase_value);
  std::fill_n(torn.begin() + at / shape_.write_bytes, shape_.block_bytes / shape_.write_bytes,
              false);
  return 0;
}

int SimulatedDevice::sync() {
  if (goes_off()) return 1;
  pending_.clear();
  synced_ = bytes;
  synced_torn_ = torn;
  return 0;
}

std::uint32_t SimulatedDevice::first_unit(const Pending& pending) const {
  return pending.at / shape_.write_bytes;
}

std::uint32_t SimulatedDevice::units(const Pending& pending) const {
  const std::size_t size = pending.written.empty() ? shape_.block_bytes : pending.written.size();
  return static_cast<std::uint32_t>(size / shape_.write_bytes);
}

// A unit of an operation, counted from its first, is as it was to be.
void SimulatedDevice::complete(const Pending& pending, std::uint32_t unit) {
  const std::uint32_t size = shape_.write_bytes, at = pending.at + unit * size;
  if (pending.written.empty())
    std::fill_n(synced_.begin() + at, size, shape_.erase_value);
  else
    std::copy_n(pending.written.begin() + unit * size, size, synced_.begin() + at);
  synced_torn_[at / size] = false;
}

void SimulatedDevice::tear(std::uint32_t unit, std::uint32_t noise) {
  synced_[unit * shape_.write_bytes] = static_cast<std::uint8_t>(noise);
  synced_torn_[unit] = true;
}

void SimulatedDevice::turn_on() {
  pending_.clear();
  bytes = synced_;
  torn = synced_torn_;
  off_ = false;
  left_ = UINT32_MAX;
}

bool SimulatedDevice::restart_torn_at(std::uint32_t unit) {
  for (const Pending& each : pending_) {
    const std::uint32_t count = units(each);
    for (std::uint32_t i = 0; i < std::min(unit, count); ++i) complete(each, i);
    if (unit < count) {
      tear(first_unit(each) + unit, unit);
      turn_on();
      return true;
    }
    unit -= count;
  }
  turn_on();
  return false;
}

// Each unit is completed, left alone or torn; most often one is torn, as power fails once.
void SimulatedDevice::restart_units(std::mt19937& random) {
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  std::shuffle(pending_.begin(), pending_.end(), random);
  for (const Pending& each : pending_) {
    if (one_in(4)) continue;
    const std::uint32_t count = units(each);
    const bool whole = one_in(4), scattered = one_in(3);
    const std::uint32_t stop = whole ? count : static_cast<std::uint32_t>(random() % count);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!whole && (i == stop || (scattered && one_in(8))))
        tear(first_unit(each) + i, static_cast<std::uint32_t>(random()));
      else if (i < stop)
        complete(each, i);
    }
  }
  turn_on();
}

void SimulatedDevice::restart(std::mt19937& random) {
  if (shape_.corrects) return restart_units(random);
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
  turn_on();
}

}  // namespace bzscr::test
