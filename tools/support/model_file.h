#pragma once

#include <bzscr_rt/bzscr_rt.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// A model file, opened as a device opens it, and what it says of itself beyond what scoring needs.
namespace bzscr::cli {

/// The words for how class values are kept, in the order of bzscr_rt_storage, and how scores are
/// computed, in the order of bzscr_rt_form.
const std::vector<std::string>& storage_words();
const std::vector<std::string>& form_words();
bzscr_rt_storage storage_of(const std::string& word);
bzscr_rt_form form_of(const std::string& word);
const char* word_of(bzscr_rt_scaling scaling);  ///< none, unit, centre-unit, standard

/// How a model came to be, as its file records it. A text that is not recorded is empty.
struct TrainingRecord {
  std::string program, data_hash, embedding, divergence, method, solver;
  std::string hyper_parameters;  ///< of methods that have no nu and no bound on their objective
  double nu = 0, beta = 0, ridge = 0;
  std::string base;  ///< empty: not recorded
  double objective = 0, lower_bound = 0, relative_gap = 0;
  double final_share = 0;
  std::uint32_t iterations = 0;
  std::uint64_t samples = 0, seed = 0;
  bool tuned = false;
  std::vector<std::string> feature_names, embedding_columns;
  std::optional<double> validation_error, validation_harmonic;  ///< empty: not measured
};

struct ModelClass {
  std::uint32_t id = 0;
  std::string name;
  bool seen = false;
};

/// What a model file says of teaching.
struct TeachingRule {
  double blend = 0, offset = 0, length = 0;
  /// Per-class accuracy among all classes after so many samples of each class, as measured in
  /// training on validation classes; empty: not recorded.
  std::vector<std::pair<std::uint32_t, double>> accuracy;
};

/// What a model file says.
struct ModelDescription {
  unsigned format_version = 0;
  bool is_signed = false;
  std::uint32_t features = 0, embedding_dimension = 0;
  std::uint32_t weak_models = 0;               ///< with w > 0
  std::vector<std::uint32_t> embedding_parts;  ///< lengths of what is scaled each on its own
  bzscr_rt_scaling feature_scaling = BZSCR_RT_SCALING_NONE;
  bzscr_rt_scaling embedding_scaling = BZSCR_RT_SCALING_NONE;
  double seen_penalty = 0;
  std::string score;                     ///< plain, half or cosine
  bool own_part = false;                 ///< of seen classes, beside their embeddings
  bool features_centred = false;         ///< after they are scaled
  std::uint32_t directions = 0;          ///< of x, which only taught classes use: those with w = 0
  std::optional<TeachingRule> teaching;  ///< empty: the model cannot be taught
  std::vector<ModelClass> classes;       ///< in rising id
  std::optional<TrainingRecord> training;

  std::size_t seen_classes() const;
  std::size_t longest_name() const;  ///< bytes, without the zero
  TrainingRecord record() const { return training.value_or(TrainingRecord{}); }
};

/// A model file in memory, verified once, however often it is opened. Throws InputError, "PATH: why".
class ModelFile {
 public:
  explicit ModelFile(const std::string& path);

  const std::string& path() const { return path_; }
  const unsigned char* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  ModelDescription describe() const;
  /// The embedding, raw, of the class at this place in describe().classes.
  std::vector<float> class_embedding(std::size_t place) const;

  /// \param options  as for bzscr_rt_open(), without model and arena
  Scorer open(const bzscr_rt_config& options = {}) const;

 private:
  std::string path_;
  Memory bytes_;
  VerifiedModel verified_;
};

}  // namespace bzscr::cli
