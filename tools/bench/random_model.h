#pragma once

#include "types/linalg.h"

#include <bzscr_rt/bzscr_rt.hpp>

#include <cstdint>
#include <vector>

/// Models and vectors of random numbers, for benchmarks: what a query costs does not depend on the
/// values.
namespace bzscr::bench {

/// n values of the standard normal distribution; the same for the same seed.
std::vector<float> random_floats(std::size_t n, std::uint32_t seed);

/// A model of k weak models on m features and embeddings of d numbers, with one class of id 0.
Memory random_model(Index m, Index d, Index k);

}  // namespace bzscr::bench
