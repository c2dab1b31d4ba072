#include "core/blas.h"

extern "C" void openblas_set_num_threads(int);

namespace bzscr {

void use_single_threaded_blas() { openblas_set_num_threads(1); }

}  // namespace bzscr
