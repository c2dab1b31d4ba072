#pragma once

#include <functional>
#include <string>
#include <vector>

namespace bzscr::test {

struct Finished {
  int exit_code;    ///< 128 + signal if it was killed
  std::string out;  ///< all of standard output
  std::string err;
};

/// Runs a program with the given arguments, without a shell, and waits for it.
/// \param meanwhile  called once while the program runs, with its process id, for example to send
///                   it a signal
Finished run_program(const std::string& path, const std::vector<std::string>& arguments,
                     const std::function<void(int pid)>& meanwhile = nullptr);

}  // namespace bzscr::test
