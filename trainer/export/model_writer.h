#pragma once

#include "types/ensemble.h"
#include "types/linalg.h"
#include "types/scaling.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bzscr {

struct ModelClass {
  std::uint32_t id = 0;  ///< unique in the model
  std::string name;      ///< unique in the model, not empty
  bool seen = false;     ///< had training samples
};

/// The record of a model's training: the Training table of model.fbs. It is not used for scoring.
struct TrainingRecord {
  std::string program;  ///< "bzscr-train 0.1.0"
  std::array<std::uint8_t, 16> data_hash{};
  std::string embedding_name;
  std::string divergence;     ///< "cosine", "zero-one", or the file's name
  std::string method;         ///< "bzscr", "boosting", "sje", ...
  std::string solver;         ///< "refine", "paper", "sgd", "closed-form"
  double nu = 0.0;            ///< per sample
  double beta = 0.0;          ///< per sample
  double objective = 0.0;     ///< sum over samples, with the last sample weights
  double lower_bound = 0.0;   ///< certified lower bound of the optimal objective
  double relative_gap = 0.0;  ///< (objective - lower_bound) / objective
  double final_share = 1.0;   ///< share of samples selected at the end, in [0, 1]
  std::uint32_t iterations = 0;
  std::uint64_t samples = 0;
  std::uint64_t seed = 0;
  bool tuned = false;              ///< nu and beta were chosen on validation classes
  double validation_error = -1.0;  ///< 1 - per-class accuracy there; -1: not measured
  /// Harmonic mean of the accuracies on seen and validation classes, with seen_penalty; -1: not
  /// measured.
  double validation_harmonic = -1.0;
  double ridge = 0.0;                      ///< weight of |W|_F^2 / 2, per sample
  std::string hyper_parameters;            ///< of methods other than bzscr and boosting; else empty
  std::vector<std::string> feature_names;  ///< m, without line feeds; empty: not known
  std::vector<std::string> embedding_columns;  ///< d, likewise
  std::string base;                            ///< "ridge" or "none"; empty: not recorded
  double own_part = 0.0;                       ///< gamma; 0: none
};

/// How classes are taught on a device (schema/FORMAT.md).
struct ModelTeaching {
  double blend = 1, offset = 0, length = 1;
  std::vector<double> accuracy;     ///< a record: per-class accuracy after
  std::vector<std::int64_t> shots;  ///< so many samples of each class
};

/// The content of a model file, in double.
struct ModelFile {
  /// Weak models with w = 0 are not written, except in a model that can be taught. Unless the score
  /// is plain and the model cannot be taught, the columns of U are orthonormal.
  Ensemble ensemble;
  ScoreForm score = ScoreForm::kPlain;
  Matrix own;  ///< C x k: added to the row V phi_r of a seen class; empty: none
  std::optional<ModelTeaching> teaching;  ///< empty: the model cannot be taught
  Vector feature_offsets;  ///< k: x^T u_j less the offset replaces x^T u_j; empty: none
  FeatureScaling feature_scaling = FeatureScaling::kUnit;
  EmbeddingScaling embedding_scaling = EmbeddingScaling::kCentreUnit;
  VectorF feature_mean, feature_factor;  ///< m for kStandard (ColumnScaling), else empty
  Vector embedding_centre;               ///< d for kCentreUnit, else empty
  /// Dimensions of the parts, each scaled separately; their sum is d. Empty: one part.
  std::vector<Index> embedding_parts;
  std::vector<ModelClass> classes;  ///< C, in any order
  Matrix class_embeddings;          ///< C x d, not scaled; row r belongs to classes[r]
  double seen_penalty = 0.0;        ///< subtracted from scores of seen classes; may be negative
  TrainingRecord record;
};

/// The bytes of a model file (schema/FORMAT.md): the model in an envelope with both checksums.
/// Values are rounded to float32, denormals become zero and weak models are sorted by descending w.
/// The same input gives the same bytes. Throws std::invalid_argument for content that a reader
/// would refuse: no weak model with w > 0, shapes that disagree, u or v not of unit length, values
/// outside float32, names that are not unique, a class embedding that is zero after the transform.
std::vector<std::uint8_t> serialise_model(const ModelFile& model);

}  // namespace bzscr
