#pragma once

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::train {

/// Seconds that an allreduce of `bytes` takes on P ranks, by Rabenseifner's algorithm (2004):
/// reduce-scatter and allgather, so that each byte is sent twice.
///   2 ceil(log2 P) latency + 2 (P - 1)/P bytes / bandwidth
double allreduce_seconds(int processes, double bytes, const MachineFigures& machine);

}  // namespace bzscr::train
