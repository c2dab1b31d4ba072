#include "directory.h"

#include <string.h>

namespace bzscr::store {

void Directory::lay_out(uint32_t capacity, uint32_t name_bytes, rt::Arena& arena) {
  table_.lay_out(capacity, name_bytes, arena);
  place_ = arena.take<uint32_t>(capacity);
  examples_ = arena.take<uint32_t>(capacity);
}

void Directory::copy_from(const Directory& other) {
  table_.copy_from(other.table_);
  memcpy(place_, other.place_, size_t{table_.count()} * sizeof *place_);
  memcpy(examples_, other.examples_, size_t{table_.count()} * sizeof *examples_);
}

void Directory::start() { table_.start(); }

bzscr_rt_status Directory::set(uint32_t id, const char* name, bool seen_if_new, uint32_t place) {
  const bzscr_rt_status allowed = table_.may_set(id, name);
  if (allowed != BZSCR_RT_OK) return allowed;
  uint32_t index = table_.find(id);
  if (index == rt::kNoClass) {
    index = table_.count();
    table_.add(id, name, seen_if_new);
    examples_[index] = kNoExamples;
  } else if (name != nullptr) {
    table_.rename(index, name);
  }
  place_[index] = place;
  return BZSCR_RT_OK;
}

bzscr_rt_status Directory::rename(uint32_t id, const char* name) {
  const uint32_t index = table_.find(id);
  if (index == rt::kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  const bzscr_rt_status allowed = table_.may_set(id, name);
  if (allowed == BZSCR_RT_OK) table_.rename(index, name);
  return allowed;
}

bzscr_rt_status Directory::remove(uint32_t id) {
  const uint32_t index = table_.find(id);
  if (index == rt::kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  table_.remove(index);
  const uint32_t last = table_.count();  // fills the gap
  if (index != last) {
    place_[index] = place_[last];
    examples_[index] = examples_[last];
  }
  return BZSCR_RT_OK;
}

bzscr_rt_status Directory::teach(uint32_t id, uint32_t place) {
  const uint32_t index = table_.find(id);
  if (index == rt::kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  examples_[index] = place;
  return BZSCR_RT_OK;
}

bzscr_rt_status Directory::make(const Change& change, uint32_t place) {
  switch (change.kind) {
    case BZSCR_STORE_REPLACE:
      if (table_.find(change.id) == rt::kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
      return set(change.id, change.name, false, place);
    case BZSCR_STORE_SET:
    case BZSCR_STORE_ADD: return set(change.id, change.name, false, place);
    case BZSCR_STORE_REMOVE: return remove(change.id);
    case BZSCR_STORE_RENAME: return rename(change.id, change.name);
    case kExamples: return teach(change.id, change.count > 0 ? place : kNoExamples);
    default: return BZSCR_RT_BAD_ARGUMENT;
  }
}

bool is_as_in_model(const Directory& directory, uint32_t index, const rt::ModelView& model) {
  if (directory.place(index) != kFromModel) return false;
  const uint32_t at = model.find(directory.table().ids()[index]);
  return at != rt::kNoClass && strcmp(directory.table().name(index), model.class_at(at).name) == 0;
}

}  // namespace bzscr::store
