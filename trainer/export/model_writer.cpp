#include "export/model_writer.h"

#include <bzscr_schema/envelope_writer.h>
#include <bzscr_schema/model_generated.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

namespace bzscr {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// Offsets in a FlatBuffer are signed 32-bit numbers; the rest of 2 GiB is for everything but
// arrays.
constexpr double kMaxArrayBytes = 2.0e9;
// Limits that a reader checks (FORMAT.md).
constexpr double kUnitTolerance = 5e-4;
constexpr double kLongest = 1073741824.0;  // 2^30

static_assert(std::tuple_size_v<decltype(TrainingRecord::data_hash)> == format::kHashBytes);

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument("cannot write a model: " + why);
}

/// Denormals become zero: on a device they would be slow, or be flushed to zero and change scores.
float to_float(double value, const char* what) {
  if (!(std::abs(value) <= std::numeric_limits<float>::max()))
    refuse(fmt::format("{} holds {}, which float32 cannot", what, value));
  const auto rounded = static_cast<float>(value);
  return std::abs(rounded) < std::numeric_limits<float>::min() ? 0.0f : rounded;
}

VectorF as_float(const Vector& values, const char* what) {
  VectorF result(values.size());
  for (Index j = 0; j < values.size(); ++j) result[j] = to_float(values[j], what);
  return result;
}

/// Whether the parts of the embedding affect the scaling and must be written.
bool has_parts(const ModelFile& model) {
  return model.embedding_parts.size() > 1 && model.embedding_scaling != EmbeddingScaling::kNone;
}

// Checks

void check_shapes(const ModelFile& model) {
  const Index k = model.ensemble.w.size(), d = model.ensemble.V.rows();
  const auto C = static_cast<Index>(model.classes.size());
  if (model.ensemble.U.cols() != k || model.ensemble.V.cols() != k)
    refuse(fmt::format("U has {} columns, V {} and w {} values", model.ensemble.U.cols(),
                       model.ensemble.V.cols(), k));
  if (model.ensemble.U.rows() == 0 || d == 0) refuse("it has no features or no embedding");
  if (C == 0) refuse("it has no class");
  if (model.class_embeddings.rows() != C || model.class_embeddings.cols() != d)
    refuse(fmt::format("class embeddings are {} x {}, expected {} x {}",
                       model.class_embeddings.rows(), model.class_embeddings.cols(), C, d));
  const Index centre = model.embedding_scaling == EmbeddingScaling::kCentreUnit ? d : 0;
  if (model.embedding_centre.size() != centre)
    refuse(fmt::format("the embedding centre has {} values, expected {}",
                       model.embedding_centre.size(), centre));
  const Index columns =
      model.feature_scaling == FeatureScaling::kStandard ? model.ensemble.U.rows() : 0;
  if (model.feature_mean.size() != columns || model.feature_factor.size() != columns)
    refuse(fmt::format("the column scaling has {} means and {} factors, expected {}",
                       model.feature_mean.size(), model.feature_factor.size(), columns));
  const auto& parts = model.embedding_parts;
  if (!parts.empty() && std::accumulate(parts.begin(), parts.end(), Index{0}) != d)
    refuse(fmt::format("the parts of the embedding have lengths {}, whose sum is not {}",
                       fmt::join(parts, ", "), d));
  if (std::any_of(parts.begin(), parts.end(), [](Index length) { return length < 1; }))
    refuse("a part of the embedding has no length");
  if (model.own.size() > 0 && (model.own.rows() != C || model.own.cols() != k))
    refuse(fmt::format("own parts are {} x {}, expected {} x {}", model.own.rows(),
                       model.own.cols(), C, k));
  if (model.feature_offsets.size() > 0 && model.feature_offsets.size() != k)
    refuse(fmt::format("there are {} offsets of features, expected {}",
                       model.feature_offsets.size(), k));
  const double values =
      static_cast<double>(k) * static_cast<double>(model.ensemble.U.rows() + d + 1) +
      static_cast<double>(C + 1) * static_cast<double>(d) +
      static_cast<double>(model.own.size() + model.feature_offsets.size());
  if (values * sizeof(float) > kMaxArrayBytes)
    refuse(fmt::format("its arrays need {} bytes; 2 GB is the most", values * sizeof(float)));
}

