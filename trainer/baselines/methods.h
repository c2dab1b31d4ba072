#pragma once

#include "baselines/nr.h"
#include "types/problem.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// The methods with which BZ-SCR is compared: their names, hyper-parameters, training and scores.
namespace bzscr {

enum class Baseline : std::uint8_t {
  kSje,
  kAle,
  kDevise,
  kEszsl,
  kCca,        ///< bilinear form, for model files: see bilinear() in cca.h
  kCcaCosine,  ///< published form
  kNr,
  kRidge,  ///< ridge regression on embeddings, scored by the cosine
};

struct HyperParameter {
  std::string name;          ///< "rate"
  std::vector<double> grid;  ///< values to try on validation classes; of equal ones the first wins
};

struct BaselineMethod {
  Baseline id;
  std::string word;    ///< "sje"
  std::string solver;  ///< "sgd", "closed-form" or "l-bfgs", for the model's record
  bool bilinear;       ///< a model file can hold it
  std::vector<HyperParameter> parameters;  ///< in the order of the values of a Setting
};

/// All methods, in the order of the enumeration.
const std::vector<BaselineMethod>& baseline_methods();
const BaselineMethod& baseline_method(Baseline id);

/// The parameters that are not chosen on validation classes.
struct BaselineConfig {
  bool average = false;  ///< of SJE, ALE and DeViSE: the mean of the iterates instead of the last
  std::uint64_t seed = 1;
  /// Called between steps, also by several threads at once; true ends training early.
  std::function<bool()> stop{};
};

/// One value for each of the method's parameters.
using Setting = std::vector<double>;

/// A trained model, in the coordinates of the problem's Phi.
struct BaselineModel {
  Matrix W;  ///< m x p: scores x^T W phi; empty for NR
  /// p x c, of methods that score by the cosine: scores of class r are divided by
  /// |lengths^T phi_r|.
  std::optional<Matrix> lengths;
  std::optional<Network> network;  ///< of NR
};
/// Scores of N samples among C classes with the embeddings Phi (C x p): N x C.
MatrixF scores(const BaselineModel& model, const Samples& X, const Matrix& Phi);

/// Trains one model for each combination of the given values of the parameters, and passes it to
/// `learned`. Computations that settings share, such as moments or epochs, are done once.
/// \param values   for each parameter the values to combine; those of `epochs` ascending
/// \param learned  called once per setting, one call at a time; `setting` is its index in the order
///   of the combinations, in which the last parameter changes fastest
/// \return         false if config.stop ended the training
using Learned = std::function<void(std::size_t setting, const BaselineModel& model)>;
bool learn(Baseline id, const Problem& problem, const std::vector<std::vector<double>>& values,
           const BaselineConfig& config, const Learned& learned);

}  // namespace bzscr
