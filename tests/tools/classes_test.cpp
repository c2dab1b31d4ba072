#include "support/dataset_files.h"
#include "support/json.h"
#include "support/model_builder.h"
#include "support/run_program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

using namespace bzscr;
using namespace bzscr::test;

namespace {

using Arguments = std::vector<std::string>;

/// A model, embeddings of two new classes and keys, in a folder of the test's own.
class Bench : public TemporaryFolder {
 public:
  Bench() {
    const AlignedBytes model = serialise(random_model(12, 3, 2, 4));
    write_bytes(*this / "m.bzscr",
                std::string(reinterpret_cast<const char*>(model.data()), model.size()));
    Matrix values(2, 3);
    values << 1, 2, 3, -1, 0.5, 4;
    write_bytes(*this / "new.npy", npy_bytes(values, "<f4"));
    write_bytes(*this / "new.txt", "okapi\ngnu\n");
  }
  Finished run(Arguments arguments) const { return run_program(BZSCR_CLASSES, arguments); }
  Arguments on_device(Arguments arguments) const {
    for (const std::string& each :
         {std::string("--store"), *this / "store", std::string("--model"), *this / "m.bzscr"})
      arguments.push_back(each);
    return arguments;
  }
  void ok(const Arguments& arguments) const {
    const Finished done = run(arguments);
    INFO(done.err);
    REQUIRE(done.exit_code == 0);
  }
  /// Exit code 2, and all of these words in one line on standard error.
  void refused(const Arguments& arguments, const std::vector<std::string>& words) const {
    const Finished done = run(arguments);
    CHECK(done.exit_code == 2);
    for (const std::string& word : words) {
      INFO(done.err);
      CHECK(done.err.find(word) != std::string::npos);
    }
  }
  void keygen(const std::string& name) const { ok({"keygen", *this / name}); }
  std::string pack(const std::string& name, int counter, const Arguments& more = {}) const {
    Arguments arguments = {"pack",      *this / "m.bzscr",       "-o",           *this / name,
                           "--counter", std::to_string(counter), "--embeddings", *this / "new.npy",
                           "--names",   *this / "new.txt"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ok(arguments);
    return *this / name;
  }
  Json listed() const {
    const Finished done = run(on_device({"list", "--json"}));
    INFO(done.err);
    REQUIRE(done.exit_code == 0);
    return Json::parse(done.out);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Json& each : listed()) names.push_back(each["name"]);
    return names;
  }
};

using Names = std::vector<std::string>;
const Names kTrained = {"class 0", "class 1", "class 2", "class 3"};
const Names kWithNew = {"class 0", "class 1", "class 2", "class 3", "okapi", "gnu"};

/// More of them: BZSCR_KILLS=500.
unsigned kills() {
  const char* text = std::getenv("BZSCR_KILLS");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 40;
}

const char* const kStrace = "/usr/bin/strace";

/// Runs the tool under strace; empty where strace cannot run here.
std::optional<Finished> traced(const Bench& bench, Arguments options, const Arguments& arguments) {
  if (::access(kStrace, X_OK) != 0) return std::nullopt;
  options.insert(options.end(), {"-o", bench / "trace", BZSCR_CLASSES});
  options.insert(options.end(), arguments.begin(), arguments.end());
  const Finished done = run_program(kStrace, options);
  if (done.err.find("ptrace") != std::string::npos || done.err.find("strace:") != std::string::npos)
    return std::nullopt;
  return done;
}

}  // namespace

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
  CHECK(said["changes"][0] == Json::parse(R"({"kind": "remove", "id": 13, "name": ""})"));
  CHECK(said["changes"][1] == Json::parse(R"({"kind": "rename", "id": 23, "name": "zebra"})"));
  CHECK(said["changes"][2] == Json::parse(R"({"kind": "set", "id": 34, "name": "okapi"})"));
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

