#include "pack_and_store.h"

#include "support/pack_builder.h"

#include <algorithm>
#include <filesystem>

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
  bench.refused({"verify", pack, "--trust", bench / "thief.pub"},
                {"new.bzpack", "is signed by key ", "none of the trusted keys", "--trust"});

  const auto apply = [&](const std::string& file, const Arguments& more = {}) {
    Arguments arguments =
        bench.on_device({"apply", file, "--trust", bench / "shop.pub", "--require-signature"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  bench.refused(apply(bench.pack("unsigned.bzpack", 8)), {"unsigned.bzpack", "not signed"});
  bench.refused(apply(bench.pack("forged.bzpack", 8, {"--key", bench / "thief.key"})),
                {"forged.bzpack", "does not know", "--trust names the keys to trust"});
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
  CHECK(said["changes"][2] == Json::parse(R"({"id": 1372748099, "kind": "set", "name": "okapi"})"));
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
  bench.refused(next("x.bzpack", "3", {"--after", bench / "2.bzpack", first, "--remove", "okapi"}),
                {"1.bzpack", "its counter is 1", "in the order of their counters"});
  bench.refused(next("x.bzpack", "3", {"--after", first, first, "--remove", "okapi"}),
                {"in the order of their counters"});
  bench.refused(next("x.bzpack", "2", {"--embeddings", bench / "more.csv", "--first-id", "33"}),
                {"id 33 is that of class 'class 3'"});
  bench.ok(
      bench.on_device({"add", "local", "--embedding", bench / "one.npy"}));  // no pack takes its id
  bench.ok(bench.on_device({"apply", first}));
  bench.ok(bench.on_device({"apply", bench / "2.bzpack"}));
  CHECK(bench.names() ==
        Names{"class 0", "class 1", "class 2", "class 3", "okapi", "quagga", "local"});
  const Json classes = bench.listed();
  CHECK(classes[4]["id"] == 1372748099);  // of the name: below 2^31, where the device's own begin
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
  write_bytes(bench / "named.csv", "class,a,b,c\nokapi,1,2,3\n");
  bench.refused(with({"--embeddings", bench / "named.csv", "--names", bench / "one.txt"}),
                {"named.csv", "names its classes itself", "one.txt"});
  bench.refused(
      with({"--embeddings", bench / "new.npy", "--names", bench / "new.txt", "--replace"}),
      {"no class 'okapi'"});
  bench.keygen("shop");
  bench.refused({"sign", bench / "new.npy", "--key", bench / "shop.key"},
                {"new.npy", "not a pack"});
  bench.refused(with({"--remove", "class 1", "class 1"}), {"removed by this pack already"});
  bench.refused(with({"--remove", "class 1", "--rename", "class 1=x"}),
                {"removed by this pack already"});
  bench.refused(with({"--rename", "class 1=class 2"}), {"there is a class of this name"});
  bench.refused(with({"--rename", "class 1=a\nb"}), {"control character"});
  write_bytes(bench / "zero.csv", "class,a,b,c\nghost,0,0,0\n");
  bench.refused(with({"--embeddings", bench / "zero.csv"}), {"zero.csv", "'ghost'", "all zero"});
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

TEST_CASE("packs that know nothing of one another add their classes, and none replaces another's") {
  const Bench bench;
  const auto one = [&](const std::string& name, const std::string& counter, Arguments more = {}) {
    write_bytes(bench / "names.txt", name + "\n");
    Arguments arguments = {"pack",         bench / "m.bzscr",
                           "-o",           bench / (name + ".bzpack"),
                           "--counter",    counter,
                           "--embeddings", bench / "one.npy",
                           "--names",      bench / "names.txt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    bench.ok(arguments);
    return bench / (name + ".bzpack");
  };
  bench.ok(bench.on_device({"apply", one("gnu", "1")}));
  bench.ok(bench.on_device({"apply", one("okapi", "2")}));
  CHECK(bench.names() == kWithNew);
  bench.ok(bench.on_device({"apply", one("ox", "3", {"--first-id", "94"})}));
  const std::string taken = one("yak", "4", {"--first-id", "94"});
  bench.refused(bench.on_device({"apply", taken}),
                {"yak.bzpack", "class 94", "'ox'", "'yak'", "--replace"});
  CHECK(bench.names().at(4) == "ox");
  const Finished replaced = bench.run(bench.on_device({"apply", taken, "--replace"}));
  CHECK(replaced.exit_code == 0);
  CHECK(replaced.out.find("replaced 'ox' by 'yak'") != std::string::npos);
  CHECK(bench.names().at(4) == "yak");
}

TEST_CASE("bzscr-pack says which names the model has already, or has in another case") {
  const Bench bench;
  write_bytes(bench / "new.txt", "class 1\nClass 2\n");
  const Finished done =
      bench.run({"pack", bench / "m.bzscr", "-o", bench / "a.bzpack", "--counter", "1",
                 "--embeddings", bench / "new.npy", "--names", bench / "new.txt"});
  CHECK(done.exit_code == 0);
  CHECK(done.err ==
        "bzscr-pack: note: class 'class 1' is in " + (bench / "m.bzscr") +
            " already, and gets another embedding\n"
            "bzscr-pack: note: class 'Class 2' differs from class 'class 2' only by case\n");
  CHECK(done.out == (bench / "a.bzpack") + ": 2 changes, counter 1, not signed\n");
  const Finished single = bench.run({"pack", bench / "m.bzscr", "-o", bench / "a.bzpack",
                                     "--counter", "1", "--remove", "class 1"});
  CHECK(single.out == (bench / "a.bzpack") + ": 1 change, counter 1, not signed\n");
}

TEST_CASE("a model is signed, verified and shown like a pack, and the device can insist on it") {
  const Bench bench;
  bench.keygen("shop");
  bench.keygen("thief");
  const std::string model = bench / "m.bzscr", signed_model = bench / "signed.bzscr";
  bench.ok({"sign", model, "--key", bench / "shop.key", "-o", signed_model});
  bench.ok({"verify", signed_model, "--trust", bench / "shop.pub"});
  bench.refused({"verify", signed_model, "--trust", bench / "thief.pub"},
                {"signed.bzscr", "none of the trusted keys", "--trust"});
  bench.refused({"verify", model, "--trust", bench / "shop.pub"}, {"m.bzscr", "not signed"});
  bench.refused({"verify", signed_model, "--trust", bench / "shop.pub", "--model", model},
                {"--model", "is a model"});
  const Json shown = Json::parse(bench.run({"show", signed_model, "--json"}).out);
  const Json plain = Json::parse(bench.run({"show", model, "--json"}).out);
  CHECK(shown["signed"] == true);
  CHECK(plain["signed"] == false);
  CHECK(shown["model_hash"] == plain["model_hash"]);
  CHECK(shown["model_hash"] ==
        Json::parse(bench.run({"show", bench.pack("a.bzpack", 1), "--json"}).out)["model_hash"]);
  CHECK(shown["classes"] == 4);
  CHECK(bench.run({"show", signed_model}).out.find("signed by key ") != std::string::npos);

  const auto list = [&](const std::string& file, const std::string& key) {
    return Arguments{"list", "--store",     bench / "store", "--model",
                     file,   "--model-key", bench / key};
  };
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  bench.ok(list(signed_model, "shop.pub"));
  bench.refused(list(signed_model, "thief.pub"), {"signed.bzscr", "does not know", "--model-key"});
  bench.refused(list(model, "shop.pub"), {"m.bzscr", "not signed"});
  std::string bytes = read_bytes(signed_model);
  bytes[bytes.size() / 2] ^= 4;
  write_bytes(bench / "flipped.bzscr", bytes);
  bench.refused(list(bench / "flipped.bzscr", "shop.pub"), {"flipped.bzscr", "damaged"});
  bench.refused({"verify", bench / "flipped.bzscr", "--trust", bench / "shop.pub"},
                {"flipped.bzscr", "damaged"});
}

TEST_CASE(
    "an output that is an input is refused, through links too, and the input stays as it was") {
  const Bench bench;
  bench.keygen("shop");
  const std::string first = bench.pack("1.bzpack", 1);
  REQUIRE(::symlink((bench / "m.bzscr").c_str(), (bench / "link").c_str()) == 0);
  REQUIRE(::link((bench / "new.npy").c_str(), (bench / "hard").c_str()) == 0);
  for (const std::string name :
       {"m.bzscr", "./m.bzscr", "link", "new.npy", "hard", "new.txt", "1.bzpack", "shop.key"}) {
    const std::string path = bench / name;
    CAPTURE(path);
    const std::string before = read_bytes(path);
    bench.refused(
        {"pack", bench / "m.bzscr", "-o", path, "--counter", "2", "--after", first, "--embeddings",
         bench / "new.npy", "--names", bench / "new.txt", "--key", bench / "shop.key"},
        {path, "is an input of the program"});
    CHECK(read_bytes(path) == before);
  }
  bench.refused({"sign", first, "--key", bench / "shop.key", "-o", bench / "shop.key"},
                {"shop.key", "is an input of the program"});
}

TEST_CASE("no output replaces a key") {
  const Bench bench;
  bench.keygen("shop");
  bench.keygen("other");
  const std::string pack = bench.pack("1.bzpack", 1);
  for (const char* name : {"shop.pub", "other.key", "other.pub"}) {
    const std::string path = bench / name, before = read_bytes(path);
    CAPTURE(path);
    bench.refused({"sign", pack, "--key", bench / "shop.key", "-o", path},
                  {path, "is a key, which is never overwritten; expected another file to write"});
    bench.refused({"pack", bench / "m.bzscr", "-o", path, "--counter", "2", "--embeddings",
                   bench / "new.npy", "--names", bench / "new.txt"},
                  {path, "is a key"});
    CHECK(read_bytes(path) == before);
  }
}

TEST_CASE(
    "a full disk leaves neither half a pack nor half a pair of keys, and the old file stays") {
#ifdef __SANITIZE_ADDRESS__
  MESSAGE("not under the address sanitizer: its runtime writes too, and the calls are counted");
  return;
#endif
  const Bench bench;
  const std::string pack = bench.pack("a.bzpack", 1), before = read_bytes(pack);
  const auto on_full_disk = [&](const std::string& call, int when, const Arguments& arguments) {
    return traced(bench, BZSCR_PACK,
                  {"-e", "trace=" + call, "-e",
                   "inject=" + call + ":error=ENOSPC:when=" + std::to_string(when)},
                  arguments);
  };
  const Arguments again = {"pack", bench / "m.bzscr", "-o",     pack, "--counter",
                           "2",    "--remove",        "class 1"};
  for (const char* call : {"write", "fsync"}) {
    const auto done = on_full_disk(call, 1, again);
    if (!done) {
      MESSAGE("strace cannot run here: not tested");
      return;
    }
    CHECK(done->exit_code == 2);
    CHECK(done->err.find("a.bzpack: cannot be written: No space left") != std::string::npos);
    CHECK(read_bytes(pack) == before);
  }
  for (const int when : {1, 2}) {  // the secret key, then the public one
    const auto made = on_full_disk("write", when, {"keygen", bench / "shop"});
    CHECK(made->exit_code == 2);
    CHECK(::access((bench / "shop.key").c_str(), F_OK) != 0);
    CHECK(::access((bench / "shop.pub").c_str(), F_OK) != 0);
  }
  for (const auto& each : std::filesystem::directory_iterator(bench / "."))
    CHECK(each.path().filename().string().find(".bzpack.") == std::string::npos);
  // Standard output that is full: an error, and what was written is whole.
  const Finished unheard = run_program(
      "/bin/sh", {"-c", std::string(BZSCR_PACK) + " keygen " + (bench / "shop") + " >/dev/full"});
  CHECK(unheard.exit_code == 2);
  CHECK(unheard.err.find("standard output: No space left") != std::string::npos);
  bench.ok({"sign", pack, "--key", bench / "shop.key"});
  bench.ok({"verify", pack, "--trust", bench / "shop.pub"});
}

TEST_CASE("control characters in the names of a pack are shown, not sent to the terminal") {
  const Bench bench;
  const TestChange change{
      format::ChangeKind::Set, 50, "a\x1b[2J\n        51  b", {1, 2, 3}, /*with_name=*/true};
  const TestPack hostile = pack_for(random_model(12, 3, 2, 4), 1, {change});
  const AlignedBytes bytes = serialise(hostile);
  write_bytes(bench / "hostile.bzpack",
              std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  bench.ok(bench.on_device({"apply", bench / "hostile.bzpack"}));
  for (const Arguments& shows :
       {Arguments{"show", bench / "hostile.bzpack"}, bench.on_device({"list"})}) {
    const std::string out = bench.run(shows).out;
    CHECK(out.find("50") != std::string::npos);
    CHECK(out.find("a\\x1B[2J\\x0A        51  b") != std::string::npos);
    CHECK(out.find('\x1b') == std::string::npos);
  }
}
