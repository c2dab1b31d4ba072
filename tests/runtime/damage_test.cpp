#include "opened_model.h"

#include <cstring>
#include <functional>
#include <limits>

using namespace bzscr;
using namespace bzscr::test;

namespace {

TestModel small_model() {
  TestModel model = random_model(3, 2, 2, 3);
  model.feature_scaling = format::FeatureScaling::Unit;
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = {0.25f, -0.5f};
  model.seen_penalty = 0.125f;
  return model;
}

bzscr_rt_status status_after(const std::function<void(TestModel&)>& change) {
  TestModel model = small_model();
  change(model);
  return status_of(serialise(model));
}

// Checks that the changed model is DAMAGED; `what` names the broken rule.
void damaged(const char* what, const std::function<void(TestModel&)>& change) {
  CAPTURE(what);
  CHECK(status_after(change) == BZSCR_RT_DAMAGED);
}

std::vector<std::uint8_t> with_bytes_after(const AlignedBytes& file, std::size_t extra) {
  std::vector<std::uint8_t> longer(file.data(), file.data() + file.size());
  longer.resize(file.size() + extra);
  return longer;
}

}  // namespace

TEST_CASE("the unchanged small model is accepted") {
  CHECK(status_of(serialise(small_model())) == BZSCR_RT_OK);
}

TEST_CASE("no truncated file is accepted") {
  const AlignedBytes file = serialise(small_model());
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    CHECK(status_of(file.first(size)) == (size < 8 ? BZSCR_RT_NOT_A_MODEL : BZSCR_RT_DAMAGED));
  }
}

TEST_CASE("no file with bytes after its end is accepted") {
  const AlignedBytes file = serialise(small_model());
  for (const std::size_t extra : {1u, 2u, 4u, 8u, 32u, 4096u}) {
    const std::vector<std::uint8_t> longer = with_bytes_after(file, extra);
    CHECK(status_of({longer.data(), longer.size()}) == BZSCR_RT_DAMAGED);
  }
}