void check_classes(const std::vector<ModelClass>& classes) {
  std::set<std::uint32_t> ids;
  std::set<std::string> names;
  for (const ModelClass& each : classes) {
    if (each.name.empty()) refuse(fmt::format("class {} has no name", each.id));
    if (each.name.find('\0') != std::string::npos)
      refuse(fmt::format("the name of class {} holds a zero byte", each.id));
    if (!ids.insert(each.id).second) refuse(fmt::format("class id {} is used twice", each.id));
    if (!names.insert(each.name).second)
      refuse(fmt::format("class name '{}' is used twice", each.name));
  }
}

void check_numbers(const ModelFile& model) {
  const Ensemble& ensemble = model.ensemble;
  for (Index j = 0; j < ensemble.w.size(); ++j) {
    if (!(ensemble.w[j] >= 0.0 && ensemble.w[j] <= kLongest))
      refuse(fmt::format("w[{}] is {}; expected 0 to 2^30", j, ensemble.w[j]));
    if (ensemble.w[j] == 0.0 && !model.teaching) continue;
    const double u = ensemble.U.col(j).norm(), v = ensemble.V.col(j).norm();
    if (!(std::abs(u - 1.0) <= kUnitTolerance && std::abs(v - 1.0) <= kUnitTolerance))
      refuse(fmt::format("weak model {} has |u| = {} and |v| = {}; expected 1 and 1", j, u, v));
  }
  if (model.score != ScoreForm::kPlain || model.teaching) {
    const Matrix gram = ensemble.U.transpose() * ensemble.U;
    const double off = (gram - Matrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff();
    if (!(off <= kUnitTolerance)) refuse("the columns of U are not orthonormal");
  }
  if (model.feature_offsets.size() > 0 &&
      !(model.feature_offsets.cwiseAbs().maxCoeff() <= kLongest))
    refuse("an offset of the features is above 2^30");
  if (!(std::abs(model.seen_penalty) <= kLongest))
    refuse(fmt::format("the penalty of seen classes is {}; expected -2^30 to 2^30",
                       model.seen_penalty));
  if (!(model.embedding_centre.norm() <= kLongest))
    refuse("the embedding centre is longer than 2^30");
}

/// Throws unless every class has an embedding that is valid after the transform, in float32.
void check_embeddings(const ModelFile& model) {
  for (Index r = 0; r < model.class_embeddings.rows(); ++r) {
    const std::string& name = model.classes[static_cast<std::size_t>(r)].name;
    VectorF phi = as_float(model.class_embeddings.row(r).transpose(), "a class embedding");
    if (model.embedding_scaling == EmbeddingScaling::kNone) {
      if (!(phi.cast<double>().norm() <= kLongest))
        refuse(fmt::format("the embedding of class '{}' is longer than 2^30", name));
      continue;
    }
    if (model.embedding_scaling == EmbeddingScaling::kCentreUnit)
      phi -= as_float(model.embedding_centre, "the embedding centre");
    Index begin = 0;
    for (const Index length :
         has_parts(model) ? model.embedding_parts : std::vector<Index>{phi.size()}) {
      if (phi.segment(begin, length).isZero(0.0f))
        refuse(fmt::format(
            "the embedding of class '{}' is zero, so it cannot be scaled to unit length", name));
      begin += length;
    }
  }
}

// Order

/// The weak models with w > 0 in float32, or all, by descending w; equal ones keep their order.
std::vector<Index> used_weak_models(const Vector& w, bool zeros_too) {
  std::vector<Index> used;
  bool any = false;
  for (Index j = 0; j < w.size(); ++j) {
    const bool counts = to_float(w[j], "w") > 0.0f;
    any |= counts;
    if (counts || zeros_too) used.push_back(j);
  }
  if (!any) refuse("it has no weak model with a weight above zero; a smaller nu gives some");
  std::stable_sort(used.begin(), used.end(), [&](Index a, Index b) { return w[a] > w[b]; });
  return used;
}

std::vector<Index> by_rising_id(const std::vector<ModelClass>& classes) {
  std::vector<Index> order(classes.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return classes[static_cast<std::size_t>(a)].id < classes[static_cast<std::size_t>(b)].id;
  });
  return order;
}

// Payload

template <class T>
Offset<flatbuffers::Vector<T>> aligned_vector(FlatBufferBuilder& builder,
                                              const std::vector<T>& values) {
  builder.ForceVectorAlignment(values.size(), sizeof(T), format::kAlignment);
  return builder.CreateVector(values);
}

/// The given rows of `matrix`, concatenated.
template <class Derived>
std::vector<float> rows_as_float(const Eigen::MatrixBase<Derived>& matrix,
                                 const std::vector<Index>& rows, const char* what) {
  std::vector<float> values;
  values.reserve(rows.size() * static_cast<std::size_t>(matrix.cols()));
  for (const Index row : rows)
    for (Index j = 0; j < matrix.cols(); ++j) values.push_back(to_float(matrix(row, j), what));
  return values;
}

