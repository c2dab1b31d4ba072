#pragma once

#include "base/json.h"

#include <bzscr_train/bzscr_train.hpp>

#include <string>

namespace bzscr::cli {

/// What was compared on what.
struct Study {
  std::string data, title, embedding, divergence;
  bool own_split = true;
  std::uint64_t seed = 1;
  bool average = false;
  double ridge = 0;
  train::Comparison result;
};

/// "sje (zero-one)"
std::string name_of(const train::ComparedForm& form);
void print_study(const Study& study, bool markdown);
Json study_json(const Study& study);

}  // namespace bzscr::cli
