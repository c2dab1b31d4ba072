#include "ranking.h"

namespace bzscr::rt {
namespace {

bool before(const bzscr_rt_result& a, const bzscr_rt_result& b) {
  return a.score > b.score || (a.score == b.score && a.id < b.id);
}

// Written without branches, so that compilers vectorise it.
bool any_reaches(const float* scores, uint32_t n, float least) {
  uint32_t reach = 0;
  for (uint32_t i = 0; i < n; ++i) reach |= scores[i] >= least ? 1u : 0u;
  return reach != 0;
}

}  // namespace

// Few blocks of a large table hold a score that reaches the last place, so this is tested first.
void Ranking::offer(const uint32_t* ids, uint32_t first, const float* scores, uint32_t n) {
  if (length_ == 0) return;
  uint32_t i = 0;
  for (; i < n && count_ < length_; ++i) insert({ids[i], first + i, scores[i]});
  if (i == n) return;
  float least = results_[length_ - 1].score;
  if (!any_reaches(scores + i, n - i, least)) return;
  for (; i < n; ++i) {
    if (scores[i] < least) continue;
    insert({ids[i], first + i, scores[i]});
    least = results_[length_ - 1].score;
  }
}

// Insertion from the end: a new result usually belongs near the end.
void Ranking::insert(const bzscr_rt_result& one) {
  if (count_ == length_ && !before(one, results_[length_ - 1])) return;
  size_t at = count_ < length_ ? count_++ : length_ - 1;
  for (; at > 0 && before(one, results_[at - 1]); --at) results_[at] = results_[at - 1];
  results_[at] = one;
}

}  // namespace bzscr::rt
