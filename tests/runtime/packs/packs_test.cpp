// Packs: what is built reads back, and is what the store takes.
#include "scratch_folder.h"

#include "support/model_builder.h"

#include <bzscr_pack/bzscr_pack.hpp>
#include <bzscr_store/bzscr_store.hpp>

#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace bzscr;
using namespace bzscr::test;

namespace {

using Names = std::vector<std::string>;

bzscr_store_config create_option() {
  bzscr_store_config options{};
  options.create = 1;
  return options;
}

/// The status of the StoreError that the work throws; OK if it returns.
template <class Work>
bzscr_store_status status_of(Work work) {
  try {
    work();
    return BZSCR_STORE_OK;
  } catch (const StoreError& error) {
    return error.status();
  }
}

// The ids of these names in packs: from the SHA-512 of each.
constexpr std::uint32_t kOkapi = 1372748099, kGnu = 1900640945;

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
        }).find("which is none of the trusted keys") != std::string::npos);
  CHECK_THROWS_AS(pack::read(shop.folder / "a.bzpack", std::vector<std::uint8_t>(31)),
                  std::invalid_argument);
  CHECK_NOTHROW(pack::check_fit(built, "a.bzpack", shop.model));
}

TEST_CASE("known classes keep their ids, and new ones get ids that follow from their names") {
  Shop shop;
  const pack::Contents first = pack::build(shop.request);
  REQUIRE(first.changes.size() == 2);
  CHECK(first.changes[0].id == kOkapi);
  CHECK(first.changes[1].id == 13);  // that of "class 1"
  pack::write(first, std::nullopt, shop.folder / "1.bzpack");

  // Whether the first pack is known or not.
  shop.request.counter = 2;
  shop.request.embeddings = {"more.npy", {"gnu", "okapi"}, {{1, 0, 1}, {2, 0, 2}}};
  for (const bool is_known : {false, true}) {
    if (is_known) shop.request.before = {shop.folder / "1.bzpack"};
    const pack::Contents second = pack::build(shop.request);
    CHECK(second.changes[0].id == kGnu);
    CHECK(second.changes[1].id == kOkapi);
  }
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
  refused({0, -0.0f, 0}, "the embedding is all zero");
}

TEST_CASE("changes that devices would refuse are refused, with a sentence, when a pack is built") {
  Shop shop;
  const auto refused = [&](Names removed, std::vector<std::pair<std::string, std::string>> renamed,
                           Names added, const std::string& words) {
    shop.request.removed = removed;
    shop.request.renamed = renamed;
    shop.request.embeddings = {"new.npy", added, {added.size(), {1, 2, 3}}};
    const std::string message = message_of([&] { pack::build(shop.request); });
    INFO(message);
    CHECK(message.find(words) != std::string::npos);
  };
  refused({"class 1", "class 1"}, {}, {}, "class 'class 1' is removed by this pack already");
  refused({"class 1"}, {{"class 1", "x"}}, {}, "class 'class 1' is removed by this pack already");
  refused({}, {{"class 1", "x"}, {"class 1", "y"}}, {}, "is renamed by this pack already");
  refused({}, {{"class 1", "class 2"}}, {}, "there is a class of this name");
  refused({}, {{"class 1", "class 1"}}, {}, "there is a class of this name");
  refused({}, {{"class 1", "x"}, {"class 2", "x"}}, {}, "there is a class of this name");
  refused({}, {{"class 1", "a\nb"}}, {}, "the class name holds a control character");
  refused({}, {{"class 1", ""}}, {}, "the class name is empty");
  refused({}, {}, {"okapi", "okapi"}, "class 'okapi': has two embeddings");
  refused({}, {}, {"a\tb"}, "the class name holds a control character");
  refused({}, {}, {"\xFF"}, "the class name is not UTF-8");
  refused({}, {}, {std::string(64, 'n')}, "longer than there is room for");
  shop.request.embeddings->names = {"okapi", "gnu"};
  CHECK(message_of([&] { pack::build(shop.request); }).find("new.npy: 1 rows, but 2 names") == 0);
  // In their order: a name that was freed before is free.
  shop.request.removed = {"class 1"};
  shop.request.renamed = {{"class 2", "class 1"}, {"class 3", "class 2"}};
  shop.request.embeddings = {"new.npy", {"class 3"}, {{1, 2, 3}}};
  CHECK(pack::build(shop.request).changes.size() == 4);
}