TEST_CASE("a device's own changes are kept, told, and taken back") {
  const Bench bench;
  const std::string embedding = bench / "new.npy";
  bench.refused(bench.on_device({"list"}), {"no store"});
  bench.ok(bench.on_device({"add", "okapi", "--embedding", embedding}));
  write_bytes(bench / "new.csv", "class,a,b,c\ngnu,1,0,1\nokapi,2,0,2\n");
  bench.ok(bench.on_device({"add", "gnu", "--embedding", bench / "new.csv"}));
  bench.ok(bench.on_device({"replace", "class 0", "--embedding", embedding, "--row", "1"}));
  bench.ok(bench.on_device({"rename", "gnu", "wildebeest"}));
  bench.ok(bench.on_device({"remove", "class 1"}));
  CHECK(bench.names() == Names{"class 0", "class 2", "class 3", "okapi", "wildebeest"});
  CHECK(bench.listed()[0]["from"] == "store");
  CHECK(bench.listed()[1]["from"] == "model");
  const Finished history = bench.run(bench.on_device({"history", "--json"}));
  const Json records = Json::parse(history.out);
  REQUIRE(records.size() == 6);
  CHECK(records[5]["record"] == 5);
  CHECK(records[5]["from"] == "device");
  bench.ok(bench.on_device({"rollback", "2"}));
  CHECK(bench.names() == kWithNew);
  bench.ok(bench.on_device({"compact"}));
  CHECK(bench.names() == kWithNew);

  bench.refused(bench.on_device({"rollback", "1"}), {"no such record"});
  bench.refused(bench.on_device({"add", "okapi", "--embedding", embedding}),
                {"there is a class 'okapi'"});
  bench.refused(bench.on_device({"add", "x", "--embedding", embedding, "--id", "3"}),
                {"id 3 is taken"});
  bench.refused(bench.on_device({"add", "x", "--embedding", embedding, "--row", "2"}),
                {"new.npy", "row 2", "there are 2"});
  bench.refused(bench.on_device({"add", "x", "--embedding", bench / "new.csv"}),
                {"new.csv", "no row of class 'x'"});
  bench.refused(bench.on_device({"remove", "x"}), {"no class 'x'"});
  bench.refused(bench.on_device({"remove", "clas 1"}),
                {"no class 'clas 1'; did you mean 'class 1'?"});
  bench.refused({"lits"}, {"unknown command 'lits'; did you mean 'list'?"});
  bench.refused({"xyzzy"}, {"unknown command 'xyzzy'; --help lists the commands"});
  bench.refused(bench.on_device({"list", "--jsno"}),
                {"unknown option '--jsno'; did you mean '--json'?"});
  bench.refused(bench.on_device({"rename", "gnu", "okapi"}), {"another class has this name"});
  CHECK(bench.names() == kWithNew);
}

TEST_CASE("check finds a damaged store, and the last good state can be taken") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "new.npy"}));
  bench.ok(bench.on_device({"add", "gnu", "--embedding", bench / "new.npy", "--row", "1"}));
  bench.ok(bench.on_device({"check"}));
  std::string bytes = read_bytes(bench / "store/bank0");
  bytes[bytes.size() - 10] ^= 1;
  write_bytes(bench / "store/bank0", bytes);
  for (const char* command : {"check", "list", "history", "compact"})
    bench.refused(bench.on_device({command}), {"store", "damaged"});
  const Finished checked = bench.run(bench.on_device({"check", "--accept-last-good", "--json"}));
  CHECK(Json::parse(checked.out)["damaged"] == true);
  bench.ok(bench.on_device({"compact", "--accept-last-good"}));
  CHECK(bench.names() == Names{"class 0", "class 1", "class 2", "class 3", "okapi"});
}

TEST_CASE("the program killed at any moment leaves the classes as before or as after") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "new.npy"}));
  long whole = 1000000;  // microseconds that a change takes when nothing is in its way
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    bench.ok(bench.on_device({"compact"}));
    whole = std::min<long>(whole, std::chrono::duration_cast<std::chrono::microseconds>(
                                      std::chrono::steady_clock::now() - start)
                                      .count());
  }
  Names now = bench.names();
  std::mt19937 random(7);
  unsigned killed = 0, before = 0, after = 0;
  while (killed < kills()) {
    const bool there = now.back() == "gnu";
    Names changed = now;
    if (there)
      changed.pop_back();
    else
      changed.push_back("gnu");
    const bool compacts = random() % 4 == 0;
    const Arguments arguments = compacts ? Arguments{"compact"}
                                : there  ? Arguments{"remove", "gnu"}
                                        : Arguments{"add", "gnu", "--embedding", bench / "new.npy"};
    const Finished done = run_program(BZSCR_CLASSES, bench.on_device(arguments), [&](int pid) {
      ::usleep(static_cast<useconds_t>(random() % static_cast<unsigned long>(whole)));
      ::kill(pid, SIGKILL);
    });
    const Names found = bench.names();
    if (done.exit_code == 0) {
      REQUIRE(found == (compacts ? now : changed));
    } else {
      REQUIRE(done.exit_code == 128 + SIGKILL);
      ++killed;
      REQUIRE((found == now || (!compacts && found == changed)));
      ++(found == now ? before : after);
    }
    now = found;
  }
  MESSAGE(killed << " SIGKILLs: " << before << " left the classes as before, " << after
                 << " as after, none otherwise");
}

