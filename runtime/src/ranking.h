#pragma once

#include "bzscr_rt/bzscr_rt.h"

#include <stddef.h>

namespace bzscr::rt {

/// The best classes so far, best first, in the caller's memory: the arg max of Eq. (1) and those after it.
class Ranking {
 public:
  Ranking(bzscr_rt_result* results, size_t length) : results_(results), length_(length) {}

  void offer(const bzscr_rt_result& one);
  size_t count() const { return count_; }

 private:
  bzscr_rt_result* results_;
  size_t length_;
  size_t count_ = 0;
};

}  // namespace bzscr::rt