TEST_CASE("names that the model has already, or has in another case, are pointed out") {
  Shop shop;
  const auto notes = [&](Names added, bool replaces = false) {
    shop.request.replace_only = replaces;
    shop.request.embeddings = {"new.npy", added, {added.size(), {1, 2, 3}}};
    Names found;
    pack::build(shop.request, &found);
    return found;
  };
  CHECK(notes({"okapi", "gnu"}) == Names{});
  CHECK(notes({"class 1"}) ==
        Names{"class 'class 1' is in " + shop.model + " already, and gets another embedding"});
  CHECK(notes({"class 1"}, /*replaces=*/true) == Names{});
  CHECK(notes({"Class 1", "Okapi", "okapi"}) ==
        Names{"class 'Class 1' differs from class 'class 1' only by case",
              "class 'okapi' differs from class 'Okapi' only by case"});
  shop.request.renamed = {{"class 2", "CLASS 1"}};
  CHECK(notes({}) == Names{"class 'CLASS 1' differs from class 'class 1' only by case"});
}

TEST_CASE("packs that know nothing of one another give different classes different ids") {
  Shop shop;
  Scorer scorer(shop.bytes.data(), shop.bytes.size(),
                store_table(shop.bytes.data(), shop.bytes.size()));
  Store store(scorer, nullptr, StoreFolder(shop.folder / "store", scorer), create_option());
  for (const std::string name : {"okapi", "gnu", "quagga", "okapi"}) {
    shop.request.embeddings = {"new.npy", {name}, {{1, 2, 3}}};
    const auto file = pack::serialise(pack::build(shop.request), std::nullopt);
    store.apply(file.data(), file.size());
    ++shop.request.counter;
  }
  CHECK(scorer.class_count() == 7);
  // One that takes an id of its own choice is refused, and names the class that has it.
  shop.request.first_id = kOkapi;
  shop.request.embeddings->names = {"zebra"};
  const auto file = pack::serialise(pack::build(shop.request), std::nullopt);
  CHECK(message_of([&] { store.apply(file.data(), file.size()); }) ==
        "change 0, class " + std::to_string(kOkapi) + ": there is a class of this id");
  store.apply(file.data(), file.size(), BZSCR_STORE_REPLACE_CLASSES);
  CHECK(scorer.class_name(kOkapi) == "zebra");
}

TEST_CASE(
    "a model is signed, verified and opened, and its contents are those of the unsigned one") {
  Shop shop;
  const pack::SecretKey key = pack::new_key(), other = pack::new_key();
  const auto keys = [](const pack::SecretKey& of) {
    const pack::PublicKey open = of.public_key();
    return std::vector<std::uint8_t>(open.bytes.begin(), open.bytes.end());
  };
  const std::string path = shop.folder / "signed.bzscr";
  const std::vector<std::uint8_t> file = pack::sign_model(shop.model, key);
  pack::write(file, path);
  CHECK(pack::is_model(path));
  const pack::ModelFile read = pack::read_model(path, keys(key));
  CHECK(read.is_signed);
  CHECK(read.key_id == key.public_key().id());
  CHECK(read.classes == 4);
  CHECK(read.data_hash == std::vector<std::uint8_t>(16, 0xAB));
  CHECK_THROWS_AS(pack::read_model(path, keys(other)), pack::UnknownKey);
  CHECK_FALSE(pack::read_model(shop.model).is_signed);
  CHECK(message_of([&] { pack::read_model(shop.model, keys(key)); }).find("is not signed") !=
        std::string::npos);
  CHECK(pack::sign_model(path, key) == file);  // signed anew: the same bytes
  CHECK(pack::sign_model(path, other) != file);
  // Packs and stores do not see the difference.
  const std::vector<std::uint8_t> bytes = pack::serialise(pack::build(shop.request), std::nullopt);
  shop.request.model = path;
  CHECK(pack::serialise(pack::build(shop.request), std::nullopt) == bytes);
  const AlignedBytes aligned(file.data(), file.size());
  CHECK_NOTHROW(require_signed_model(aligned.data(), aligned.size(), keys(key)));
  CHECK_THROWS_AS(require_signed_model(aligned.data(), aligned.size(), keys(other)), StoreError);
  CHECK_THROWS_AS(require_signed_model(aligned.data(), aligned.size(), {}), StoreError);
  Scorer scorer(aligned.data(), aligned.size(), store_table(aligned.data(), aligned.size()));
  CHECK_NOTHROW(Store(scorer, shop.bytes.data(), StoreFolder(shop.folder / "store", scorer),
                      create_option()));

  // A pack's signature is none of a model, nor the other way round.
  pack::write(pack::build(shop.request), key, shop.folder / "a.bzpack");
  CHECK_FALSE(pack::is_model(shop.folder / "a.bzpack"));
  CHECK(message_of([&] { pack::read_model(shop.folder / "a.bzpack", keys(key)); }) != "");
  CHECK(message_of([&] { pack::read(path, keys(key)); }).find("not a pack") != std::string::npos);
}

