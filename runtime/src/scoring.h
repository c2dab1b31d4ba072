#pragma once

#include "handle.h"

namespace bzscr::rt {

/// Scores of the `n` classes from index `first` on: with their constants added, and the penalty of
/// seen classes subtracted.
/// Every score that the library returns is computed here.
void score_classes(const bzscr_rt& handle, const LiveTable::View& view, const Query& query,
                   uint32_t first, uint32_t n, float* scores);

/// The `length` best classes for each of n queries, in one pass over the rows. The results of query
/// i are the counts[i] elements from results[i * length] on.
void rank_classes(const bzscr_rt& handle, const LiveTable::View& view, const Query* queries,
                  size_t n, size_t length, bzscr_rt_result* results, size_t* counts);

}  // namespace bzscr::rt
