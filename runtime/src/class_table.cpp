#include "class_table.h"

#include <string.h>

namespace bzscr::rt {
namespace {

// Ids are often 0, 1, 2, ...: the multiplication spreads them; the high half is mixed best.
uint32_t hash_of(uint32_t id) { return static_cast<uint32_t>((id * 0x9E3779B97F4A7C15u) >> 32); }

uint32_t hash_of(const char* name) {  // FNV-1a
  uint32_t hash = 0x811C9DC5u;
  for (; *name != '\0'; ++name) hash = (hash ^ static_cast<unsigned char>(*name)) * 0x01000193u;
  return hash;
}

bool same(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b)
    if (*a == '\0') return true;
  return false;
}

}  // namespace

void ClassTable::lay_out(uint32_t capacity, uint32_t name_bytes, Arena& arena) {
  capacity_ = capacity;
  name_bytes_ = name_bytes;
  ids_ = arena.take<uint32_t>(capacity);
  id_slots_ = arena.take<uint32_t>(HashIndex::slots_for(capacity));
  name_slots_ = arena.take<uint32_t>(HashIndex::slots_for(capacity));
  seen_ = arena.take<uint8_t>(capacity);
  names_ = arena.take<char>(capacity, name_bytes);
}

void ClassTable::start() {
  count_ = 0;
  by_id_.start(id_slots_, capacity_);
  by_name_.start(name_slots_, capacity_);
}

void ClassTable::copy_from(const ClassTable& other) {
  const size_t slot_bytes = static_cast<size_t>(HashIndex::slots_for(capacity_)) * sizeof(uint32_t);
  count_ = other.count_;
  memcpy(ids_, other.ids_, size_t{count_} * sizeof *ids_);
  memcpy(seen_, other.seen_, count_);
  memcpy(names_, other.names_, size_t{count_} * name_bytes_);
  memcpy(id_slots_, other.id_slots_, slot_bytes);
  memcpy(name_slots_, other.name_slots_, slot_bytes);
}

uint32_t ClassTable::find(uint32_t id) const {
  return by_id_.find(hash_of(id), [&](uint32_t index) { return ids_[index] == id; });
}

uint32_t ClassTable::find(const char* wanted) const {
  return by_name_.find(hash_of(wanted), [&](uint32_t index) { return same(name(index), wanted); });
}

bzscr_rt_status ClassTable::may_set(uint32_t id, const char* wanted) const {
  const uint32_t index = find(id);
  if (wanted == nullptr) return index == kNoClass ? BZSCR_RT_BAD_ARGUMENT : BZSCR_RT_OK;
  if (*wanted == '\0') return BZSCR_RT_BAD_ARGUMENT;
  if (strlen(wanted) >= name_bytes_) return BZSCR_RT_NAME_TOO_LONG;
  const uint32_t owner = find(wanted);
  if (owner != kNoClass && owner != index) return BZSCR_RT_DUPLICATE_NAME;
  return index == kNoClass && count_ == capacity_ ? BZSCR_RT_TABLE_FULL : BZSCR_RT_OK;
}

void ClassTable::add(uint32_t id, const char* new_name, bool seen) {
  const uint32_t index = count_++;
  ids_[index] = id;
  set_seen(index, seen);
  write_name(index, new_name);
  by_id_.insert(hash_of(id), index);
  by_name_.insert(hash_of(new_name), index);
}

void ClassTable::rename(uint32_t index, const char* new_name) {
  if (same(name(index), new_name)) return;
  by_name_.erase(hash_at(index), index, [&](uint32_t at) { return hash_at(at); });
  write_name(index, new_name);
  by_name_.insert(hash_of(new_name), index);
}

void ClassTable::remove(uint32_t index) {
  by_id_.erase(hash_of(ids_[index]), index, [&](uint32_t at) { return hash_of(ids_[at]); });
  by_name_.erase(hash_at(index), index, [&](uint32_t at) { return hash_at(at); });
  --count_;
  if (index != count_) move(count_, index);
}

uint32_t ClassTable::hash_at(uint32_t index) const { return hash_of(name(index)); }

// Fills the rest of the slot with zeros, so that nothing of the old name remains in memory.
void ClassTable::write_name(uint32_t index, const char* new_name) {
  char* slot = names_ + size_t{index} * name_bytes_;
  memset(slot, 0, name_bytes_);
  memcpy(slot, new_name, strlen(new_name));
}

void ClassTable::move(uint32_t from, uint32_t to) {
  by_id_.move(hash_of(ids_[from]), from, to);
  by_name_.move(hash_at(from), from, to);
  ids_[to] = ids_[from];
  seen_[to] = seen_[from];
  memcpy(names_ + size_t{to} * name_bytes_, name(from), name_bytes_);
}

}  // namespace bzscr::rt
