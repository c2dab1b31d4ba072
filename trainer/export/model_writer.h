#pragma once

#include "types/ensemble.h"
#include "types/linalg.h"
#include "types/scaling.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bzscr {

struct ModelClass {
  std::uint32_t id = 0;  ///< unique in the model
  std::string name;      ///< unique in the model, not empty
  bool seen = false;     ///< had training samples
};

/// How the model came to be: the Training table of model.fbs. Nothing here is needed to score.
struct TrainingRecord {
  std::string program;  ///< "bzscr-train 0.1.0"
  std::array<std::uint8_t, 16> data_hash{};
  std::string embedding_name;
  std::string divergence;     ///< "cosine", "zero-one", or the file's name
  std::string method;         ///< "bzscr", "boosting", "sje", ...
  std::string solver;         ///< "refine", "paper", "sgd", "closed-form"
  double nu = 0.0;            ///< per sample
  double beta = 0.0;          ///< per sample
  double objective = 0.0;     ///< a sum over samples, with the last sample weights
  double lower_bound = 0.0;   ///< certified, of the same sum
  double relative_gap = 0.0;  ///< (objective - lower_bound) / objective
  double final_share = 1.0;   ///< of samples selected in the end, 0..1
  std::uint32_t iterations = 0;
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;
  bool tuned = false;              ///< nu and beta were chosen on validation classes
  double validation_error = -1.0;  ///< 1 - per-class accuracy there; -1: not measured
  double validation_harmonic =
      -1.0;  ///< of seen and validation classes side by side, with seen_penalty; -1: not measured
  double ridge = 0.0;            ///< of |W|_F^2 / 2, per sample
  std::string hyper_parameters;  ///< of methods other than bzscr and boosting; else empty
};

/// All that a model file holds, still in double.
struct ModelFile {
  Ensemble ensemble;  ///< weak models with w = 0 are left out
  FeatureScaling feature_scaling = FeatureScaling::kUnit;
  EmbeddingScaling embedding_scaling = EmbeddingScaling::kCentreUnit;
  Vector embedding_centre;             ///< d for kCentreUnit, else empty
  std::vector<Index> embedding_parts;  ///< lengths of what is scaled each on its own, adding up to
                                       ///< d; empty: one part
  std::vector<ModelClass> classes;     ///< C, in any order
  Matrix class_embeddings;             ///< C x d, raw; row r belongs to classes[r]
  double seen_penalty = 0.0;           ///< taken off the scores of seen classes; may be negative
  TrainingRecord record;
};

/// The bytes of a model file (schema/FORMAT.md): an envelope around the model, with both checksums.
/// Here double becomes float32, denormals become zero and weak models are sorted by falling w. The
/// same input gives the same bytes. Throws std::invalid_argument, one sentence, for what a reader
/// would refuse: no weak model with w > 0, shapes that disagree, u or v not of unit length, values
/// beyond float32, names that are not unique, a class embedding of which the transform leaves
/// nothing.
std::vector<std::uint8_t> serialise_model(const ModelFile& model);

}  // namespace bzscr
