#pragma once

#include "types/linalg.h"
#include "types/scaling.h"

#include <string>
#include <vector>

namespace bzscr {

/// The transform of raw embeddings to Phi. The model records it and the runtime repeats it.
struct EmbeddingTransform {
  EmbeddingScaling scaling = EmbeddingScaling::kCentreUnit;
  Vector centre;             ///< d for kCentreUnit, else empty
  std::vector<Index> parts;  ///< dimensions of the parts, each scaled separately; their sum is d
};

/// The transform for a training set: its centre is the mean embedding of the seen classes.
/// \param embeddings  C x d
/// \param parts       dimensions of concatenated embeddings; empty: one part
EmbeddingTransform fit_transform(EmbeddingScaling scaling, const Matrix& embeddings,
                                 const std::vector<Index>& seen,
                                 const std::vector<Index>& parts = {});

/// Transforms the rows of `embeddings`, C x d. Throws InputError with the class if the length of a
/// row is zero after centring.
Matrix transform_embeddings(const EmbeddingTransform& transform, const Matrix& embeddings,
                            const std::vector<std::string>& class_names);

/// Embeddings in coordinates of their span. A constant per sample does not change a prediction, so
/// Phi is centred and projected on the span of its differences (at most C - 1 dimensions). The
/// optimum is the same, and v in the full space is basis * (v in coordinates), again a unit vector.
struct ReducedEmbedding {
  Matrix coordinates;  ///< C x p, p <= min(d, C - 1), at least 1
  Matrix basis;        ///< d x p, orthonormal columns
};
ReducedEmbedding reduce_to_span(const Matrix& Phi);
/// The same without centring, for methods that depend on the origin: at most C dimensions.
ReducedEmbedding uncentred_span(const Matrix& Phi);

}  // namespace bzscr
