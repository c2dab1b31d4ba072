#pragma once

namespace bzscr {

/// Makes sure that the libraries underneath multiply fast and right, before anything depends on it.
/// May replace the process once (same pid, same arguments): call it first in main.
///
/// OpenBLAS picks its kernels by the processor's model number; a build older than the processor
/// knows none for it and falls back to twenty-year-old SSE3 code, several times slower. Where that
/// is so and the user has not set OPENBLAS_CORETYPE, the second start has a type that the
/// processor's instructions allow. Nor does it start threads of its own, which would spin for a
/// while without having anything to do. Threads that wait for one another sleep instead of
/// spinning, unless OMP_WAIT_POLICY or GOMP_SPINCOUNT say otherwise: beside other work, spinning
/// made training eight times slower.
///
/// Then small products are compared with plain loops, as some builds are wrong on newer processors:
/// a wrong product throws InputError with the library, the kernels it took and what to set, or,
/// where the choice was ours, moves on to a more modest one.
void prepare_libraries(char** argv);

}  // namespace bzscr
