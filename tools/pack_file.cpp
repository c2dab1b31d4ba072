#include "pack_file.h"

#include "export/envelope_writer.h"
#include "support/cli_support.h"

#include <bzscr_schema/class_pack_generated.h>
#include <bzscr_store/bzscr_store.h>
#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace bzscr::cli {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr std::uint16_t kPackVersion = 1;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

std::vector<std::uint8_t> payload_of(const PackContents& contents) {
  FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  std::vector<Offset<format::Change>> changes;
  for (const PackChange& each : contents.changes) {
    const auto name =
        each.name.empty() ? Offset<flatbuffers::String>() : builder.CreateString(each.name);
    const auto phi =
        each.phi.empty() ? Offset<flatbuffers::Vector<float>>() : builder.CreateVector(each.phi);
    changes.push_back(format::CreateChange(builder, static_cast<format::ChangeKind>(each.kind),
                                           each.id, name, phi));
  }
  const auto list = builder.CreateVector(changes);
  const auto hash = builder.CreateVector(contents.model_hash);
  const auto embedding = builder.CreateString(contents.embedding_name);
  const auto program = builder.CreateString(contents.program);
  const auto pack = format::CreateClassPack(builder, hash, embedding, contents.dimension,
                                            contents.counter, list, program);
  builder.Finish(pack, format::ClassPackIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::array<std::uint8_t, crypto_sign_BYTES> signature_of(const SecretKey& key, const KeyId& id,
                                                         const std::vector<std::uint8_t>& payload) {
  std::array<std::uint8_t, 16> header = {
      'B', 'Z', 'S', 'C', static_cast<std::uint8_t>(format::Kind::ClassPack), 0, kPackVersion, 0};
  std::copy(id.begin(), id.end(), header.begin() + 8);
  crypto_sign_state state;
  crypto_sign_init(&state);
  crypto_sign_update(&state, header.data(), header.size());
  crypto_sign_update(&state, payload.data(), payload.size());
  std::array<std::uint8_t, crypto_sign_BYTES> signature;
  crypto_sign_final_create(&state, signature.data(), nullptr, key.bytes.data());
  return signature;
}

template <std::size_t N>
std::array<std::uint8_t, N> read_key(const std::string& path, const std::string& kind) {
  std::ifstream file(path);
  std::string word, id, text;
  if (!(file >> word >> id >> text) || word != kind || text.size() != 2 * N)
    fail(path, fmt::format("not a {}; expected a line \"{} ID {} hexadecimal digits\"", kind, kind,
                           2 * N));
  std::array<std::uint8_t, N> bytes;
  std::size_t done = 0;
  if (sodium_hex2bin(bytes.data(), N, text.data(), text.size(), nullptr, &done, nullptr) != 0 ||
      done != N)
    fail(path, "its third word is not hexadecimal");
  return bytes;
}

}  // namespace

const char* word_for(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kSet: return "set";
    case ChangeKind::kReplace: return "replace";
    case ChangeKind::kRemove: return "remove";
    case ChangeKind::kRename: return "rename";
  }
  return "?";
}

KeyId PublicKey::id() const {
  std::array<std::uint8_t, crypto_hash_sha512_BYTES> hash;
  crypto_hash_sha512(hash.data(), bytes.data(), bytes.size());
  KeyId id;
  std::copy_n(hash.begin(), id.size(), id.begin());
  return id;
}

PublicKey SecretKey::open() const {
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

std::string key_line(const PublicKey& key) {
  return fmt::format("bzscr-public-key {} {}\n", hexadecimal(key.id().data(), 8),
                     hexadecimal(key.bytes.data(), key.bytes.size()));
}

std::string key_line(const SecretKey& key) {
  return fmt::format("bzscr-secret-key {} {}\n", hexadecimal(key.open().id().data(), 8),
                     hexadecimal(key.bytes.data(), key.bytes.size()));
}

PublicKey read_public_key(const std::string& path) {
  return {read_key<32>(path, "bzscr-public-key")};
}

SecretKey read_secret_key(const std::string& path) {
  return {read_key<64>(path, "bzscr-secret-key")};
}

std::vector<std::uint8_t> pack_bytes(const PackContents& contents,
                                     const std::optional<SecretKey>& key) {
  const std::vector<std::uint8_t> inner = payload_of(contents);
  if (!key)
    return write_envelope(format::Kind::ClassPack, kPackVersion, inner.data(), inner.size());
  const KeyId id = key->open().id();
  const EnvelopeSignature signature{id, signature_of(*key, id, inner)};
  return write_envelope(format::Kind::ClassPack, kPackVersion, inner.data(), inner.size(),
                        &signature);
}

std::vector<std::uint8_t> joined(const std::vector<PublicKey>& keys) {
  std::vector<std::uint8_t> bytes;
  for (const PublicKey& key : keys) bytes.insert(bytes.end(), key.bytes.begin(), key.bytes.end());
  return bytes;
}

PackFile read_pack(const std::string& path, const std::vector<PublicKey>& keys) {
  const AlignedFile file = read_aligned(path);
  const std::vector<std::uint8_t> key_bytes = joined(keys);
  const bzscr_store_status status = bzscr_store_verify_pack(
      file.bytes.get(), file.size, key_bytes.data(), static_cast<std::uint32_t>(keys.size()));
  if (status != BZSCR_STORE_OK) fail(path, bzscr_store_status_text(status));

  // Verified by now.
  const format::Envelope& envelope = *format::GetEnvelope(file.bytes.get());
  const format::ClassPack& pack = *format::GetClassPack(envelope.payload()->data());
  PackFile read;
  read.is_signed = envelope.signature() != nullptr;
  if (read.is_signed)
    std::copy(envelope.key_id()->begin(), envelope.key_id()->end(), read.key_id.begin());
  PackContents& contents = read.contents;
  contents.model_hash.assign(pack.model_hash()->begin(), pack.model_hash()->end());
  contents.embedding_name = pack.embedding_name()->str();
  contents.dimension = pack.embedding_dimension();
  contents.counter = pack.counter();
  if (pack.program() != nullptr) contents.program = pack.program()->str();
  for (const format::Change* each : *pack.changes()) {
    PackChange change{static_cast<ChangeKind>(each->kind()), each->id(), "", {}};
    if (each->name() != nullptr) change.name = each->name()->str();
    if (each->embedding() != nullptr)
      change.phi.assign(each->embedding()->begin(), each->embedding()->end());
    contents.changes.push_back(std::move(change));
  }
  return read;
}

}  // namespace bzscr::cli
