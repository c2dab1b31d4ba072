#pragma once

namespace bzscr::cli {

/// The beginning and the end of bzscr-train --help.
extern const char* const kTrainIntroduction;
extern const char* const kTrainEpilogue;

}  // namespace bzscr::cli
