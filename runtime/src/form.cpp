#include "form.h"

#include "collapse.h"
#include "teaching.h"

#include <float.h>

namespace bzscr::rt {
namespace {

uint32_t width_of(bzscr_rt_form kind, const ModelView& model) {
  switch (kind) {
    case BZSCR_RT_FORM_FACTORS: return model.k;
    case BZSCR_RT_FORM_DENSE: return model.d;
    default: return model.m;
  }
}

// Bytes that a query reads: all rows, and the matrix that x is multiplied by. UINT64_MAX if the
// product overflows or the form cannot be stored so.
uint64_t bytes_read(bzscr_rt_form kind, bzscr_rt_storage storage, bool teachable,
                    const ModelView& model, uint32_t n) {
  const uint64_t matrix_rows = kind == BZSCR_RT_FORM_PROTOTYPES ? 0 : model.m;
  const uint64_t bytes = n * bytes_of_value(storage) + matrix_rows * sizeof(float);
  uint64_t product = 0;
  const bool endless = __builtin_mul_overflow(bytes, uint64_t{width_of(kind, model)}, &product);
  return endless || !is_possible(kind, storage, teachable, model) ? UINT64_MAX : product;
}

// What the row of a class is multiplied by, 1 / |q|^e; zero if q is as good as zero, see FORMAT.md.
float row_factor(const ModelView& model, const float* q, const float* phi) {
  constexpr float kNegligible = 1.0f / kLongest;
  if (model.score_form == BZSCR_RT_SCORE_PLAIN) return 1.0f;
  const float length = length_of(q, model.k);
  if (length < FLT_MIN || length <= kNegligible * length_of(phi, model.d)) return 0.0f;
  return 1.0f / (model.score_form == BZSCR_RT_SCORE_COSINE ? length : square_root(length));
}

float* take_padded(Arena& arena, uint32_t length) { return arena.take<float>(padded(length)); }

}  // namespace

bool is_possible(bzscr_rt_form kind, bzscr_rt_storage storage, bool teachable,
                 const ModelView& model) {
  if (kind == BZSCR_RT_FORM_DENSE && (teachable || model.own != nullptr)) return false;
  return storage != BZSCR_RT_STORAGE_INT8 || width_of(kind, model) <= kLongestInt8;
}

bzscr_rt_form cheapest_form(const ModelView& model, bzscr_rt_storage storage, bool teachable,
                            uint32_t n) {
  bzscr_rt_form cheapest = BZSCR_RT_FORM_PROTOTYPES;
  uint64_t fewest = UINT64_MAX;
  for (bzscr_rt_form kind = BZSCR_RT_FORM_PROTOTYPES; kind <= BZSCR_RT_FORM_DENSE; ++kind) {
    const uint64_t bytes = bytes_read(kind, storage, teachable, model, n);
    if (bytes >= fewest) continue;
    fewest = bytes;
    cheapest = kind;
  }
  return cheapest;
}

const char* form_name(bzscr_rt_form form) {
  switch (form) {
    case BZSCR_RT_FORM_PROTOTYPES: return "prototypes";
    case BZSCR_RT_FORM_FACTORS: return "factors";
    case BZSCR_RT_FORM_DENSE: return "dense";
    default: return "auto";
  }
}

const char* score_form_name(bzscr_rt_score_form score_form) {
  switch (score_form) {
    case BZSCR_RT_SCORE_HALF: return "half";
    case BZSCR_RT_SCORE_COSINE: return "cosine";
    default: return "plain";
  }
}

Form lay_out_form(bzscr_rt_form kind, bzscr_rt_storage storage, bool teachable,
                  const ModelView& model, Arena& arena) {
  Form form{kind, row_format(storage, width_of(kind, model)), nullptr,
            teachable ? floats_of_record(model.k) : 0};
  if (kind == BZSCR_RT_FORM_DENSE)
    form.dense = arena.take<float, kCacheLine>(model.d, padded(model.m));
  return form;
}

void fill_form(const Form& form, const ModelView& model) {
  if (form.dense != nullptr) dense_transposed(model, form.dense);
}

// Room for the scaled x, its product with the form's matrix, and the product as int8.
uint64_t query_scratch(const Form& form, const ModelView& model) {
  const uint64_t product = form.kind == BZSCR_RT_FORM_PROTOTYPES ? 0 : padded(form.row.width);
  const uint64_t stored =
      form.row.storage == BZSCR_RT_STORAGE_INT8 ? form.row.bytes / sizeof(float) : 0;
  return padded(model.m) + product + stored;
}

RowScratch lay_out_row_scratch(const Form& form, const ModelView& model, Arena& arena) {
  const bool teachable = form.teachable();
  const bool is_wide = teachable || form.kind == BZSCR_RT_FORM_PROTOTYPES;
  RowScratch scratch;
  scratch.record = take_padded(arena, teachable ? form.record : model.k);
  scratch.row = take_padded(arena, teachable ? model.k : 0);
  scratch.wide = take_padded(arena, is_wide ? model.m : 0);
  scratch.embedding = take_padded(arena, model.d);
  return scratch;
}

Query make_query(const Form& form, const ModelView& model, const Kernels& kernels, const float* x,
                 Scale scale, float* scratch) {
  const size_t m_stride = static_cast<size_t>(padded(model.m));
  const size_t width = static_cast<size_t>(padded(form.row.width));
  float* values = scratch;
  apply_scale(model.features(x), model.m, scale, scratch);
  if (form.kind != BZSCR_RT_FORM_PROTOTYPES) values += m_stride;
  if (form.kind == BZSCR_RT_FORM_FACTORS) features_along_u(model, kernels, scratch, values);
  if (form.kind == BZSCR_RT_FORM_DENSE) {
    kernels.dot_float32(form.dense, model.d, m_stride, m_stride, scratch, values);
    for (size_t i = model.d; i < width; ++i) values[i] = 0;
  }
  if (form.row.storage != BZSCR_RT_STORAGE_INT8) return {values, 1.0f};
  float* stored = values + width;
  return {stored, store_row(form.row, values, stored)};
}

Row make_row(const Form& form, const ModelView& model, const Kernels& kernels, const float* phi,
             const float* own, const RowScratch& scratch) {
  const bool is_dense = form.kind == BZSCR_RT_FORM_DENSE;
  float* scaled = scratch.embedding;
  float* q = scratch.record;
  transform_embedding(model.embedding, phi, scaled);
  if (is_dense && model.score_form == BZSCR_RT_SCORE_PLAIN && model.offsets == nullptr)
    return {scaled, 0.0f, nullptr};

  class_factors(model, kernels, scaled, own, q);
  const Scale scale = {1.0f, row_factor(model, q, scaled)};
  apply_scale({q, nullptr, nullptr}, model.k, scale, q);
  if (is_dense) {
    apply_scale({scaled, nullptr, nullptr}, model.d, scale, scaled);
    return {scaled, constant_of(model, kernels, q), nullptr};
  }
  const Row row = finish_row(form, model, kernels, q, scratch);
  if (form.teachable()) start_record(scratch.record, model.k, length_of(q, model.k));
  return row;
}

Row finish_row(const Form& form, const ModelView& model, const Kernels& kernels, const float* row,
               const RowScratch& scratch) {
  const float* values = row;
  if (form.kind == BZSCR_RT_FORM_PROTOTYPES) {
    prototype(model, kernels, row, scratch.wide);
    values = scratch.wide;
  }
  return {values, constant_of(model, kernels, row), scratch.record};
}

}  // namespace bzscr::rt