TEST_CASE("no flipped bit is accepted") {
  const AlignedBytes file = serialise(small_model());
  for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
    CAPTURE(bit);
    file.data()[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    const bool in_identifier = bit / 8 >= 4 && bit / 8 < 8;
    CHECK(status_of(file) == (in_identifier ? BZSCR_RT_NOT_A_MODEL : BZSCR_RT_DAMAGED));
    file.data()[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  }
  CHECK(status_of(file) == BZSCR_RT_OK);
}

TEST_CASE("no byte set to another value is accepted") {
  const AlignedBytes file = serialise(small_model());
  for (std::size_t at = 0; at < file.size(); ++at)
    for (const int each : {0x00, 0x7F, 0x80, 0xFF}) {
      const auto value = static_cast<std::uint8_t>(each);
      const std::uint8_t before = file.data()[at];
      if (value == before) continue;
      file.data()[at] = value;
      CHECK(status_of(file) != BZSCR_RT_OK);
      file.data()[at] = before;
    }
}

TEST_CASE("a foreign file, an old or new format and another kind have different statuses") {
  CHECK(status_after([](TestModel& model) { model.file_identifier = "TFL3"; }) ==
        BZSCR_RT_NOT_A_MODEL);
  CHECK(status_after([](TestModel& model) { model.format_version = 0; }) == BZSCR_RT_TOO_OLD);
  CHECK(status_after([](TestModel& model) { model.format_version = 4; }) == BZSCR_RT_TOO_NEW);
  CHECK(status_after([](TestModel& model) { model.kind = format::Kind::ClassPack; }) ==
        BZSCR_RT_WRONG_KIND);
  CHECK(status_after([](TestModel& model) { model.kind = static_cast<format::Kind>(77); }) ==
        BZSCR_RT_WRONG_KIND);
  CHECK(status_of(AlignedBytes(reinterpret_cast<const std::uint8_t*>("PK\3\4, a zip file perhaps"),
                               24)) == BZSCR_RT_NOT_A_MODEL);
  CHECK(status_of(AlignedBytes(std::size_t{0})) == BZSCR_RT_NOT_A_MODEL);
}

TEST_CASE("a payload with another identifier in a valid envelope is refused") {
  damaged("identifier", [](TestModel& model) { model.payload_identifier = "BZSP"; });
}

TEST_CASE("a file whose checksums are absent is refused") {
  TestModel model = small_model();
  model.force_defaults = false;  // the envelope's checksum is zero when written, so it is left out
  CHECK_FALSE(flatbuffers::GetRoot<flatbuffers::Table>(serialise(model).data())
                  ->CheckField(format::Envelope::VT_ENVELOPE_CRC32C));
  CHECK(status_of(serialise(model)) == BZSCR_RT_DAMAGED);
}

TEST_CASE("a missing required field is refused") {
  using format::Model;
  for (const std::uint16_t field : {Model::VT_U, Model::VT_V, Model::VT_W, Model::VT_TRANSFORM,
                                    Model::VT_CLASSES, Model::VT_CLASS_EMBEDDINGS})
    damaged("field", [&](TestModel& model) { model.left_out = field; });
}

TEST_CASE("optional fields may be absent") {
  CHECK(status_after([](TestModel& model) { model.with_training = false; }) == BZSCR_RT_OK);
  CHECK(status_after([](TestModel& model) { model.seen_penalty = 0; }) == BZSCR_RT_OK);
}

TEST_CASE("arrays that do not have the shapes of m, d, k and C are refused") {
  damaged("m", [](TestModel& model) { model.m = 2; });
  damaged("d", [](TestModel& model) { model.d = 1; });
  damaged("k", [](TestModel& model) { model.k = 1; });
  damaged("m = 0", [](TestModel& model) {
    model.m = 0;
    model.u.clear();
  });
  damaged("d = 0", [](TestModel& model) {
    model.d = 0;
    model.v.clear();
    model.centre.clear();
    model.embedding_scaling = format::EmbeddingScaling::None;
    for (TestClass& one : model.classes) one.phi.clear();
  });
  damaged("u", [](TestModel& model) { model.u.pop_back(); });
  damaged("v", [](TestModel& model) { model.v.push_back(0); });
  damaged("w", [](TestModel& model) { model.w.push_back(0.5f); });
  damaged("embeddings", [](TestModel& model) { model.classes.back().phi.pop_back(); });
  damaged("centre", [](TestModel& model) { model.centre.push_back(0); });
}

TEST_CASE("products of sizes do not wrap around") {
  // In 32 bits, 2^31 x 2 and 2^16 x 2^16 are 0, and 2^32 - 1 is -1.
  damaged("m k", [](TestModel& model) {
    model.m = 0x80000000u;
    model.u.clear();
  });
  damaged("d k", [](TestModel& model) {
    model.d = 0x80000000u;
    model.v.clear();
  });
  damaged("all", [](TestModel& model) {
    model.m = model.d = model.k = 0x10000u;
    model.u.clear();
    model.v.clear();
  });
  damaged("largest", [](TestModel& model) { model.m = model.d = model.k = UINT32_MAX; });
}

TEST_CASE("NaN, infinity, rows that are not of unit length and bad weights are refused") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, infinity, -infinity, 3e38f}) {
    CAPTURE(bad);
    damaged("u", [&](TestModel& model) { model.u[4] = bad; });
    damaged("v", [&](TestModel& model) { model.v[1] = bad; });
    damaged("w", [&](TestModel& model) { model.w[0] = bad; });
    damaged("centre", [&](TestModel& model) { model.centre[1] = bad; });
    damaged("penalty", [&](TestModel& model) { model.seen_penalty = bad; });
  }
  for (const float bad : {nan, infinity, -infinity})
    damaged("embedding", [&](TestModel& model) { model.classes[1].phi[0] = bad; });
  damaged("u is not unit", [](TestModel& model) { model.u[0] += 0.1f; });
  damaged("v is zero", [](TestModel& model) { model.v = {1, 0, 0, 0}; });
  damaged("w is zero", [](TestModel& model) { model.w[1] = 0; });
  damaged("w is negative", [](TestModel& model) { model.w[1] = -1; });
  damaged("w rises", [](TestModel& model) { model.w[1] = 100; });
}

