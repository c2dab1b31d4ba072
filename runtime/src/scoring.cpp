#include "scoring.h"

namespace bzscr::rt {

void score_classes(const bzscr_rt& handle, const float* query, uint32_t first, uint32_t n, float* scores) {
  const ClassTable& table = handle.table;
  const size_t stride = handle.form.stride;
  handle.kernels->dot_rows(table.row(first), n, stride, stride, query, scores);

  const float penalty = handle.model.seen_penalty;
  if (penalty == 0 || !table.seen_beside_unseen()) return;
  for (uint32_t i = 0; i < n; ++i)
    if (table.seen(first + i)) scores[i] -= penalty;
}

}  // namespace bzscr::rt
