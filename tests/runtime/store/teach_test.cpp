#include "opened_store.h"

#include <bzscr_schema/crc32c.h>

#include <cmath>
#include <cstring>

using namespace bzscr;
using namespace bzscr::test;

namespace {

using Scores = std::map<std::uint32_t, float>;

struct Taught : Fixture {
  explicit Taught(const TestModel& model = teachable_store_model()) : Fixture(model) {}
  /// README.md, "On the device".
  std::uint8_t* bank() { return flash.bytes.data() + (at_second() ? flash.bytes.size() / 2 : 0); }
  bool at_second() const { return host.info().generation % 2 == 0; }
  std::uint32_t version() {
    std::uint32_t version = 0;
    std::memcpy(&version, bank() + 4, sizeof version);
    return version;
  }
};

void repair_header(std::uint8_t* header) {
  const std::uint32_t crc = bzscr::format::crc32c(0, header, 44);
  std::memcpy(header + 44, &crc, sizeof crc);
}

const std::vector<float> kX = {1, -2, 3}, kOther = {-1, 0.5f, 2};

}  // namespace

TEST_CASE("what classes were taught is there after a restart, with the same scores bit for bit") {
  for (const auto score :
       {format::ScoreForm::Plain, format::ScoreForm::Half, format::ScoreForm::Cosine})
    for (const bool shared : {false, true}) {
      CAPTURE(shared);
      const TestModel model = random_model_with_forms(3, 2, 2, 4, score);
      Taught one(model);
      one.host = Host(model, 8, shared);
      REQUIRE(one.reopen() == BZSCR_STORE_OK);
      REQUIRE(one.host.change({set(50, "okapi")}) == BZSCR_STORE_OK);
      KnownTable known = one.host.state();
      for (const std::uint32_t id : {3u, 50u, 13u, 3u}) {
        std::vector<float>& taught = known.classes.at(id).taught;
        taught = one.host.taught_more(taught, kX, 0.75f);
        REQUIRE(one.host.teach(id, kX, 0.75f) == BZSCR_STORE_OK);
      }
      CHECK(one.host.state() == known);
      CHECK(one.host.info().changed == 3);
      const Scores scores = one.host.scores();
      REQUIRE(one.reopen() == BZSCR_STORE_OK);
      CHECK(one.host.state() == known);
      CHECK(one.host.scores() == scores);
      REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
      CHECK(one.host.scores() == scores);
      REQUIRE(one.reopen() == BZSCR_STORE_OK);
      CHECK(one.host.state() == known);
      CHECK(one.host.scores() == scores);
      CHECK(one.host.info().changed == 3);
    }
}

TEST_CASE("what a class was taught outlasts its name and embedding, but not the class") {
  Taught one;
  REQUIRE(one.host.teach(3, kX) == BZSCR_STORE_OK);
  REQUIRE(one.host.teach(13, kOther) == BZSCR_STORE_OK);
  REQUIRE(one.host.teach(33, kOther) == BZSCR_STORE_OK);
  KnownTable known = one.host.state();
  const std::vector<float> of_13 = one.host.taught(13);
  // Names that go round in a circle take classes out of the table and back.
  const std::vector<TestChange> changes = {rename(3, "x"),       rename(13, "class 0"),
                                           rename(3, "class 1"), replace(13, {5, 6}),
                                           remove(33),           set(33, "anew")};
  REQUIRE(known.make(changes) == BZSCR_RT_OK);
  REQUIRE(one.host.change(changes) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  CHECK(one.host.taught(13) == of_13);
  CHECK(one.host.taught(33).empty());
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
}

TEST_CASE(
    "a class that forgot scores as if it had never been taught, and rollback brings it back") {
  Taught one;
  const Scores untaught = one.host.scores();
  CHECK(one.host.forget(3) == BZSCR_STORE_OK);
  CHECK(one.host.info().sequence == 0);  // there was nothing to forget
  REQUIRE(one.host.teach(3, kX) == BZSCR_STORE_OK);
  const Scores once = one.host.scores();
  CHECK(once != untaught);
  REQUIRE(one.host.teach(3, kOther) == BZSCR_STORE_OK);
  REQUIRE(one.host.forget(3) == BZSCR_STORE_OK);
  CHECK(one.host.scores() == untaught);
  CHECK(one.host.info().changed == 0);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.scores() == untaught);
  REQUIRE(bzscr_store_rollback(one.host.store(), 1) == BZSCR_STORE_OK);
  CHECK(one.host.scores() == once);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.scores() == once);
}

