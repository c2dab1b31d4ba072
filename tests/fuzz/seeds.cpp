// Writes the seeds of the fuzz targets: valid models, packs and devices. Usage: fuzz_seeds FOLDER
#include "fuzz.h"
#include "support/pack_builder.h"

#include <filesystem>
#include <fstream>
#include <string>

using namespace bzscr;
using namespace bzscr::test;

namespace {

void write(const std::filesystem::path& path, const std::uint8_t* bytes, std::size_t size) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  fuzz::require(file.good(), "the seed is written");
}

void write(const std::filesystem::path& path, const AlignedBytes& bytes) {
  write(path, bytes.data(), bytes.size());
}

// Writes the byte that selects the device, then the device's content after some changes.
void write_device(const std::filesystem::path& path, std::uint8_t choice, fuzz::Memory memory) {
  fuzz::Host host;
  host.config.create = 1;
  fuzz::require(host.open(memory.device()) == BZSCR_STORE_OK, "the device becomes a store");
  const float phi[] = {1, 2};
  const bzscr_store_change changes[] = {{BZSCR_STORE_SET, 5, "okapi", phi},
                                        {BZSCR_STORE_REMOVE, 3, nullptr, nullptr},
                                        {BZSCR_STORE_RENAME, 13, "gnu", nullptr},
                                        {BZSCR_STORE_REPLACE, 23, nullptr, phi}};
  for (const bzscr_store_change& each : changes)
    fuzz::require(bzscr_store_change_classes(host.store(), &each, 1, nullptr) == BZSCR_STORE_OK,
                  "a change is made");
  if (choice >= 4)
    fuzz::require(bzscr_store_compact(host.store()) == BZSCR_STORE_OK, "the store is compacted");
  std::vector<std::uint8_t> bytes = {choice};
  bytes.insert(bytes.end(), memory.bytes.begin(), memory.bytes.end());
  write(path, bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  TestModel model = random_model(3, 2, 2, 3);
  write(folder / "model/plain", serialise(model));
  model.feature_scaling = format::FeatureScaling::Unit;
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = {0.25f, -0.5f};
  model.seen_penalty = 0.125f;
  write(folder / "model/scaled", serialise(model));
  model.with_training = false;
  model.parts = {1, 1};
  model.format_version = 2;
  write(folder / "model/parts", serialise(model));
  model = random_model_with_forms(3, 2, 2, 3, format::ScoreForm::Half);
  write(folder / "model/forms", serialise(model));

  using Kind = format::ChangeKind;
  TestPack pack = pack_for(random_model(3, 2, 2, 4), 1,
                           {{Kind::Set, 5, "okapi", {1, 2}},
                            {Kind::Remove, 3, "", {}},
                            {Kind::Rename, 13, "gnu", {}},
                            {Kind::Replace, 23, "", {3, 4}}});
  write(folder / "pack/plain", serialise(pack));
  const TestKey key = make_key(1);
  pack.key = &key;
  write(folder / "pack/signed", serialise(pack));

  write_device(folder / "log/changes", 0, {256, 8, 4, 0xFF});
  write_device(folder / "log/snapshot", 4 + 1, {1024, 2, 1, 0xFF});
  write_device(folder / "log/zeros", 4 + 2, {512, 4, 16, 0x00});
  return 0;
}
