#include "geometry/embedding.h"

#include "core/lapack.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace bzscr {

EmbeddingTransform fit_transform(EmbeddingScaling scaling, const Matrix& embeddings,
                                 const std::vector<Index>& seen, const std::vector<Index>& parts) {
  EmbeddingTransform transform{scaling, Vector(), parts};
  if (parts.empty()) transform.parts = {embeddings.cols()};
  if (scaling != EmbeddingScaling::kCentreUnit) return transform;
  // Rounded to float32 like in the model file, so that training and device use the same centre.
  const Vector mean = embeddings(seen, Eigen::all).colwise().mean();
  transform.centre = mean.cast<float>().cast<double>();
  return transform;
}

Matrix transform_embeddings(const EmbeddingTransform& transform, const Matrix& embeddings,
                            const std::vector<std::string>& class_names) {
  Matrix out = embeddings;
  if (transform.scaling == EmbeddingScaling::kNone) return out;
  if (transform.scaling == EmbeddingScaling::kCentreUnit)
    out.rowwise() -= transform.centre.transpose();
  Index begin = 0;
  for (std::size_t p = 0; p < transform.parts.size(); begin += transform.parts[p++]) {
    const Index d = transform.parts[p];
    const std::string part =
        transform.parts.size() == 1 ? "" : fmt::format(" {} of {}", p + 1, transform.parts.size());
    for (Index r = 0; r < out.rows(); ++r) {
      const double length = out.row(r).segment(begin, d).norm();
      if (!(length > 1e-6 * embeddings.row(r).segment(begin, d).norm()))
        throw InputError(
            fmt::format("embedding{} of class '{}' equals the mean of the seen classes, so its "
                        "length after centring is zero; expected another embedding, or the "
                        "option embedding_scaling unit",
                        part, class_names[static_cast<std::size_t>(r)]));
      out.row(r).segment(begin, d) /= length;
    }
  }
  return out;
}

namespace {

/// Orthonormal columns that span the columns of A; d x c with c < d.
Matrix orthonormal_basis(const Matrix& A) {
  if (A.cols() == 0) return A;  // one class
  return orthogonal(A).Q;
}

}  // namespace

ReducedEmbedding reduce_to_span(const Matrix& Phi) {
  const Index C = Phi.rows(), d = Phi.cols();
  const Matrix centred = Phi.rowwise() - Phi.colwise().mean();
  if (d <= C - 1) return {centred, Matrix::Identity(d, d)};
  ReducedEmbedding out;
  out.basis = orthonormal_basis((Phi.bottomRows(C - 1).rowwise() - Phi.row(0)).transpose());
  out.coordinates = centred * out.basis;
  return out;
}

ReducedEmbedding uncentred_span(const Matrix& Phi) {
  const Index C = Phi.rows(), d = Phi.cols();
  if (d <= C) return {Phi, Matrix::Identity(d, d)};
  ReducedEmbedding out;
  out.basis = orthonormal_basis(Phi.transpose());
  out.coordinates = Phi * out.basis;
  return out;
}

}  // namespace bzscr
