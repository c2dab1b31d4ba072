#include "pack_builder.h"

#include <sodium.h>

#include <algorithm>

namespace bzscr::test {

TestKey make_key(unsigned seed) {
  std::array<std::uint8_t, crypto_sign_SEEDBYTES> bytes{};
  bytes[0] = static_cast<std::uint8_t>(seed);
  std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES> secret;
  TestKey key;
  crypto_sign_seed_keypair(key.open.data(), secret.data(), bytes.data());
  std::array<std::uint8_t, crypto_hash_sha512_BYTES> hash;
  crypto_hash_sha512(hash.data(), key.open.data(), key.open.size());
  std::copy_n(hash.begin(), key.id.size(), key.id.begin());
  key.sign = [secret](const std::vector<std::uint8_t>& text) {
    crypto_sign_state state;
    crypto_sign_init(&state);
    crypto_sign_update(&state, text.data(), text.size());
    std::vector<std::uint8_t> signature(crypto_sign_BYTES);
    crypto_sign_final_create(&state, signature.data(), nullptr, secret.data());
    return signature;
  };
  return key;
}

}  // namespace bzscr::test
