#pragma once

#include <bzscr_store/bzscr_store.h>

#include <cstdint>

namespace bzscr::bench {

/// A device of a store that does what another does, and counts the bytes that are programmed. It
/// stays where it is, as its callbacks hold its address, and the other outlives it.
class CountingDevice {
 public:
  explicit CountingDevice(const bzscr_store_device& other) : other_(other), device_(other) {
    device_.context = this;
    device_.read = [](void* self, std::uint32_t at, void* bytes, std::uint32_t size) {
      return of(self).read(of(self).context, at, bytes, size);
    };
    device_.program = [](void* self, std::uint32_t at, const void* bytes, std::uint32_t size) {
      static_cast<CountingDevice*>(self)->programmed += size;
      return of(self).program(of(self).context, at, bytes, size);
    };
    device_.erase = [](void* self, std::uint32_t block) {
      return of(self).erase(of(self).context, block);
    };
    device_.sync = [](void* self) { return of(self).sync(of(self).context); };
    device_.used = [](void* self, std::uint32_t bank, std::uint32_t* bytes) {
      return of(self).used(of(self).context, bank, bytes);
    };
    device_.lock = [](void* self, std::int32_t exclusive) {
      return of(self).lock(of(self).context, exclusive);
    };
    device_.unlock = [](void* self) { of(self).unlock(of(self).context); };
  }
  CountingDevice(const CountingDevice&) = delete;
  CountingDevice& operator=(const CountingDevice&) = delete;

  const bzscr_store_device& device() const { return device_; }
  std::uint64_t programmed = 0;  ///< bytes

 private:
  static const bzscr_store_device& of(void* self) {
    return static_cast<CountingDevice*>(self)->other_;
  }

  const bzscr_store_device& other_;
  bzscr_store_device device_;
};

}  // namespace bzscr::bench
