#pragma once

#include "support/model_file.h"

#include <bzscr_train/bzscr_train.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bzscr::cli {

/// Whose embedding a class has that the model and the data set hold both.
enum class Embeddings { kOfModel, kOfData };

/// Scores a data set's samples by the runtime, with exactly the classes of a selection in its table:
/// classes that the model lacks are added by their embeddings, others are removed.
class TableScorer : public train::TeachableScorer {
 public:
  TableScorer(const ModelFile& file, const ModelDescription& model, const train::Dataset& data,
              const train::Selection& selection, Embeddings embeddings, bzscr_rt_storage storage,
              bool teachable = false);

  /// Throws InputError, naming the row, for a sample that the runtime refuses.
  void score(const float* X, std::int64_t n, std::int64_t row, float* scores) const override;

  /// Only if it is teachable.
  void teach(std::int64_t place, const float* x, std::int64_t row) override;
  void forget() override;

  bzscr_rt_info info() const { return scorer_.info(); }
  /// Of the selection: those that the model had training samples of, and those that it lacked.
  const std::vector<std::string>& trained_classes() const { return trained_; }
  const std::vector<std::string>& added_classes() const { return added_; }
  /// Those whose embeddings in the model and in the data set differ.
  const std::vector<std::string>& changed_classes() const { return changed_; }

 private:
  void fill(const ModelFile& file, const ModelDescription& model, const train::Dataset& data,
            const train::Selection& selection, Embeddings embeddings);
  void set_class(std::uint32_t id, const std::string& name, const std::vector<float>& embedding);
  [[noreturn]] void refuse(std::int64_t row, bzscr_rt_status status) const;

  Scorer scorer_;
  std::string data_path_;
  std::size_t features_ = 0;
  std::vector<std::size_t> place_;  ///< in the selection, by index in the table
  std::vector<std::uint32_t> ids_;  ///< by place in the selection
  std::vector<std::string> trained_, added_, changed_;
};

}  // namespace bzscr::cli
