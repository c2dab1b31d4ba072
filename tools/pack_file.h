#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Packs of classes and keys as files, for bzscr-classes. Everything throws std::runtime_error,
/// "PATH: why".
namespace bzscr::cli {

enum class ChangeKind : std::uint8_t {
  kSet = 1,
  kReplace = 2,
  kRemove = 3,
  kRename = 4
};                                      // schema/class_pack.fbs
const char* word_for(ChangeKind kind);  ///< "set"

struct PackChange {
  ChangeKind kind;
  std::uint32_t id;
  std::string name;        ///< empty: none
  std::vector<float> phi;  ///< empty: none
};

struct PackContents {
  std::vector<std::uint8_t> model_hash;
  std::string embedding_name;
  std::uint32_t dimension = 0;
  std::uint64_t counter = 0;
  std::vector<PackChange> changes;
  std::string program;
};

using KeyId = std::array<std::uint8_t, 8>;

struct PublicKey {
  std::array<std::uint8_t, 32> bytes;
  KeyId id() const;
};
struct SecretKey {
  std::array<std::uint8_t, 64> bytes;
  PublicKey open() const;  ///< the public half
};

/// A key is a line of text: what it is, its id, its bytes in hexadecimal.
SecretKey new_key();
std::string key_line(const PublicKey& key);
std::string key_line(const SecretKey& key);
PublicKey read_public_key(const std::string& path);
SecretKey read_secret_key(const std::string& path);

/// The bytes of a pack's file (schema/FORMAT.md), signed where there is a key. The same input gives
/// the same bytes.
std::vector<std::uint8_t> pack_bytes(const PackContents& contents,
                                     const std::optional<SecretKey>& key);

struct PackFile {
  PackContents contents;
  bool is_signed = false;
  KeyId key_id{};
};

/// Reads a pack, all its rules checked. With keys: throws unless one of them signed it.
PackFile read_pack(const std::string& path, const std::vector<PublicKey>& keys = {});

/// The bytes of keys, one after the other, as the store takes them.
std::vector<std::uint8_t> joined(const std::vector<PublicKey>& keys);

}  // namespace bzscr::cli
