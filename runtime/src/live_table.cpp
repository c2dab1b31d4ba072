#include "live_table.h"

#include <string.h>

namespace bzscr::rt {

void LiveTable::lay_out(uint32_t capacity, uint32_t name_bytes, const RowFormat& format,
                        bool shared, Arena& arena) {
  format_ = format;
  capacity_ = capacity;
  shared_ = shared;
  const uint64_t slots = uint64_t{capacity} + (shared ? 1 : 0);
  rows_ = arena.take<unsigned char, kCacheLine>(slots, format.bytes);
  scales_ = format.scaled() ? arena.take<float>(slots) : nullptr;
  counts_ = shared ? arena.take<Count, kCacheLine>(2) : nullptr;
  for (uint32_t side = 0; side < (shared ? 2u : 1u); ++side)
    views_[side].classes.lay_out(capacity, name_bytes, arena);
}

void LiveTable::start(Pause pause) {
  pause_ = pause;
  active_ = 0;
  turn_ = 0;
  for (uint32_t side = 0; side < (shared_ ? 2u : 1u); ++side) {
    views_[side].classes.start();
    views_[side].displaced = kNoClass;
    if (shared_) counts_[side].readers = 0;
  }
}

// The reader increments the counter first and loads the view after that. So when a writer has read
// zero from both counters after a switch, no reader is left in the old view.
LiveTable::Reading::Reading(const LiveTable& table) : table_(table), arrival_(0) {
  if (!table.shared_) {
    view_ = &table.views_[0];
    return;
  }
  arrival_ = atomics::load(table.turn_);
  atomics::add(table.counts_[arrival_].readers, 1);
  view_ = &table.views_[atomics::load(table.active_)];
}

LiveTable::Reading::~Reading() {
  if (table_.shared_) atomics::add(table_.counts_[arrival_].readers, UINT32_MAX);  // minus 1
}

void LiveTable::wait_for(const uint32_t& readers) const {
  while (atomics::load(readers) != 0)
    if (pause_.call != nullptr) pause_.call(pause_.context);
}

// Makes the other view the one that is read, and returns when no reader is left in the old one. A
// reader that loaded turn_ before it changed may still increment the old counter, so both counters
// are waited for.
void LiveTable::publish() {
  atomics::store(active_, 1 - active_);
  wait_for(counts_[1 - turn_].readers);
  atomics::store(turn_, 1 - turn_);
  wait_for(counts_[1 - turn_].readers);
}

// Makes the same change in both views. If it displaces a row, the row is copied to its place
// between the two.
template <class Change>
void LiveTable::change(Change make, uint32_t displaced, uint32_t slot) {
  if (!shared_) {
    make(views_[0].classes);
    if (displaced != kNoClass) copy_row(slot, displaced);
    return;
  }
  View& first = views_[1 - active_];
  View& second = views_[active_];
  make(first.classes);
  first.displaced = displaced;
  first.slot = slot;
  publish();
  make(second.classes);
  if (displaced == kNoClass) return;
  copy_row(slot, displaced);
  publish();
  first.displaced = kNoClass;
}

void LiveTable::add(uint32_t id, const char* name, bool seen, const float* values) {
  write_row(classes().count(), values);  // no reader reads past the last class
  change([&](ClassTable& classes) { classes.add(id, name, seen); }, kNoClass, 0);
}

void LiveTable::replace(uint32_t index, const char* name, const float* values) {
  const auto make = [&](ClassTable& classes) {
    if (name != nullptr) classes.rename(index, name);
  };
  write_row(shared_ ? capacity_ : index, values);
  change(make, shared_ ? index : kNoClass, capacity_);
}

void LiveTable::rename(uint32_t index, const char* name) {
  change([&](ClassTable& classes) { classes.rename(index, name); }, kNoClass, 0);
}

void LiveTable::remove(uint32_t index) {
  const uint32_t last = classes().count() - 1;
  change([&](ClassTable& classes) { classes.remove(index); }, index != last ? index : kNoClass,
         last);
}

void LiveTable::write_row(uint32_t slot, const float* values) {
  const float scale = store_row(format_, values, rows_ + size_t{slot} * format_.bytes);
  if (format_.scaled()) scales_[slot] = scale;
}

void LiveTable::copy_row(uint32_t from, uint32_t to) {
  memcpy(rows_ + size_t{to} * format_.bytes, row(from), format_.bytes);
  if (format_.scaled()) scales_[to] = scales_[from];
}

}  // namespace bzscr::rt
