#pragma once

namespace bzscr {

/// Makes sure that the BLAS library multiplies fast and right, before anything depends on it.
///
/// OpenBLAS picks its kernels by the processor's model number; a build older than the processor knows
/// none for it and falls back to twenty-year-old SSE3 code, several times slower. Where that is so and
/// the user has not set OPENBLAS_CORETYPE, the program starts itself again with a type that the
/// processor's instructions allow. Then small products are compared with plain loops, as some builds are
/// wrong on newer processors: a wrong product throws InputError with what to set, or, where the choice
/// was ours, moves on to a more modest one.
/// May replace the process (same pid, same arguments): call it first in main.
void prepare_blas(char** argv);

/// "OpenBLAS 0.3.21 ..., SkylakeX kernels".
const char* blas_description();

}  // namespace bzscr
