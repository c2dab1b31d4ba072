#include "form.h"

#include "collapse.h"

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
uint64_t bytes_read(bzscr_rt_form kind, bzscr_rt_storage storage, const ModelView& model,
                    uint32_t n) {
  const uint64_t matrix_rows = kind == BZSCR_RT_FORM_PROTOTYPES ? 0 : model.m;
  const uint64_t bytes = n * bytes_of_value(storage) + matrix_rows * sizeof(float);
  uint64_t product = 0;
  const bool endless = __builtin_mul_overflow(bytes, uint64_t{width_of(kind, model)}, &product);
  return endless || !can_store(kind, storage, model) ? UINT64_MAX : product;
}

}  // namespace

bool can_store(bzscr_rt_form kind, bzscr_rt_storage storage, const ModelView& model) {
  return storage != BZSCR_RT_STORAGE_INT8 || width_of(kind, model) <= kLongestInt8;
}

bzscr_rt_form cheapest_form(const ModelView& model, bzscr_rt_storage storage, uint32_t n) {
  const uint64_t prototypes = bytes_read(BZSCR_RT_FORM_PROTOTYPES, storage, model, n);
  const uint64_t factors = bytes_read(BZSCR_RT_FORM_FACTORS, storage, model, n);
  const uint64_t dense = bytes_read(BZSCR_RT_FORM_DENSE, storage, model, n);
  if (prototypes <= factors && prototypes <= dense) return BZSCR_RT_FORM_PROTOTYPES;
  return factors <= dense ? BZSCR_RT_FORM_FACTORS : BZSCR_RT_FORM_DENSE;
}

const char* form_name(bzscr_rt_form form) {
  switch (form) {
    case BZSCR_RT_FORM_PROTOTYPES: return "prototypes";
    case BZSCR_RT_FORM_FACTORS: return "factors";
    case BZSCR_RT_FORM_DENSE: return "dense";
    default: return "auto";
  }
}

Form lay_out_form(bzscr_rt_form kind, bzscr_rt_storage storage, const ModelView& model,
                  Arena& arena) {
  Form form{kind, row_format(storage, width_of(kind, model)), nullptr};
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

// Room for the scaled phi, its factors and its prototype.
uint64_t row_scratch(const Form& form, const ModelView& model) {
  const uint64_t z = form.kind == BZSCR_RT_FORM_DENSE ? 0 : padded(model.k);
  const uint64_t p = form.kind == BZSCR_RT_FORM_PROTOTYPES ? padded(model.m) : 0;
  return padded(model.d) + z + p;
}

Query make_query(const Form& form, const ModelView& model, const Kernels& kernels, const float* x,
                 Scale scale, float* scratch) {
  const size_t m_stride = static_cast<size_t>(padded(model.m));
  const size_t width = static_cast<size_t>(padded(form.row.width));
  float* values = scratch;
  apply_scale(x, model.m, scale, scratch);
  if (form.kind != BZSCR_RT_FORM_PROTOTYPES) values += m_stride;
  if (form.kind == BZSCR_RT_FORM_FACTORS) weighted_features(model, kernels, scratch, values);
  if (form.kind == BZSCR_RT_FORM_DENSE) {
    kernels.dot_float32(form.dense, model.d, m_stride, m_stride, scratch, values);
    for (size_t i = model.d; i < width; ++i) values[i] = 0;
  }
  if (form.row.storage != BZSCR_RT_STORAGE_INT8) return {values, 1.0f};
  float* stored = values + width;
  return {stored, store_row(form.row, values, stored)};
}

const float* make_row(const Form& form, const ModelView& model, const Kernels& kernels,
                      const float* phi, float* scratch) {
  transform_embedding(model.embedding, phi, scratch);
  if (form.kind == BZSCR_RT_FORM_DENSE) return scratch;
  float* z = scratch + padded(model.d);
  class_factors(model, kernels, scratch, z);
  if (form.kind == BZSCR_RT_FORM_FACTORS) return z;
  float* p = z + padded(model.k);
  prototype(model, kernels, z, p);
  return p;
}

}  // namespace bzscr::rt
