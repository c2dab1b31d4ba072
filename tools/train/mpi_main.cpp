// bzscr-train as mpirun starts it: only rank 0 prints.

#include "support/libraries.h"
#include "support/program.h"
#include "train/train.h"

#include <bzscr_train/mpi.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <thread>

namespace {

using bzscr::cli::Ranks;

/// Sends the output of the rank to /dev/null.
/// \return  a duplicate of its standard error, for the message of a failure
int be_silent() {
  const int own_stderr = ::dup(2);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, 1);
  ::dup2(nowhere, 2);
  ::close(nowhere);
  return own_stderr;
}

/// Prints the message, once if all ranks fail with the same one, and ends all ranks.
[[noreturn]] void fail(const Ranks& ranks, int own_stderr, const std::string& message, int code) {
  if (ranks.rank != 0) {
    // If rank 0 has failed too, its abort ends this rank before it prints the same message.
    std::signal(SIGTERM, SIG_DFL);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ::dup2(own_stderr, 2);
    bzscr::cli::print_error(
        fmt::format("{} (process {} of {})\n", message, ranks.rank, ranks.size));
  } else {
    bzscr::cli::print_error(message + "\n");
  }
  std::fflush(stdout);
  std::fflush(stderr);
  bzscr::train::abort_mpi(code);
}

}  // namespace

int main(int argc, char** argv) {
  Ranks ranks;
  int own_stderr = 2;
  std::shared_ptr<bzscr::Communicator> world;
  const auto failure = bzscr::cli::outcome_of("bzscr-train", argc, argv, [&] {
    bzscr::cli::prepare_libraries(argv);
    world = bzscr::train::start_mpi();
    ranks = {world.get(), bzscr::train::mpi_rank(*world), bzscr::train::mpi_size(*world)};
    if (ranks.rank != 0) own_stderr = be_silent();
    return bzscr::cli::run_train(argc, argv, ranks);
  });
  if (failure.message.empty()) return failure.code;
  if (world && ranks.size > 1) fail(ranks, own_stderr, failure.message, failure.code);
  bzscr::cli::print_error(failure.message + "\n");
  return failure.code;
}
