#pragma once

#include "arena.h"
#include "atomics.h"
#include "class_table.h"
#include "storage.h"

namespace bzscr::rt {

/// Called over and over while a change waits for readers.
struct Pause {
  void (*call)(void* context);
  void* context;
};

/// The classes and their rows, which one writer may change while any number of readers score.
///
/// What readers look classes up in stands twice: one table is read, the other one changed, then
/// they change roles, and the writer waits until the last reader has left the old one before it
/// makes the same change there (Ramalhete and Correia's left-right: two counters of readers, so
/// that arriving takes two instructions and no loop). Rows stand once, with a spare one: while the
/// row of an index is rewritten, the table says that it is to be found elsewhere. Unshared, there
/// is one table, no counter and no spare row.
class LiveTable {
 public:
  /// One state of the table, before a change or after it.
  struct View {
    ClassTable classes;
    uint32_t displaced;  ///< the index whose row is at `slot`; kNoClass: every row is in its place
    uint32_t slot;
  };

  void lay_out(uint32_t capacity, uint32_t name_bytes, const RowFormat& format, bool shared,
               Arena& arena);
  void start(Pause pause);  ///< empties it

  bool shared() const { return shared_; }
  const RowFormat& format() const { return format_; }
  const unsigned char* row(uint32_t slot) const { return rows_ + size_t{slot} * format_.bytes; }
  const float* scales(uint32_t slot) const { return scales_ + (format_.scaled() ? slot : 0); }

  /// Holds one state for as long as it lives.
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

  // The writer's side. Values of rows are format().width floats.
  const ClassTable& classes() const { return views_[active_].classes; }
  void add(uint32_t id, const char* name, bool seen, const float* values);
  void replace(uint32_t index, const char* name,
               const float* values);  ///< a null name keeps the old one
  void rename(uint32_t index, const char* name);
  void remove(uint32_t index);

 private:
  template <class Change>
  void change(Change make, uint32_t displaced, uint32_t slot);
  void publish();
  void wait_for(const uint32_t& readers) const;
  void write_row(uint32_t slot, const float* values);
  void copy_row(uint32_t from, uint32_t to);

  // Readers that arrived in one of two turns; on a cache line that no other data shares.
  struct Count {
    uint32_t readers;
    uint32_t unused[15];
  };

  RowFormat format_;
  uint32_t capacity_;
  bool shared_;
  Pause pause_;
  unsigned char* rows_;  // capacity rows, and the spare one if shared
  float* scales_;        // as many; null where rows have none
  Count* counts_;        // two; null unless shared
  View views_[2];
  uint32_t active_;  // the view that is read
  uint32_t turn_;    // the count where readers arrive
};

}  // namespace bzscr::rt
