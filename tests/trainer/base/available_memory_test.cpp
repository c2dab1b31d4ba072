#include "base/available_memory.h"

#include "dataset_files.h"

#include <doctest/doctest.h>

#include <limits>

namespace bzscr {
namespace {

constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Folders that stand for the system's /proc and /sys.
struct System : test::TemporaryFolder {
  System& file(const std::string& name, const std::string& text) {
    test::write_bytes(*this / name, text);
    return *this;
  }
  System& with_gigabyte() {
    return file("proc/meminfo",
                "MemTotal:        8000000 kB\nMemFree:          200000 kB\n"
                "MemAvailable:    1048576 kB\nSwapTotal:             0 kB\n");
  }
};

TEST_CASE("without a limit the memory is what /proc/meminfo calls available") {
  System system;
  CHECK(available_memory(system.path()) == kNoLimit);
  CHECK(available_memory(system.with_gigabyte().path()) == 1073741824);
  system.file("proc/self/cgroup", "0::/user.slice\n")
      .file("sys/fs/cgroup/user.slice/memory.max", "max\n");
  CHECK(available_memory(system.path()) == 1073741824);
  system.file("proc/meminfo", "MemTotal: 8000000 kB\n");
  CHECK(available_memory(system.path()) == kNoLimit);
}

TEST_CASE("the limit of a control group of version 2 lowers the available memory") {
  System system;
  system.with_gigabyte()
      .file("proc/self/cgroup", "0::/batch/job_7\n")
      .file("sys/fs/cgroup/batch/job_7/memory.max", "500000000\n");
  CHECK(available_memory(system.path()) == 500000000);
  // So does one that holds it, and the lowest limit of all counts.
  system.file("sys/fs/cgroup/batch/memory.max", "400000000\n");
  CHECK(available_memory(system.path()) == 400000000);
  system.file("sys/fs/cgroup/batch/memory.max", "600000000\n");
  CHECK(available_memory(system.path()) == 500000000);
  // A limit above what there is limits nothing.
  system.file("sys/fs/cgroup/batch/job_7/memory.max", "9000000000\n")
      .file("sys/fs/cgroup/batch/memory.max", "max\n");
  CHECK(available_memory(system.path()) == 1073741824);
}

TEST_CASE(
    "inside a container, where the path of the group is that of the host, the limit of the root "
    "applies") {
  System system;
  system.with_gigabyte()
      .file("proc/self/cgroup", "0::/../../kubepods/pod1\n")
      .file("sys/fs/cgroup/memory.max", "300000000\n");
  CHECK(available_memory(system.path()) == 300000000);
}

TEST_CASE("in version 1 only the group of the memory controller limits the memory") {
  System system;
  system.with_gigabyte()
      .file("proc/self/cgroup", "5:cpu,cpuacct:/small\n4:memory:/job\n1:name=systemd:/init\n0::/\n")
      .file("sys/fs/cgroup/cpu/small/memory.limit_in_bytes", "1\n")
      .file("sys/fs/cgroup/memory/small/memory.limit_in_bytes", "2\n")
      .file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "200000000\n")
      .file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  CHECK(available_memory(system.path()) == 200000000);
}

TEST_CASE("lines that do not describe a control group are ignored") {
  System system;
  system.with_gigabyte().file("proc/self/cgroup", "\nnonsense\n0:\n0::\n:::\n0::relative\n");
  CHECK(available_memory(system.path()) == 1073741824);
}

TEST_CASE("the available memory of this system is between 1 MB and 2^50 bytes") {
  CHECK(available_memory() > 1000000);
  CHECK(available_memory() < std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace bzscr
