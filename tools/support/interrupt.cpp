#include "support/interrupt.h"

#include <csignal>

namespace bzscr::cli {
namespace {

volatile std::sig_atomic_t raised = 0;

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { raised = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one does what it always does
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return raised != 0; }

}  // namespace bzscr::cli
