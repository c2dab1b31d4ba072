#include "bzscr_pack/bzscr_pack.hpp"
#include "files.h"

#include <bzscr_schema/format.h>
#include <sodium.h>

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace bzscr::pack {
namespace {

static_assert(std::tuple_size_v<KeyId> == format::kKeyIdBytes);
static_assert(sizeof(PublicKey) == format::kPublicKeyBytes);
static_assert(sizeof(SecretKey) == crypto_sign_SECRETKEYBYTES);

constexpr const char* kPublicWord = "bzscr-public-key";
constexpr const char* kSecretWord = "bzscr-secret-key";

std::string line_of(const char* kind, const KeyId& id, const std::uint8_t* bytes,
                    std::size_t size) {
  return std::string(kind) + " " + hexadecimal(id.data(), id.size()) + " " +
         hexadecimal(bytes, size) + "\n";
}

template <class Key>
Key read_key(const std::string& path, const std::string& kind) {
  constexpr std::size_t kBytes = sizeof(Key::bytes);
  const std::string text = read_text(path);
  std::vector<std::string> words;
  for (std::size_t at = 0, end; (at = text.find_first_not_of(" \t\r\n", at)) != text.npos;
       at = end) {
    end = std::min(text.find_first_of(" \t\r\n", at), text.size());
    words.push_back(text.substr(at, end - at));
  }
  if (words.size() != 3 || words[0] != kind || words[2].size() != 2 * kBytes)
    throw Error(path, "not a " + kind + "; expected a line \"" + kind + " ID " +
                          std::to_string(2 * kBytes) + " hexadecimal digits\"");
  Key key;
  std::size_t done = 0;
  if (sodium_hex2bin(key.bytes.data(), kBytes, words[2].data(), words[2].size(), nullptr, &done,
                     nullptr) != 0 ||
      done != kBytes)
    throw Error(path, "its third word is not hexadecimal");
  return key;
}

}  // namespace

KeyId PublicKey::id() const {
  std::array<std::uint8_t, crypto_hash_sha512_BYTES> hash;
  crypto_hash_sha512(hash.data(), bytes.data(), bytes.size());
  KeyId id;
  std::copy_n(hash.begin(), id.size(), id.begin());
  return id;
}

PublicKey SecretKey::public_key() const {
  PublicKey key;
  crypto_sign_ed25519_sk_to_pk(key.bytes.data(), bytes.data());
  return key;
}

SecretKey new_key() {
  if (sodium_init() < 0) throw std::runtime_error("this system gives no random numbers");
  SecretKey key;
  PublicKey unused;
  crypto_sign_keypair(unused.bytes.data(), key.bytes.data());
  return key;
}

void write_key_pair(const SecretKey& key, const std::string& name) {
  const std::string secret = name + ".key", open = name + ".pub";
  for (const std::string& path : {secret, open})
    if (exists(path)) throw Error(path, "is there already; a key is never overwritten");
  const PublicKey public_key = key.public_key();
  write_new(secret, line_of(kSecretWord, public_key.id(), key.bytes.data(), key.bytes.size()),
            0600);
  try {
    write_new(
        open,
        line_of(kPublicWord, public_key.id(), public_key.bytes.data(), public_key.bytes.size()),
        0666);
  } catch (const Error&) {  // half a pair is of no use, and would be in the way of the next
    std::remove(secret.c_str());
    throw;
  }
}

PublicKey read_public_key(const std::string& path) {
  return read_key<PublicKey>(path, kPublicWord);
}

SecretKey read_secret_key(const std::string& path) {
  return read_key<SecretKey>(path, kSecretWord);
}

std::vector<std::uint8_t> read_public_keys(const std::vector<std::string>& paths) {
  std::vector<std::uint8_t> all;
  for (const std::string& path : paths) {
    const PublicKey key = read_public_key(path);
    all.insert(all.end(), key.bytes.begin(), key.bytes.end());
  }
  return all;
}

std::string hexadecimal(const std::uint8_t* bytes, std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

}  // namespace bzscr::pack
