#include "baselines/methods.h"

#include "baselines/ale.h"
#include "baselines/bilinear.h"
#include "baselines/cca.h"
#include "baselines/devise.h"
#include "baselines/eszsl.h"
#include "baselines/sje.h"
#include "core/reducer.h"
#include "core/side_by_side.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace bzscr {
namespace {

// Powers of ten and three times powers of ten, as decimal literals.
const std::vector<double> kRates = {0.03, 0.1, 0.3, 1, 3, 10};
// A tenth of kRates, as the margin of DeViSE is a tenth of that of SJE and ALE.
const std::vector<double> kDeviseRates = {0.003, 0.01, 0.03, 0.1, 0.3, 1};
const std::vector<double> kEpochs = {1, 3, 10, 30};
const std::vector<double> kRidges = {1000, 100, 10, 1, 0.1, 0.01, 0.001};
const std::vector<double> kRelativeRidges = {10, 1, 0.1, 0.01, 0.001};
const std::vector<double> kDecays = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

using Sgd = Matrix (*)(const Problem&, const SgdConfig&, const AfterEpoch&);

// Runs of different rates in parallel. One run per rate yields the models of all numbers of epochs.
bool learn_by_sgd(Sgd method, const Problem& problem, const std::vector<double>& rates,
                  const std::vector<double>& epochs, const BaselineConfig& config,
                  const Learned& learned) {
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  run_side_by_side(rates.size(), thread_count(problem.X.execution), [&](std::size_t r) {
    const SgdConfig sgd{rates[r], static_cast<Index>(epochs.back()), config.average, config.seed};
    std::size_t next = 0;
    method(problem, sgd, [&](Index epoch, const std::function<Matrix()>& W) {
      if (epoch == static_cast<Index>(epochs[next])) {
        const BaselineModel model{W(), std::nullopt, std::nullopt};
        const std::lock_guard<std::mutex> lock(mutex);
        learned(r * epochs.size() + next, model);
        ++next;
      }
      if (config.stop && config.stop()) stopped = true;
      return stopped.load();
    });
  });
  return !stopped;
}

bool learn_in_closed_form(Baseline id, const Problem& problem, const std::vector<double>& gammas,
                          const std::vector<double>& lambdas, const BaselineConfig& config,
                          const Learned& learned) {
  const Moments sums = moments(problem);
  for (std::size_t g = 0; g < gammas.size(); ++g)
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      if (config.stop && config.stop()) return false;
      BaselineModel model;
      if (id == Baseline::kEszsl) {
        model.W = eszsl(sums, problem, gammas[g], lambdas[l]);
      } else {
        const CanonicalPairs pairs = cca(sums, problem, gammas[g], lambdas[l]);
        model.W = bilinear(pairs);
        if (id == Baseline::kCcaCosine) model.lengths = class_lengths(pairs);
      }
      learned(g * lambdas.size() + l, model);
    }
  return true;
}

bool learn_ridge(const Problem& problem, const std::vector<double>& gammas,
                 const BaselineConfig& config, const Learned& learned) {
  const Moments sums = moments(problem);
  for (std::size_t g = 0; g < gammas.size(); ++g) {
    if (config.stop && config.stop()) return false;
    BaselineModel model;
    model.W = ridge_regression(sums, problem, gammas[g]);
    model.lengths = Matrix::Identity(model.W.cols(), model.W.cols());
    learned(g, model);
  }
  return true;
}

bool learn_network(const Problem& problem, const std::vector<double>& lambdas,
                   const BaselineConfig& config, const Learned& learned) {
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    NrConfig nr;
    nr.lambda = lambdas[l];
    nr.seed = config.seed;
    BaselineModel model;
    model.network = nonlinear_regression(problem, nr, config.stop);
    if (config.stop && config.stop()) return false;
    learned(l, model);
  }
  return true;
}

}  // namespace

const std::vector<BaselineMethod>& baseline_methods() {
  static const std::vector<BaselineMethod> methods = {
      {Baseline::kSje, "sje", "sgd", true, {{"rate", kRates}, {"epochs", kEpochs}}},
      {Baseline::kAle, "ale", "sgd", true, {{"rate", kRates}, {"epochs", kEpochs}}},
      {Baseline::kDevise, "devise", "sgd", true, {{"rate", kDeviseRates}, {"epochs", kEpochs}}},
      {Baseline::kEszsl, "eszsl", "closed-form", true, {{"gamma", kRidges}, {"lambda", kRidges}}},
      {Baseline::kCca,
       "cca",
       "closed-form",
       true,
       {{"gamma", kRelativeRidges}, {"lambda", kRelativeRidges}}},
      {Baseline::kCcaCosine,
       "cca-cosine",
       "closed-form",
       false,
       {{"gamma", kRelativeRidges}, {"lambda", kRelativeRidges}}},
      {Baseline::kNr, "nr", "l-bfgs", false, {{"lambda", kDecays}}},
      {Baseline::kRidge, "ridge", "closed-form", false, {{"gamma", kRidges}}},
  };
  return methods;
}

const BaselineMethod& baseline_method(Baseline id) {
  return baseline_methods()[static_cast<std::size_t>(id)];
}

MatrixF scores(const BaselineModel& model, const Samples& X, const Matrix& Phi) {
  if (model.network) return scores(X, *model.network, Phi);
  Matrix P = model.W * Phi.transpose();
  if (model.lengths) {
    const Vector lengths = (Phi * *model.lengths).rowwise().norm();
    for (Index r = 0; r < P.cols(); ++r)
      if (lengths[r] > 0) P.col(r) /= lengths[r];
  }
  return scores(X, P);
}

bool learn(Baseline id, const Problem& problem, const std::vector<std::vector<double>>& values,
           const BaselineConfig& config, const Learned& learned) {
  switch (id) {
    case Baseline::kSje: return learn_by_sgd(sje, problem, values[0], values[1], config, learned);
    case Baseline::kAle: return learn_by_sgd(ale, problem, values[0], values[1], config, learned);
    case Baseline::kDevise:
      return learn_by_sgd(devise, problem, values[0], values[1], config, learned);
    case Baseline::kRidge: return learn_ridge(problem, values[0], config, learned);
    case Baseline::kNr: return learn_network(problem, values[0], config, learned);
    default: return learn_in_closed_form(id, problem, values[0], values[1], config, learned);
  }
}

}  // namespace bzscr
