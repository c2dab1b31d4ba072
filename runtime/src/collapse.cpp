#include "collapse.h"

#include "arena.h"

#include <string.h>

namespace bzscr::rt {
namespace {

// The model's own matrices have no padding between rows: the kernel handles multiples of 8 columns,
// this function the remaining ones.
void multiply(const Kernels& kernels, const float* rows, size_t n, size_t length, const float* x,
              float* out) {
  const size_t whole = length / 8 * 8;
  kernels.dot_float32(rows, n, length, whole, x, out);
  if (whole == length) return;
  for (size_t r = 0; r < n; ++r) {
    float rest = 0;
    for (size_t i = whole; i < length; ++i) rest += rows[r * length + i] * x[i];
    out[r] += rest;
  }
}

void add_multiple(float* sum, float factor, const float* values, size_t n) {
  for (size_t i = 0; i < n; ++i) sum[i] += factor * values[i];
}

void zero(float* values, size_t n) { memset(values, 0, n * sizeof(float)); }

void zero_padding(float* values, size_t n) { zero(values + n, static_cast<size_t>(padded(n)) - n); }

const float* u_row(const ModelView& model, uint32_t j) { return model.u + size_t{j} * model.m; }
const float* v_row(const ModelView& model, uint32_t j) { return model.v + size_t{j} * model.d; }

}  // namespace

void features_along_u(const ModelView& model, const Kernels& kernels, const float* x, float* t) {
  multiply(kernels, model.u, model.k, model.m, x, t);
  zero_padding(t, model.k);
}

void class_factors(const ModelView& model, const Kernels& kernels, const float* phi,
                   const float* own, float* q) {
  multiply(kernels, model.v, model.k, model.d, phi, q);
  for (uint32_t j = 0; j < model.k; ++j)
    q[j] = model.w[j] * (own != nullptr ? q[j] + own[j] : q[j]);
  zero_padding(q, model.k);
}

void prototype(const ModelView& model, const Kernels& kernels, const float* row, float* p) {
  const size_t whole = model.m / 8 * 8;
  kernels.combine(model.u, model.k, model.m, whole, row, p);
  zero(p + whole, static_cast<size_t>(padded(model.m)) - whole);
  for (uint32_t j = 0; j < model.k; ++j)
    add_multiple(p + whole, row[j], u_row(model, j) + whole, model.m - whole);
}

float constant_of(const ModelView& model, const Kernels& kernels, const float* row) {
  float along_o = 0;
  if (model.offsets != nullptr) multiply(kernels, model.offsets, 1, model.k, row, &along_o);
  return -along_o;
}

void dense_transposed(const ModelView& model, float* rows) {
  const size_t stride = static_cast<size_t>(padded(model.m));
  zero(rows, model.d * stride);
  for (uint32_t j = 0; j < model.k; ++j)
    for (uint32_t i = 0; i < model.d; ++i)
      add_multiple(rows + i * stride, model.w[j] * v_row(model, j)[i], u_row(model, j), model.m);
}

}  // namespace bzscr::rt
