#include "support/model_builder.h"

#include <cmath>
#include <cstring>
#include <new>
#include <random>

namespace bzscr::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// Bit by bit: slow, but independent of the runtime's.
std::uint32_t plain_crc32c(const std::vector<std::uint8_t>& bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
  }
  return ~crc;
}

Offset<flatbuffers::Vector<float>> aligned(FlatBufferBuilder& builder,
                                           const std::vector<float>& values,
                                           std::size_t alignment) {
  builder.ForceVectorAlignment(values.size(), sizeof(float), alignment);
  return builder.CreateVector(values);
}

Offset<format::Training> training(FlatBufferBuilder& builder, const TestModel& model) {
  const std::vector<std::uint8_t> hash(model.data_hash_bytes, 0xAB);
  const auto program = builder.CreateString("bzscr-train 0.1.0");
  const auto hash_bytes = builder.CreateVector(hash);
  const auto embedding = builder.CreateString("hypernyms");
  const auto divergence = builder.CreateString("cosine");
  const auto method = builder.CreateString("bzscr");
  const auto solver = builder.CreateString("refine");
  return format::CreateTraining(builder, program, hash_bytes, embedding, divergence, method, solver,
                                1e-3, 0.4, model.objective, 12.375, 0.01, 1.0, 7, 600, 42, true,
                                0.25);
}

Offset<flatbuffers::Vector<float>> optional(FlatBufferBuilder& builder,
                                            const std::vector<float>& values,
                                            std::size_t alignment) {
  return values.empty() ? Offset<flatbuffers::Vector<float>>()
                        : aligned(builder, values, alignment);
}

Offset<format::Teaching> teaching(FlatBufferBuilder& builder, const TestTeaching& from) {
  const auto accuracy = optional(builder, from.accuracy, sizeof(float));
  const auto shots = from.shots.empty() ? Offset<flatbuffers::Vector<std::uint32_t>>()
                                        : builder.CreateVector(from.shots);
  return format::CreateTeaching(builder, from.blend, from.offset, from.length, accuracy, shots);
}

std::vector<std::uint8_t> payload(const TestModel& model) {
  FlatBufferBuilder builder;
  builder.ForceDefaults(model.force_defaults);
  const auto u = aligned(builder, model.u, model.alignment);
  const auto v = aligned(builder, model.v, model.alignment);
  const auto w = aligned(builder, model.w, model.alignment);
  const auto centre = optional(builder, model.centre, model.alignment);
  const auto parts = model.parts.empty() ? Offset<flatbuffers::Vector<std::uint32_t>>()
                                         : builder.CreateVector(model.parts);
  const auto mean = optional(builder, model.feature_mean, model.alignment);
  const auto factor = optional(builder, model.feature_factor, model.alignment);
  const auto transform = format::CreateTransform(
      builder, model.feature_scaling, model.embedding_scaling, centre, parts, mean, factor);

  std::vector<Offset<format::Class>> tables;
  std::vector<float> rows;
  for (const TestClass& one : model.classes) {
    tables.push_back(
        format::CreateClass(builder, one.id, builder.CreateString(one.name), one.seen));
    rows.insert(rows.end(), one.phi.begin(), one.phi.end());
  }
  const auto classes = builder.CreateVector(tables);
  const auto embeddings = aligned(builder, rows, model.alignment);
  const auto own = optional(builder, model.own, model.alignment);
  const auto offsets = optional(builder, model.offsets, model.alignment);
  const auto taught =
      model.teaching ? teaching(builder, *model.teaching) : Offset<format::Teaching>();
  const auto record = model.with_training ? training(builder, model) : Offset<format::Training>();

  // Field by field, because the generated builder asserts that required fields are present.
  using format::Model;
  const auto offset = [&](std::uint16_t field, auto value) {
    if (field != model.left_out) builder.AddOffset(field, value);
  };
  const auto start = builder.StartTable();
  builder.AddElement<std::uint32_t>(Model::VT_FEATURE_DIMENSION, model.m, 0);
  builder.AddElement<std::uint32_t>(Model::VT_EMBEDDING_DIMENSION, model.d, 0);
  builder.AddElement<std::uint32_t>(Model::VT_WEAK_MODELS, model.k, 0);
  offset(Model::VT_U, u);
  offset(Model::VT_V, v);
  offset(Model::VT_W, w);
  offset(Model::VT_TRANSFORM, transform);
  offset(Model::VT_CLASSES, classes);
  offset(Model::VT_CLASS_EMBEDDINGS, embeddings);
  builder.AddElement<float>(Model::VT_SEEN_PENALTY, model.seen_penalty, 0);
  builder.AddOffset(Model::VT_TRAINING, record);
  if (model.score != format::ScoreForm::Plain)
    builder.AddElement<std::uint8_t>(Model::VT_SCORE, static_cast<std::uint8_t>(model.score), 0);
  builder.AddOffset(Model::VT_OWN, own);
  builder.AddOffset(Model::VT_FEATURE_OFFSETS, offsets);
  builder.AddOffset(Model::VT_TEACHING, taught);
  builder.Finish(Offset<Model>(builder.EndTable(start)), model.payload_identifier);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

void set_checksum(const AlignedBytes& file, std::uint16_t field,
                  const std::vector<std::uint8_t>& bytes) {
  // False if a test left the field out.
  flatbuffers::GetMutableRoot<flatbuffers::Table>(file.data())
      ->SetField<std::uint32_t>(field, plain_crc32c(bytes), 0);
}

std::vector<double> times(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

double length_of(const std::vector<double>& values) { return std::sqrt(dot(values, values)); }

std::vector<double> to_unit(const std::vector<double>& values) {
  return times(values, 1 / length_of(values));
}

std::vector<double> to_unit_or_zero(const std::vector<double>& values) {
  return length_of(values) > 0 ? to_unit(values) : values;
}

std::vector<double> doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

// The product of a matrix of rows, each as long as x, and x.
std::vector<double> product(const std::vector<float>& rows, const std::vector<double>& x) {
  std::vector<double> out;
  for (std::size_t at = 0; at < rows.size(); at += x.size()) {
    const auto row = rows.begin() + static_cast<std::ptrdiff_t>(at);
    out.push_back(dot(doubles({row, row + static_cast<std::ptrdiff_t>(x.size())}), x));
  }
  return out;
}

std::vector<double> row_of(const TestModel& model, const std::vector<double>& phi,
                           const std::vector<double>& own) {
  std::vector<double> q = product(model.v, phi);
  for (std::size_t j = 0; j < q.size(); ++j)
    q[j] = static_cast<double>(model.w[j]) * (own.empty() ? q[j] : q[j] + own[j]);
  if (model.score == format::ScoreForm::Plain) return q;
  const double length = length_of(q);
  if (length <= std::ldexp(length_of(phi), -30)) return times(q, 0);
  return times(q, model.score == format::ScoreForm::Half ? 1 / std::sqrt(length) : 1 / length);
}

std::vector<double> to_unit_parts(const std::vector<double>& values,
                                  const std::vector<std::uint32_t>& parts) {
  if (parts.empty()) return to_unit(values);
  std::vector<double> all;
  for (const std::uint32_t length : parts) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(all.size());
    for (const double value : to_unit({begin, begin + length})) all.push_back(value);
  }
  return all;
}

std::vector<double> transformed(const TestModel& model, const std::vector<float>& raw) {
  std::vector<double> phi = doubles(raw);
  for (std::size_t i = 0; i < model.centre.size(); ++i)
    phi[i] -= static_cast<double>(model.centre[i]);
  return model.embedding_scaling == format::EmbeddingScaling::None
             ? phi
             : to_unit_parts(phi, model.parts);
}

}  // namespace

