// Compares the check of structures with the verifiers that flatc generates.
#include "well_formed.h"

#include <bzscr_schema/class_pack_generated.h>

#include "support/model_builder.h"
#include "support/pack_builder.h"

#include <doctest/doctest.h>

#include <vector>

using namespace bzscr;
using namespace bzscr::test;

namespace {

bool ours(flatbuffers::Verifier& verifier, const std::uint8_t* bytes, const format::Model*) {
  const auto* model = rt::well_formed_root<format::Model>(verifier, bytes);
  if (model == nullptr || model->u() == nullptr || model->v() == nullptr || model->w() == nullptr ||
      model->transform() == nullptr || model->classes() == nullptr ||
      model->class_embeddings() == nullptr || !rt::is_well_formed(verifier, model->transform()) ||
      !rt::is_well_formed(verifier, model->training()) ||
      !rt::is_well_formed(verifier, model->teaching()) ||
      !rt::are_well_formed(verifier, *model->classes()))
    return false;
  for (const format::Class* one : *model->classes())
    if (one->name() == nullptr) return false;
  return true;
}

bool ours(flatbuffers::Verifier& verifier, const std::uint8_t* bytes, const format::ClassPack*) {
  const auto* pack = rt::well_formed_root<format::ClassPack>(verifier, bytes);
  return pack != nullptr && pack->model_hash() != nullptr && pack->embedding_name() != nullptr &&
         pack->changes() != nullptr && rt::are_well_formed(verifier, *pack->changes());
}

bool ours(flatbuffers::Verifier& verifier, const std::uint8_t* bytes, const format::Envelope*) {
  const auto* envelope = rt::well_formed_root<format::Envelope>(verifier, bytes);
  return envelope != nullptr && envelope->payload() != nullptr;
}

template <class Root>
void compare(const AlignedBytes& bytes) {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  const auto check = [&](std::size_t size) {
    const AlignedBytes exact(bytes.data(), size);  // a sanitizer reports any access past its end
    constexpr std::uint32_t kDepth = 8, kTables = 1000;
    flatbuffers::Verifier one(exact.data(), size, kDepth, kTables);
    flatbuffers::Verifier other(exact.data(), size, kDepth, kTables);
    const bool expected = other.VerifyBuffer<Root>(nullptr);
    CHECK(ours(one, exact.data(), static_cast<const Root*>(nullptr)) == expected);
    ++(expected ? accepted : refused);
  };
  for (std::size_t size = 8; size <= bytes.size(); ++size) check(size);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const std::uint8_t before = bytes.data()[at];
    for (const int value : {0x00, 0x01, 0x02, 0x04, 0x08, 0x7F, 0x80, 0xFF, before ^ 1, before + 4,
                            before - 4, before + 8, before ^ 0x10}) {
      bytes.data()[at] = static_cast<std::uint8_t>(value);
      check(bytes.size());
    }
    bytes.data()[at] = before;
  }
  CHECK(accepted > 0);
  CHECK(refused > 0);
}

AlignedBytes payload_of(const AlignedBytes& file) {
  const auto* payload = format::GetEnvelope(file.data())->payload();
  return {payload->data(), payload->size()};
}

}  // namespace

TEST_CASE(
    "files that are cut or have any byte changed are accepted if flatc's verifiers accept them") {
  TestModel model = random_model_with_forms(3, 2, 2, 3, format::ScoreForm::Half);
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = {0.25f, -0.5f};
  model.parts = {1, 1};
  model.teaching->accuracy = {0.5f};
  model.teaching->shots = {1};
  const AlignedBytes file = serialise(model);
  compare<format::Envelope>(file);
  compare<format::Model>(payload_of(file));
  using Kind = format::ChangeKind;
  TestPack pack = pack_for(random_model(3, 2, 2, 4), 1,
                           {{Kind::Set, 5, "okapi", {1, 2}}, {Kind::Remove, 3, "", {}}});
  pack.key_id.assign(8, 1);
  pack.signature.assign(64, 2);
  compare<format::Envelope>(serialise(pack));
  compare<format::ClassPack>(payload_of(serialise(pack)));
}
