#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct XXH3_state_s;

namespace bzscr {

/// XXH3-128 of a sequence of parts, streamed. Each part starts with its name, and arrays and texts
/// are preceded by their size, so that two different sequences never give the same bytes.
class ContentHash {
 public:
  ContentHash();

  void begin(const std::string& part) { add_text(part); }
  /// Adds raw bytes. Call add_number() with their size before.
  void add_bytes(const void* bytes, std::size_t size);
  void add_number(std::uint64_t value);
  void add_text(const std::string& text);

  std::array<std::uint8_t, 16> digest() const;  ///< canonical form, big-endian

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace bzscr