TEST_CASE("a signed model with any bit flipped is not verified") {
  Shop shop;
  const pack::SecretKey key = pack::new_key();
  const pack::PublicKey open = key.public_key();
  const std::vector<std::uint8_t> file = pack::sign_model(shop.model, key);
  const AlignedBytes good(file.data(), file.size());
  const auto status_of = [&](const AlignedBytes& bytes, std::size_t size) {
    return bzscr_store_verify_model(bytes.data(), size, open.bytes.data(), 1);
  };
  REQUIRE(status_of(good, good.size()) == BZSCR_STORE_OK);
  const auto* envelope = format::GetEnvelope(good.data());
  std::size_t tried = 0, accepted = 0;
  const auto try_it = [&](const AlignedBytes& bytes, std::size_t size) {
    ++tried;
    accepted += status_of(bytes, size) == BZSCR_STORE_OK ? 1 : 0;
  };
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    const AlignedBytes flipped(good.data(), good.size());
    flipped.data()[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    try_it(flipped, flipped.size());
    const std::uint8_t* at = good.data() + bit / 8;
    const auto within = [&](const auto* bytes) {
      return at >= bytes->data() && at < bytes->data() + bytes->size();
    };
    if (!within(envelope->payload()) && !within(envelope->signature()) &&
        !within(envelope->key_id()))
      continue;
    repair_checksums(flipped);
    try_it(flipped, flipped.size());
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    const AlignedBytes cut = good.first(size);
    try_it(cut, size);
  }
  CHECK(accepted == 0);
  CHECK(tried > good.size() * 16);
  MESSAGE(tried << " forged models, accepted: " << accepted);
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
  Store opened(scorer, shop.bytes.data(), StoreFolder(shop.folder / "store", scorer),
               create_option());
  Store store = std::move(opened);  // what it keeps stays where it is
  CHECK(opened.handle() == nullptr);
  CHECK_THROWS_AS(opened.compact(), StoreError);
  CHECK_THROWS_AS(opened.history(), StoreError);

  const std::vector<std::uint8_t> pack = pack::serialise(pack::build(shop.request), std::nullopt);
  store.apply(pack.data(), pack.size());
  CHECK(scorer.class_name(kOkapi) == "okapi");
  CHECK(store.owns(kOkapi));
  CHECK_FALSE(store.owns(3));
  CHECK(store.embedding(kOkapi) == std::vector<float>{1, 2, 3});
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
        store.add(3, "x", std::vector<float>{1, 2, 3});
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

TEST_CASE("a class that cannot be added under any id is refused, and the call returns") {
  Shop shop;
  Scorer scorer(shop.bytes.data(), shop.bytes.size(),
                store_table(shop.bytes.data(), shop.bytes.size()));
  Store store(scorer, nullptr, StoreFolder(shop.folder / "store", scorer), create_option());
  const std::vector<float> phi = {1, 2, 3};
  const std::uint32_t own = store.add("okapi", phi);
  store.add(UINT32_MAX, "the last id", phi);
  CHECK(store.add("gnu", phi) == own + 1);  // between the ids in use
  scorer.remove_class(own + 1);             // which only the store may do
  CHECK(status_of([&] { store.add("zebra", phi); }) == BZSCR_STORE_ID_TAKEN);
  scorer.close();
  CHECK(status_of([&] { store.add("quagga", phi); }) == BZSCR_STORE_CLASS + BZSCR_RT_CLOSED);
}

TEST_CASE("a class name that holds a zero byte is refused, not shortened") {
  Shop shop;
  Scorer scorer(shop.bytes.data(), shop.bytes.size(),
                store_table(shop.bytes.data(), shop.bytes.size()));
  Store store(scorer, nullptr, StoreFolder(shop.folder / "store", scorer), create_option());
  const std::vector<float> phi = {1, 2, 3};
  const std::string name("okapi\0s", 7);
  CHECK(status_of([&] { store.add(name, phi); }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(status_of([&] { store.add(50, name, phi); }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(status_of([&] { store.rename(0, name); }) == BZSCR_STORE_BAD_ARGUMENT);
  CHECK(scorer.class_count() == 4);
}

TEST_CASE("a store whose files were removed or replaced refuses changes instead of losing them") {
  Shop shop;
  const std::string folder = shop.folder / "store";
  const std::vector<float> phi = {1, 2, 3};
  for (const bool replaced : {false, true}) {
    Scorer scorer(shop.bytes.data(), shop.bytes.size(),
                  store_table(shop.bytes.data(), shop.bytes.size()));
    Store store(scorer, nullptr, StoreFolder(folder, scorer), create_option());
    store.add("okapi", phi);
    if (replaced) {
      std::filesystem::copy_file(folder + "/bank0", folder + "/copy");
      std::filesystem::rename(folder + "/copy", folder + "/bank0");
    } else {
      std::filesystem::remove_all(folder);
    }
    CHECK(status_of([&] { store.add("gnu", phi); }) == BZSCR_STORE_IO);
    CHECK(status_of([&] { store.compact(); }) == BZSCR_STORE_IO);
    CHECK(status_of([&] { store.refresh(); }) == BZSCR_STORE_IO);
    CHECK(scorer.class_count() == 5);
  }
  Scorer anew(shop.bytes.data(), shop.bytes.size(),
              store_table(shop.bytes.data(), shop.bytes.size()));
  Store store(anew, nullptr, StoreFolder(folder, anew), create_option());
  CHECK(anew.class_count() == 5);
  store.add("gnu", phi);
}

TEST_CASE("a reader takes a folder with one of the two files, and the other once it is there") {
  Shop shop;
  const std::string folder = shop.folder / "store";
  const auto table = [&] { return store_table(shop.bytes.data(), shop.bytes.size()); };
  const std::vector<float> phi = {1, 2, 3};
  {
    Scorer scorer(shop.bytes.data(), shop.bytes.size(), table());
    Store(scorer, nullptr, StoreFolder(folder, scorer), create_option()).add("okapi", phi);
  }
  REQUIRE(std::filesystem::file_size(folder + "/bank1") == 0);
  std::filesystem::remove(folder + "/bank1");
  bzscr_store_config reading{};
  reading.read_only = 1;
  Scorer scorer(shop.bytes.data(), shop.bytes.size(), table());
  Store reader(scorer, nullptr, StoreFolder(folder, scorer, true), reading);
  CHECK(scorer.class_count() == 5);
  CHECK_FALSE(std::filesystem::exists(folder + "/bank1"));
  Scorer other(shop.bytes.data(), shop.bytes.size(), table());
  Store writer(other, nullptr, StoreFolder(folder, other));
  writer.compact();  // into the file that was not there
  writer.add("gnu", phi);
  CHECK(reader.refresh());
  CHECK(scorer.class_count() == 6);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  CHECK(status_of([&] { StoreFolder(folder, scorer, true); }) == BZSCR_STORE_NO_STORE);
}

TEST_CASE("a FIFO in place of a store's file is an error, and nobody waits for its writer") {
  Shop shop;
  const std::string folder = shop.folder / "store";
  Scorer scorer(shop.bytes.data(), shop.bytes.size());
  std::filesystem::create_directory(folder);
  REQUIRE(::mkfifo((folder + "/bank0").c_str(), 0600) == 0);
  for (const bool read_only : {true, false})
    CHECK(status_of([&] { StoreFolder(folder, scorer, read_only); }) == BZSCR_STORE_IO);
}

TEST_CASE("a process that has closed its standard streams does not print into the store's files") {
  Shop shop;
  Scorer scorer(shop.bytes.data(), shop.bytes.size());
  const int input = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  bzscr_store_posix files;
  REQUIRE(bzscr_store_posix_make_folder((shop.folder / "store").c_str()) == BZSCR_STORE_OK);
  const bzscr_store_status status =
      bzscr_store_posix_open(&files, (shop.folder / "store").c_str(), 4096, 0);
  const bool is_closed = ::fcntl(STDIN_FILENO, F_GETFD) < 0;
  if (input >= 0) ::dup2(input, STDIN_FILENO), ::close(input);
  CHECK(status == BZSCR_STORE_OK);
  CHECK(is_closed);
  for (const int file : {files.folder, files.files[0], files.files[1]}) CHECK(file > STDERR_FILENO);
  bzscr_store_posix_close(&files);
}

TEST_CASE("a class that one device was taught is packed, signed, and scores the same on others") {
  const TestModel model = random_model_with_forms(12, 3, 2, 4, format::ScoreForm::Cosine);
  const AlignedBytes bytes = serialise(model);
  ScratchFolder folder;
  const std::string file =
      folder.write("m.bzscr", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto scorer = [&] {
    return Scorer(bytes.data(), bytes.size(), store_table(bytes.data(), bytes.size()));
  };
  const std::vector<float> x = random_vector(12, 5), phi = {1, 2, 3};
  Scorer teacher = scorer();
  {
    Store store(teacher, nullptr, StoreFolder(folder / "one", teacher), create_option());
    store.teach(13, x, 0.5f);
    store.teach(13, random_vector(12, 6));
    store.teach(store.add("okapi", phi), x);
    store.add("gnu", std::vector<float>{3, 2, 1});
  }
  pack::Request request;
  request.model = file;
  request.counter = 1;
  request.taught_from = folder / "one";
  request.taught = {"class 1", "okapi"};
  const pack::Contents built = pack::build(request);
  REQUIRE(built.changes.size() == 3);
  CHECK(built.changes[1].kind == pack::ChangeKind::kSet);
  CHECK(built.changes[1].id == kOkapi);  // not the device's own id
  CHECK(built.changes[1].phi == phi);
  CHECK(built.changes[0].count == 1.5f);
  const pack::SecretKey key = pack::new_key();
  const auto open = key.public_key().bytes;
  pack::write(built, key, folder / "a.bzpack");
  const pack::Contents read = pack::read(folder / "a.bzpack", {open.begin(), open.end()}).contents;
  CHECK(pack::serialise(read, key) == pack::serialise(built, key));
  pack::check_fit(read, "a.bzpack", file);

  Scorer learner = scorer();
  bzscr_store_config options = create_option();
  options.keys = open.data();
  options.key_count = 1;
  options.require_signatures = 1;
  Store store(learner, nullptr, StoreFolder(folder / "other", learner), options);
  const std::vector<std::uint8_t> signed_pack = pack::serialise(built, key);
  store.apply(signed_pack.data(), signed_pack.size());
  const auto score_of = [&](const Scorer& on, const std::string& name) {
    for (const bzscr_rt_result& each : on.score(random_vector(12, 9)))
      if (on.class_name(each.id) == name) return each.score;
    throw std::runtime_error("there is no class " + name);
  };
  for (const char* name : {"class 0", "class 1", "okapi"})
    CHECK(score_of(learner, name) == score_of(teacher, name));
  CHECK(score_of(learner, "class 1") != score_of(scorer(), "class 1"));

  // An embedding of the pack's own is not overridden by the store's.
  pack::Request both = request;
  both.embeddings = {"new.npy", {"okapi"}, {{4, 5, 6}}};
  const pack::Contents of_both = pack::build(both);
  REQUIRE(of_both.changes.size() == 3);
  CHECK(of_both.changes[0].phi == std::vector<float>{4, 5, 6});
  CHECK(of_both.changes[2].kind == pack::ChangeKind::kTeach);
  CHECK(of_both.changes[2].id == kOkapi);

  const auto refused = [&](const std::string& word, auto change) {
    pack::Request other = request;
    change(other);
    try {
      pack::build(other);
      FAIL_CHECK("built");
    } catch (const pack::Error& error) {
      INFO(error.what());
      CHECK(std::string(error.what()).find(word) != std::string::npos);
    }
  };
  refused("'gnu' was not taught", [](pack::Request& other) { other.taught = {"gnu"}; });
  refused("no class 'gna'", [](pack::Request& other) { other.taught = {"gna"}; });
  refused("given twice", [](pack::Request& other) { other.taught = {"okapi", "okapi"}; });
  refused("no store", [&](pack::Request& other) { other.taught_from = folder / "none"; });
  TestModel retrained = model;
  retrained.w[0] *= 2;
  const AlignedBytes other_bytes = serialise(retrained);
  const std::string other_file = folder.write(
      "n.bzscr", {reinterpret_cast<const char*>(other_bytes.data()), other_bytes.size()});
  refused("another model", [&](pack::Request& other) { other.model = other_file; });
  CHECK_THROWS_AS(pack::check_fit(read, "a.bzpack", other_file), pack::Error);
}
