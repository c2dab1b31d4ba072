#include "verify.h"

#include "arena.h"
#include "envelope.h"
#include "model_view.h"
#include "transform.h"
#include "well_formed.h"

#include <float.h>

namespace bzscr::rt {
namespace {

constexpr Expected kExpected = {static_cast<uint8_t>(format::Kind::Model),
                                format::kOldestModelVersion, format::kNewestModelVersion};

using Floats = flatbuffers::Vector<float>;

constexpr float kUnitTolerance = 1e-3f;

// Whether an array has rows x columns values and is aligned.
bool has_shape(const Floats& array, uint32_t rows, uint32_t columns) {
  return array.size() == uint64_t{rows} * columns &&
         (array.size() == 0 || is_aligned(array.data()));
}

// Also false if a value is NaN or infinite.
bool rows_are_unit(const Floats& array, size_t columns) {
  for (size_t at = 0; at < array.size(); at += columns) {
    const float excess = plain_length(array.data() + at, columns) - 1.0f;
    if (!(excess >= -kUnitTolerance && excess <= kUnitTolerance)) return false;
  }
  return true;
}

// Also false if a value is NaN or infinite.
bool rows_are_bounded(const Floats& array, size_t columns) {
  Scale unused;
  for (size_t at = 0; at < array.size(); at += columns)
    if (find_scale({array.data() + at, nullptr, nullptr}, columns, BZSCR_RT_SCALING_NONE,
                   &unused) != BZSCR_RT_OK)
      return false;
  return true;
}

// Whether an optional array is absent, or has rows x columns values and no row is too long.
bool is_absent_or_bounded(const Floats* array, uint32_t rows, uint32_t columns) {
  return array == nullptr ||
         (has_shape(*array, rows, columns) && rows_are_bounded(*array, columns));
}

bool is_between(float value, float least, float most) { return value >= least && value <= most; }

/// Whether taught classes may use directions of x that no class of the model uses.
bool may_have_zero_weights(const format::Model& model) {
  return model.score() != format::ScoreForm::Plain || model.teaching() != nullptr;
}

bool weights_fall(const Floats& w, bool may_be_zero) {
  float before = kLongest;
  for (const float weight : w) {
    if (!(weight <= before && (weight > 0 || (may_be_zero && weight == 0)))) return false;
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
         rows_are_unit(*model.v(), d) && weights_fall(*model.w(), may_have_zero_weights(model));
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

bool embedding_transform_is_sound(const format::Transform& transform, uint32_t d,
                                  uint16_t format_version) {
  const Floats* centre = transform.embedding_centre();
  const bool centred = transform.embedding_scaling() == format::EmbeddingScaling::CentreUnit;
  return transform.embedding_scaling() <= format::EmbeddingScaling::MAX &&
         parts_are_sound(transform, d, format_version) && centred == (centre != nullptr) &&
         is_absent_or_bounded(centre, 1, d);
}

// Whether all values are finite and at least `least`.
bool values_are_at_least(const Floats& array, float least) {
  for (const float value : array)
    if (!is_between(value, least, FLT_MAX)) return false;
  return true;
}

bool feature_transform_is_sound(const format::Transform& transform, uint32_t m) {
  const Floats* mean = transform.feature_mean();
  const Floats* factor = transform.feature_factor();
  const bool standard = transform.feature_scaling() == format::FeatureScaling::Standard;
  if (!standard || mean == nullptr || factor == nullptr)
    return !standard && mean == nullptr && factor == nullptr &&
           transform.feature_scaling() <= format::FeatureScaling::MAX;
  return has_shape(*mean, m, 1) && has_shape(*factor, m, 1) &&
         values_are_at_least(*mean, -FLT_MAX) && values_are_at_least(*factor, 0);
}

uint32_t seen_classes(const format::Model& model) {
  uint32_t seen = 0;
  for (const format::Class* one : *model.classes()) seen += one->seen() ? 1 : 0;
  return seen;
}

bool teaching_is_sound(const format::Teaching* teaching) {
  if (teaching == nullptr) return true;
  const Floats* accuracy = teaching->accuracy();
  const flatbuffers::Vector<uint32_t>* shots = teaching->shots();
  return is_between(teaching->blend(), FLT_TRUE_MIN, kLongest) &&
         is_between(teaching->length(), FLT_TRUE_MIN, kLongest) &&
         is_between(teaching->offset(), 0, kLongest) &&
         (accuracy != nullptr ? accuracy->size() : 0) == (shots != nullptr ? shots->size() : 0);
}

// What models of version 3 may have beside those of older versions.
bool forms_are_sound(const format::Model& model, uint16_t format_version) {
  const uint32_t k = model.weak_models();
  const bool has_forms = model.score() != format::ScoreForm::Plain || model.own() != nullptr ||
                         model.feature_offsets() != nullptr || model.teaching() != nullptr ||
                         model.transform()->feature_scaling() == format::FeatureScaling::Standard;
  if (!has_forms) return true;
  const uint32_t seen = seen_classes(model);
  return format_version >= format::kModelVersionWithForms &&
         model.score() <= format::ScoreForm::MAX && (model.own() == nullptr || seen > 0) &&
         is_absent_or_bounded(model.own(), seen, k) &&
         is_absent_or_bounded(model.feature_offsets(), 1, k) && teaching_is_sound(model.teaching());
}

// Not empty and without a zero byte, so that C strings and FlatBuffers strings are the same name.
bool name_is_sound(const flatbuffers::String* name) {
  if (name == nullptr) return false;
  for (const char letter : *name)
    if (letter == '\0') return false;
  return name->size() > 0;
}

bool names_and_ids_are_sound(const format::Model& model) {
  uint64_t next_id = 0;
  for (const format::Class* one : *model.classes()) {
    if (one->id() < next_id) return false;
    next_id = uint64_t{one->id()} + 1;
    if (!name_is_sound(one->name())) return false;
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

// The model in a payload, if it is complete and all that it refers to lies inside the payload;
// otherwise null.
const format::Model* model_in(const Payload& payload) {
  // As many tables as the payload has room for: the verifier's default limit of one million is less
  // than the number of classes of a large model.
  constexpr uint32_t kDepth = 8;
  const uint32_t most_tables = static_cast<uint32_t>(payload.size / sizeof(uint32_t));
  flatbuffers::Verifier verifier(payload.bytes, payload.size, kDepth, most_tables);
  if (!has_identifier(payload.bytes, payload.size, format::ModelIdentifier())) return nullptr;
  const format::Model* model = well_formed_root<format::Model>(verifier, payload.bytes);
  const bool is_complete = model != nullptr && model->u() != nullptr && model->v() != nullptr &&
                           model->w() != nullptr && model->transform() != nullptr &&
                           model->classes() != nullptr && model->class_embeddings() != nullptr;
  return is_complete && is_well_formed(verifier, model->transform()) &&
                 is_well_formed(verifier, model->training()) &&
                 is_well_formed(verifier, model->teaching()) &&
                 are_well_formed(verifier, *model->classes())
             ? model
             : nullptr;
}

}  // namespace

bzscr_rt_status verify_model(const void* file, size_t size, VerifiedModel* model) {
  Payload payload;
  const bzscr_rt_status status = open_envelope(file, size, kExpected, &payload);
  if (status != BZSCR_RT_OK) return status;

  const format::Model* found = model_in(payload);
  if (found == nullptr || !ensemble_is_sound(*found) ||
      !embedding_transform_is_sound(*found->transform(), found->embedding_dimension(),
                                    payload.format_version) ||
      !feature_transform_is_sound(*found->transform(), found->feature_dimension()) ||
      !forms_are_sound(*found, payload.format_version) || !names_and_ids_are_sound(*found) ||
      !embeddings_are_sound(*found) || !record_is_sound(found->training()) ||
      !is_between(found->seen_penalty(), -kLongest, kLongest))
    return BZSCR_RT_DAMAGED;
  *model = {found, payload.envelope_crc};
  return BZSCR_RT_OK;
}

bzscr_rt_status find_verified_model(const void* file, size_t size, VerifiedModel* model) {
  Payload payload;
  const bzscr_rt_status status = find_payload(file, size, kExpected, &payload);
  if (status == BZSCR_RT_OK) *model = {format::GetModel(payload.bytes), payload.envelope_crc};
  return status;
}

}  // namespace bzscr::rt
