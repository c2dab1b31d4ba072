#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bzscr::report {

/// What a method came to on unseen classes. Nothing where bzscr-compare could not measure it.
struct Method {
  std::string name;                           ///< "sje (zero-one)" where it came in several forms
  bool counts = true;                         ///< it is the better of them
  std::optional<double> per_class_deviation;  ///< of per_class_top1 over class splits
  std::optional<double> mean_rank;            ///< of those of the paper's table
  std::optional<double> error_rate, mean_delta, per_class_top1, gzsl_harmonic,
      gzsl_harmonic_calibrated, ausuc, seconds;
};

struct Comparison {
  std::string data;             ///< may be empty: not said
  std::vector<Method> methods;  ///< at least one; forms of a method beside one another
};

/// Reads what bzscr-compare --json prints. Throws InputError, "name: ...", on the first thing
/// wrong.
Comparison read_comparison(const std::string& text, const std::string& name);

}  // namespace bzscr::report
