#include "support/pack_builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bzscr::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

std::vector<std::uint8_t> payload(const TestPack& pack) {
  FlatBufferBuilder builder;
  std::vector<Offset<format::Change>> changes;
  for (const TestChange& each : pack.changes) {
    const bool named = each.with_name || !each.name.empty();
    const auto name = named ? builder.CreateString(each.name) : Offset<flatbuffers::String>();
    const auto phi =
        each.phi.empty() ? Offset<flatbuffers::Vector<float>>() : builder.CreateVector(each.phi);
    const auto sum =
        each.sum.empty() ? Offset<flatbuffers::Vector<float>>() : builder.CreateVector(each.sum);
    changes.push_back(
        format::CreateChange(builder, each.kind, each.id, name, phi, sum, each.count));
  }
  const auto list = builder.CreateVector(changes);
  const auto hash = builder.CreateVector(pack.model_hash);
  const auto embedding = builder.CreateString(pack.embedding_name);
  const auto contents = format::CreateClassPack(builder, hash, embedding, pack.dimension,
                                                pack.counter, list, 0, pack.model_check);
  builder.Finish(contents, pack.payload_identifier);
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// The signed bytes as FORMAT.md defines them: a copy of the header, then the payload.
std::vector<std::uint8_t> text_to_sign(const TestPack& pack,
                                       const std::vector<std::uint8_t>& key_id,
                                       const std::vector<std::uint8_t>& payload) {
  const std::uint8_t header[] = {'B',
                                 'Z',
                                 'S',
                                 'C',
                                 static_cast<std::uint8_t>(pack.kind),
                                 0,
                                 static_cast<std::uint8_t>(pack.format_version),
                                 static_cast<std::uint8_t>(pack.format_version >> 8)};
  std::vector<std::uint8_t> text(sizeof header + key_id.size() + payload.size());
  auto at = std::copy(std::begin(header), std::end(header), text.begin());
  at = std::copy(key_id.begin(), key_id.end(), at);
  std::copy(payload.begin(), payload.end(), at);
  return text;
}

}  // namespace

TestPack pack_for(const TestModel& model, std::uint64_t counter, std::vector<TestChange> changes) {
  TestPack pack;
  pack.model_hash.assign(16, 0xAB);
  pack.embedding_name = "hypernyms";
  pack.dimension = model.d;
  pack.counter = counter;
  pack.changes = std::move(changes);
  for (const TestChange& each : pack.changes)
    if (each.kind == format::ChangeKind::Teach) {
      pack.format_version = 2;
      pack.model_check = format::GetEnvelope(serialise(model).data())->payload_crc32c();
    }
  return pack;
}

AlignedBytes serialise(const TestPack& pack) {
  const std::vector<std::uint8_t> inner = payload(pack);
  std::vector<std::uint8_t> key_id = pack.key_id, signature = pack.signature;
  if (pack.key != nullptr) {
    if (key_id.empty()) key_id.assign(pack.key->id.begin(), pack.key->id.end());
    if (signature.empty()) signature = pack.key->sign(text_to_sign(pack, key_id, inner));
  }
  FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  builder.ForceVectorAlignment(inner.size(), 1, 32);
  const auto bytes = builder.CreateVector(inner);
  const auto optional = [&](const std::vector<std::uint8_t>& values) {
    return values.empty() ? Offset<flatbuffers::Vector<std::uint8_t>>()
                          : builder.CreateVector(values);
  };
  const auto id = optional(key_id);
  const auto signed_by = optional(signature);
  builder.Finish(
      format::CreateEnvelope(builder, pack.kind, pack.format_version, 0, 0, id, signed_by, bytes),
      "BZSC");
  AlignedBytes file(builder.GetBufferPointer(), builder.GetSize());
  repair_checksums(file);
  return file;
}

}  // namespace bzscr::test
