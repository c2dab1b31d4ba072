#pragma once

namespace bzscr::cli {

/// Makes sure that the BLAS library multiplies fast and correctly, before anything depends on it. May
/// replace the process twice (same pid, same arguments): call it first in the work of every program
/// that links the trainer.
///
/// OpenBLAS picks its kernels by the processor's model number; a build older than the processor knows
/// none for it and falls back to SSE3 code, several times slower. Where that is so and the user has
/// not set OPENBLAS_CORETYPE, the second start has a type that the processor's instructions allow.
/// Nor does it start threads of its own (OPENBLAS_NUM_THREADS=1): they would spin without work, or for
/// ever where memory is short, and results would depend on their number. OpenMP's threads sleep instead of spinning while they wait,
/// unless OMP_WAIT_POLICY or GOMP_SPINCOUNT are set: beside other work, spinning made training eight
/// times slower.
///
/// Then small products are checked: wrong ones throw InputError with the library, the kernels it took
/// and what to set, or, where the choice was ours, a more modest kernel type is tried.
void prepare_libraries(char** argv);

}  // namespace bzscr::cli
