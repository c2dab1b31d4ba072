#pragma once

#include "baselines/nr.h"
#include "types/problem.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// The methods that BZ-SCR is compared with, listed: what each is called, what it can be told, how
/// it learns and how it scores.
namespace bzscr {

enum class Baseline : std::uint8_t {
  kSje,
  kAle,
  kDevise,
  kEszsl,
  kCca,        ///< as a model file can hold it: see bilinear() in cca.h
  kCcaCosine,  ///< as it is published
  kNr,
  kRidge,  ///< ridge regression on embeddings, compared by cosine
};

struct HyperParameter {
  std::string name;          ///< "rate"
  std::vector<double> grid;  ///< tried on validation classes; among equals the first wins
};

struct BaselineMethod {
  Baseline id;
  std::string word;    ///< "sje"
  std::string solver;  ///< "sgd", "closed-form" or "l-bfgs", for the model's record
  bool bilinear;       ///< a model file can hold it
  std::vector<HyperParameter> parameters;  ///< a setting has a value for each, in this order
};

/// All of them, in the order of the enumeration.
const std::vector<BaselineMethod>& baseline_methods();
const BaselineMethod& baseline_method(Baseline id);

/// What is not chosen on validation classes.
struct BaselineConfig {
  bool average = false;  ///< of SJE, ALE and DeViSE: the mean of the iterates instead of the last
  std::uint64_t seed = 1;
  std::function<bool()>
      stop{};  ///< asked now and then, also by several threads; true ends learning early
};

/// One value for each of the method's parameters.
using Setting = std::vector<double>;

/// What a method has learned, in the coordinates of the problem's Phi. Scores are F(x, r) = x .
/// P_r, where P depends on the method, or the network's.
struct BaselineModel {
  Matrix W;  ///< m x p: x^T W phi; empty for NR
  std::optional<Matrix>
      lengths;  ///< p x c, of cosines: class r's scores are divided by |lengths^T phi_r|
  std::optional<Network> network;  ///< of NR
};
MatrixF scores(const BaselineModel& model, const Samples& X, const Matrix& Phi);

/// Learns with each of the settings that combine the given values of the parameters, the last
/// changing fastest, and hands over each model. What settings share is computed once: moments, or
/// the epochs of a run.
/// \param values   for each parameter the values to combine, rising where it is `epochs`
/// \param learned  told of the setting's place in that order; one call at a time
/// \return         false where config.stop ended it
using Learned = std::function<void(std::size_t setting, const BaselineModel& model)>;
bool learn(Baseline id, const Problem& problem, const std::vector<std::vector<double>>& values,
           const BaselineConfig& config, const Learned& learned);

}  // namespace bzscr
