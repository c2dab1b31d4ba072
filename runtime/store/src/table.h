#pragma once

#include "log.h"

namespace bzscr::store {

/// Brings the runtime's table, which is in state `now`, to state `next`: removes, renames, then
/// sets what differs. Every name is free by the time it is given. IO: an embedding could not be
/// read, and the table is between the two.
/// \param same_bank  places of both states mean the same: what stands at the same place is the same
///   embedding
bzscr_store_status bring_table_to(bzscr_rt* table, const Log& log, const State& now,
                                  const State& next, bool same_bank);

}  // namespace bzscr::store
