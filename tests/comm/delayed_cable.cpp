#include "delayed_cable.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

namespace bzscr::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kLargestFrame = 1 << 16;

/// Creates a network device in another namespace. Returns the file descriptor of its other side, or
/// -1 on failure.
int device_in(const std::string& network_namespace, const std::string& name) {
  int device = -1;
  std::thread([&] {  // a thread has a namespace of its own
    const int entered = ::open(("/run/netns/" + network_namespace).c_str(), O_RDONLY);
    if (entered < 0 || ::setns(entered, CLONE_NEWNET) != 0) return;
    ::close(entered);
    const int file = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    std::strncpy(request.ifr_name, name.c_str(), IFNAMSIZ - 1);
    if (file >= 0 && ::ioctl(file, TUNSETIFF, &request) == 0) device = file;
  })
      .join();
  return device;
}

}  // namespace

DelayedCable::DelayedCable(const std::string& namespace_a, const std::string& device_a,
                           const std::string& namespace_b, const std::string& device_b,
                           std::chrono::nanoseconds delay)
    : delay_(delay), a_(device_in(namespace_a, device_a)), b_(device_in(namespace_b, device_b)) {
  if (!made()) return;
  there_ = std::thread([this] { carry(a_, b_); });
  back_ = std::thread([this] { carry(b_, a_); });
}

DelayedCable::~DelayedCable() {
  ends_ = true;
  if (there_.joinable()) there_.join();
  if (back_.joinable()) back_.join();
  for (const int device : {a_, b_})
    if (device >= 0) ::close(device);
}

void DelayedCable::carry(int from, int to) const {
  struct Frame {
    Clock::time_point due;
    std::vector<char> bytes;
  };
  std::deque<Frame> under_way;
  std::vector<char> bytes(kLargestFrame);
  while (!ends_) {
    std::chrono::nanoseconds wait = std::chrono::milliseconds(50);
    if (!under_way.empty())
      wait = std::clamp<std::chrono::nanoseconds>(under_way.front().due - Clock::now(),
                                                  std::chrono::nanoseconds(0), wait);
    const timespec until{0, wait.count()};
    pollfd readable{from, POLLIN, 0};
    ::ppoll(&readable, 1, &until, nullptr);
    for (ssize_t size; (size = ::read(from, bytes.data(), bytes.size())) > 0;)
      under_way.push_back({Clock::now() + delay_, {bytes.begin(), bytes.begin() + size}});
    for (; !under_way.empty() && under_way.front().due <= Clock::now(); under_way.pop_front()) {
      const std::vector<char>& frame = under_way.front().bytes;
      if (::write(to, frame.data(), frame.size()) < 0) continue;  // frames may be lost
    }
  }
}

}  // namespace bzscr::test