AlignedBytes::AlignedBytes(std::size_t size) : size_(size) {
  void* block = nullptr;
  if (posix_memalign(&block, 32, size) != 0) throw std::bad_alloc();
  bytes_.reset(static_cast<std::uint8_t*>(block));
}

AlignedBytes::AlignedBytes(const std::uint8_t* bytes, std::size_t size) : AlignedBytes(size) {
  std::memcpy(data(), bytes, size);
}

std::vector<float> random_vector(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1.0f, 1.0f);
  std::vector<float> values(n);
  for (float& each : values) each = value(random);
  return values;
}

TestModel random_model(std::uint32_t m, std::uint32_t d, std::uint32_t k, std::uint32_t classes,
                       unsigned seed) {
  TestModel model;
  model.m = m;
  model.d = d;
  model.k = k;
  const auto append_unit_row = [](std::vector<float>& rows, const std::vector<float>& row) {
    for (const double value : to_unit({row.begin(), row.end()}))
      rows.push_back(static_cast<float>(value));
  };
  for (std::uint32_t j = 0; j < k; ++j) {
    append_unit_row(model.u, random_vector(m, seed + 1000 + j));
    append_unit_row(model.v, random_vector(d, seed + 2000 + j));
    model.w.push_back(4.0f / static_cast<float>(j + 1));
  }
  for (std::uint32_t r = 0; r < classes; ++r)
    model.classes.push_back(
        {10 * r + 3, "class " + std::to_string(r), r % 2 == 0, random_vector(d, seed + 3000 + r)});
  return model;
}

TestModel random_model_with_forms(std::uint32_t m, std::uint32_t d, std::uint32_t k,
                                  std::uint32_t classes, format::ScoreForm score, unsigned seed) {
  TestModel model = random_model(m, d, k, classes, seed);
  model.format_version = 3;
  // Gram-Schmidt, twice, so that rounding leaves the rows orthogonal.
  std::vector<std::vector<double>> rows;
  for (std::uint32_t j = 0; j < k; ++j) {
    std::vector<double> row = doubles(random_vector(m, seed + 1000 + j));
    for (int pass = 0; pass < 2; ++pass)
      for (const std::vector<double>& other : rows) {
        const double along = dot(row, other);
        for (std::uint32_t i = 0; i < m; ++i) row[i] -= along * other[i];
      }
    rows.push_back(to_unit(row));
    for (std::uint32_t i = 0; i < m; ++i) model.u[j * m + i] = static_cast<float>(rows[j][i]);
  }
  model.score = score;
  for (const TestClass& one : model.classes)
    if (one.seen)
      for (const float value : random_vector(k, seed + 4000 + one.id)) model.own.push_back(value);
  for (const float value : random_vector(k, seed + 5000)) model.offsets.push_back(0.25f * value);
  model.feature_scaling = format::FeatureScaling::Standard;
  model.feature_mean = random_vector(m, seed + 6000);
  for (const float value : random_vector(m, seed + 7000))
    model.feature_factor.push_back(0.01f + std::fabs(value));
  model.teaching = TestTeaching{1.5f, 0.125f, 0.75f, {}, {}};
  return model;
}

