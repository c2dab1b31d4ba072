#pragma once

#include "support/model_file.h"

#include <bzscr_train/bzscr_train.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bzscr::cli {

/// Scores a data set's samples by the runtime, with exactly the classes of a selection in its table:
/// classes that the model lacks are added by their embeddings, others are removed.
class TableScorer : public train::SampleScorer {
 public:
  TableScorer(const ModelFile& file, const ModelDescription& model, const train::Dataset& data,
              const train::Selection& selection, bzscr_rt_storage storage);

  /// Throws InputError, naming the row, for a sample that the runtime refuses.
  void score(const float* X, std::int64_t n, std::int64_t row, float* scores) const override;

  bzscr_rt_info info() const { return scorer_.info(); }
  /// Of the selection: those that the model had training samples of, and those that it lacked.
  const std::vector<std::string>& trained_classes() const { return trained_; }
  const std::vector<std::string>& added_classes() const { return added_; }

 private:
  void fill(const ModelDescription& model, const train::Dataset& data,
            const train::Selection& selection);

  Scorer scorer_;
  std::string data_path_;
  std::size_t features_ = 0;
  std::vector<std::size_t> place_;  ///< in the selection, by index in the table
  std::vector<std::string> trained_, added_;
};

}  // namespace bzscr::cli
