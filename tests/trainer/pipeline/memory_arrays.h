#pragma once

#include "dataset_files.h"

#include <bzscr_train/bzscr_train.hpp>

#include <vector>

namespace bzscr::test {

/// The data set of a DataFolder, in memory.
struct MemoryArrays {
  explicit MemoryArrays(const DataFolder& folder)
      : features(folder.features.cast<float>()), embeddings(folder.embeddings.cast<float>()) {
    using namespace train;
    arrays.features = {features.data(), Type::kFloat32, false, features.rows(), features.cols()};
    arrays.labels = folder.labels;
    arrays.classes = folder.class_names;
    arrays.embeddings = {
        {"words",
         {embeddings.data(), Type::kFloat32, false, embeddings.rows(), embeddings.cols()}}};
    arrays.unseen_classes = {"gnu", "hen"};
    arrays.validation_folds = {{"eel", "fox"}};
    arrays.held_out = {40, 41, 42};
  }
  MemoryArrays(const MemoryArrays&) = delete;
  MemoryArrays& operator=(const MemoryArrays&) = delete;

  train::Dataset dataset() const { return train::Dataset::from_arrays(arrays, "memory", {}, {}); }

  MatrixF features, embeddings;
  train::Arrays arrays;
};

}  // namespace bzscr::test
