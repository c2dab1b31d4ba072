#include "data/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <new>

namespace bzscr {

void ContentHash::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

ContentHash::ContentHash() : state_(XXH3_createState()) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

void ContentHash::add_bytes(const void* bytes, std::size_t size) {
  XXH3_128bits_update(state_.get(), bytes, size);
}

void ContentHash::add_number(std::uint64_t value) {
  std::uint8_t little_endian[8];
  for (int i = 0; i < 8; ++i) little_endian[i] = static_cast<std::uint8_t>(value >> (8 * i));
  add_bytes(little_endian, sizeof little_endian);
}

void ContentHash::add_text(const std::string& text) {
  add_number(text.size());
  add_bytes(text.data(), text.size());
}

std::array<std::uint8_t, 16> ContentHash::digest() const {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state_.get()));
  std::array<std::uint8_t, 16> result{};
  std::copy(std::begin(canonical.digest), std::end(canonical.digest), result.begin());
  return result;
}

}  // namespace bzscr