AlignedBytes serialise(const TestModel& model) {
  const std::vector<std::uint8_t> inner = payload(model);
  FlatBufferBuilder builder;
  builder.ForceDefaults(model.force_defaults);
  builder.ForceVectorAlignment(inner.size(), 1, model.payload_alignment);
  const auto bytes = builder.CreateVector(inner);
  builder.Finish(
      format::CreateEnvelope(builder, model.kind, model.format_version, 0, 0, 0, 0, bytes),
      model.file_identifier);
  AlignedBytes file(builder.GetBufferPointer(), builder.GetSize());
  repair_checksums(file);
  return file;
}

void repair_checksums(const AlignedBytes& file) {
  using format::Envelope;
  const auto* inner = format::GetEnvelope(file.data())->payload();
  set_checksum(file, Envelope::VT_PAYLOAD_CRC32C, {inner->begin(), inner->end()});

  flatbuffers::GetMutableRoot<flatbuffers::Table>(file.data())
      ->SetField<std::uint32_t>(Envelope::VT_ENVELOPE_CRC32C, 0, 0);
  std::vector<std::uint8_t> outside(file.data(), file.data() + file.size());
  const auto begin = outside.begin() + (inner->data() - file.data());
  outside.erase(begin, begin + inner->size());
  set_checksum(file, Envelope::VT_ENVELOPE_CRC32C, outside);
}

std::uint8_t* training_letter(const AlignedBytes& file) {
  const auto* inner = format::GetEnvelope(file.data())->payload();
  const auto* text = format::GetModel(inner->data())->training()->method();
  return file.data() + (text->Data() - file.data());
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> reference_features(const TestModel& model, const std::vector<float>& raw) {
  std::vector<double> x = doubles(raw);
  if (model.feature_scaling == format::FeatureScaling::Standard)
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = (x[i] - static_cast<double>(model.feature_mean[i])) *
             static_cast<double>(model.feature_factor[i]);
  if (model.feature_scaling != format::FeatureScaling::None) x = to_unit(x);
  std::vector<double> t = product(model.u, x);
  for (std::size_t j = 0; j < model.offsets.size(); ++j)
    t[j] -= static_cast<double>(model.offsets[j]);
  return t;
}

std::vector<double> reference_row(const TestModel& model, const std::vector<float>& raw) {
  return row_of(model, transformed(model, raw), {});
}

std::vector<double> reference_row(const TestModel& model, std::size_t index) {
  std::size_t seen_before = 0;
  for (std::size_t r = 0; r < index; ++r) seen_before += model.classes[r].seen ? 1 : 0;
  const auto own = model.own.begin() + static_cast<std::ptrdiff_t>(seen_before * model.k);
  const bool has_own = model.classes[index].seen && !model.own.empty();
  return row_of(model, transformed(model, model.classes[index].phi),
                has_own ? doubles({own, own + model.k}) : std::vector<double>());
}

double reference_score(const TestModel& model, const std::vector<float>& x,
                       const std::vector<float>& phi) {
  return dot(reference_features(model, x), reference_row(model, phi));
}

double reference_score(const TestModel& model, const std::vector<float>& x, std::size_t index) {
  return dot(reference_features(model, x), reference_row(model, index));
}

double reference_taught_score(const TestModel& model, const std::vector<float>& x,
                              const std::vector<double>& row,
                              const std::vector<Example>& examples) {
  double n = 0;
  std::vector<double> sum(model.k);
  for (const Example& one : examples) {
    const std::vector<double> t = reference_features(model, one.x);
    const auto weight = static_cast<double>(one.weight);
    for (std::size_t j = 0; j < t.size(); ++j) sum[j] += weight * t[j];
    n += weight;
  }
  const bool has_row = !row.empty() && length_of(row) > 0;
  const double a = has_row ? n / (n + static_cast<double>(model.teaching->blend)) : 1;
  const double length = model.score == format::ScoreForm::Cosine ? 1
                        : has_row                                ? length_of(row)
                                  : static_cast<double>(model.teaching->length);
  std::vector<double> b = times(to_unit_or_zero(sum), a);
  for (std::size_t j = 0; has_row && j < b.size(); ++j) b[j] += (1 - a) * to_unit(row)[j];
  return dot(reference_features(model, x), times(to_unit_or_zero(b), length)) -
         a * static_cast<double>(model.teaching->offset);
}

}  // namespace bzscr::test
