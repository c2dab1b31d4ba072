#pragma once

#include <string>

namespace bzscr {

/// The number of threads that the BLAS library starts by itself. It should be 1: blocks of samples
/// already run in parallel, and the order of a sum may depend on the number of threads.
int blas_threads();

/// The kernels that the BLAS library has selected for this processor: "SkylakeX".
std::string blas_kernels();
std::string blas_description();  ///< its build and kernels

/// Whether small products are correct: checks odd shapes in each storage order that passes use, by
/// Freivalds' algorithm (1977) in plain loops. Some OpenBLAS builds fail on newer processors.
bool blas_is_correct();

}  // namespace bzscr
