#pragma once

namespace bzscr::cli {

/// From here on a program that cannot go on ends with one line on standard error and
/// kExitBadInput, where it would have ended without a word:
///   a mapped file that became shorter, or a page of it that cannot be read (SIGBUS), with its name
///   out of memory on a thread or in a place that no exception may leave
/// Nothing is cleaned up, so files that were being written keep their old content.
/// \param program  must outlive the process, as a literal does
void report_fatal_errors(const char* program);

}  // namespace bzscr::cli
