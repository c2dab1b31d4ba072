#pragma once

#include "arena.h"
#include "atomics.h"
#include "class_table.h"
#include "form.h"
#include "storage.h"

namespace bzscr::rt {

/// Called repeatedly while a change waits for readers; `call` may be null.
struct Pause {
  void (*call)(void* context);
  void* context;
};

/// The classes and their rows, which one writer may change while any number of readers score.
///
/// A shared table exists twice (the left-right algorithm of Ramalhete and Correia). Readers use one
/// copy while the writer changes the other one. Then the copies exchange roles, the writer waits
/// until the last reader has left the old copy, and brings it to the same state. Two counters of
/// readers let a reader enter in two instructions without a loop. If the table is not shared, there
/// is one copy and no counter.
///
/// A batch is a table of its own, not shared, over the copy that is not read. So many changes are
/// made there, one after the other, before the copies exchange roles.
class LiveTable {
 public:
  /// One state of the table, before a change or after it.
  struct View {
    ClassTable classes;
    unsigned char* rows;  ///< capacity x format().bytes
    float* scales;        ///< capacity; null if the storage has no scales
    float* constants;     ///< capacity: added to scores; null if all are zero
    float* records;       ///< capacity x record_floats(), see teaching.h; null if there are none
    float seen_penalty;
  };

  /// \param has_constants  whether rows have constants other than zero
  void lay_out(uint32_t capacity, uint32_t name_bytes, const Form& form, bool has_constants,
               bool shared, Arena& arena);

  /// Removes all classes. They are then filled in before there are readers: add_first() for each,
  /// and fill_end().
  void start(Pause pause, float seen_penalty);
  void add_first(uint32_t id, const char* name, bool seen, const Row& row);
  void fill_end();

  bool shared() const { return shared_; }
  const RowFormat& format() const { return format_; }
  const unsigned char* row(const View& view, uint32_t index) const {
    return view.rows + size_t{index} * format_.bytes;
  }
  const float* scales(const View& view, uint32_t index) const {
    return view.scales + (format_.scaled() ? index : 0);
  }
  float* record(const View& view, uint32_t index) const {
    return view.records + size_t{index} * record_floats_;
  }

  /// Keeps one view unchanged while it exists; false if the table is closed.
  class Reading {
   public:
    explicit Reading(const LiveTable& table);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    explicit operator bool() const { return view_ != nullptr; }
    const View* operator->() const { return view_; }
    const View& operator*() const { return *view_; }

   private:
    const LiveTable& table_;
    const View* view_;
    uint32_t arrival_;
  };

  /// What the writers of a table are doing. A table in a batch goes on taking changes if it exists
  /// once.
  enum Writers : uint32_t { kNone, kInBatch, kChanging };

  /// Keeps other writers out while it exists. status() is OK, BUSY if there is another writer or a
  /// batch of a shared table, or CLOSED. A writer that is refused has kept nobody out, not even for
  /// a moment, so that a batch can always be ended.
  class Writing {
   public:
    /// \param ends_batch  the batch itself is not another writer; BAD_ARGUMENT if there is none
    explicit Writing(LiveTable& table, bool ends_batch = false);
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

    bzscr_rt_status status() const { return status_; }
    /// kNone or kInBatch: what the table was before, and becomes again.
    uint32_t before() const { return before_; }
    void leave_as(Writers writers) { before_ = writers; }

   private:
    LiveTable& table_;
    uint32_t before_;
    bzscr_rt_status status_;
  };

  // For the writer only.
  const View& view() const { return views_[active_]; }
  const ClassTable& classes() const { return view().classes; }
  void add(uint32_t id, const char* name, bool seen, const Row& row);
  /// \param name  null keeps the old one
  void replace(uint32_t index, const char* name, bool seen, const Row& row);
  void rename(uint32_t index, const char* name);
  void remove(uint32_t index);
  void set_seen_penalty(float penalty);
  /// Refuses readers and writers from now on, and returns when no reader is left.
  void close();

  // A batch, which keeps other writers out from its start to its end. `batch` is its table if this
  // one is shared, otherwise this one. The status is OK or that of Writing.
  /// Makes a copy of this table, which was filled, the table of its batches.
  void become_batch() { shared_ = false; }
  bzscr_rt_status start_batch(LiveTable& batch);
  /// Makes the changes of the batch visible, all at once, or undoes them. BAD_ARGUMENT if there is
  /// no batch; also if it is to be undone and the table is not shared, so that no copy of the old
  /// state exists.
  bzscr_rt_status end_batch(LiveTable& batch, bool keep);

 private:
  template <class Make>
  void change(Make make);
  void publish();
  void wait_for(const uint32_t& readers) const;
  void add_to(View& view, uint32_t id, const char* name, bool seen, const Row& row);
  void write_row(View& view, uint32_t index, const Row& row);
  void write_rest(View& view, uint32_t index, float constant, const float* record);
  void copy_row(const View& from, uint32_t index, View& to, uint32_t to_index);
  void copy_view(const View& from, View& to);

  // The number of readers that entered with one value of turn_; alone on its cache line.
  struct Count {
    uint32_t readers;
    uint32_t unused[15];
  };

  RowFormat format_;
  uint32_t record_floats_;
  uint32_t capacity_;
  bool shared_;
  Pause pause_;
  Count* counts_;    // two; null unless shared
  uint8_t* marked_;  // capacity; null unless shared. 0: both views have the same row
  View views_[2];
  uint32_t active_;   // the view that is read
  uint32_t turn_;     // the counter that entering readers increment
  uint32_t writers_;  // of Writers
  uint32_t closed_;
};

}  // namespace bzscr::rt
