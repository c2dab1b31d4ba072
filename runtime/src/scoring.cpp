#include "scoring.h"

#include "ranking.h"

namespace bzscr::rt {
namespace {

constexpr uint32_t kMostRows = 64;  // rows of a block; its scores are ranked before the next block

// For several queries a block is small enough for the first-level cache, so that only the first
// query reads it from memory.
uint32_t rows_of_block(const RowFormat& format, size_t queries) {
  constexpr uint32_t kFewestRows = 8;
  constexpr size_t kNearBytes = 32768;
  const size_t rows = queries > 1 ? kNearBytes / (format.bytes + 1) : kMostRows;
  return rows < kFewestRows ? kFewestRows
         : rows > kMostRows ? kMostRows
                            : static_cast<uint32_t>(rows);
}

// Not inlined, so that the loop over blocks of models without constants stays small.
__attribute__((noinline)) void add_constants(const float* constants, uint32_t n, float* scores) {
  for (uint32_t i = 0; i < n; ++i) scores[i] += constants[i];
}

}  // namespace

void score_classes(const bzscr_rt& handle, const LiveTable::View& view, const Query& query,
                   uint32_t first, uint32_t n, float* scores) {
  const LiveTable& table = handle.table;
  if (n == 0) return;
  score_rows(handle.form.row, handle.kernels, table.row(view, first), table.scales(view, first), n,
             query, scores);
  if (view.constants != nullptr) add_constants(view.constants + first, n, scores);
  const float penalty = view.seen_penalty;
  if (penalty == 0) return;
  const uint8_t* seen = view.classes.seen_flags() + first;
  for (uint32_t i = 0; i < n; ++i) scores[i] -= seen[i] != 0 ? penalty : 0.0f;  // branch-free
}

void rank_classes(const bzscr_rt& handle, const LiveTable::View& view, const Query* queries,
                  size_t n, size_t length, bzscr_rt_result* results, size_t* counts) {
  const uint32_t classes = view.classes.count();
  const uint32_t rows = rows_of_block(handle.form.row, n);
  float scores[kMostRows];
  for (size_t i = 0; i < n; ++i) counts[i] = 0;
  for (uint32_t first = 0; first < classes; first += rows) {
    const uint32_t block = classes - first < rows ? classes - first : rows;
    for (size_t i = 0; i < n; ++i) {
      score_classes(handle, view, queries[i], first, block, scores);
      Ranking(results + i * length, length, &counts[i])
          .offer(view.classes.ids() + first, first, scores, block);
    }
  }
}

}  // namespace bzscr::rt
