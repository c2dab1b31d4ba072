#pragma once

#include <string>
#include <vector>

namespace bzscr::test {

struct Finished {
  int exit_code;    ///< 128 + signal if it was killed
  std::string out;  ///< all of standard output
  std::string err;
};

/// Runs a program with the given arguments, no shell between, and waits for it.
Finished run_program(const std::string& path, const std::vector<std::string>& arguments);

}  // namespace bzscr::test
