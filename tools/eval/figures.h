#pragma once

#include "base/json.h"
#include "support/model_file.h"

#include <bzscr_train/bzscr_train.hpp>

#include <cstddef>
#include <string>

/// What bzscr-eval prints.
namespace bzscr::cli {

/// What was scored, and by what.
struct Subject {
  std::string model;  ///< path
  std::string training_hash;
  const train::Dataset& data;
  const train::Partition& partition;
  const train::Selection& selection;
  bzscr_rt_info runtime;
  std::size_t classes_added = 0, classes_trained_on = 0;
};

/// Samples of unseen and of seen classes among all classes.
struct AmongAll {
  const train::Selection& selection;
  const train::JointEvaluation& result;
  double penalty = 0;
};

/// \param agreement  share of samples whose best class is that of float32
/// \param all        null: not measured
Json evaluation_json(const Subject& subject, const train::Evaluation& result, double agreement,
                     const AmongAll* all);
std::string evaluation_text(const Subject& subject, const train::Evaluation& result,
                            double agreement, const AmongAll* all);

Json joint_json(const Subject& subject, const train::JointEvaluation& result, double penalty);
std::string joint_text(const Subject& subject, const train::JointEvaluation& result,
                       double penalty);

/// What teaching unseen classes does, and how it was done.
struct Taught {
  const train::TeachingEvaluation& result;
  const train::TeachOptions& options;
  double penalty = 0;
};
Json taught_json(const Subject& subject, const Taught& taught);
std::string taught_text(const Subject& subject, const Taught& taught);

}  // namespace bzscr::cli
