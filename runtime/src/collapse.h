#pragma once

#include "kernels/kernels.h"
#include "model_view.h"

namespace bzscr::rt {

/// The ensemble's products. x and phi are scaled (transform.h) and, like t, q and p, padded with
/// zeros to a multiple of 8.

/// t = U x: k values, the query of the factors form.
void features_along_u(const ModelView& model, const Kernels& kernels, const float* x, float* t);

/// q = w o (V phi + own): k values, what a class is along the u_j.
/// \param own  k, not padded; null: zeros
void class_factors(const ModelView& model, const Kernels& kernels, const float* phi,
                   const float* own, float* q);

/// p = sum_j row_j u_j: m values, the class row of the prototypes form.
void prototype(const ModelView& model, const Kernels& kernels, const float* row, float* p);

/// -(o . row), which a row of k values adds to each score of its class.
float constant_of(const ModelView& model, const Kernels& kernels, const float* row);

/// W^T = sum_j w_j v_j u_j^T: d rows of m values, each row padded; the dense form's matrix.
void dense_transposed(const ModelView& model, float* rows);

}  // namespace bzscr::rt
