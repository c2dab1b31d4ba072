#pragma once

#include <string>

namespace bzscr {

/// The number of threads that the BLAS library starts by itself. It should be 1: blocks of samples
/// already run in parallel, and the order of a sum may depend on the number of threads.
int blas_threads();

/// Takes the buffers in which the BLAS library packs factors of products on `threads` threads at
/// once; the library keeps them from then on. Call it before such products: without memory for a
/// buffer, OpenBLAS tries again for ever. Throws std::bad_alloc if there is none.
void reserve_blas_buffers(int threads);

/// The kernels that the BLAS library has selected for this processor: "SkylakeX".
std::string blas_kernels();
std::string blas_description();  ///< its build and kernels

/// Whether small products are correct: checks odd shapes in each storage order that passes use, by
/// Freivalds' algorithm (1977) in plain loops. Some OpenBLAS builds fail on newer processors.
bool blas_is_correct();

}  // namespace bzscr
