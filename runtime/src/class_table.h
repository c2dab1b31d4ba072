#pragma once

#include "arena.h"
#include "bzscr_rt/bzscr_rt.h"
#include "hash_index.h"

namespace bzscr::rt {

inline constexpr uint32_t kMostClasses = 1u << 30;

/// The id, the name and the seen flag of the class at each index. Indices have no gaps: when a
/// class is removed, the last class moves to its index. The rows of the classes are in LiveTable.
class ClassTable {
 public:
  /// Allocates the table's memory; the table is not usable until start().
  void lay_out(uint32_t capacity, uint32_t name_bytes, Arena& arena);
  void start();                             ///< removes all classes
  void copy_from(const ClassTable& other);  ///< of the same capacity and name_bytes

  uint32_t count() const { return count_; }
  uint32_t capacity() const { return capacity_; }
  uint32_t name_bytes() const { return name_bytes_; }

  const uint32_t* ids() const { return ids_; }
  const char* name(uint32_t index) const { return names_ + size_t{index} * name_bytes_; }
  bool seen(uint32_t index) const { return seen_[index] != 0; }
  const uint8_t* seen_flags() const { return seen_; }

  /// The index of the class with this id or name, or kNoClass.
  uint32_t find(uint32_t id) const;
  uint32_t find(const char* name) const;

  /// Whether class `id` may get this name (null: keeps its name): OK, or the status of the error.
  /// After OK, add() or rename() may be called.
  bzscr_rt_status may_set(uint32_t id, const char* name) const;

  /// Adds a class at index count().
  void add(uint32_t id, const char* name, bool seen);
  void rename(uint32_t index, const char* name);
  void set_seen(uint32_t index, bool seen) { seen_[index] = seen ? 1 : 0; }
  void remove(uint32_t index);

 private:
  uint32_t hash_at(uint32_t index) const;
  void write_name(uint32_t index, const char* name);
  void move(uint32_t from, uint32_t to);

  uint32_t count_;
  uint32_t capacity_;
  uint32_t name_bytes_;
  uint32_t* ids_;  // capacity
  char* names_;    // capacity x name_bytes
  uint8_t* seen_;  // capacity
  uint32_t* id_slots_;
  uint32_t* name_slots_;
  HashIndex by_id_;
  HashIndex by_name_;
};

}  // namespace bzscr::rt