TEST_CASE("a bank has a version that older readers refuse if and only if it may hold examples") {
  Taught one;
  REQUIRE(one.host.change({set(50, "okapi")}) == BZSCR_STORE_OK);
  CHECK(one.version() == 1);
  REQUIRE(one.host.teach(3, kX) == BZSCR_STORE_OK);
  CHECK(one.version() == 2);
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  CHECK(one.version() == 2);
  REQUIRE(one.host.forget(3) == BZSCR_STORE_OK);
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  CHECK(one.version() == 1);
  // What was taught does not belong into a bank of the first version.
  REQUIRE(one.host.teach(3, kX) == BZSCR_STORE_OK);
  std::uint8_t* const header = one.bank();
  header[4] = 1;
  repair_header(header);
  CHECK(one.reopen() == BZSCR_STORE_DAMAGED);
  header[4] = 3;
  repair_header(header);
  CHECK(one.reopen() == BZSCR_STORE_TOO_NEW);
}

TEST_CASE("examples are of one model and need a table that can be taught") {
  Taught one;
  TestModel retrained = teachable_store_model();
  retrained.w[0] *= 2;
  REQUIRE(one.host.teach(3, kX) == BZSCR_STORE_OK);
  const KnownTable known = one.host.state();
  Host other(retrained, 8);
  CHECK(other.open(one.flash.device()) == BZSCR_STORE_EXAMPLES_OF_OTHER_MODEL);
  CHECK(other.taught(3).empty());
  one.host.teachable(false);
  CHECK(one.reopen() == BZSCR_STORE_NOT_TEACHABLE);
  one.host.teachable(true);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);

  // Without examples another model of the same data takes the store up, and what it teaches is its
  // own; the records before are of the first model, and rollback does not mix them.
  REQUIRE(one.host.forget(3) == BZSCR_STORE_OK);
  one.host.teachable(false);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.teach(3, kX) == BZSCR_STORE_NOT_TEACHABLE);
  CHECK(one.host.forget(3) == BZSCR_STORE_NOT_TEACHABLE);
  CHECK(bzscr_store_rollback(one.host.store(), 1) == BZSCR_STORE_NOT_TEACHABLE);
  one.host.teachable(true);
  REQUIRE(other.open(one.flash.device()) == BZSCR_STORE_OK);
  CHECK(other.info().other_model == 1);
  CHECK(bzscr_store_rollback(other.store(), 1) == BZSCR_STORE_EXAMPLES_OF_OTHER_MODEL);
  REQUIRE(other.teach(3, kX) == BZSCR_STORE_OK);
  CHECK(other.info().other_model == 0);
  const KnownTable theirs = other.state();
  REQUIRE(other.open(one.flash.device()) == BZSCR_STORE_OK);
  CHECK(other.state() == theirs);
  CHECK(one.reopen() == BZSCR_STORE_EXAMPLES_OF_OTHER_MODEL);
}

