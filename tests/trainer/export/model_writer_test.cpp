#include "export/model_writer.h"

#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/format.h>
#include <bzscr_schema/model_generated.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace bzscr {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// m = 5, d = 3, k = 3 with one weight of zero; classes in no order.
ModelFile small_model() {
  ModelFile model;
  model.ensemble.U = Matrix::Identity(5, 3);
  model.ensemble.V.resize(3, 3);
  model.ensemble.V << 0.6, 0, 0, 0.8, 1, 0, 0, 0, -1;
  model.ensemble.w.resize(3);
  model.ensemble.w << 0.5, 0.0, 2.0;
  model.embedding_centre.resize(3);
  model.embedding_centre << 0.25, -0.5, 1e-42;  // the last is a denormal
  model.classes = {{7, "gnu", false}, {2, "cat", true}, {4, "dog", true}, {1, "bee", true}};
  model.class_embeddings.resize(4, 3);
  model.class_embeddings << 7, 1, 0, 2, 2, 1e-39, 4, 3, -1e-40, 1, 4, 1e-38;
  model.seen_penalty = -0.125;
  model.record.program = "bzscr-train 0.1.0";
  for (std::size_t i = 0; i < 16; ++i)
    model.record.data_hash[i] = static_cast<std::uint8_t>(i * 17);
  model.record.embedding_name = "hypernyms";
  model.record.divergence = "cosine";
  model.record.method = "bzscr";
  model.record.solver = "refine";
  model.record.nu = 1e-3;
  model.record.beta = 0.4;
  model.record.objective = 123.5;
  model.record.lower_bound = 123.25;
  model.record.relative_gap = 0.002;
  model.record.final_share = 0.75;
  model.record.iterations = 12;
  model.record.samples = 5000000000;
  model.record.seed = 42;
  model.record.tuned = true;
  model.record.validation_error = 0.25;
  model.record.validation_harmonic = 0.375;
  return model;
}

/// One bit at a time, straight from the definition.
std::uint32_t bitwise_crc32c(const Bytes& bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const std::uint8_t byte : bytes)
    for (int bit = 0; bit < 8; ++bit) {
      const bool one = ((crc ^ (byte >> bit)) & 1u) != 0;
      crc = (crc >> 1) ^ (one ? 0x82F63B78u : 0u);
    }
  return ~crc;
}

const format::Envelope& envelope_of(const Bytes& file) { return *format::GetEnvelope(file.data()); }
const format::Model& model_of(const Bytes& file) {
  return *format::GetModel(envelope_of(file).payload()->data());
}

std::vector<float> floats(const flatbuffers::Vector<float>& values) {
  return {values.begin(), values.end()};
}

TEST_CASE("a written file and its payload pass the verifier of FlatBuffers") {
  const Bytes file = serialise_model(small_model());
  flatbuffers::Verifier outside(file.data(), file.size());
  REQUIRE(format::VerifyEnvelopeBuffer(outside));
  CHECK(envelope_of(file).kind() == format::Kind::Model);
  CHECK(envelope_of(file).format_version() == 1);
  CHECK(envelope_of(file).key_id() == nullptr);
  CHECK(envelope_of(file).signature() == nullptr);
  flatbuffers::Verifier inside(envelope_of(file).payload()->data(),
                               envelope_of(file).payload()->size());
  CHECK(format::VerifyModelBuffer(inside));
}

TEST_CASE("every array starts at a multiple of 32 bytes from the start of the file") {
  for (const Index m : {1, 2, 5, 7, 8, 9, 31, 33}) {
    ModelFile small = small_model();
    small.ensemble.U = Matrix::Zero(m, 3);
    small.ensemble.U.row(m - 1).setOnes();
    small.record.program.assign(static_cast<std::size_t>(m), 'x');
    const Bytes file = serialise_model(small);
    const auto offset = [&](const void* at) {
      return static_cast<const std::uint8_t*>(at) - file.data();
    };
    CAPTURE(m);
    CHECK(offset(envelope_of(file).payload()->data()) % 32 == 0);
    const format::Model& model = model_of(file);
    for (const auto* array : {model.u(), model.v(), model.w(), model.class_embeddings(),
                              model.transform()->embedding_centre()})
      CHECK(offset(array->data()) % 32 == 0);
  }
}

