#include "pack_and_store.h"

#include <algorithm>

#include <sys/stat.h>
#include <unistd.h>

using namespace bzscr;
using namespace bzscr::test;

TEST_CASE("a pack made, signed and applied adds its classes, once, and only by a trusted key") {
  const Bench bench;
  bench.keygen("shop");
  bench.keygen("thief");
  struct stat status {};
  REQUIRE(::stat((bench / "shop.key").c_str(), &status) == 0);
  CHECK((status.st_mode & 077) == 0);
  bench.refused({"keygen", bench / "shop"}, {"shop.key", "already"});
  const std::string pack = bench.pack("new.bzpack", 7, {"--key", bench / "shop.key"});
  bench.ok({"verify", pack, "--trust", bench / "shop.pub"});
  bench.refused({"verify", pack, "--trust", bench / "thief.pub"}, {"new.bzpack", "does not know"});

  const auto apply = [&](const std::string& file, const Arguments& more = {}) {
    Arguments arguments =
        bench.on_device({"apply", file, "--trust", bench / "shop.pub", "--require-signature"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  bench.refused(apply(bench.pack("unsigned.bzpack", 8)), {"unsigned.bzpack", "not signed"});
  bench.refused(apply(bench.pack("forged.bzpack", 8, {"--key", bench / "thief.key"})),
                {"forged.bzpack", "does not know"});
  CHECK(bench.names() == kTrained);
  bench.ok(apply(pack));
  CHECK(bench.names() == kWithNew);
  bench.refused(apply(pack), {"counter is 7", "was 7", "--allow-older"});
  bench.ok(apply(pack, {"--allow-older"}));
  bench.ok({"sign", bench / "unsigned.bzpack", "--key", bench / "shop.key"});
  bench.ok(apply(bench / "unsigned.bzpack"));
  CHECK(bench.names() == kWithNew);

  std::string bytes = read_bytes(pack);
  write_bytes(bench / "cut.bzpack", bytes.substr(0, bytes.size() - 1));
  bench.refused(apply(bench / "cut.bzpack"), {"cut.bzpack", "damaged"});
  bench.refused(apply(bench / "m.bzscr"), {"m.bzscr", "not a pack"});
  bench.refused(apply(bench / "absent.bzpack"), {"absent.bzpack", "No such file"});
}

TEST_CASE("show tells what is in a pack, and the same input gives the same bytes") {
  const Bench bench;
  const std::string pack =
      bench.pack("a.bzpack", 3, {"--remove", "class 1", "--rename", "class 2=zebra"});
  const Finished shown = bench.run({"show", pack, "--json"});
  const Json said = Json::parse(shown.out);
  CHECK(said["counter"] == 3);
  CHECK(said["signed"] == false);
  CHECK(said["embedding"] == "hypernyms");
  CHECK(said["embedding_dimension"] == 3);
  REQUIRE(said["changes"].size() == 4);
  CHECK(said["changes"][0] == Json::parse(R"({"id": 13, "kind": "remove", "name": ""})"));
  CHECK(said["changes"][1] == Json::parse(R"({"id": 23, "kind": "rename", "name": "zebra"})"));
  CHECK(said["changes"][2] == Json::parse(R"({"id": 34, "kind": "set", "name": "okapi"})"));
  const std::string again =
      bench.pack("b.bzpack", 3, {"--remove", "class 1", "--rename", "class 2=zebra"});
  CHECK(read_bytes(pack) == read_bytes(again));
  bench.ok(bench.on_device({"apply", pack}));
  CHECK(bench.names() == Names{"class 0", "zebra", "class 3", "okapi", "gnu"});
}

TEST_CASE("later packs know the classes of those before them") {
  const Bench bench;
  const std::string first = bench.pack("1.bzpack", 1);
  const auto next = [&](const std::string& name, const std::string& counter,
                        const Arguments& more) {
    Arguments arguments = {"pack", bench / "m.bzscr", "-o", bench / name, "--counter", counter};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  write_bytes(bench / "more.csv", "class,a,b,c\nquagga,1,0,1\nokapi,2,0,2\n");
  bench.ok(next("2.bzpack", "2",
                {"--after", first, "--embeddings", bench / "more.csv", "--remove", "gnu"}));
  bench.refused(next("x.bzpack", "1", {"--after", first, "--remove", "gnu"}),
                {"1.bzpack", "its counter is 1"});
  bench.refused(next("x.bzpack", "2", {"--embeddings", bench / "more.csv", "--first-id", "33"}),
                {"id 33 is that of class 'class 3'"});
  bench.ok(
      bench.on_device({"add", "local", "--embedding", bench / "new.npy"}));  // no pack takes its id
  bench.ok(bench.on_device({"apply", first}));
  bench.ok(bench.on_device({"apply", bench / "2.bzpack"}));
  CHECK(bench.names() ==
        Names{"class 0", "class 1", "class 2", "class 3", "okapi", "quagga", "local"});
  const Json classes = bench.listed();
  CHECK(classes[4]["id"] == 34);
  CHECK(classes[5]["id"] == 36);  // 35 is the gnu's
  CHECK(classes[6]["id"] == 2147483648);
}

TEST_CASE("bzscr-pack refuses what it cannot do, names the reason and writes no pack") {
  const Bench bench;
  const Arguments pack = {"pack", bench / "m.bzscr", "-o", bench / "x.bzpack", "--counter", "1"};
  const auto with = [&](const Arguments& more) {
    Arguments all = pack;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  bench.refused(pack, {"no change was asked for"});
  bench.refused(with({"--embeddings", bench / "new.npy"}), {"new.npy", "needs names"});
  bench.refused(with({"--remove", "x"}), {"m.bzscr", "no class 'x'"});
  bench.refused(with({"--rename", "x"}), {"'x' is not OLD=NEW"});
  write_bytes(bench / "one.txt", "okapi\n");
  bench.refused(with({"--embeddings", bench / "new.npy", "--names", bench / "one.txt"}),
                {"2 rows, but 1 names"});
  write_bytes(bench / "short.csv", "class,a\nokapi,1\n");
  bench.refused(with({"--embeddings", bench / "short.csv"}), {"short.csv", "1 numbers", "3"});
  bench.refused(
      with({"--embeddings", bench / "new.npy", "--names", bench / "new.txt", "--replace"}),
      {"no class 'okapi'"});
  bench.refused({"sign", bench / "m.bzscr", "--key", bench / "m.bzscr"}, {"m.bzscr", "not a pack"});
  const Finished mistyped = run_program(BZSCR_PACK, {"pakc"});
  CHECK(mistyped.exit_code == 2);
  CHECK(mistyped.err == "bzscr-pack: unknown command 'pakc'; did you mean 'pack'?\n");
  bench.refused(with({"--remove", "clas 1"}), {"no class 'clas 1'; did you mean 'class 1'?"});
  CHECK(::access((bench / "x.bzpack").c_str(), F_OK) != 0);
}

TEST_CASE(
    "verify with a model refuses a pack for other data, and one whose embeddings do not fit") {
  const Bench bench;
  bench.keygen("shop");
  const std::string pack = bench.pack("new.bzpack", 1, {"--key", bench / "shop.key"});
  const Arguments verify = {"verify", pack, "--trust", bench / "shop.pub", "--model"};
  const auto with_model = [&](const std::string& name, const AlignedBytes& bytes) {
    write_bytes(bench / name,
                std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    Arguments arguments = verify;
    arguments.push_back(bench / name);
    return arguments;
  };
  const AlignedBytes model = serialise(random_model(12, 3, 2, 4));
  bench.ok(with_model("same.bzscr", model));
  const std::vector<std::uint8_t> hash(16, 0xAB);  // of every model of model_builder.h
  std::uint8_t* const end = model.data() + model.size();
  std::uint8_t* const at = std::search(model.data(), end, hash.begin(), hash.end());
  REQUIRE(at != end);
  *at = 0xCD;
  repair_checksums(model);
  bench.refused(with_model("other.bzscr", model), {"new.bzpack", "other data", "other.bzscr"});
  bench.refused(with_model("longer.bzscr", serialise(random_model(12, 5, 2, 4))),
                {"new.bzpack", "has 3 numbers, the model's 5"});
}

TEST_CASE("an unsigned pack is not verified by any key, and is once it has been signed") {
  const Bench bench;
  bench.keygen("shop");
  const std::string pack = bench.pack("new.bzpack", 1);
  bench.refused({"verify", pack, "--trust", bench / "shop.pub"}, {"new.bzpack", "not signed"});
  bench.ok({"sign", pack, "--key", bench / "shop.key", "-o", bench / "signed.bzpack"});
  bench.ok({"verify", bench / "signed.bzpack", "--trust", bench / "shop.pub"});
  CHECK(Json::parse(bench.run({"show", pack, "--json"}).out)["signed"] == false);
  bench.refused({"verify", pack, "--trust", bench / "shop.key"},
                {"shop.key", "not a bzscr-public-key"});
}

TEST_CASE("embeddings of names are made of word vectors, and a name without a vector is refused") {
  const Bench bench;
  write_bytes(bench / "vectors.txt", "okapi 1 2 3\ngnu -1 0.5 4\nzebra 0 0 1\n");
  const auto from_vectors = [&](const std::string& name) {
    return Arguments{
        "pack",      bench / "m.bzscr",     "-o",      bench / name,     "--counter", "1",
        "--vectors", bench / "vectors.txt", "--names", bench / "new.txt"};
  };
  bench.ok(from_vectors("vectors.bzpack"));
  CHECK(read_bytes(bench / "vectors.bzpack") == read_bytes(bench.pack("given.bzpack", 1)));
  write_bytes(bench / "new.txt", "okapi\nquagga\n");
  bench.refused(from_vectors("none.bzpack"), {"quagga"});
  CHECK(::access((bench / "none.bzpack").c_str(), F_OK) != 0);
}
