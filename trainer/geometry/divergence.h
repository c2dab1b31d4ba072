#pragma once

#include "types/linalg.h"

namespace bzscr {

/// Semantic divergences Delta(r1, r2) in [0, 1], zero on the diagonal. All return C x C.

/// (1 - cos) / (1 - min cos) of embeddings as given, before any centring, Eq. (14). Where all
/// embeddings point the same way, zero.
/// \param embeddings  C x d, no zero rows
Matrix cosine_divergence(const Matrix& embeddings);

/// 1 between any two classes.
Matrix zero_one_divergence(Index classes);

}  // namespace bzscr
