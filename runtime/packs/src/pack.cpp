#include "bzscr_pack/bzscr_pack.hpp"
#include "files.h"
#include "signing.h"

#include <bzscr_schema/class_pack_generated.h>
#include <bzscr_schema/envelope_writer.h>
#include <bzscr_store/bzscr_store.h>

#include <algorithm>

namespace bzscr::pack {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr bool same(ChangeKind ours, format::ChangeKind theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(same(ChangeKind::kSet, format::ChangeKind::Set) &&
              same(ChangeKind::kReplace, format::ChangeKind::Replace) &&
              same(ChangeKind::kRemove, format::ChangeKind::Remove) &&
              same(ChangeKind::kRename, format::ChangeKind::Rename) &&
              same(ChangeKind::kTeach, format::ChangeKind::Teach));

bool teaches(const Contents& contents) {
  return std::any_of(contents.changes.begin(), contents.changes.end(),
                     [](const Change& each) { return each.kind == ChangeKind::kTeach; });
}

std::vector<std::uint8_t> payload_of(const Contents& contents) {
  FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  std::vector<Offset<format::Change>> changes;
  for (const Change& each : contents.changes) {
    const auto name =
        each.name.empty() ? Offset<flatbuffers::String>() : builder.CreateString(each.name);
    const auto phi =
        each.phi.empty() ? Offset<flatbuffers::Vector<float>>() : builder.CreateVector(each.phi);
    const auto sum =
        each.sum.empty() ? Offset<flatbuffers::Vector<float>>() : builder.CreateVector(each.sum);
    format::ChangeBuilder change(builder);
    if (each.kind == ChangeKind::kTeach) {  // absent in packs of the first version
      change.add_count(each.count);
      change.add_examples(sum);
    }
    change.add_embedding(phi);
    change.add_name(name);
    change.add_id(each.id);
    change.add_kind(static_cast<format::ChangeKind>(each.kind));
    changes.push_back(change.Finish());
  }
  const auto list = builder.CreateVector(changes);
  const auto hash = builder.CreateVector(contents.model_hash);
  const auto embedding = builder.CreateString(contents.embedding_name);
  const auto program = builder.CreateString(contents.program);
  format::ClassPackBuilder pack(builder);
  pack.add_counter(contents.counter);
  if (teaches(contents)) pack.add_model_check(contents.model_check);
  pack.add_program(program);
  pack.add_changes(list);
  pack.add_embedding_dimension(contents.dimension);
  pack.add_embedding_name(embedding);
  pack.add_model_hash(hash);
  builder.Finish(pack.Finish(), format::ClassPackIdentifier());
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

}  // namespace

const char* word_for(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kSet: return "set";
    case ChangeKind::kReplace: return "replace";
    case ChangeKind::kRemove: return "remove";
    case ChangeKind::kRename: return "rename";
    case ChangeKind::kTeach: return "teach";
  }
  return "?";
}

std::vector<std::uint8_t> serialise(const Contents& contents, const std::optional<SecretKey>& key) {
  const std::vector<std::uint8_t> payload = payload_of(contents);
  const std::uint16_t version =
      teaches(contents) ? format::kPackVersionWithExamples : format::kOldestPackVersion;
  std::optional<format::EnvelopeSignature> signature;
  if (key) signature = sign(*key, format::Kind::ClassPack, version, payload.data(), payload.size());
  return format::write_envelope(format::Kind::ClassPack, version, payload.data(), payload.size(),
                                signature ? &*signature : nullptr);
}

void write(const Contents& contents, const std::optional<SecretKey>& key, const std::string& path) {
  write(serialise(contents, key), path);
}

void write(const std::vector<std::uint8_t>& file, const std::string& path) {
  write_atomically(path, file);
}

Pack read(const std::string& path, const std::vector<std::uint8_t>& keys) {
  const Memory file = read_aligned(path);
  require_good(bzscr_store_verify_pack(file.data(), file.size(), keys.data(), count_of(keys)), path,
               file);

  // Verified by now.
  const format::Envelope& envelope = *format::GetEnvelope(file.data());
  const format::ClassPack& pack = *format::GetClassPack(envelope.payload()->data());
  Pack read;
  const std::optional<KeyId> signer = signer_of(envelope);
  read.is_signed = signer.has_value();
  if (signer) read.key_id = *signer;
  Contents& contents = read.contents;
  contents.model_hash.assign(pack.model_hash()->begin(), pack.model_hash()->end());
  contents.embedding_name = pack.embedding_name()->str();
  contents.dimension = pack.embedding_dimension();
  contents.counter = pack.counter();
  if (pack.program() != nullptr) contents.program = pack.program()->str();
  contents.model_check = pack.model_check();
  for (const format::Change* each : *pack.changes()) {
    Change change{static_cast<ChangeKind>(each->kind()), each->id(), "", {}};
    if (each->name() != nullptr) change.name = each->name()->str();
    if (each->embedding() != nullptr)
      change.phi.assign(each->embedding()->begin(), each->embedding()->end());
    if (each->examples() != nullptr)
      change.sum.assign(each->examples()->begin(), each->examples()->end());
    change.count = each->count();
    contents.changes.push_back(std::move(change));
  }
  return read;
}

}  // namespace bzscr::pack
