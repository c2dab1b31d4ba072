#pragma once

#include <functional>
#include <string>

namespace bzscr {

/// Does work in a process of its own and waits for it: for libraries that damaged files make crash
/// or go round in circles. The work can hand over what it writes to a ScratchFile made before. An
/// InputError that it throws is thrown here.
/// \param path     where the process dies, or computes for longer than `seconds`, InputError says
///   that this
///                 file is damaged
void run_in_child(const std::string& path, unsigned seconds, const std::function<void()>& work);

}  // namespace bzscr
