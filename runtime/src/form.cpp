#include "form.h"

#include "collapse.h"

namespace bzscr::rt {
namespace {

// (a + b) c for 32-bit a, b, c: the sum takes 33 bits, so the product may not fit and is then as good as
// endless.
uint64_t cost(uint64_t a, uint64_t b, uint64_t c) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a + b, c, &product) ? UINT64_MAX : product;
}

uint32_t width_of(bzscr_rt_form kind, const ModelView& model) {
  switch (kind) {
    case BZSCR_RT_FORM_FACTORS: return model.k;
    case BZSCR_RT_FORM_DENSE: return model.d;
    default: return model.m;
  }
}

}  // namespace

bzscr_rt_form cheapest_form(const ModelView& model, uint32_t n) {
  const uint64_t prototypes = cost(n, 0, model.m);
  const uint64_t factors = cost(n, model.m, model.k);
  const uint64_t dense = cost(n, model.m, model.d);
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

Form lay_out_form(bzscr_rt_form kind, const ModelView& model, Arena& arena) {
  const uint32_t width = width_of(kind, model);
  Form form{kind, width, static_cast<size_t>(padded(width)), nullptr};
  if (kind == BZSCR_RT_FORM_DENSE) form.dense = arena.take<float>(model.d, padded(model.m));
  return form;
}

void fill_form(const Form& form, const ModelView& model) {
  if (form.dense != nullptr) dense_transposed(model, form.dense);
}

// The scaled x, then what the form makes of it.
uint64_t query_scratch(bzscr_rt_form kind, const ModelView& model) {
  const uint64_t product = kind == BZSCR_RT_FORM_PROTOTYPES ? 0 : padded(width_of(kind, model));
  return padded(model.m) + product;
}

// The scaled phi, then its factors.
uint64_t row_scratch(const ModelView& model) { return padded(model.d) + padded(model.k); }

const float* make_query(const Form& form, const ModelView& model, const Kernels& kernels, const float* x,
                        Scale scale, float* scratch) {
  const size_t m_stride = padded(model.m);
  float* query = scratch + m_stride;
  apply_scale(x, model.m, scale, scratch);
  switch (form.kind) {
    case BZSCR_RT_FORM_FACTORS: weighted_features(model, kernels, scratch, query); return query;
    case BZSCR_RT_FORM_DENSE:
      kernels.dot_rows(form.dense, model.d, m_stride, m_stride, scratch, query);
      for (size_t i = model.d; i < form.stride; ++i) query[i] = 0;
      return query;
    default: return scratch;
  }
}

void make_row(const Form& form, const ModelView& model, const Kernels& kernels, const float* phi, float* scratch,
              float* row) {
  if (form.kind == BZSCR_RT_FORM_DENSE) {
    transform_embedding(model.embedding, phi, row);
    return;
  }
  float* z = form.kind == BZSCR_RT_FORM_FACTORS ? row : scratch + padded(model.d);
  transform_embedding(model.embedding, phi, scratch);
  class_factors(model, kernels, scratch, z);
  if (form.kind == BZSCR_RT_FORM_PROTOTYPES) prototype(model, z, row);
}

}  // namespace bzscr::rt
