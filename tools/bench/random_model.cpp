#include "bench/random_model.h"

#include "export/model_writer.h"

#include <algorithm>
#include <random>

namespace bzscr::bench {
namespace {

Matrix unit_columns(Index rows, Index columns, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> value;
  Matrix matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = value(random);
  matrix.colwise().normalize();
  return matrix;
}

}  // namespace

std::vector<float> random_floats(std::size_t n, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value;
  std::vector<float> values(n);
  for (float& each : values) each = value(random);
  return values;
}

Memory random_model(Index m, Index d, Index k) {
  ModelFile model;
  model.ensemble = {unit_columns(m, k, 1), unit_columns(d, k, 2), Vector::LinSpaced(k, 2.0, 1.0)};
  model.embedding_scaling = EmbeddingScaling::kUnit;
  model.classes = {{0, "0", false}};
  model.class_embeddings = Matrix::Ones(1, d);
  const std::vector<std::uint8_t> bytes = serialise_model(model);
  Memory memory(bytes.size());
  std::copy(bytes.begin(), bytes.end(), memory.data());
  return memory;
}

}  // namespace bzscr::bench