TEST_CASE("both checksums agree with a bitwise CRC-32C") {
  const Bytes file = serialise_model(small_model());
  const format::Envelope& envelope = envelope_of(file);
  const auto* payload = envelope.payload();
  CHECK(envelope.payload_crc32c() == bitwise_crc32c(Bytes(payload->begin(), payload->end())));

  Bytes outside = file;
  const auto* field = flatbuffers::GetRoot<flatbuffers::Table>(file.data())
                          ->GetAddressOf(format::Envelope::VT_ENVELOPE_CRC32C);
  REQUIRE(field != nullptr);
  for (std::ptrdiff_t i = 0; i < 4; ++i)
    outside[static_cast<std::size_t>(field - file.data() + i)] = 0;
  const auto begin = outside.begin() + (payload->data() - file.data());
  outside.erase(begin, begin + payload->size());
  CHECK(envelope.envelope_crc32c() == bitwise_crc32c(outside));
}

TEST_CASE("the same model gives the same bytes, and another model gives others") {
  const Bytes once = serialise_model(small_model());
  CHECK(serialise_model(small_model()) == once);
  ModelFile other = small_model();
  other.seen_penalty = 0.25;
  CHECK(serialise_model(other) != once);
}

TEST_CASE(
    "weak models are sorted by descending weight, those of weight zero are omitted, and equal ones "
    "keep their order") {
  const Bytes file = serialise_model(small_model());
  const format::Model& model = model_of(file);
  CHECK(model.weak_models() == 2);
  CHECK(floats(*model.w()) == std::vector<float>{2.0f, 0.5f});
  CHECK(floats(*model.u()) == std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 0, 0});
  CHECK(floats(*model.v()) == std::vector<float>{0, 0, -1, 0.6f, 0.8f, 0});

  ModelFile equal = small_model();
  equal.ensemble.w.setOnes();
  const Bytes equal_file = serialise_model(equal);
  CHECK(floats(*model_of(equal_file).u()) ==
        std::vector<float>{1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0});
}

TEST_CASE("classes are sorted by ascending id, each with its own raw embedding") {
  const Bytes file = serialise_model(small_model());
  const format::Model& model = model_of(file);
  const std::uint32_t ids[] = {1, 2, 4, 7};
  const char* names[] = {"bee", "cat", "dog", "gnu"};
  REQUIRE(model.classes()->size() == 4);
  for (flatbuffers::uoffset_t r = 0; r < 4; ++r) {
    CHECK(model.classes()->Get(r)->id() == ids[r]);
    CHECK(model.classes()->Get(r)->name()->str() == names[r]);
    CHECK(model.classes()->Get(r)->seen() == (ids[r] != 7));
    CHECK(model.class_embeddings()->Get(3 * r) == static_cast<float>(ids[r]));
  }
}

TEST_CASE("denormals are written as zero, and the smallest normal number unchanged") {
  ModelFile small = small_model();
  small.ensemble.w[1] = 1e-40;  // a weight that vanishes takes its weak model along
  small.ensemble.U(0, 2) = -1e-39;
  small.class_embeddings(0, 2) = std::numeric_limits<float>::min();
  const Bytes file = serialise_model(small);
  const format::Model& model = model_of(file);
  CHECK(model.weak_models() == 2);
  CHECK(floats(*model.transform()->embedding_centre()) == std::vector<float>{0.25f, -0.5f, 0.0f});
  for (const auto* array : {model.u(), model.v(), model.w(), model.class_embeddings()})
    for (const float value : *array) CHECK((value == 0.0f || std::isnormal(value)));
  CHECK(model.class_embeddings()->Get(11) == std::numeric_limits<float>::min());
  CHECK(model.class_embeddings()->Get(8) == 0.0f);
}

TEST_CASE("dimensions, scalings, penalty and record read back unchanged") {
  const ModelFile given = small_model();
  const Bytes file = serialise_model(given);
  const format::Model& model = model_of(file);
  CHECK(model.feature_dimension() == 5);
  CHECK(model.embedding_dimension() == 3);
  CHECK(model.transform()->feature_scaling() == format::FeatureScaling::Unit);
  CHECK(model.transform()->embedding_scaling() == format::EmbeddingScaling::CentreUnit);
  CHECK(model.seen_penalty() == -0.125f);
  const format::Training& record = *model.training();
  CHECK(record.program()->str() == given.record.program);
  CHECK(Bytes(record.data_hash()->begin(), record.data_hash()->end()) ==
        Bytes(given.record.data_hash.begin(), given.record.data_hash.end()));
  CHECK(record.embedding_name()->str() == "hypernyms");
  CHECK(record.divergence()->str() == "cosine");
  CHECK(record.method()->str() == "bzscr");
  CHECK(record.solver()->str() == "refine");
  CHECK(record.nu() == 1e-3);
  CHECK(record.beta() == 0.4);
  CHECK(record.objective() == 123.5);
  CHECK(record.lower_bound() == 123.25);
  CHECK(record.relative_gap() == 0.002);
  CHECK(record.final_share() == 0.75);
  CHECK(record.iterations() == 12);
  CHECK(record.samples() == 5000000000);
  CHECK(record.seed() == 42);
  CHECK(record.tuned());
  CHECK(record.validation_error() == 0.25);
  CHECK(record.validation_harmonic() == 0.375);
}