TEST_CASE("a sample that cannot be taken is refused, and writes nothing") {
  Taught one;
  REQUIRE(one.host.teach(13, kX) == BZSCR_STORE_OK);
  const KnownTable known = one.host.state();
  const auto bytes = one.flash.bytes;
  CHECK(one.host.teach(99, kX) == of_class(BZSCR_RT_NO_SUCH_CLASS));
  CHECK(one.host.forget(99) == of_class(BZSCR_RT_NO_SUCH_CLASS));
  CHECK(one.host.teach(3, {NAN, 1, 1}) == of_class(BZSCR_RT_NOT_FINITE));
  CHECK(one.host.teach(3, teachable_store_model().feature_mean) == of_class(BZSCR_RT_ZERO_INPUT));
  for (const float weight : {0.0f, -1.0f, 1025.0f, NAN, INFINITY})
    CHECK(one.host.teach(3, kX, weight) == of_class(BZSCR_RT_BAD_ARGUMENT));
  CHECK(bzscr_store_teach(one.host.store(), 3, nullptr, 1) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(bzscr_store_teach(nullptr, 3, kX.data(), 1) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(bzscr_store_forget(nullptr, 3) == BZSCR_STORE_BAD_ARGUMENT);
  const bzscr_store_change unknown{100, 13, nullptr, nullptr};
  CHECK(bzscr_store_change_classes(one.host.store(), &unknown, 1, nullptr) ==
        of_class(BZSCR_RT_BAD_ARGUMENT));
  one.host.config.read_only = 1;
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.teach(3, kX) == BZSCR_STORE_READ_ONLY);
  CHECK(one.host.forget(13) == BZSCR_STORE_READ_ONLY);
  CHECK(one.flash.bytes == bytes);
  CHECK(one.host.state() == known);
}

TEST_CASE("what another process teaches is taken up, and added to") {
  Taught one;
  Host other(teachable_store_model(), 8);
  REQUIRE(other.open(one.flash.device()) == BZSCR_STORE_OK);
  KnownTable known = one.host.state();
  for (int i = 0; i < 6; ++i) {
    std::vector<float>& taught = known.classes.at(3).taught;
    taught = one.host.taught_more(taught, i % 2 == 0 ? kX : kOther);
    REQUIRE((i % 2 == 0 ? one.host.teach(3, kX) : other.teach(3, kOther)) == BZSCR_STORE_OK);
    if (i == 3) REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  }
  CHECK(other.state() == known);
  REQUIRE(bzscr_store_refresh(one.host.store(), nullptr) == BZSCR_STORE_OK);
  CHECK(one.host.state() == known);
}

TEST_CASE("a record of examples that was never written so is damaged") {
  Taught one;
  REQUIRE(one.host.change({set(50, "okapi")}) == BZSCR_STORE_OK);
  REQUIRE(one.host.teach(3, kX) == BZSCR_STORE_OK);
  REQUIRE(bzscr_store_compact(one.host.store()) == BZSCR_STORE_OK);
  const std::uint32_t tail = one.host.info().used_bytes;
  REQUIRE(one.host.teach(13, kX) == BZSCR_STORE_OK);
  CHECK(one.host.info().used_bytes - tail == 52 + 16 + 4 * 2);  // k is 2
  const std::vector<std::uint8_t> good = one.flash.bytes;
  // The record's payload: kind, seen, name's length, id; values; count; sum.
  const auto opened = [&](std::uint32_t at, auto value) {
    one.flash.bytes = good;
    std::uint8_t* record = one.bank() + tail;
    std::memcpy(record + 52 + at, &value, sizeof value);
    const std::uint32_t crc = bzscr::format::crc32c(0, record + 52, 16 + 4 * 2);
    std::memcpy(record + 20, &crc, sizeof crc);
    repair_header(record);
    Host host(teachable_store_model(), 8);
    return host.open(one.flash.device());
  };
  CHECK(opened(12, 1.0f) == BZSCR_STORE_OK);
  CHECK(opened(16, 0.5f) == BZSCR_STORE_OK);
  for (const std::uint32_t values : {0u, 1u, 3u, 0x7FFFFFFFu, 0xFFFFFFFFu})
    CHECK(opened(8, values) == BZSCR_STORE_DAMAGED);
  for (const float count : {0.0f, -1.0f, NAN, INFINITY, -INFINITY})
    CHECK(opened(12, count) == BZSCR_STORE_DAMAGED);
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    CHECK(opened(16, value) == BZSCR_STORE_DAMAGED);
    CHECK(opened(20, value) == BZSCR_STORE_DAMAGED);
  }
  CHECK(opened(0, std::uint8_t{5}) == BZSCR_STORE_DAMAGED);
  CHECK(opened(2, std::uint16_t{4}) == BZSCR_STORE_DAMAGED);   // has no name
  CHECK(opened(4, std::uint32_t{99}) == BZSCR_STORE_DAMAGED);  // of no class
}