TEST_CASE("an embedding that is zero after centring, or too long and not scaled, is refused") {
  damaged("at the centre", [](TestModel& model) { model.classes[1].phi = model.centre; });
  damaged("zero", [](TestModel& model) {
    model.embedding_scaling = format::EmbeddingScaling::Unit;
    model.centre.clear();
    model.classes[1].phi = {0, 0};
  });
  damaged("too long", [](TestModel& model) {
    model.embedding_scaling = format::EmbeddingScaling::None;
    model.centre.clear();
    model.classes[1].phi = {2e9f, 0};
  });
}

TEST_CASE("the centre must be present for CentreUnit and absent otherwise") {
  damaged("absent", [](TestModel& model) { model.centre.clear(); });
  damaged("idle",
          [](TestModel& model) { model.embedding_scaling = format::EmbeddingScaling::Unit; });
}

TEST_CASE("parts of an embedding must add up to d, be scaled, and need format version 2") {
  const auto status_with = [](const std::vector<std::uint32_t>& parts,
                              const std::function<void(TestModel&)>& change) {
    return status_after([&](TestModel& model) {
      model.format_version = 2;
      model.parts = parts;
      change(model);
    });
  };
  const auto as_it_is = [](TestModel&) {};
  CHECK(status_with({1, 1}, as_it_is) == BZSCR_RT_OK);
  CHECK(status_with({}, as_it_is) == BZSCR_RT_OK);
  for (const std::vector<std::uint32_t>& parts :
       std::vector<std::vector<std::uint32_t>>{{2},
                                               {1},
                                               {3},
                                               {0, 2},
                                               {2, 0},
                                               {1, 2},
                                               {1, 1, 1},
                                               {UINT32_MAX, 3},
                                               {0x80000001u, 0x80000001u}})
    CHECK(status_with(parts, as_it_is) == BZSCR_RT_DAMAGED);
  CHECK(status_with({1, 1}, [](TestModel& model) { model.format_version = 1; }) ==
        BZSCR_RT_DAMAGED);
  CHECK(status_with({1, 1}, [](TestModel& model) {
          model.embedding_scaling = format::EmbeddingScaling::None;
          model.centre.clear();
        }) == BZSCR_RT_DAMAGED);
  CHECK(status_with({1, 1}, [](TestModel& model) { model.classes[1].phi[1] = model.centre[1]; }) ==
        BZSCR_RT_DAMAGED);
}

TEST_CASE("unknown scalings are refused") {
  damaged("features",
          [](TestModel& model) { model.feature_scaling = static_cast<format::FeatureScaling>(3); });
  damaged("embeddings", [](TestModel& model) {
    model.embedding_scaling = static_cast<format::EmbeddingScaling>(3);
  });
}

namespace {

// A model of version 3 with everything that this version added.
TestModel model_with_forms() {
  TestModel model = random_model_with_forms(4, 3, 2, 3, format::ScoreForm::Cosine);
  model.teaching->accuracy = {0.5f, 0.75f};
  model.teaching->shots = {1, 5};
  return model;
}

bzscr_rt_status status_with_forms(const std::function<void(TestModel&)>& change) {
  TestModel model = model_with_forms();
  change(model);
  return status_of(serialise(model));
}

void damaged_forms(const char* what, const std::function<void(TestModel&)>& change) {
  CAPTURE(what);
  CHECK(status_with_forms(change) == BZSCR_RT_DAMAGED);
}

}  // namespace

TEST_CASE("each field of format version 3 is optional, and refused in a file of an older version") {
  using Change = std::function<void(TestModel&)>;
  CHECK(status_with_forms([](TestModel&) {}) == BZSCR_RT_OK);
  CHECK(status_after([](TestModel& model) { model.format_version = 3; }) == BZSCR_RT_OK);
  const Change changes[] = {[](TestModel& model) { model.score = format::ScoreForm::Half; },
                            [](TestModel& model) {
                              model.own = {1, 2, 3, 4};
                            },  // classes 3 and 23 are seen
                            [](TestModel& model) {
                              model.offsets = {1, 2};
                            },
                            [](TestModel& model) { model.teaching = TestTeaching{}; },
                            [](TestModel& model) {
                              model.feature_scaling = format::FeatureScaling::Standard;
                              model.feature_mean = {1, -2, 0};
                              model.feature_factor = {1, 0, 3};
                            }};
  for (const Change& change : changes)
    for (const std::uint16_t version : {std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}}) {
      CAPTURE(version);
      CHECK(status_after([&](TestModel& model) {
              change(model);
              model.format_version = version;
            }) == (version < 3 ? BZSCR_RT_DAMAGED : BZSCR_RT_OK));
    }
}

