#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace bzscr::test {

/// A cable between two network namespaces that delays every frame by `delay`, for kernels without
/// netem. Its ends are network devices in the namespaces; it transmits while this object exists.
/// Needs root.
class DelayedCable {
 public:
  /// \param device_a  the name that the device in namespace_a gets, at most 15 characters; likewise
  /// b
  DelayedCable(const std::string& namespace_a, const std::string& device_a,
               const std::string& namespace_b, const std::string& device_b,
               std::chrono::nanoseconds delay);
  ~DelayedCable();
  DelayedCable(const DelayedCable&) = delete;
  DelayedCable& operator=(const DelayedCable&) = delete;

  bool made() const { return a_ >= 0 && b_ >= 0; }

 private:
  void carry(int from, int to) const;

  std::chrono::nanoseconds delay_;
  std::atomic<bool> ends_{false};
  int a_, b_;  // file descriptors of the devices, -1: none
  std::thread there_, back_;
};

}  // namespace bzscr::test
