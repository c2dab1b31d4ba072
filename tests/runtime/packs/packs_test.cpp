// Packs: what is built reads back, and is what the store takes.
#include "scratch_folder.h"

#include "support/model_builder.h"

#include <bzscr_pack/bzscr_pack.hpp>
#include <bzscr_store/bzscr_store.hpp>

#include <cstring>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace bzscr;
using namespace bzscr::test;

namespace {

/// A model of 3 numbers an embedding and the classes "class 0" to "class 3", in a file.
struct Shop {
  Shop() : bytes(serialise(random_model(12, 3, 2, 4))) {
    model = folder.write("m.bzscr", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    request.model = model;
    request.counter = 1;
    request.program = "a test";
    request.embeddings = {"new.npy", {"okapi", "class 1"}, {{1, 2, 3}, {4, 5, 6}}};
  }
  ScratchFolder folder;
  AlignedBytes bytes;
  std::string model;
  pack::Request request;
};

}  // namespace

TEST_CASE("a pack that was built and signed reads back as it was") {
  Shop shop;
  shop.request.removed = {"class 0"};
  shop.request.renamed = {{"class 2", "zebra"}};
  const pack::Contents built = pack::build(shop.request);
  const pack::SecretKey key = pack::new_key(), other = pack::new_key();
  pack::write(built, key, shop.folder / "a.bzpack");
  const pack::PublicKey open = key.public_key();
  const pack::Pack read =
      pack::read(shop.folder / "a.bzpack", {open.bytes.begin(), open.bytes.end()});
  CHECK(read.is_signed);
  CHECK(read.key_id == open.id());
  CHECK(read.contents.model_hash == std::vector<std::uint8_t>(16, 0xAB));
  CHECK(read.contents.embedding_name == "hypernyms");
  CHECK(read.contents.dimension == 3);
  CHECK(read.contents.counter == 1);
  CHECK(read.contents.program == "a test");
  REQUIRE(read.contents.changes.size() == 4);
  CHECK(read.contents.changes[0].kind == pack::ChangeKind::kRemove);
  CHECK(read.contents.changes[1].name == "zebra");
  CHECK(read.contents.changes[2].phi == std::vector<float>{1, 2, 3});
  CHECK(read.contents.changes[3].kind == pack::ChangeKind::kSet);
  CHECK(pack::serialise(read.contents, key) == pack::serialise(built, key));

  const pack::PublicKey stranger = other.public_key();
  CHECK(message_of([&] {
          pack::read(shop.folder / "a.bzpack", {stranger.bytes.begin(), stranger.bytes.end()});
        }).find("does not know") != std::string::npos);
  CHECK_NOTHROW(pack::check_fit(built, "a.bzpack", shop.model));
}

TEST_CASE("known classes keep their ids, and new ones get the next free ones") {
  Shop shop;
  const pack::Contents first = pack::build(shop.request);
  REQUIRE(first.changes.size() == 2);
  CHECK(first.changes[0].id == 34);  // above the model's last
  CHECK(first.changes[1].id == 13);  // that of "class 1"
  pack::write(first, std::nullopt, shop.folder / "1.bzpack");

  shop.request.before = {shop.folder / "1.bzpack"};
  shop.request.counter = 2;
  shop.request.embeddings = {"more.npy", {"gnu", "okapi"}, {{1, 0, 1}, {2, 0, 2}}};
  const pack::Contents second = pack::build(shop.request);
  CHECK(second.changes[0].id == 35);
  CHECK(second.changes[1].id == 34);
  shop.request.replace_only = true;
  CHECK_THROWS_AS(pack::build(shop.request), pack::NoSuchClass);
  shop.request.replace_only = false;
  shop.request.counter = 1;
  CHECK(message_of([&] { pack::build(shop.request); }).find("1.bzpack: its counter is 1") !=
        std::string::npos);
  shop.request.counter = 2;
  shop.request.first_id = (1u << 31) - 1;
  CHECK(pack::build(shop.request).changes[0].id == (1u << 31) - 1);
  shop.request.embeddings->names = {"gnu", "quagga"};
  CHECK(message_of([&] { pack::build(shop.request); }).find("no id below 2^31 is left") !=
        std::string::npos);
}

TEST_CASE("an embedding that the model cannot use is refused before a pack is made of it") {
  Shop shop;
  const auto refused = [&](std::vector<float> phi, const std::string& words) {
    shop.request.embeddings = {"new.npy", {"okapi"}, {phi}};
    const std::string message = message_of([&] { pack::build(shop.request); });
    INFO(message);
    CHECK(message.find("new.npy: class 'okapi': ") == 0);
    CHECK(message.find(words) != std::string::npos);
  };
  refused({1, 2}, "the embedding has 2 numbers, the model's 3");
  refused({1, 2, std::numeric_limits<float>::infinity()}, "NaN or infinity");
}

TEST_CASE("a pack replaces its file whole, follows links, and keeps the file's permissions") {
  Shop shop;
  const pack::Contents built = pack::build(shop.request);
  const std::string path = shop.folder.write("a.bzpack", "old");
  REQUIRE(::chmod(path.c_str(), 0640) == 0);
  REQUIRE(::symlink(path.c_str(), (shop.folder / "link").c_str()) == 0);
  pack::write(built, std::nullopt, shop.folder / "link");
  struct stat status {};
  REQUIRE(::lstat((shop.folder / "link").c_str(), &status) == 0);
  CHECK(S_ISLNK(status.st_mode));
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);
  CHECK(pack::read(path).contents.counter == 1);
  CHECK(message_of([&] {
          pack::write(built, std::nullopt, shop.folder / "none/a");
        }).find("cannot be written: No such file") != std::string::npos);
}

