// Writes the model files that tests not written in C++ use: one of format version 1, and one of
// version 3 that can be taught. Usage: write_test_model FILE FILE
#include "support/model_builder.h"

#include <cstdio>

namespace {

bool write(const bzscr::test::TestModel& model, const char* path) {
  const bzscr::test::AlignedBytes bytes = bzscr::test::serialise(model);
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) return false;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  bzscr::test::TestModel model = bzscr::test::random_model(17, 6, 4, 5);
  model.feature_scaling = bzscr::format::FeatureScaling::Unit;
  model.embedding_scaling = bzscr::format::EmbeddingScaling::CentreUnit;
  model.centre = bzscr::test::random_vector(6, 99);
  model.seen_penalty = 0.25f;
  const bzscr::test::TestModel taught =
      bzscr::test::random_model_with_forms(17, 6, 4, 5, bzscr::format::ScoreForm::Half);
  return write(model, argv[1]) && write(taught, argv[2]) ? 0 : 1;
}
