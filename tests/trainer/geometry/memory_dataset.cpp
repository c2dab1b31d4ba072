#include "memory_dataset.h"

#include "trainer/core/random_problem.h"

namespace bzscr::test {

MemoryDataset::MemoryDataset(Index N, Index m, Index d, Index C, std::vector<Index> unseen) {
  data.folder = "memory";
  data.embeddings = random_matrix(C, d, 1);
  const Matrix map = random_matrix(d, m, 2);
  features = random_matrix(N, m, 3, 0.5).cast<float>();
  for (Index i = 0; i < N; ++i) {
    data.labels.push_back(static_cast<std::int32_t>(i % C));
    features.row(i) += (data.embeddings.row(i % C) * map).cast<float>();
  }
  for (Index c = 0; c < C; ++c) data.class_names.push_back("class " + std::to_string(c));
  data.embedding_name = "random";
  data.partition.unseen = std::move(unseen);
  data.features = {features.data(), Storage::kFloat32, false, N, m};
  measure();
}

void MemoryDataset::measure() { data.feature_norms = features.cast<double>().rowwise().norm(); }

}  // namespace bzscr::test
