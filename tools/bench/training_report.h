#pragma once

#include "bench/training_cost.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr::bench {

/// A run of bzscr-train with its phases taken apart, and single passes at the model that it ends
/// with.
struct Report {
  std::string data, embedding, method, solver;
  Index samples = 0, features = 0, seen = 0, targets = 0;
  double nu = 0, beta = 0;
  int threads = 1;
  double peak = 0;  ///< GFLOP/s
  std::vector<Cost> phases;
  std::vector<Cost> passes;  ///< a median one of each kind
  Index weak_models = 0;
  double relative_gap = 0;

  Index evaluations() const {
    Index sum = 0;
    for (const Cost& phase : phases) sum += phase.evaluations;
    return sum;
  }
};

/// One JSON object on standard output.
void print_json(const Report& report);

/// Tables on standard output.
void print_text(const Report& report);

}  // namespace bzscr::bench
