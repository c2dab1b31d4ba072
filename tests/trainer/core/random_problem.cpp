#include "random_problem.h"

#include <algorithm>
#include <random>

namespace bzscr::test {

RandomProblem::RandomProblem(const Shape& shape, unsigned seed) {
  const Index rows = shape.N + shape.N / 2 + 1, C = shape.seen + shape.targets;
  file = random_matrix(rows, shape.m, seed).cast<float>();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);

  Samples& X = problem.X;
  X.features = {file.data(), Storage::kFloat32, false, rows, shape.m};
  for (Index row = 0; X.size() < shape.N; ++row)
    if (row % 3 != 2) X.rows.push_back(row);
  X.scale.resize(shape.N);
  for (double& scale : X.scale) scale = 0.5 + unit(random);

  const Index with_samples = std::max<Index>(1, shape.seen - 1);
  for (Index i = 0; i < shape.N; ++i)
    problem.y.push_back(static_cast<std::int32_t>(random() % static_cast<unsigned>(with_samples)));
  problem.Phi = random_matrix(C, shape.p, seed + 1);
  problem.Delta.resize(shape.seen, C);
  for (Index y = 0; y < shape.seen; ++y)
    for (Index r = 0; r < C; ++r) problem.Delta(y, r) = r == y ? 0 : unit(random);
  problem.seen = shape.seen;
}

Matrix random_matrix(Index rows, Index columns, unsigned seed, double scale) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Matrix values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) values.data()[i] = scale * normal(random);
  return values;
}

Vector random_sample_weights(Index N, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> around(-0.25, 1.25);
  Vector s(N);
  for (double& each : s) each = std::clamp(around(random), 0.0, 1.0);
  if (s.maxCoeff() == 0) s[0] = 1;
  return s;
}

const std::vector<Shape>& awkward_shapes() {
  static const std::vector<Shape> shapes = {
      {1, 1, 1, 2, 0},   {1, 5, 3, 2, 2},    {7, 3, 4, 3, 1},
      {17, 4, 2, 16, 3}, {33, 6, 5, 17, 15}, {255, 5, 3, 4, 2},
      {512, 5, 3, 4, 0}, {513, 4, 3, 5, 3},  {1100, 7, 4, 31, 5},
  };
  return shapes;
}

}  // namespace bzscr::test