TEST_CASE("arrays of forms that do not have the shapes of m, k and the seen classes are refused") {
  damaged_forms("own is short", [](TestModel& model) { model.own.pop_back(); });
  damaged_forms("own of all classes", [](TestModel& model) { model.own.resize(6); });
  damaged_forms("own without a seen class", [](TestModel& model) {
    for (TestClass& one : model.classes) one.seen = false;
  });
  damaged_forms("own of another class", [](TestModel& model) { model.classes[1].seen = true; });
  damaged_forms("offsets", [](TestModel& model) { model.offsets.push_back(0); });
  damaged_forms("mean", [](TestModel& model) { model.feature_mean.pop_back(); });
  damaged_forms("factor", [](TestModel& model) { model.feature_factor.push_back(1); });
  damaged_forms("no mean", [](TestModel& model) { model.feature_mean.clear(); });
  damaged_forms("no factor", [](TestModel& model) { model.feature_factor.clear(); });
  damaged_forms("idle mean and factor",
                [](TestModel& model) { model.feature_scaling = format::FeatureScaling::Unit; });
  damaged_forms("idle factor", [](TestModel& model) {
    model.feature_scaling = format::FeatureScaling::None;
    model.feature_mean.clear();
  });
  damaged_forms("accuracy", [](TestModel& model) { model.teaching->accuracy.pop_back(); });
  damaged_forms("no shots", [](TestModel& model) { model.teaching->shots.clear(); });
  CHECK(status_with_forms([](TestModel& model) {
          model.teaching->accuracy.clear();
          model.teaching->shots.clear();
        }) == BZSCR_RT_OK);
}

TEST_CASE("NaN, infinity and values out of their ranges are refused in fields of forms") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, infinity, -infinity}) {
    CAPTURE(bad);
    damaged_forms("mean", [&](TestModel& model) { model.feature_mean[3] = bad; });
    damaged_forms("factor", [&](TestModel& model) { model.feature_factor[3] = bad; });
  }
  for (const float bad : {nan, infinity, -infinity, 1.1e9f, -1.1e9f}) {
    CAPTURE(bad);
    damaged_forms("own", [&](TestModel& model) { model.own[3] = bad; });
    damaged_forms("offsets", [&](TestModel& model) { model.offsets[1] = bad; });
  }
  for (const float bad : {nan, infinity, -1.0f, 1.1e9f}) {
    CAPTURE(bad);
    damaged_forms("blend", [&](TestModel& model) { model.teaching->blend = bad; });
    damaged_forms("length", [&](TestModel& model) { model.teaching->length = bad; });
    damaged_forms("offset", [&](TestModel& model) { model.teaching->offset = bad; });
  }
  damaged_forms("factor", [](TestModel& model) { model.feature_factor[0] = -1e-3f; });
  damaged_forms("blend", [](TestModel& model) { model.teaching->blend = 0; });
  damaged_forms("length", [](TestModel& model) { model.teaching->length = 0; });
  damaged_forms("own row", [](TestModel& model) { model.own[0] = model.own[1] = 0x1p30f; });
  damaged_forms("score", [](TestModel& model) { model.score = static_cast<format::ScoreForm>(3); });
  CHECK(status_with_forms([](TestModel& model) {
          model.teaching->offset = 0;
          model.teaching->blend = 0x1p30f;
          model.own[0] = 0x1p29f;
          model.feature_mean[1] = -3e38f;
          model.feature_factor[1] = 3e38f;
          model.feature_factor[2] = 0;
        }) == BZSCR_RT_OK);
}

