#pragma once

#include "types/problem.h"

#include <memory>
#include <string>
#include <vector>

namespace bzscr::test {

/// A solved problem from tests/data/golden; see its README.
struct GoldenCase {
  double nu_per_sample, beta;
  bool mixed_s;  ///< sample weights from s.npy instead of ones
  double optimum, relative_gap;
  Index rank;
  struct Step {
    double violation, objective;
    Index active;
  };
  std::vector<Step> paper_trace;
};

struct GoldenProblem {
  std::shared_ptr<const void> owner;  ///< owns the memory of the features
  Problem problem;                    ///< Phi as in the file: neither centred nor reduced
  Vector mixed_s;
  std::vector<GoldenCase> cases;

  Vector s(const GoldenCase& one) const {
    return one.mixed_s ? mixed_s : Vector::Ones(problem.samples());
  }
};

/// \param name  "toy" or "caltech600"
GoldenProblem read_golden(const std::string& name);

}  // namespace bzscr::test
