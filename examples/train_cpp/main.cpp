// Trains on arrays in memory and writes a model for devices: three kinds of fruit by weight and
// colour are seen; the fourth has an embedding and no sample.
//
//   train_cpp MODEL
#include <bzscr_train/bzscr_train.hpp>

#include <cstdio>
#include <fstream>
#include <vector>

using namespace bzscr::train;

int main(int, char** argv) try {
  std::vector<float> features;  // 30 x 3: redness, greenness, size
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 30; ++i) {
    const float noise = static_cast<float>(i % 7) / 70;
    const float rows[3][3] = {{1, noise, 0.2f}, {noise, 1, 0.3f}, {0.9f, noise, 1}};
    features.insert(features.end(), rows[i % 3], rows[i % 3] + 3);
    labels.push_back(i % 3);
  }
  const std::vector<float> attributes = {1, 0, 0,   // cherry: red, not green, not large
                                         0, 1, 0,   // lime
                                         1, 0, 1,   // apple
                                         0, 1, 1};  // melon
  Arrays arrays;
  arrays.features = {features.data(), Type::kFloat32, false, 30, 3};
  arrays.labels = labels;
  arrays.classes = {"cherry", "lime", "apple", "melon"};
  arrays.embeddings = {{"attributes", {attributes.data(), Type::kFloat32, false, 4, 3}}};
  arrays.unseen_classes = {"melon"};

  FitOptions options;  // nu and beta are given here: three classes are too few to choose them on
  options.nu = 1e-3;
  options.beta = 0;
  const Dataset data = Dataset::from_arrays(arrays, "fruit", {}, {});
  const Model model = fit(data, data.partition(), options, {});
  const std::vector<std::uint8_t>& bytes = model.serialise();
  std::ofstream(argv[1], std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  std::printf("%s: %zu bytes, certified gap %.1e\n", argv[1], bytes.size(), model.relative_gap);
} catch (const bzscr::InputError& error) {
  std::fprintf(stderr, "train_cpp: %s\n", error.what());
  return 2;
}
