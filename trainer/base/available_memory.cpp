#include "base/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace bzscr {
namespace {

constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t number_in(const std::string& path) {
  std::uint64_t value = 0;
  return std::ifstream(path) >> value ? value : kNoLimit;  // "max" is not a number
}

std::uint64_t system_says(const std::string& root) {
  std::ifstream in(root + "/proc/meminfo");
  std::string name, unit;
  std::uint64_t kilobytes = 0;
  while (in >> name >> kilobytes) {
    if (name == "MemAvailable:") return kilobytes * 1024;
    std::getline(in, unit);
  }
  return kNoLimit;
}

/// The lowest limit of a group and its ancestors, up to the root of the hierarchy.
std::uint64_t least_limit(const std::string& hierarchy, std::string group, const char* file) {
  std::uint64_t least = number_in(hierarchy + "/" + file);
  for (; group.size() > 1; group.resize(group.rfind('/')))
    least = std::min(least, number_in(hierarchy + group + "/" + file));
  return least;
}

// Lines of /proc/self/cgroup are "ID:CONTROLLERS:PATH", without controllers for version 2. Inside a
// container the path may be that of the host; the limit is then at the root.
std::uint64_t control_group_says(const std::string& root) {
  std::uint64_t least = kNoLimit;
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos || line[second + 1] != '/') continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      path = line.substr(second + 1), hierarchies = root + "/sys/fs/cgroup";
    if (controllers.empty()) least = std::min(least, least_limit(hierarchies, path, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, least_limit(hierarchies + "/memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace

std::uint64_t available_memory(const std::string& root) {
  return std::min(system_says(root), control_group_says(root));
}

}  // namespace bzscr
