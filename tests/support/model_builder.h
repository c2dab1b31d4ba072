#pragma once

#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/model_generated.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// Model files for tests, written without the trainer, and scores by plain loops.
namespace bzscr::test {

/// Memory at an aligned address that ends where its allocation ends, so that a sanitizer reports
/// any access past the end.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(std::size_t size);
  AlignedBytes(const std::uint8_t* bytes, std::size_t size);

  std::uint8_t* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  AlignedBytes first(std::size_t size) const { return {data(), size}; }

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t, Free> bytes_;
  std::size_t size_ = 0;
};

struct TestClass {
  std::uint32_t id;
  std::string name;
  bool seen;
  std::vector<float> phi;
};

struct TestTeaching {
  float blend = 1;
  float offset = 0;
  float length = 1;
  std::vector<float> accuracy;       ///< written if not empty
  std::vector<std::uint32_t> shots;  ///< likewise
};

/// The contents of a file. They are not checked, so that a test can break any rule.
struct TestModel {
  std::uint32_t m = 0;
  std::uint32_t d = 0;
  std::uint32_t k = 0;
  std::vector<float> u;  ///< k x m
  std::vector<float> v;  ///< k x d
  std::vector<float> w;  ///< k
  format::FeatureScaling feature_scaling = format::FeatureScaling::None;
  format::EmbeddingScaling embedding_scaling = format::EmbeddingScaling::None;
  std::vector<float> centre;          ///< written if not empty
  std::vector<std::uint32_t> parts;   ///< written if not empty
  std::vector<float> feature_mean;    ///< written if not empty
  std::vector<float> feature_factor;  ///< written if not empty
  std::vector<TestClass> classes;
  float seen_penalty = 0;
  format::ScoreForm score = format::ScoreForm::Plain;  ///< written if not Plain
  std::vector<float> own;                              ///< seen classes x k; written if not empty
  std::vector<float> offsets;                          ///< k; written if not empty
  std::optional<TestTeaching> teaching;
  bool with_training = true;
  std::size_t data_hash_bytes = 16;
  double objective = 12.5;  ///< in the training record; its other fields are fixed, see the .cpp

  format::Kind kind = format::Kind::Model;
  std::uint16_t format_version = 1;
  const char* file_identifier = "BZSC";
  const char* payload_identifier = "BZSM";
  bool force_defaults = true;  ///< false: fields that are zero are absent
  /// Vtable offset (Model::VT_...) of a field of the model to leave out; 0: none.
  std::uint16_t left_out = 0;
  std::size_t alignment = 32;  ///< of the arrays in the payload
  std::size_t payload_alignment = 32;
};

/// Random unit rows, decreasing weights, random embeddings. Class r has id 10 r + 3 and name
/// "class r", and is seen if r is even.
TestModel random_model(std::uint32_t m, std::uint32_t d, std::uint32_t k, std::uint32_t classes,
                       unsigned seed = 1);

/// A random model of version 3 whose u_j are orthonormal, k at most m: `score`, own values of seen
/// classes, feature offsets, standard scaling and teaching.
TestModel random_model_with_forms(std::uint32_t m, std::uint32_t d, std::uint32_t k,
                                  std::uint32_t classes, format::ScoreForm score,
                                  unsigned seed = 1);

std::vector<float> random_vector(std::size_t n, unsigned seed);

/// The file, with correct checksums.
AlignedBytes serialise(const TestModel& model);

/// Writes the correct checksums into a file whose bytes were changed.
void repair_checksums(const AlignedBytes& file);

/// A letter of the training record of a file. The payload's checksum depends on it, but no score.
std::uint8_t* training_letter(const AlignedBytes& file);

/// What follows is by plain loops in double, from raw inputs, and without any penalty.

/// U x - o: k values.
std::vector<double> reference_features(const TestModel& model, const std::vector<float>& x);

/// row_r, k values, of a class that is not in the model.
std::vector<double> reference_row(const TestModel& model, const std::vector<float>& phi);
/// row_r of the class at an index of the model: with its own values, if it is seen and has some.
std::vector<double> reference_row(const TestModel& model, std::size_t index);

double dot(const std::vector<double>& a, const std::vector<double>& b);

/// The score of x for a class that is not in the model.
double reference_score(const TestModel& model, const std::vector<float>& x,
                       const std::vector<float>& phi);
double reference_score(const TestModel& model, const std::vector<float>& x, std::size_t index);

struct Example {
  std::vector<float> x;
  float weight = 1;
};
/// The score of x for a class that was taught; `row` is row_r, empty if it has no embedding.
double reference_taught_score(const TestModel& model, const std::vector<float>& x,
                              const std::vector<double>& row, const std::vector<Example>& examples);

}  // namespace bzscr::test