TEST_CASE("what one device was taught is in a pack, and another scores the same bit for bit") {
  Taught one, other;
  for (const std::uint32_t id : {3u, 13u, 3u}) REQUIRE(one.host.teach(id, kX) == BZSCR_STORE_OK);
  REQUIRE(one.host.change({set(50, "okapi")}) == BZSCR_STORE_OK);
  REQUIRE(one.host.teach(50, kOther) == BZSCR_STORE_OK);
  REQUIRE(other.host.teach(3, kOther) == BZSCR_STORE_OK);   // is replaced
  REQUIRE(other.host.teach(23, kOther) == BZSCR_STORE_OK);  // is forgotten
  const TestPack pack =
      pack_for(one.host.model(), 4,
               {set(50, "okapi"), teach(3, one.host.taught(3)), teach(13, one.host.taught(13)),
                teach(50, one.host.taught(50)), teach(23, {})});
  REQUIRE(other.host.apply(pack) == BZSCR_STORE_OK);
  CHECK(other.host.state() == one.host.state());
  CHECK(other.host.scores() == one.host.scores());
  REQUIRE(other.reopen() == BZSCR_STORE_OK);
  CHECK(other.host.state() == one.host.state());
  CHECK(other.host.scores() == one.host.scores());
}

TEST_CASE("a pack that teaches what cannot be taught is refused with the reason") {
  Taught one;
  REQUIRE(one.host.teach(13, kX) == BZSCR_STORE_OK);
  const KnownTable known = one.host.state();
  const auto refused = [&](bzscr_store_status status, auto change) {
    TestPack pack = pack_for(one.host.model(), 1, {teach(3, {1, 2, 3})});
    change(pack);
    CHECK(one.host.apply(pack) == status);
    CHECK(one.host.state() == known);
  };
  refused(BZSCR_STORE_EXAMPLES_OF_OTHER_MODEL, [](TestPack& pack) { pack.model_check ^= 1; });
  refused(BZSCR_STORE_PACK_TOO_NEW, [](TestPack& pack) { pack.format_version = 3; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.format_version = 1; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].sum.push_back(1); });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].sum.clear(); });
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    refused(BZSCR_STORE_PACK_DAMAGED, [&](TestPack& pack) { pack.changes[0].sum[1] = bad; });
    refused(BZSCR_STORE_PACK_DAMAGED, [&](TestPack& pack) { pack.changes[0].count = bad; });
  }
  for (const float bad : {0.0f, -1.0f})
    refused(BZSCR_STORE_PACK_DAMAGED, [&](TestPack& pack) { pack.changes[0].count = bad; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].name = "x"; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) { pack.changes[0].phi = {1, 2}; });
  refused(BZSCR_STORE_PACK_DAMAGED, [](TestPack& pack) {
    pack.changes[0].kind = format::ChangeKind::Set;
    pack.changes[0].name = "class 0";
    pack.changes[0].phi = {1, 2};
  });
  refused(of_class(BZSCR_RT_NO_SUCH_CLASS), [](TestPack& pack) { pack.changes[0].id = 99; });
  CHECK(one.host.refusal.id == 99);
  REQUIRE(one.host.forget(13) == BZSCR_STORE_OK);
  one.host.teachable(false);
  REQUIRE(one.reopen() == BZSCR_STORE_OK);
  CHECK(one.host.apply(pack_for(one.host.model(), 1, {teach(3, {1, 2, 3})})) ==
        BZSCR_STORE_NOT_TEACHABLE);
}
