#pragma once

namespace bzscr {

/// Turns off the BLAS library's own threads, for the whole process: blocks of samples run in
/// parallel, and one product on two threads would sum in another order than on one.
void use_single_threaded_blas();

}  // namespace bzscr
