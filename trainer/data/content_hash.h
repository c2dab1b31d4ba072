#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

struct XXH3_state_s;

namespace bzscr {

/// XXH3-128 of a sequence of parts, streamed. A part begins with its name, its size goes before
/// what has one, so no two sequences of parts give the same bytes.
class ContentHash {
 public:
  ContentHash();

  void begin(const std::string& part) { add_text(part); }
  void add_bytes(const void* bytes,
                 std::size_t size);  ///< raw: state the size before, with add_number
  void add_number(std::uint64_t value);
  void add_text(const std::string& text);

  std::array<std::uint8_t, 16> digest() const;  ///< in the canonical, big-endian form

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace bzscr
