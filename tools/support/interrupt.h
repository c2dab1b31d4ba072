#pragma once

namespace bzscr::cli {

/// From here on the first Ctrl-C (SIGINT), SIGTERM or SIGHUP (the terminal was closed) only raises a
/// flag; a second one, of any, ends the process at once. Under nohup SIGHUP stays ignored.
void catch_interrupts();
bool interrupted();

}  // namespace bzscr::cli
