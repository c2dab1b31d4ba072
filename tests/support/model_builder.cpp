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

std::vector<std::uint8_t> payload(const TestModel& model) {
  FlatBufferBuilder builder;
  builder.ForceDefaults(model.force_defaults);
  const auto u = aligned(builder, model.u, model.alignment);
  const auto v = aligned(builder, model.v, model.alignment);
  const auto w = aligned(builder, model.w, model.alignment);
  const auto centre = model.centre.empty() ? Offset<flatbuffers::Vector<float>>()
                                           : aligned(builder, model.centre, model.alignment);
  const auto parts = model.parts.empty() ? Offset<flatbuffers::Vector<std::uint32_t>>()
                                         : builder.CreateVector(model.parts);
  const auto transform = format::CreateTransform(builder, model.feature_scaling,
                                                 model.embedding_scaling, centre, parts);

  std::vector<Offset<format::Class>> tables;
  std::vector<float> rows;
  for (const TestClass& one : model.classes) {
    tables.push_back(
        format::CreateClass(builder, one.id, builder.CreateString(one.name), one.seen));
    rows.insert(rows.end(), one.phi.begin(), one.phi.end());
  }
  const auto classes = builder.CreateVector(tables);
  const auto embeddings = aligned(builder, rows, model.alignment);
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
  builder.Finish(Offset<Model>(builder.EndTable(start)), model.payload_identifier);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

void set_checksum(const AlignedBytes& file, std::uint16_t field,
                  const std::vector<std::uint8_t>& bytes) {
  // False if a test left the field out.
  flatbuffers::GetMutableRoot<flatbuffers::Table>(file.data())
      ->SetField<std::uint32_t>(field, plain_crc32c(bytes), 0);
}

std::vector<double> to_unit(std::vector<double> values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  for (double& value : values) value /= std::sqrt(squares);
  return values;
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

double reference_score(const TestModel& model, const std::vector<float>& raw_x,
                       const std::vector<float>& raw_phi) {
  std::vector<double> x(raw_x.begin(), raw_x.end());
  std::vector<double> phi(raw_phi.begin(), raw_phi.end());
  if (model.feature_scaling == format::FeatureScaling::Unit) x = to_unit(x);
  if (model.embedding_scaling == format::EmbeddingScaling::CentreUnit)
    for (std::size_t i = 0; i < phi.size(); ++i) phi[i] -= static_cast<double>(model.centre[i]);
  if (model.embedding_scaling != format::EmbeddingScaling::None)
    phi = to_unit_parts(phi, model.parts);

  double score = 0;
  for (std::uint32_t j = 0; j < model.k; ++j) {
    double along_u = 0;
    double along_v = 0;
    for (std::uint32_t i = 0; i < model.m; ++i)
      along_u += x[i] * static_cast<double>(model.u[j * model.m + i]);
    for (std::uint32_t i = 0; i < model.d; ++i)
      along_v += phi[i] * static_cast<double>(model.v[j * model.d + i]);
    score += static_cast<double>(model.w[j]) * along_u * along_v;
  }
  return score;
}

}  // namespace bzscr::test
