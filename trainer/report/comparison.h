#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bzscr::report {

/// The results of a method on unseen classes. Empty members: not measured.
struct Method {
  std::string name;                           ///< "sje (zero-one)" if it has several forms
  bool counts = true;                         ///< it is the best form of its method
  std::optional<double> per_class_deviation;  ///< of per_class_top1 over class splits
  std::optional<double> mean_rank;            ///< among the methods of the paper's table
  std::optional<double> error_rate, mean_delta, per_class_top1, gzsl_harmonic,
      gzsl_harmonic_calibrated, ausuc, seconds;
};

struct Comparison {
  std::string data;             ///< path of the data set; empty: not known
  std::vector<Method> methods;  ///< at least one; the forms of a method are adjacent
};

/// Reads a comparison: a JSON object with `data` (optional) and the list `methods`, each with its
/// `forms` if it has several. Throws InputError, "name: ...", for the first error found.
Comparison read_comparison(const std::string& text, const std::string& name);

}  // namespace bzscr::report
