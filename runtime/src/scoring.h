#pragma once

#include "handle.h"

namespace bzscr::rt {

/// Scores of `n` classes from index `first` on, the penalty of seen classes taken off: what every
/// caller of the library gets comes from here.
void score_classes(const bzscr_rt& handle, const LiveTable::View& view, const Query& query,
                   uint32_t first, uint32_t n, float* scores);

/// The `length` best classes for each of a few queries, in one pass over the rows. Query i's are in
/// results[i * length] and after it, as many as counts[i].
void rank_classes(const bzscr_rt& handle, const LiveTable::View& view, const Query* queries,
                  size_t n, size_t length, bzscr_rt_result* results, size_t* counts);

}  // namespace bzscr::rt
