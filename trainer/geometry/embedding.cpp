#include "geometry/embedding.h"

#include "types/errors.h"

#include <Eigen/QR>

#include <algorithm>

namespace bzscr {

EmbeddingTransform fit_transform(EmbeddingScaling scaling, const Matrix& embeddings, const std::vector<Index>& seen) {
  EmbeddingTransform transform{scaling, Vector()};
  if (scaling != EmbeddingScaling::kCentreUnit) return transform;
  // As the model file will hold it, so that training and device take off the same centre.
  const Vector mean = embeddings(seen, Eigen::all).colwise().mean();
  transform.centre = mean.cast<float>().cast<double>();
  return transform;
}

Matrix transform_embeddings(const EmbeddingTransform& transform, const Matrix& embeddings,
                            const std::vector<std::string>& class_names) {
  Matrix out = embeddings;
  if (transform.scaling == EmbeddingScaling::kNone) return out;
  if (transform.scaling == EmbeddingScaling::kCentreUnit) out.rowwise() -= transform.centre.transpose();
  for (Index r = 0; r < out.rows(); ++r) {
    const double length = out.row(r).norm();
    if (!(length > 1e-6 * embeddings.row(r).norm()))
      throw InputError("embedding of class '" + class_names[static_cast<std::size_t>(r)] +
                       "' equals the mean of the seen classes, so nothing is left of it after centring; expected another "
                       "embedding, or --embedding-scaling unit");
    out.row(r) /= length;
  }
  return out;
}

ReducedEmbedding reduce_to_span(const Matrix& Phi) {
  const Index C = Phi.rows(), d = Phi.cols();
  const Matrix centred = Phi.rowwise() - Phi.colwise().mean();
  if (d <= C - 1) return {centred, Matrix::Identity(d, d)};
  const Eigen::MatrixXd differences = (Phi.bottomRows(C - 1).rowwise() - Phi.row(0)).transpose();  // d x (C - 1)
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(differences);
  ReducedEmbedding out;
  out.basis = qr.householderQ() * Eigen::MatrixXd::Identity(d, C - 1);
  out.coordinates = centred * out.basis;
  return out;
}

}  // namespace bzscr
