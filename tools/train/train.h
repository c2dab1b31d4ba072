#pragma once

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::cli {

/// The ranks that run the program; alone, one without a communicator.
struct Ranks {
  Communicator* communicator = nullptr;
  int rank = 0, size = 1;
};

/// The whole of bzscr-train but what makes ranks and turns exceptions into exit codes.
/// \return  the exit code
int run_train(int argc, char** argv, const Ranks& ranks);

}  // namespace bzscr::cli
