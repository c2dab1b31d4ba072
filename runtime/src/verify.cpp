#include "verify.h"

#include "arena.h"
#include "envelope.h"
#include "model_view.h"
#include "schema.h"
#include "transform.h"

namespace bzscr::rt {
namespace {

constexpr Expected kExpected = {static_cast<uint8_t>(format::Kind::Model),
                                format::kOldestModelVersion, format::kNewestModelVersion};

using Floats = flatbuffers::Vector<float>;

constexpr float kUnitTolerance = 1e-3f;

// Whether an array has rows x columns values and is aligned. Both factors have 32 bits, so the
// product cannot overflow.
bool has_shape(const Floats& array, uint64_t rows, uint64_t columns) {
  return array.size() == rows * columns && (array.size() == 0 || is_aligned(array.data()));
}

// Also false if a value is NaN or infinite.
bool rows_are_unit(const Floats& array, size_t columns) {
  for (size_t at = 0; at < array.size(); at += columns) {
    const float excess = plain_length(array.data() + at, columns) - 1.0f;
    if (!(excess >= -kUnitTolerance && excess <= kUnitTolerance)) return false;
  }
  return true;
}

bool weights_fall(const Floats& w) {
  float before = kLongest;
  for (const float weight : w) {
    if (!(weight > 0 && weight <= before)) return false;
    before = weight;
  }
  return true;
}

bool ensemble_is_sound(const format::Model& model) {
  const uint32_t m = model.feature_dimension();
  const uint32_t d = model.embedding_dimension();
  const uint32_t k = model.weak_models();
  return m > 0 && d > 0 &&  //
         has_shape(*model.u(), k, m) && has_shape(*model.v(), k, d) &&
         has_shape(*model.w(), k, 1) && rows_are_unit(*model.u(), m) &&
         rows_are_unit(*model.v(), d) && weights_fall(*model.w());
}

// The parts are absent, or at least two that add up to d.
bool parts_are_sound(const format::Transform& transform, uint32_t d, uint16_t format_version) {
  const flatbuffers::Vector<uint32_t>* parts = transform.embedding_parts();
  if (parts == nullptr) return true;
  uint64_t sum = 0;
  for (const uint32_t length : *parts) {
    if (length == 0) return false;
    sum += length;
  }
  return parts->size() >= 2 && sum == d &&
         transform.embedding_scaling() != format::EmbeddingScaling::None &&
         format_version >= format::kModelVersionWithParts;
}

bool transform_is_sound(const format::Transform& transform, uint32_t d, uint16_t format_version) {
  if (transform.feature_scaling() > format::FeatureScaling::Unit ||
      transform.embedding_scaling() > format::EmbeddingScaling::MAX)
    return false;
  if (!parts_are_sound(transform, d, format_version)) return false;
  const Floats* centre = transform.embedding_centre();
  const bool centred = transform.embedding_scaling() == format::EmbeddingScaling::CentreUnit;
  if (!centred || centre == nullptr) return !centred && centre == nullptr;
  Scale unused;
  return has_shape(*centre, d, 1) &&
         find_scale(centre->data(), nullptr, d, BZSCR_RT_SCALING_NONE, &unused) == BZSCR_RT_OK;
}

// Not empty and without a zero byte, so that C strings and FlatBuffers strings are the same name.
bool name_is_sound(const flatbuffers::String& name) {
  for (const char letter : name)
    if (letter == '\0') return false;
  return name.size() > 0;
}

bool names_and_ids_are_sound(const format::Model& model) {
  uint64_t next_id = 0;
  for (const format::Class* one : *model.classes()) {
    if (one->id() < next_id) return false;
    next_id = uint64_t{one->id()} + 1;
    if (!name_is_sound(*one->name())) return false;
  }
  return true;
}

bool embeddings_are_sound(const format::Model& model) {
  const uint32_t d = model.embedding_dimension();
  const Floats& embeddings = *model.class_embeddings();
  if (!has_shape(embeddings, model.classes()->size(), d)) return false;

  const EmbeddingTransform transform = embedding_transform(*model.transform(), d);
  for (size_t at = 0; at < embeddings.size(); at += d)
    if (check_embedding(transform, embeddings.data() + at) != BZSCR_RT_OK) return false;
  return true;
}

bool record_is_sound(const format::Training* training) {
  return training == nullptr || training->data_hash() == nullptr ||
         training->data_hash()->size() == format::kHashBytes;
}

}  // namespace

bzscr_rt_status verify_model(const void* file, size_t size, VerifiedModel* model) {
  Payload payload;
  const bzscr_rt_status status = open_envelope(file, size, kExpected, &payload);
  if (status != BZSCR_RT_OK) return status;

  // As many tables as the payload has room for: the verifier's default limit of one million is less
  // than the number of classes of a large model.
  constexpr uint32_t kDepth = 8;
  const uint32_t most_tables = static_cast<uint32_t>(payload.size / sizeof(uint32_t));
  flatbuffers::Verifier verifier(payload.bytes, payload.size, kDepth, most_tables);
  if (!has_identifier(payload.bytes, payload.size, format::ModelIdentifier()) ||
      !is_well_formed<format::Model>(verifier, payload.bytes))
    return BZSCR_RT_DAMAGED;

  const format::Model& found = *format::GetModel(payload.bytes);
  const float penalty = found.seen_penalty();
  if (!ensemble_is_sound(found) ||
      !transform_is_sound(*found.transform(), found.embedding_dimension(),
                          payload.format_version) ||
      !names_and_ids_are_sound(found) || !embeddings_are_sound(found) ||
      !record_is_sound(found.training()) || !(penalty >= -kLongest && penalty <= kLongest))
    return BZSCR_RT_DAMAGED;
  *model = {&found, payload.envelope_crc};
  return BZSCR_RT_OK;
}

bzscr_rt_status find_verified_model(const void* file, size_t size, VerifiedModel* model) {
  Payload payload;
  const bzscr_rt_status status = find_payload(file, size, kExpected, &payload);
  if (status == BZSCR_RT_OK) *model = {format::GetModel(payload.bytes), payload.envelope_crc};
  return status;
}

}  // namespace bzscr::rt