Offset<format::Transform> write_transform(FlatBufferBuilder& builder, const ModelFile& model) {
  Offset<flatbuffers::Vector<float>> centre = 0;
  if (model.embedding_scaling == EmbeddingScaling::kCentreUnit)
    centre = aligned_vector(
        builder, rows_as_float(model.embedding_centre.transpose(), {0}, "the embedding centre"));
  Offset<flatbuffers::Vector<std::uint32_t>> parts = 0;
  if (has_parts(model))
    parts = builder.CreateVector(
        std::vector<std::uint32_t>(model.embedding_parts.begin(), model.embedding_parts.end()));
  Offset<flatbuffers::Vector<float>> mean = 0, factor = 0;
  if (model.feature_scaling == FeatureScaling::kStandard) {
    mean = aligned_vector(builder, rows_as_float(model.feature_mean.transpose(), {0},
                                                 "the mean of a feature column"));
    factor = aligned_vector(builder, rows_as_float(model.feature_factor.transpose(), {0},
                                                   "the factor of a feature column"));
  }
  const auto features =
      model.feature_scaling == FeatureScaling::kStandard ? format::FeatureScaling::Standard
      : model.feature_scaling == FeatureScaling::kUnit   ? format::FeatureScaling::Unit
                                                         : format::FeatureScaling::None;
  const auto embeddings = model.embedding_scaling == EmbeddingScaling::kCentreUnit
                              ? format::EmbeddingScaling::CentreUnit
                          : model.embedding_scaling == EmbeddingScaling::kUnit
                              ? format::EmbeddingScaling::Unit
                              : format::EmbeddingScaling::None;
  return format::CreateTransform(builder, features, embeddings, centre, parts, mean, factor);
}

Offset<flatbuffers::Vector<Offset<format::Class>>> write_classes(
    FlatBufferBuilder& builder, const std::vector<ModelClass>& classes,
    const std::vector<Index>& order) {
  std::vector<Offset<format::Class>> tables;
  for (const Index r : order) {
    const ModelClass& each = classes[static_cast<std::size_t>(r)];
    const auto name = builder.CreateString(each.name);
    tables.push_back(format::CreateClass(builder, each.id, name, each.seen));
  }
  return builder.CreateVector(tables);
}

/// The names, each followed by a line feed: one text is smaller than many. Null for none.
Offset<flatbuffers::String> write_lines(FlatBufferBuilder& builder,
                                        const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return names.empty() ? Offset<flatbuffers::String>() : builder.CreateString(text);
}

Offset<format::Training> write_record(FlatBufferBuilder& builder, const TrainingRecord& record) {
  const auto program = builder.CreateString(record.program);
  const auto hash = builder.CreateVector(record.data_hash.data(), record.data_hash.size());
  const auto embedding = builder.CreateString(record.embedding_name);
  const auto divergence = builder.CreateString(record.divergence);
  const auto method = builder.CreateString(record.method);
  const auto solver = builder.CreateString(record.solver);
  Offset<flatbuffers::String> hyper_parameters = 0;
  if (!record.hyper_parameters.empty())
    hyper_parameters = builder.CreateString(record.hyper_parameters);
  const auto feature_names = write_lines(builder, record.feature_names);
  const auto embedding_columns = write_lines(builder, record.embedding_columns);
  Offset<flatbuffers::String> base = 0;
  if (!record.base.empty()) base = builder.CreateString(record.base);
  format::TrainingBuilder table(builder);
  table.add_program(program);
  table.add_data_hash(hash);
  table.add_embedding_name(embedding);
  table.add_divergence(divergence);
  table.add_method(method);
  table.add_solver(solver);
  table.add_nu(record.nu);
  table.add_beta(record.beta);
  table.add_objective(record.objective);
  table.add_lower_bound(record.lower_bound);
  table.add_relative_gap(record.relative_gap);
  table.add_final_share(record.final_share);
  table.add_iterations(record.iterations);
  table.add_samples(record.samples);
  table.add_seed(record.seed);
  table.add_tuned(record.tuned);
  table.add_validation_error(record.validation_error);
  table.add_validation_harmonic(record.validation_harmonic);
  table.add_ridge(record.ridge);
  if (!record.hyper_parameters.empty()) table.add_hyper_parameters(hyper_parameters);
  if (!record.feature_names.empty()) table.add_feature_names(feature_names);
  if (!record.embedding_columns.empty()) table.add_embedding_columns(embedding_columns);
  if (!record.base.empty()) table.add_base(base);
  if (record.own_part > 0) table.add_own_part(record.own_part);
  return table.Finish();
}

