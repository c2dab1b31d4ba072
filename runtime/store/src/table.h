#pragma once

#include "log.h"

namespace bzscr::store {

/// Changes of the runtime's table that others see all at once, or not at all. From its construction
/// to its end nobody else may change the table.
class Batch {
 public:
  explicit Batch(bzscr_rt* table);
  ~Batch();  ///< drops the changes that end() did not make visible; a table that is not shared keeps
             ///< them
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  bzscr_store_status status() const;  ///< OK, or why the table cannot be changed: CLASS + BUSY
  bzscr_rt* changes() const { return changes_; }
  void end();

 private:
  bzscr_rt* table_;
  bzscr_rt* changes_;
  bzscr_rt_status begun_;
};

/// Brings the runtime's table, which is in state `now`, to state `next`: removes, renames, then
/// sets what differs. Every name is free by the time it is given. IO, DAMAGED: an embedding could
/// not be read, and the table is between the two.
/// \param table      changes() of a batch
/// \param same_bank  places of both states mean the same: what stands at the same place is the same
///   embedding
bzscr_store_status bring_table_to(bzscr_rt* table, const Log& log, const State& now,
                                  const State& next, bool same_bank);

}  // namespace bzscr::store