TEST_CASE(
    "all of a change is on the disk before the mark that makes it count, and the mark before "
    "success is told") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "new.npy"}));
  const auto order = [&](const Arguments& arguments) -> std::string {
    const auto done = traced(bench, {"-e", "trace=pwrite64,fdatasync,ftruncate,write"},
                             bench.on_device(arguments));
    if (!done) return "";
    std::string letters;
    const std::string trace = read_bytes(bench / "trace");
    for (std::size_t at = 0, end; (end = trace.find('\n', at)) != std::string::npos; at = end + 1) {
      const std::string line = trace.substr(at, end - at);
      const auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
      if (has("pwrite64("))
        letters += has("\"BZOK") ? 'M' : has("\"BZSB") ? 'B' : has("\"BZSR") ? 'R' : 'p';
      if (has("fdatasync(") && !letters.empty() && letters.back() != 's') letters += 's';
      if (has("ftruncate(")) letters += 't';
      if (has("write(1")) letters += 'o';
    }
    return letters;
  };
  const std::string added = order({"add", "gnu", "--embedding", bench / "new.npy"});
  if (added.empty()) {
    MESSAGE("strace cannot run here: not tested");
    return;
  }
  CHECK(added == "pRsMso");                  // payload, record, sync, mark, sync, output
  CHECK(order({"compact"}) == "tpRsMsBso");  // the other bank, its header last
}

TEST_CASE(
    "the program killed, or refused by the system, at each of its calls leaves the classes as "
    "before or as after") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "new.npy"}));
  unsigned tried = 0;
  Names now = bench.names();
  for (const std::string what : {"signal=KILL", "error=ENOSPC", "error=EIO", "error=EROFS"})
    for (const std::string call : {"pwrite64", "fdatasync", "ftruncate"})
      for (int when = 1; when <= 6; ++when) {
        const bool there = now.back() == "gnu";
        Names changed = now;
        if (there)
          changed.pop_back();
        else
          changed.push_back("gnu");
        const Arguments arguments = there
                                        ? Arguments{"remove", "gnu"}
                                        : Arguments{"add", "gnu", "--embedding", bench / "new.npy"};
        const auto done = traced(bench,
                                 {"-e", "trace=" + call, "-e",
                                  "inject=" + call + ":" + what + ":when=" + std::to_string(when)},
                                 bench.on_device(arguments));
        if (!done) {
          MESSAGE("strace cannot run here: not tested");
          return;
        }
        ++tried;
        CAPTURE(what);
        CAPTURE(call);
        CAPTURE(when);
        if (done->exit_code == 2) CHECK(done->err.find("reported an error (") != std::string::npos);
        const Names found = bench.names();
        if (done->exit_code == 0) REQUIRE(found == changed);
        REQUIRE((found == now || found == changed));
        now = found;
      }
  CHECK(tried == 72);
}

TEST_CASE("listing classes opens nothing for writing") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "new.npy"}));
  const auto done = traced(bench, {"-e", "trace=openat"}, bench.on_device({"list", "--json"}));
  if (!done) {
    MESSAGE("strace cannot run here: not tested");
    return;
  }
  const std::string trace = read_bytes(bench / "trace");
  CHECK(trace.find("bank0\", O_RDONLY") != std::string::npos);
  CHECK(trace.find("O_RDWR") == std::string::npos);
  CHECK(Json::parse(done->out).size() == 5);
}

TEST_CASE("two programs that change the same classes at once lose nothing") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "new.npy"}));
  Finished second{};
  const Finished first = run_program(
      BZSCR_CLASSES, bench.on_device({"add", "a", "--embedding", bench / "new.npy"}), [&](int) {
        second = bench.run(bench.on_device({"add", "b", "--embedding", bench / "new.npy"}));
      });
  CHECK(first.exit_code == 0);
  CHECK(second.exit_code == 0);
  const Names names = bench.names();  // the ids of a and b are as they came
  CHECK(std::set<std::string>(names.begin(), names.end()) ==
        std::set<std::string>{"class 0", "class 1", "class 2", "class 3", "okapi", "a", "b"});
}

TEST_CASE("what cannot be asked for is said") {
  const Bench bench;
  const Arguments pack = {"pack", bench / "m.bzscr", "-o", bench / "x.bzpack", "--counter", "1"};
  const auto with = [&](const Arguments& more) {
    Arguments all = pack;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  bench.refused(pack, {"no change was asked for"});
  bench.refused(with({"--embeddings", bench / "new.npy"}), {"new.npy", "needs --names"});
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
  CHECK(::access((bench / "x.bzpack").c_str(), F_OK) != 0);
}
