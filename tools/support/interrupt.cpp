#include "support/interrupt.h"

#include "support/program.h"

#include <csignal>

#include <unistd.h>

namespace bzscr::cli {
namespace {

volatile std::sig_atomic_t raised = 0;

void end_the_second_time(int) {
  if (raised != 0) ::_exit(kExitInterrupted);
  raised = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = end_the_second_time;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction inherited {};
  sigaction(SIGHUP, nullptr, &inherited);
  if (inherited.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return raised != 0; }

}  // namespace bzscr::cli