Offset<format::Teaching> write_teaching(FlatBufferBuilder& builder, const ModelTeaching& teaching) {
  std::vector<float> accuracy;
  for (const double each : teaching.accuracy)
    accuracy.push_back(to_float(each, "the accuracy of teaching"));
  const std::vector<std::uint32_t> shots(teaching.shots.begin(), teaching.shots.end());
  const auto accuracies = builder.CreateVector(accuracy);
  const auto numbers = builder.CreateVector(shots);
  return format::CreateTeaching(builder, to_float(teaching.blend, "the blend of teaching"),
                                to_float(teaching.offset, "the offset of taught classes"),
                                to_float(teaching.length, "the length of rows"), accuracies,
                                numbers);
}

format::ScoreForm written(ScoreForm form) {
  return form == ScoreForm::kCosine ? format::ScoreForm::Cosine
         : form == ScoreForm::kHalf ? format::ScoreForm::Half
                                    : format::ScoreForm::Plain;
}

/// The lowest version that the model can do with, so that old readers read what they can.
std::uint16_t version_of(const ModelFile& model) {
  if (model.score != ScoreForm::kPlain || model.own.size() > 0 || model.teaching ||
      model.feature_offsets.size() > 0 || model.feature_scaling == FeatureScaling::kStandard)
    return format::kModelVersionWithForms;
  return has_parts(model) ? format::kModelVersionWithParts : format::kOldestModelVersion;
}

void write_payload(FlatBufferBuilder& builder, const ModelFile& model) {
  const std::vector<Index> used = used_weak_models(model.ensemble.w, model.teaching.has_value());
  const std::vector<Index> order = by_rising_id(model.classes);

  const auto u = aligned_vector(builder, rows_as_float(model.ensemble.U.transpose(), used, "U"));
  const auto v = aligned_vector(builder, rows_as_float(model.ensemble.V.transpose(), used, "V"));
  const auto w = aligned_vector(builder, rows_as_float(model.ensemble.w, used, "w"));
  const auto transform = write_transform(builder, model);
  const auto classes = write_classes(builder, model.classes, order);
  const auto embeddings =
      aligned_vector(builder, rows_as_float(model.class_embeddings, order, "a class embedding"));
  Offset<flatbuffers::Vector<float>> own = 0, offsets = 0;
  if (model.own.size() > 0) {
    std::vector<Index> seen;
    for (const Index r : order)
      if (model.classes[static_cast<std::size_t>(r)].seen) seen.push_back(r);
    own = aligned_vector(
        builder, rows_as_float(model.own(Eigen::all, used), seen, "the own part of a class"));
  }
  if (model.feature_offsets.size() > 0)
    offsets = aligned_vector(
        builder, rows_as_float(model.feature_offsets, used, "an offset of the features"));
  Offset<format::Teaching> teaching = 0;
  if (model.teaching) teaching = write_teaching(builder, *model.teaching);
  const auto record = write_record(builder, model.record);

  format::ModelBuilder table(builder);
  table.add_feature_dimension(static_cast<std::uint32_t>(model.ensemble.U.rows()));
  table.add_embedding_dimension(static_cast<std::uint32_t>(model.ensemble.V.rows()));
  table.add_weak_models(static_cast<std::uint32_t>(used.size()));
  table.add_u(u);
  table.add_v(v);
  table.add_w(w);
  table.add_transform(transform);
  table.add_classes(classes);
  table.add_class_embeddings(embeddings);
  table.add_seen_penalty(to_float(model.seen_penalty, "the penalty of seen classes"));
  table.add_training(record);
  if (model.score != ScoreForm::kPlain) table.add_score(written(model.score));
  if (model.own.size() > 0) table.add_own(own);
  if (model.feature_offsets.size() > 0) table.add_feature_offsets(offsets);
  if (model.teaching) table.add_teaching(teaching);
  format::FinishModelBuffer(builder, table.Finish());
}

}  // namespace

std::vector<std::uint8_t> serialise_model(const ModelFile& model) {
  check_shapes(model);
  check_classes(model.classes);
  check_numbers(model);
  check_embeddings(model);
  FlatBufferBuilder payload(1 << 16);
  payload.ForceDefaults(true);  // zeros too: the verifier requires every number
  write_payload(payload, model);
  return format::write_envelope(format::Kind::Model, version_of(model), payload.GetBufferPointer(),
                                payload.GetSize());
}

}  // namespace bzscr
