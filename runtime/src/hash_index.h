#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace bzscr::rt {

inline constexpr uint32_t kNoClass = UINT32_MAX;

/// Finds the index of a class by a key in constant time: a hash table with open addressing and
/// linear probing. It stores only indices; the caller compares and hashes the keys.
class HashIndex {
 public:
  /// The number of slots: a power of two. At least a third of them stay free, so that every search
  /// ends.
  static constexpr uint64_t slots_for(uint32_t capacity) {
    uint64_t slots = 1;
    while (slots < uint64_t{capacity} + capacity / 2 + 1) slots *= 2;
    return slots;
  }

  void start(uint32_t* slots, uint32_t capacity) {
    slots_ = slots;
    mask_ = static_cast<size_t>(slots_for(capacity) - 1);
    memset(slots_, 0xFF, (mask_ + 1) * sizeof *slots_);  // kNoClass
  }

  /// The index for which matches(index) is true, or kNoClass.
  template <class Matches>
  uint32_t find(uint32_t hash, Matches matches) const {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_)
      if (slots_[at] == kNoClass || matches(slots_[at])) return slots_[at];
  }

  void insert(uint32_t hash, uint32_t index) {
    size_t at = hash & mask_;
    while (slots_[at] != kNoClass) at = (at + 1) & mask_;
    slots_[at] = index;
  }

  /// Records that the class with this hash moved from index `from` to index `to`.
  void move(uint32_t hash, uint32_t from, uint32_t to) { slots_[slot_of(hash, from)] = to; }

  /// \param hash_of  hash_of(index) is the hash of the class at an index
  template <class HashOf>
  void erase(uint32_t hash, uint32_t index, HashOf hash_of) {
    size_t hole = slot_of(hash, index);
    // Moves each following entry to the hole, unless the hole is before the slot where the search
    // for that entry starts.
    for (size_t at = (hole + 1) & mask_; slots_[at] != kNoClass; at = (at + 1) & mask_) {
      const size_t home = hash_of(slots_[at]) & mask_;
      if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = kNoClass;
  }

 private:
  size_t slot_of(uint32_t hash, uint32_t index) const {
    size_t at = hash & mask_;
    while (slots_[at] != index) at = (at + 1) & mask_;
    return at;
  }

  uint32_t* slots_ = nullptr;
  size_t mask_ = 0;
};

}  // namespace bzscr::rt