TEST_CASE(
    "score form, own values, offsets, column scaling and teaching are written as version 3, in the "
    "order of w, and a model without them as an older version") {
  ModelFile given = small_model();
  const auto k = given.ensemble.w.size();
  const auto C = static_cast<Index>(given.classes.size());
  const auto version = [](const Bytes& file) {
    return format::GetEnvelope(file.data())->format_version();
  };
  CHECK(version(serialise_model(given)) < format::kModelVersionWithForms);
  given.ensemble.U = Matrix::Identity(given.ensemble.U.rows(), k);
  given.score = ScoreForm::kHalf;
  given.own = Matrix::Random(C, k);
  given.feature_offsets = Vector::LinSpaced(k, 1, static_cast<double>(k));
  given.feature_scaling = FeatureScaling::kStandard;
  given.feature_mean = VectorF::LinSpaced(5, 0.5f, 4.5f);
  given.feature_factor = VectorF::LinSpaced(5, 0.0f, 4.0f);
  given.teaching = ModelTeaching{0.5, 0.25, 1.5, {0.25, 0.75}, {0, 1}};
  const Bytes file = serialise_model(given);
  CHECK(version(file) == format::kModelVersionWithForms);
  const format::Model& model = model_of(file);
  CHECK(model.score() == format::ScoreForm::Half);
  CHECK(model.weak_models() == k);  // those with w = 0 too, along which classes are taught
  CHECK(model.teaching()->blend() == 0.5f);
  CHECK(model.teaching()->offset() == 0.25f);
  CHECK(model.teaching()->length() == 1.5f);
  CHECK(floats(*model.teaching()->accuracy()) == std::vector<float>{0.25f, 0.75f});
  CHECK(model.teaching()->shots()->Get(1) == 1);
  CHECK(model.transform()->feature_scaling() == format::FeatureScaling::Standard);
  CHECK(floats(*model.transform()->feature_mean())[4] == 4.5f);
  CHECK(floats(*model.transform()->feature_factor())[0] == 0.0f);
  Index seen = 0;
  for (const ModelClass& each : given.classes) seen += each.seen;
  CHECK(model.own()->size() == static_cast<std::size_t>(seen * k));
  // u_j is the unit vector of the column whose offset and own values stand at place j.
  for (Index j = 0; j < k; ++j) {
    const Index column =
        static_cast<Index>(model.feature_offsets()->Get(static_cast<flatbuffers::uoffset_t>(j))) -
        1;
    CHECK(model.u()->Get(static_cast<flatbuffers::uoffset_t>(j * 5 + column)) == 1.0f);
    CHECK(model.w()->Get(static_cast<flatbuffers::uoffset_t>(j)) ==
          static_cast<float>(given.ensemble.w[column]));
  }
}

TEST_CASE("each scaling is written with its own value, and a centre only for a centred one") {
  ModelFile small = small_model();
  small.feature_scaling = FeatureScaling::kNone;
  small.embedding_centre.resize(0);
  for (const auto& [given, written] :
       {std::pair{EmbeddingScaling::kNone, format::EmbeddingScaling::None},
        std::pair{EmbeddingScaling::kUnit, format::EmbeddingScaling::Unit}}) {
    small.embedding_scaling = given;
    const Bytes file = serialise_model(small);
    CHECK(model_of(file).transform()->feature_scaling() == format::FeatureScaling::None);
    CHECK(model_of(file).transform()->embedding_scaling() == written);
    CHECK(model_of(file).transform()->embedding_centre() == nullptr);
  }
}

TEST_CASE(
    "the parts of a concatenated embedding are written only if they are scaled, and only then is "
    "the format version higher") {
  ModelFile small = small_model();
  small.embedding_parts = {1, 2};
  const Bytes joined = serialise_model(small);
  CHECK(envelope_of(joined).format_version() == 2);
  const auto* parts = model_of(joined).transform()->embedding_parts();
  REQUIRE(parts != nullptr);
  CHECK(std::vector<std::uint32_t>(parts->begin(), parts->end()) ==
        std::vector<std::uint32_t>{1, 2});

  small.embedding_parts = {3};
  CHECK(serialise_model(small) == serialise_model(small_model()));
  small.embedding_parts = {1, 2};
  small.embedding_scaling = EmbeddingScaling::kNone;
  small.embedding_centre.resize(0);
  const Bytes unscaled = serialise_model(small);
  CHECK(envelope_of(unscaled).format_version() == 1);
  CHECK(model_of(unscaled).transform()->embedding_parts() == nullptr);
}

