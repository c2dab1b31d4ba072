#pragma once

#include "support/model_builder.h"

#include <bzscr_schema/class_pack_generated.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Packs of classes for tests, written without the tool.
namespace bzscr::test {

struct TestChange {
  format::ChangeKind kind;
  std::uint32_t id;
  std::string name;        ///< written if not empty, or with_name
  std::vector<float> phi;  ///< written if not empty
  bool with_name = false;
  std::vector<float> sum = {};  ///< written if not empty
  float count = 0;              ///< likewise, if not 0
};

struct TestKey {
  std::array<std::uint8_t, 32> open;
  std::array<std::uint8_t, 8> id;
  std::function<std::vector<std::uint8_t>(const std::vector<std::uint8_t>& text)> sign;
};
TestKey make_key(unsigned seed);  ///< in test_key.cpp, the only part that needs libsodium

/// The contents of a pack. They are not checked, so that a test can break any rule.
struct TestPack {
  std::vector<std::uint8_t> model_hash;
  std::string embedding_name;
  std::uint32_t dimension = 0;
  std::uint64_t counter = 1;
  std::vector<TestChange> changes;

  format::Kind kind = format::Kind::ClassPack;
  std::uint16_t format_version = 1;
  std::uint32_t model_check = 0;  ///< written if not 0
  const char* payload_identifier = "BZSP";
  const TestKey* key = nullptr;                 ///< signs it
  std::vector<std::uint8_t> key_id, signature;  ///< written unchanged if not empty
};

/// A pack that fits the models of model_builder.h.
TestPack pack_for(const TestModel& model, std::uint64_t counter, std::vector<TestChange> changes);

AlignedBytes serialise(const TestPack& pack);

}  // namespace bzscr::test
