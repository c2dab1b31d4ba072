#include "pipeline/dataset.h"

#include "geometry/split_problem.h"
#include "memory_arrays.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

namespace bzscr {
namespace {

using namespace train;
using test::DataFolder;
using test::MemoryArrays;

TEST_CASE("arrays in memory give the same data set and hash as files") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset files = train::Dataset::read(folder.path(), {}, {});
  const train::Dataset arrays = memory.dataset();
  CHECK(arrays.hash() == files.hash());
  CHECK(arrays.split().hash == files.split().hash);
  CHECK(arrays.split().training_samples == files.split().training_samples);
  CHECK(arrays.classes() == files.classes());
  CHECK(arrays.labels() == files.labels());
  CHECK(arrays.partition().unseen == files.partition().unseen);
  CHECK(arrays.partition().held_out == std::vector<std::int64_t>{40, 41, 42});
  CHECK(arrays.path() == "memory");
}

TEST_CASE("features in memory are used in place and never released") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset data = memory.dataset();
  CHECK(data.content().data.features.data == memory.features.data());
  const bool released = data.content().data.features.release != nullptr;
  CHECK_FALSE(released);
}

TEST_CASE("features in memory of any type and order are accepted") {
  const DataFolder folder;
  MemoryArrays memory(folder);
  const RowMatrix<Eigen::half> half = folder.features.cast<Eigen::half>();
  const Matrix columns = folder.features.transpose();  // the transpose by rows is column-major
  memory.arrays.features = {half.data(), Type::kFloat16, false, half.rows(), half.cols()};
  CHECK(memory.dataset().feature_type() == Type::kFloat16);
  memory.arrays.features = {columns.data(), Type::kFloat64, true, 48, 5};
  const train::Dataset data = memory.dataset();
  CHECK(data.feature_type() == Type::kFloat64);
  CHECK(data.content().data.feature_norms.isApprox(folder.features.rowwise().norm(), 1e-12));
}

TEST_CASE("errors in arrays are reported like those in files, with the name of the array") {
  const DataFolder folder;
  const struct {
    const char* what;
    std::function<void(MemoryArrays&)> spoil;
    std::string message;
  } bad[] = {
      {"label", [](auto& m) { m.arrays.labels[3] = 8; }, "memory: labels: "},
      {"class twice", [](auto& m) { m.arrays.classes[1] = "ant"; }, "memory: classes, entry 1"},
      {"unknown unseen class",
       [](auto& m) {
         m.arrays.unseen_classes = {"gnu", "hne"};
       },
       "memory: unseen_classes, entry 1: 'hne' is not in classes; did you mean 'hen'?"},
      {"not finite", [](auto& m) { m.features(2, 1) = std::numeric_limits<float>::infinity(); },
       "memory: features: row 2, column 1 is inf"},
      {"held out sample of an unseen class", [](auto& m) { m.arrays.held_out = {6}; },
       "memory: held_out: sample 6 is of the unseen class 'gnu'"},
      {"no embedding", [](auto& m) { m.arrays.embeddings.clear(); },
       "memory: embeddings: is empty"},
      {"sizes whose product overflows",
       [](auto& m) { m.arrays.features.columns = std::numeric_limits<std::int64_t>::max(); },
       "memory: features: has 48 x 9223372036854775807 values"},
      {"rows", [](auto& m) { m.arrays.features.rows = 47; }, "memory: features: shape is (47, 5)"},
      {"unaligned",
       [](auto& m) {
         m.arrays.features.data = reinterpret_cast<const char*>(m.features.data()) + 1;
       },
       "is not aligned to 4 bytes"},
      {"null", [](auto& m) { m.arrays.features.data = nullptr; }, "has no data"},
  };
  for (const auto& one : bad) {
    INFO(std::string(one.what));
    MemoryArrays memory(folder);
    one.spoil(memory);
    try {
      memory.dataset();
      FAIL("accepted");
    } catch (const InputError& error) {
      INFO(std::string(error.what()));
      CHECK(std::string(error.what()).find(one.message) != std::string::npos);
    }
  }
}

