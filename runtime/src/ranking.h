#pragma once

#include "bzscr_rt/bzscr_rt.h"

#include <stddef.h>

namespace bzscr::rt {

/// The best classes so far, best first, in the caller's memory; the first is that of Eq. (1).
class Ranking {
 public:
  /// \param count  number of results so far; updated
  Ranking(bzscr_rt_result* results, size_t length, size_t* count)
      : results_(results), length_(length), count_(*count) {}

  /// \param ids, scores  of the n classes from index `first` on
  void offer(const uint32_t* ids, uint32_t first, const float* scores, uint32_t n);

 private:
  void insert(const bzscr_rt_result& one);

  bzscr_rt_result* results_;
  size_t length_;
  size_t& count_;
};

}  // namespace bzscr::rt
