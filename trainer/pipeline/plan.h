#pragma once

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::train {

/// Seconds in which P ranks sum `bytes` each: up and down a tree, each byte twice over the wire
/// (Rabenseifner 2004).
///   2 ceil(log2 P) latency + 2 (P - 1)/P bytes / bandwidth
double allreduce_seconds(int processes, double bytes, const MachineFigures& machine);

}  // namespace bzscr::train
