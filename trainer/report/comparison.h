#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bzscr::report {

/// What a method came to on unseen classes. Nothing where bzscr-compare could not measure it.
struct Method {
  std::string name;
  std::optional<double> error_rate, mean_delta, per_class_top1, gzsl_harmonic, gzsl_harmonic_calibrated, seconds;
};

struct Comparison {
  std::string data;             ///< may be empty: not said
  std::vector<Method> methods;  ///< at least one
};

/// Reads what bzscr-compare --json prints. Throws InputError, "name: ...", on the first thing wrong.
Comparison read_comparison(const std::string& text, const std::string& name);

}  // namespace bzscr::report