TEST_CASE("the store of bzscr_store.hpp takes packs and changes, and says what it refuses") {
  Shop shop;
  Scorer scorer(shop.bytes.data(), shop.bytes.size(),
                store_table(shop.bytes.data(), shop.bytes.size()));
  CHECK(scorer.info().class_capacity == 1004);
  CHECK_THROWS_AS(StoreFolder(shop.folder / "none", scorer, /*read_only=*/true), StoreError);
  bzscr_store_config options{};
  options.create = 1;
  Store opened(scorer, shop.bytes.data(), StoreFolder(shop.folder / "store", scorer), options);
  Store store = std::move(opened);  // what it keeps stays where it is

  const std::vector<std::uint8_t> pack = pack::serialise(pack::build(shop.request), std::nullopt);
  store.apply(pack.data(), pack.size());
  CHECK(scorer.class_name(34) == "okapi");
  CHECK(store.owns(34));
  CHECK_FALSE(store.owns(3));
  CHECK(store.embedding(34) == std::vector<float>{1, 2, 3});
  const std::uint32_t own = store.add("gnu", std::vector<float>{1, 0, 1});
  CHECK(own == kFirstOwnId);
  CHECK(store.add("quagga", std::vector<float>{1, 1, 1}) == own + 1);
  store.rename(own, "wildebeest");
  store.replace(own, std::vector<float>{3, 2, 1});
  store.remove(own + 1);
  CHECK(scorer.class_name(own) == "wildebeest");
  CHECK(store.history().size() == 7);
  CHECK(store.info().counter == 1);
  store.rollback(1);
  CHECK(scorer.class_count() == 5);
  store.compact();
  CHECK(store.history().size() == 1);
  CHECK_FALSE(store.refresh());

  const auto refused = [&](auto work, bzscr_store_status status, const std::string& words) {
    try {
      work();
      FAIL("not refused");
    } catch (const StoreError& error) {
      INFO(error.what());
      CHECK(error.status() == status);
      CHECK(std::string(error.what()).find(words) != std::string::npos);
    }
  };
  refused([&] { store.apply(pack.data(), pack.size()); }, BZSCR_STORE_STALE,
          "its counter is 1, and the last pack's was 1");
  refused([&] { store.apply(pack.data(), pack.size() - 1); }, BZSCR_STORE_PACK_DAMAGED, "damaged");
  refused(
      [&] {
        store.add(34, "x", std::vector<float>{1, 2, 3});
      },
      BZSCR_STORE_ID_TAKEN, shop.folder / "store");
  refused(
      [&] {
        store.add("x", std::vector<float>{1, 2});
      },
      BZSCR_STORE_BAD_ARGUMENT, "2 numbers, the model's 3");
  refused([&] { store.rollback(99); }, BZSCR_STORE_NO_SUCH_RECORD, "no such record");
  const Scorer as_trained(shop.bytes.data(), shop.bytes.size());
  CHECK(as_trained.class_count() == 4);
}
