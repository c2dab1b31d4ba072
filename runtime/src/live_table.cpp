#include "live_table.h"

#include <string.h>

namespace bzscr::rt {
namespace {

constexpr uint32_t kNotCounted = 2;  // a reader that has incremented neither counter

}  // namespace

void LiveTable::lay_out(uint32_t capacity, uint32_t name_bytes, const Form& form,
                        bool has_constants, bool shared, Arena& arena) {
  format_ = form.row;
  record_floats_ = form.record;
  capacity_ = capacity;
  shared_ = shared;
  for (uint32_t side = 0; side < (shared ? 2u : 1u); ++side) {
    View& view = views_[side];
    view.rows = arena.take<unsigned char, kCacheLine>(capacity, format_.bytes);
    view.scales = format_.scaled() ? arena.take<float>(capacity) : nullptr;
    view.constants = has_constants ? arena.take<float>(capacity) : nullptr;
    view.records = form.teachable() ? arena.take<float>(capacity, record_floats_) : nullptr;
    view.classes.lay_out(capacity, name_bytes, arena);
  }
  counts_ = shared ? arena.take<Count, kCacheLine>(2) : nullptr;
  marked_ = shared ? arena.take<uint8_t>(capacity) : nullptr;
}

void LiveTable::start(Pause pause, float seen_penalty) {
  pause_ = pause;
  active_ = turn_ = writers_ = closed_ = 0;
  views_[0].classes.start();
  views_[0].seen_penalty = seen_penalty;
}

void LiveTable::add_first(uint32_t id, const char* name, bool seen, const Row& row) {
  add_to(views_[0], id, name, seen, row);
}

void LiveTable::fill_end() {
  if (!shared_) return;
  counts_[0].readers = counts_[1].readers = 0;
  views_[1].classes.start();
  memset(marked_, 1, capacity_);
  copy_view(views_[0], views_[1]);
}

// The reader increments the counter first and loads the view after that. So when a writer has read
// zero from both counters after a switch, no reader is left in the old view; and when close() has
// read zero from both, every later reader sees that the table is closed. A reader that sees it
// before it counts itself does not make close() wait.
LiveTable::Reading::Reading(const LiveTable& table)
    : table_(table), view_(nullptr), arrival_(kNotCounted) {
  if (atomics::load(table.closed_) != 0) return;
  if (!table.shared_) {
    view_ = &table.views_[0];
    return;
  }
  arrival_ = atomics::load(table.turn_);
  atomics::add(table.counts_[arrival_].readers, 1);
  if (atomics::load(table.closed_) == 0) view_ = &table.views_[atomics::load(table.active_)];
}

LiveTable::Reading::~Reading() {
  if (arrival_ != kNotCounted)
    atomics::add(table_.counts_[arrival_].readers, UINT32_MAX);  // minus 1
}

LiveTable::Writing::Writing(LiveTable& table, bool ends_batch)
    : table_(table), before_(atomics::load(table.writers_)), status_(BZSCR_RT_OK) {
  if (ends_batch && before_ == kNone)
    status_ = BZSCR_RT_BAD_ARGUMENT;
  else if (before_ == kChanging || (before_ == kInBatch && table.shared_ && !ends_batch) ||
           !atomics::exchange_if(table.writers_, before_, kChanging))
    status_ = BZSCR_RT_BUSY;
  const bool writes = status_ == BZSCR_RT_OK;
  if (atomics::load(table.closed_) != 0) status_ = BZSCR_RT_CLOSED;
  if (writes && status_ != BZSCR_RT_OK) atomics::store(table.writers_, before_);
}

LiveTable::Writing::~Writing() {
  if (status_ == BZSCR_RT_OK) atomics::store(table_.writers_, before_);
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

// Makes the same change in both views, and lets readers change views in between.
template <class Make>
void LiveTable::change(Make make) {
  if (shared_) {
    make(views_[1 - active_]);
    publish();
    make(views_[1 - active_]);
  } else {
    make(views_[0]);
  }
}

void LiveTable::add(uint32_t id, const char* name, bool seen, const Row& row) {
  change([&](View& view) { add_to(view, id, name, seen, row); });
}

void LiveTable::replace(uint32_t index, const char* name, bool seen, const Row& row) {
  change([&](View& view) {
    if (name != nullptr) view.classes.rename(index, name);
    view.classes.set_seen(index, seen);
    write_row(view, index, row);
  });
}

void LiveTable::rename(uint32_t index, const char* name) {
  change([&](View& view) { view.classes.rename(index, name); });
}

void LiveTable::remove(uint32_t index) {
  change([&](View& view) {
    view.classes.remove(index);
    const uint32_t last = view.classes.count();
    if (index == last) return;
    copy_row(view, last, view, index);
  });
}

void LiveTable::set_seen_penalty(float penalty) {
  change([&](View& view) { view.seen_penalty = penalty; });
}

void LiveTable::close() {
  atomics::store(closed_, 1);
  if (!shared_) return;
  wait_for(counts_[0].readers);
  wait_for(counts_[1].readers);
}

bzscr_rt_status LiveTable::start_batch(LiveTable& batch) {
  Writing writing(*this);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  if (writing.before() == kInBatch) return BZSCR_RT_BUSY;
  writing.leave_as(kInBatch);
  if (!shared_) return BZSCR_RT_OK;
  batch.views_[0] = views_[1 - active_];
  atomics::store(batch.closed_, 0);
  return BZSCR_RT_OK;
}

bzscr_rt_status LiveTable::end_batch(LiveTable& batch, bool keep) {
  Writing writing(*this, /*ends_batch=*/true);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  if (!keep && !shared_) return BZSCR_RT_BAD_ARGUMENT;
  if (shared_) {
    const Writing last(batch);
    if (last.status() != BZSCR_RT_OK) return last.status();
    batch.close();
    if (keep) {
      views_[1 - active_] = batch.views_[0];
      publish();
    }
    copy_view(views_[active_], views_[1 - active_]);
  }
  writing.leave_as(kNone);
  return BZSCR_RT_OK;
}

void LiveTable::add_to(View& view, uint32_t id, const char* name, bool seen, const Row& row) {
  write_row(view, view.classes.count(), row);
  view.classes.add(id, name, seen);
}

void LiveTable::write_row(View& view, uint32_t index, const Row& row) {
  const float scale = store_row(format_, row.values, view.rows + size_t{index} * format_.bytes);
  if (format_.scaled()) view.scales[index] = scale;
  write_rest(view, index, row.constant, row.record);
}

// What belongs to a row beside its values and their scale.
void LiveTable::write_rest(View& view, uint32_t index, float constant, const float* record) {
  if (view.constants != nullptr) view.constants[index] = constant;
  if (view.records != nullptr)
    memcpy(view.records + size_t{index} * record_floats_, record, record_floats_ * sizeof(float));
  if (marked_ != nullptr) marked_[index] = 1;
}

void LiveTable::copy_row(const View& from, uint32_t index, View& to, uint32_t to_index) {
  memcpy(to.rows + size_t{to_index} * format_.bytes, row(from, index), format_.bytes);
  if (format_.scaled()) to.scales[to_index] = from.scales[index];
  write_rest(to, to_index, from.constants != nullptr ? from.constants[index] : 0.0f,
             record(from, index));
}

// Makes a view equal to another one. Only marked rows differ.
void LiveTable::copy_view(const View& from, View& to) {
  to.classes.copy_from(from.classes);
  to.seen_penalty = from.seen_penalty;
  for (uint32_t index = 0; index < from.classes.count(); ++index)
    if (marked_[index] != 0) copy_row(from, index, to, index);
  memset(marked_, 0, capacity_);
}

}  // namespace bzscr::rt
