#pragma once

namespace bzscr::cli {

/// From here on the first Ctrl-C (SIGINT) or SIGTERM only raises a flag; a second one, of either,
/// ends the process at once.
void catch_interrupts();
bool interrupted();

}  // namespace bzscr::cli
