#pragma once

#include <functional>
#include <string>

namespace bzscr {

/// Runs `work` in a child process and waits for it: for libraries that crash or loop forever on
/// damaged files. The work returns data through a ScratchFile that was made before. An InputError
/// that it throws is rethrown in this process.
/// \param path     the file that is read, for messages
/// \param seconds  limit of processor time. If the child process exceeds it or crashes, InputError
///                 reports that the file is damaged.
void run_in_child(const std::string& path, unsigned seconds, const std::function<void()>& work);

}  // namespace bzscr
