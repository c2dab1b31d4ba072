// Writes the model file that tests not written in C++ use. Usage: write_test_model FILE
#include "support/model_builder.h"

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  bzscr::test::TestModel model = bzscr::test::random_model(17, 6, 4, 5);
  model.feature_scaling = bzscr::format::FeatureScaling::Unit;
  model.embedding_scaling = bzscr::format::EmbeddingScaling::CentreUnit;
  model.centre = bzscr::test::random_vector(6, 99);
  model.seen_penalty = 0.25f;
  const bzscr::test::AlignedBytes bytes = bzscr::test::serialise(model);
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) return 1;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written ? 0 : 1;
}