TEST_CASE("an unknown word for an option is refused with the option and the nearest word") {
  const DataFolder folder;
  ReadOptions options;
  options.missing = "maen";
  try {
    train::Dataset::read(folder.path(), options, {});
    FAIL("accepted");
  } catch (const InputError& error) {
    CHECK(error.place().option == "missing");
    CHECK(std::string(error.what()).find("did you mean 'mean'?") != std::string::npos);
  }
  options.missing = "refuse";
  options.divergence = "cosin";
  CHECK_THROWS_WITH_AS(train::Dataset::read(folder.path(), options, {}),
                       "divergence is 'cosin'; expected cosine, wordnet, zero-one or a .npy file; "
                       "did you mean 'cosine'?",
                       InputError);
}

TEST_CASE("a class or a number of partitions out of range is refused") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  for (const std::int64_t row : {-1, 8}) CHECK_THROWS_AS(data.class_embedding(row), InputError);
  CHECK(data.class_embedding(7).size() == 3);
  for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{10001}})
    CHECK_THROWS_AS(train::draw_partitions(data, count, 1), InputError);
}

TEST_CASE("a partition that contradicts the data set is refused") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  const struct {
    std::function<void(train::Partition&)> spoil;
    const char* message;
  } bad[] = {
      {[](auto& p) {
         p.unseen = {6, 8};
       },
       "unseen, entry 1 is 8"},
      {[](auto& p) {
         p.unseen = {7, 6};
       },
       "unseen, entry 1 is 6"},
      {[](auto& p) { p.validation_folds = {{6}}; },
       "class 6 is both unseen and a validation class"},
      {[](auto& p) { p.held_out = {48}; }, "held_out, entry 0 is 48"},
      {[](auto& p) { p.held_out = {6}; }, "held-out sample 6 is of an unseen class"},
  };
  for (const auto& one : bad) {
    CAPTURE(one.message);
    train::Partition partition = data.partition();
    one.spoil(partition);
    CHECK_THROWS_WITH_AS(checked_partition(data, partition), doctest::Contains(one.message),
                         InputError);
  }
}

TEST_CASE("a partition without classes or samples to train on can be evaluated, not trained on") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  const struct {
    std::function<void(train::Partition&)> spoil;
    const char* message;
  } bad[] = {
      {[](auto& p) {
         p = {{1, 2, 3, 4, 5, 6, 7}, {}, {}};
       },
       "has 1 seen of 8 classes; expected at least 2 to train on"},
      {[](auto& p) {
         p.validation_folds = {{1}, {1, 2, 3, 4, 5}};
       },
       "has 1 seen class outside validation fold 2; expected at least 2 to train on"},
      {[&](auto& p) {
         for (std::int64_t i = 0; i < data.samples(); ++i)
           if (data.labels()[static_cast<std::size_t>(i)] < 6) p.held_out.push_back(i);
         p.held_out.erase(p.held_out.begin(), p.held_out.begin() + 3);  // of the folder's own
         std::sort(p.held_out.begin(), p.held_out.end());
       },
       "has no sample to train on"},
  };
  for (const auto& one : bad) {
    CAPTURE(one.message);
    train::Partition partition = data.partition();
    one.spoil(partition);
    CHECK_THROWS_WITH_AS(training_partition(data, partition), doctest::Contains(one.message),
                         InputError);
    CHECK_FALSE(train::select(data, partition, "unseen").samples.empty());
  }
}

TEST_CASE("a problem keeps mapped features alive") {
  const DataFolder folder;
  SplitProblem split;
  Vector expected;
  {
    const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
    const bzscr::Dataset& read = data.content().data;
    split = split_problem(read, read.partition, data.content().divergence.Delta,
                          all_classes(read, read.partition), {});
    expected = read.feature_norms;
  }
  const Samples& X = split.problem.X;
  const auto* row = static_cast<const float*>(X.features.row(X.rows[1]));
  CHECK(Eigen::Map<const VectorF>(row, 5).cast<double>().norm() ==
        doctest::Approx(expected[X.rows[1]]));
}

}  // namespace
}  // namespace bzscr
