#pragma once

namespace bzscr::cli {

/// From here on the first Ctrl-C (SIGINT) or SIGTERM only raises a flag; a second one ends the
/// process.
void catch_interrupts();
bool interrupted();

}  // namespace bzscr::cli
