#include "ranking.h"

namespace bzscr::rt {
namespace {

bool before(const bzscr_rt_result& a, const bzscr_rt_result& b) {
  return a.score > b.score || (a.score == b.score && a.id < b.id);
}

}  // namespace

// Insertion from the end: nearly every class of a large table fails the first comparison.
void Ranking::offer(const bzscr_rt_result& one) {
  if (count_ == length_ && (length_ == 0 || !before(one, results_[length_ - 1]))) return;
  size_t at = count_ < length_ ? count_++ : length_ - 1;
  for (; at > 0 && before(one, results_[at - 1]); --at) results_[at] = results_[at - 1];
  results_[at] = one;
}

}  // namespace bzscr::rt
