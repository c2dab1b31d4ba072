#pragma once

#include "arena.h"
#include "atomics.h"
#include "class_table.h"
#include "storage.h"

namespace bzscr::rt {

/// Called repeatedly while a change waits for readers; `call` may be null.
struct Pause {
  void (*call)(void* context);
  void* context;
};

/// The classes and their rows, which one writer may change while any number of readers score.
///
/// There are two copies of the class table (the left-right algorithm of Ramalhete and Correia).
/// Readers use one copy while the writer changes the other one. Then the copies exchange roles, the
/// writer waits until the last reader has left the old copy, and makes the same change there. Two
/// counters of readers let a reader enter in two instructions without a loop.
///
/// There is one copy of the rows, and one spare row: while the row of an index is rewritten, the
/// table refers to the spare row instead. If the table is not shared, there is one class table, no
/// counter and no spare row.
class LiveTable {
 public:
  /// One state of the table, before a change or after it.
  struct View {
    ClassTable classes;
    uint32_t displaced;  ///< the index whose row is at `slot`; kNoClass: row r is at slot r
    uint32_t slot;
  };

  void lay_out(uint32_t capacity, uint32_t name_bytes, const RowFormat& format, bool shared,
               Arena& arena);
  void start(Pause pause);  ///< removes all classes

  bool shared() const { return shared_; }
  const RowFormat& format() const { return format_; }
  const unsigned char* row(uint32_t slot) const { return rows_ + size_t{slot} * format_.bytes; }
  const float* scales(uint32_t slot) const { return scales_ + (format_.scaled() ? slot : 0); }

  /// Keeps one view unchanged while it exists.
  class Reading {
   public:
    explicit Reading(const LiveTable& table);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    const View* operator->() const { return view_; }
    const View& operator*() const { return *view_; }

   private:
    const LiveTable& table_;
    const View* view_;
    uint32_t arrival_;
  };

  // For the writer only. `values` are format().width floats.
  const ClassTable& classes() const { return views_[active_].classes; }
  void add(uint32_t id, const char* name, bool seen, const float* values);
  /// \param name  null keeps the old one
  void replace(uint32_t index, const char* name, const float* values);
  void rename(uint32_t index, const char* name);
  void remove(uint32_t index);

 private:
  template <class Change>
  void change(Change make, uint32_t displaced, uint32_t slot);
  void publish();
  void wait_for(const uint32_t& readers) const;
  void write_row(uint32_t slot, const float* values);
  void copy_row(uint32_t from, uint32_t to);

  // The number of readers that entered with one value of turn_; alone on its cache line.
  struct Count {
    uint32_t readers;
    uint32_t unused[15];
  };

  RowFormat format_;
  uint32_t capacity_;
  bool shared_;
  Pause pause_;
  unsigned char* rows_;  // capacity rows, and a spare one if shared
  float* scales_;        // one per row; null if the storage has no scales
  Count* counts_;        // two; null unless shared
  View views_[2];
  uint32_t active_;  // the view that is read
  uint32_t turn_;    // the counter that entering readers increment
};

}  // namespace bzscr::rt
