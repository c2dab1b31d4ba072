#pragma once

#include <string>

namespace bzscr {

/// Threads that the BLAS library starts by itself. Blocks of samples run in parallel already, and a
/// product on several threads may sum in another order than on one.
int blas_threads();

/// The kernels that it has chosen for this processor: "SkylakeX".
std::string blas_kernels();
std::string blas_description();  ///< its build and kernels

/// Small products of awkward shapes, in each order of storage that passes use, checked by Freivalds'
/// algorithm (1977) in plain loops. Some builds of OpenBLAS are wrong on newer processors.
bool blas_is_correct();

}  // namespace bzscr