TEST_CASE(
    "weights may be zero at the end, where only taught classes or other score forms use them") {
  using format::ScoreForm;
  const auto status_with = [](ScoreForm score, bool teaching, std::vector<float> w) {
    return status_with_forms([&](TestModel& model) {
      model.score = score;
      if (!teaching) model.teaching.reset();
      model.w = std::move(w);
    });
  };
  CHECK(status_with(ScoreForm::Plain, true, {1, 0}) == BZSCR_RT_OK);
  CHECK(status_with(ScoreForm::Half, false, {1, 0}) == BZSCR_RT_OK);
  CHECK(status_with(ScoreForm::Cosine, true, {0, 0}) == BZSCR_RT_OK);
  CHECK(status_with(ScoreForm::Plain, false, {1, 0}) == BZSCR_RT_DAMAGED);
  CHECK(status_with(ScoreForm::Cosine, true, {0, 1}) == BZSCR_RT_DAMAGED);
  CHECK(status_with(ScoreForm::Cosine, true, {1, -1}) == BZSCR_RT_DAMAGED);
}

TEST_CASE("ids must be ascending, and names must be non-empty strings without zero bytes") {
  damaged("same id", [](TestModel& model) { model.classes[1].id = model.classes[0].id; });
  damaged("falling id", [](TestModel& model) { model.classes[2].id = 5; });
  damaged("no name", [](TestModel& model) { model.classes[1].name = ""; });
  damaged("zero in a name",
          [](TestModel& model) { model.classes[1].name = std::string("a\0b", 3); });
  CHECK(status_after([](TestModel& model) { model.classes[2].id = UINT32_MAX; }) == BZSCR_RT_OK);
}

TEST_CASE("two classes with the same name are refused when the model is opened") {
  TestModel model = small_model();
  model.classes[2].name = model.classes[0].name;
  const AlignedBytes file = serialise(model);
  bzscr_rt_config config = config_for(file);
  REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
  const AlignedBytes arena(config.arena_bytes);
  config.arena = arena.data();
  bzscr_rt* handle = nullptr;
  CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_DAMAGED);
  CHECK(handle == nullptr);
}

TEST_CASE("misaligned arrays are refused") {
  damaged("arrays", [](TestModel& model) { model.alignment = 4; });
  const auto without_arrays = [](TestModel& model) { model = random_model(3, 2, 0, 0); };
  CHECK(status_after(without_arrays) == BZSCR_RT_OK);
  damaged("payload", [&](TestModel& model) {
    without_arrays(model);
    model.payload_alignment = 8;
  });
}

TEST_CASE("a data hash of another length is refused") {
  damaged("hash", [](TestModel& model) { model.data_hash_bytes = 15; });
}

TEST_CASE(
    "a payload with any byte changed and correct checksums is refused or gives finite scores") {
  // An attacker can compute checksums, so the checks behind them must hold for any bytes.
  for (const AlignedBytes& file : {serialise(small_model()), serialise(model_with_forms())}) {
    const auto* inner = format::GetEnvelope(file.data())->payload();
    const std::size_t begin = static_cast<std::size_t>(inner->data() - file.data());
    std::size_t accepted = 0;
    for (std::size_t at = begin; at < begin + inner->size(); ++at)
      for (const int each : {0x00, 0x01, 0x04, 0x7F, 0x80, 0xFF}) {
        const AlignedBytes changed(file.data(), file.size());
        changed.data()[at] = static_cast<std::uint8_t>(each);
        repair_checksums(changed);
        bzscr_rt_config config = config_for(changed);
        if (bzscr_rt_arena_bytes(&config, &config.arena_bytes) != BZSCR_RT_OK) continue;
        const AlignedBytes arena(config.arena_bytes);
        config.arena = arena.data();
        bzscr_rt* handle = nullptr;
        if (bzscr_rt_open(&config, &handle) != BZSCR_RT_OK) continue;
        ++accepted;
        bzscr_rt_info info{};
        info.struct_size = sizeof info;
        REQUIRE(bzscr_rt_describe(handle, &info) == BZSCR_RT_OK);
        const std::vector<float> x = random_vector(info.feature_dimension, 7);
        bzscr_rt_result best[4];
        std::size_t count = 0;
        const bzscr_rt_status scored = bzscr_rt_top(handle, x.data(), nullptr, 4, best, &count);
        if (scored == BZSCR_RT_OUT_OF_RANGE) continue;  // too far from a mean
        REQUIRE(scored == BZSCR_RT_OK);
        for (std::size_t i = 0; i < count; ++i)
          CHECK(best[i].score - best[i].score == 0);  // finite
      }
    CHECK(accepted > 0);
  }
}
