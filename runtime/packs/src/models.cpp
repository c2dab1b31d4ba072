#include "bzscr_pack/bzscr_pack.hpp"
#include "files.h"
#include "signing.h"

#include <bzscr_schema/model_generated.h>
#include <bzscr_rt/bzscr_rt.hpp>

namespace bzscr::pack {
namespace {

/// Verifies the file as a device does.
bzscr_rt_info open(const std::string& path, const Memory& file) try {
  return Scorer(file.data(), file.size()).info();
} catch (const bzscr::Error& error) {
  throw Error(path, error.what());
}

}  // namespace

bool is_model(const std::string& path) {
  const Memory file = read_aligned(path);
  flatbuffers::Verifier verifier(file.data(), file.size());
  constexpr std::size_t kIdentified = 8;
  return file.size() >= kIdentified && format::VerifyEnvelopeBuffer(verifier) &&
         format::GetEnvelope(file.data())->kind() == format::Kind::Model;
}

ModelFile read_model(const std::string& path, const std::vector<std::uint8_t>& keys) {
  const Memory file = read_aligned(path);
  if (const std::uint32_t count = count_of(keys))
    require_good(bzscr_store_verify_model(file.data(), file.size(), keys.data(), count), path,
                 file);
  const bzscr_rt_info info = open(path, file);

  // Verified by now.
  const format::Envelope& envelope = *format::GetEnvelope(file.data());
  const format::Training* training = format::GetModel(envelope.payload()->data())->training();
  ModelFile read;
  const std::optional<KeyId> signer = signer_of(envelope);
  read.is_signed = signer.has_value();
  if (signer) read.key_id = *signer;
  if (training != nullptr && training->data_hash() != nullptr)
    read.data_hash.assign(training->data_hash()->begin(), training->data_hash()->end());
  if (training != nullptr && training->embedding_name() != nullptr)
    read.embedding_name = training->embedding_name()->str();
  read.dimension = info.embedding_dimension;
  read.classes = info.classes;
  return read;
}

std::vector<std::uint8_t> sign_model(const std::string& path, const SecretKey& key) {
  const Memory file = read_aligned(path);
  open(path, file);
  const format::Envelope& envelope = *format::GetEnvelope(file.data());
  const auto& payload = *envelope.payload();
  const format::EnvelopeSignature signature =
      sign(key, format::Kind::Model, envelope.format_version(), payload.data(), payload.size());
  return format::write_envelope(format::Kind::Model, envelope.format_version(), payload.data(),
                                payload.size(), &signature);
}

}  // namespace bzscr::pack
