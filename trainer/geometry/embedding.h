#pragma once

#include "types/linalg.h"
#include "types/scaling.h"

#include <string>
#include <vector>

namespace bzscr {

/// What is done to raw embeddings before they are Phi; the model records it and the runtime repeats
/// it.
struct EmbeddingTransform {
  EmbeddingScaling scaling = EmbeddingScaling::kCentreUnit;
  Vector centre;             ///< d for kCentreUnit, else empty
  std::vector<Index> parts;  ///< lengths of what is scaled each on its own, adding up to d
};

/// The transform for a training set: its centre is the mean embedding of the seen classes.
/// \param parts  of embeddings joined from several; empty: one part
EmbeddingTransform fit_transform(EmbeddingScaling scaling, const Matrix& embeddings,
                                 const std::vector<Index>& seen,
                                 const std::vector<Index>& parts = {});

/// Transformed rows. Throws InputError, naming the class, where a row has no direction left.
Matrix transform_embeddings(const EmbeddingTransform& transform, const Matrix& embeddings,
                            const std::vector<std::string>& class_names);

/// Embeddings in coordinates of their own span. Scores matter only up to a constant per sample, so
/// Phi may be centred and projected on the span of its differences (at most C - 1 dimensions): the
/// optimum is the same, and v in the full space is basis * (v in coordinates), a unit vector as
/// before.
struct ReducedEmbedding {
  Matrix coordinates;  ///< C x p, p <= min(d, C - 1), at least 1
  Matrix basis;        ///< d x p, orthonormal columns
};
ReducedEmbedding reduce_to_span(const Matrix& Phi);
/// The same without centring, for methods to which the origin matters: at most C dimensions.
ReducedEmbedding uncentred_span(const Matrix& Phi);

}  // namespace bzscr
