#pragma once

#include "kernels/kernels.h"
#include "model_view.h"

namespace bzscr::rt {

/// The ensemble's products. x and phi are scaled (transform.h) and, like every output row, padded
/// with zeros to a multiple of 8.

/// t = w o (U x): k values, the query of the factors form.
void weighted_features(const ModelView& model, const Kernels& kernels, const float* x, float* t);

/// z = V phi: k values, the class row of the factors form.
void class_factors(const ModelView& model, const Kernels& kernels, const float* phi, float* z);

/// p = W phi = sum_j w_j z_j u_j: m values, the class row of the prototypes form. z is overwritten.
void prototype(const ModelView& model, const Kernels& kernels, float* z, float* p);

/// W^T = sum_j w_j v_j u_j^T: d rows of m values, each row padded; the dense form's matrix.
void dense_transposed(const ModelView& model, float* rows);

}  // namespace bzscr::rt