TEST_CASE("numbers that are zero are present in the file") {
  ModelFile small = small_model();
  small.seen_penalty = 0.0;
  small.record = TrainingRecord();
  const Bytes file = serialise_model(small);
  const auto& table =
      *flatbuffers::GetRoot<flatbuffers::Table>(envelope_of(file).payload()->data());
  CHECK(table.CheckField(format::Model::VT_SEEN_PENALTY));
}

TEST_CASE(
    "a model that a reader would refuse is not written, and the error message gives the reason") {
  struct Case {
    std::function<void(ModelFile&)> spoil;
    std::string message;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Case cases[] = {
      {[](auto& f) { f.ensemble.w.setZero(); },
       "it has no weak model with a weight above zero; a smaller nu gives some"},
      {[](auto& f) {
         f.ensemble = {Matrix(5, 0), Matrix(3, 0), Vector()};
       },
       "it has no weak model with a weight above zero; a smaller nu gives some"},
      {[](auto& f) { f.ensemble.w[0] = -1; }, "w[0] is -1; expected 0 to 2^30"},
      {[&](auto& f) { f.ensemble.w[0] = nan; }, "w[0] is nan; expected 0 to 2^30"},
      {[](auto& f) { f.ensemble.w[0] = 1e10; }, "w[0] is 10000000000; expected 0 to 2^30"},
      {[](auto& f) { f.ensemble.U.conservativeResize(5, 2); },
       "U has 2 columns, V 3 and w 3 values"},
      {[](auto& f) { f.ensemble.U.resize(0, 3); }, "it has no features or no embedding"},
      {[](auto& f) { f.ensemble.U(0, 0) = 2; },
       "weak model 0 has |u| = 2 and |v| = 1; expected 1 and 1"},
      {[&](auto& f) { f.ensemble.V(0, 2) = nan; },
       "weak model 2 has |u| = 1 and |v| = nan; expected 1 and 1"},
      {[](auto& f) { f.classes.clear(); }, "it has no class"},
      {[](auto& f) { f.classes[1].id = 7; }, "class id 7 is used twice"},
      {[](auto& f) { f.classes[1].name = "gnu"; }, "class name 'gnu' is used twice"},
      {[](auto& f) { f.classes[1].name = ""; }, "class 2 has no name"},
      {[](auto& f) { f.classes[1].name = std::string("c\0t", 3); },
       "the name of class 2 holds a zero byte"},
      {[](auto& f) { f.class_embeddings.conservativeResize(3, 3); },
       "class embeddings are 3 x 3, expected 4 x 3"},
      {[&](auto& f) { f.class_embeddings(1, 1) = nan; },
       "a class embedding holds nan, which float32 cannot"},
      {[](auto& f) { f.class_embeddings(1, 1) = 1e39; },
       "a class embedding holds 1e+39, which float32 cannot"},
      {[](auto& f) { f.class_embeddings.row(2) = f.embedding_centre.transpose(); },
       "the embedding of class 'dog' is zero, so it cannot be scaled to unit length"},
      {[](auto& f) {
         f.embedding_scaling = EmbeddingScaling::kNone;
         f.embedding_centre.resize(0);
         f.class_embeddings(2, 0) = 2e9;
       },
       "the embedding of class 'dog' is longer than 2^30"},
      {[](auto& f) {
         f.embedding_parts = {1, 2};
         f.class_embeddings(2, 0) = f.embedding_centre[0];
       },
       "the embedding of class 'dog' is zero, so it cannot be scaled to unit length"},
      {[](auto& f) {
         f.embedding_parts = {2, 2};
       },
       "the parts of the embedding have lengths 2, 2, whose sum is not 3"},
      {[](auto& f) {
         f.embedding_parts = {3, 0};
       },
       "a part of the embedding has no length"},
      {[](auto& f) { f.embedding_centre.resize(0); },
       "the embedding centre has 0 values, expected 3"},
      {[](auto& f) { f.embedding_scaling = EmbeddingScaling::kUnit; },
       "the embedding centre has 3 values, expected 0"},
      {[](auto& f) { f.embedding_centre[0] = 2e9; }, "the embedding centre is longer than 2^30"},
      {[&](auto& f) { f.seen_penalty = nan; },
       "the penalty of seen classes is nan; expected -2^30 to 2^30"},
  };
  for (const Case& each : cases) {
    ModelFile model = small_model();
    each.spoil(model);
    CHECK_THROWS_WITH_AS(serialise_model(model), ("cannot write a model: " + each.message).c_str(),
                         std::invalid_argument);
  }
}

}  // namespace
}  // namespace bzscr
