#include "pack_and_store.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <unistd.h>

using namespace bzscr;
using namespace bzscr::test;

namespace {

/// More of them: BZSCR_KILLS=500.
unsigned kills() {
  const char* text = std::getenv("BZSCR_KILLS");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 40;
}

}  // namespace

TEST_CASE("a device's own changes are kept, told, and taken back") {
  const Bench bench;
  const std::string embedding = bench / "one.npy", rows = bench / "new.npy";
  bench.refused(bench.on_device({"list"}), {"no store"});
  bench.ok(bench.on_device({"add", "okapi", "--embedding", embedding}));
  write_bytes(bench / "new.csv", "class,a,b,c\ngnu,1,0,1\nokapi,2,0,2\n");
  bench.ok(bench.on_device({"add", "gnu", "--embedding", bench / "new.csv"}));
  bench.ok(bench.on_device({"replace", "class 0", "--embedding", rows, "--row", "1"}));
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
  bench.refused(bench.on_device({"add", "x", "--embedding", rows, "--row", "2"}),
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
  bench.refused(bench.on_device({"lst"}), {"unknown command 'lst'; did you mean 'list'?"});
  bench.refused(bench.on_device({"rename", "gnu", "okapi"}), {"another class has this name"});
  CHECK(bench.names() == kWithNew);
}

TEST_CASE("check finds a damaged store, and the last good state can be taken") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
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
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
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
                                        : Arguments{"add", "gnu", "--embedding", bench / "one.npy"};
    const Finished done = run_program(BZSCR_STORE, bench.on_device(arguments), [&](int pid) {
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
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  const auto order = [&](const Arguments& arguments) -> std::string {
    const auto done = traced(bench, BZSCR_STORE, {"-e", "trace=pwrite64,fdatasync,ftruncate,write"},
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
  const std::string added = order({"add", "gnu", "--embedding", bench / "one.npy"});
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
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
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
                                        : Arguments{"add", "gnu", "--embedding", bench / "one.npy"};
        const auto done = traced(bench, BZSCR_STORE,
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
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  const auto done =
      traced(bench, BZSCR_STORE, {"-e", "trace=openat"}, bench.on_device({"list", "--json"}));
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
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  Finished second{};
  const Finished first = run_program(
      BZSCR_STORE, bench.on_device({"add", "a", "--embedding", bench / "one.npy"}), [&](int) {
        second = bench.run(bench.on_device({"add", "b", "--embedding", bench / "one.npy"}));
      });
  CHECK(first.exit_code == 0);
  CHECK(second.exit_code == 0);
  const Names names = bench.names();  // the ids of a and b are as they came
  CHECK(std::set<std::string>(names.begin(), names.end()) ==
        std::set<std::string>{"class 0", "class 1", "class 2", "class 3", "okapi", "a", "b"});
}

TEST_CASE("an embedding may be given as numbers, on the command line or in a text file") {
  const Bench bench;
  const auto add = [&](const std::string& name, const Arguments& from) {
    Arguments arguments = {"add", name};
    arguments.insert(arguments.end(), from.begin(), from.end());
    return bench.on_device(arguments);
  };
  write_bytes(bench / "okapi.txt", "1, 2\n3\n");
  bench.ok(add("okapi", {"--embedding", bench / "okapi.txt"}));
  bench.ok(add("gnu", {"--numbers", "-1 0.5 4"}));
  CHECK(bench.names() == kWithNew);
  // Records hold the embeddings: those of files of the same numbers are the same bytes.
  const std::string given = read_bytes(bench / "store/bank0");
  const Bench other;
  other.ok(other.on_device({"add", "okapi", "--embedding", other / "one.npy"}));
  other.ok(other.on_device({"add", "gnu", "--embedding", other / "new.npy", "--row", "1"}));
  CHECK(read_bytes(other / "store/bank0") == given);

  bench.refused(add("x", {"--numbers", "1 2"}), {"--numbers", "has 2 numbers, the model's 3"});
  bench.refused(add("x", {"--numbers", "1 2 three"}), {"--numbers", "'three' is not a number"});
  bench.refused(add("x", {"--numbers", "1 2 nan"}), {"--numbers", "finite"});
  bench.refused(add("x", {}), {"--embedding", "--numbers"});
  bench.refused(add("x", {"--numbers", "1 2 3", "--embedding", bench / "okapi.txt"}),
                {"--embedding", "--numbers"});
  bench.refused(add("x", {"--embeding", bench / "okapi.txt"}),
                {"unknown option '--embeding'; did you mean '--embedding'?"});
  CHECK(bench.names() == kWithNew);
}

TEST_CASE("one embedding is one class, whatever its shape, and of several none is guessed") {
  const Bench bench;
  const auto add = [&](const std::string& name, const std::string& file) {
    return bench.on_device({"add", name, "--embedding", bench / file});
  };
  std::string vector = read_bytes(bench / "one.npy");
  const std::size_t shape = vector.find("(1, 3)");
  REQUIRE(shape != std::string::npos);
  vector.replace(shape, 6, "(3,)  ");
  write_bytes(bench / "vector.npy", vector);
  bench.refused(add("okapi", "new.npy"), {"new.npy", "2 embeddings; expected one", "--row"});
  bench.ok(add("okapi", "one.npy"));
  bench.ok(add("gnu", "vector.npy"));
  write_bytes(bench / "t.txt", "1 2 3\n");
  bench.refused(bench.on_device({"add", "x", "--embedding", bench / "t.txt", "--row", "0"}),
                {"t.txt", ".npy"});
  bench.refused(bench.on_device({"add", "x", "--numbers", "1 2 3", "--row", "0"}), {"--row"});
  CHECK(bench.names() == kWithNew);
}

TEST_CASE("a first change that is refused leaves nothing on the disk") {
  const Bench bench;
  bench.keygen("shop");
  bench.keygen("thief");
  const std::string forged = bench.pack("forged.bzpack", 1, {"--key", bench / "thief.key"});
  const std::vector<Arguments> refused = {{"add", "okapi", "--embedding", bench / "absent.npy"},
                                          {"add", "okapi", "--embedding", bench / "new.npy"},
                                          {"add", "class 1", "--embedding", bench / "one.npy"},
                                          {"add", "ghost", "--numbers", "0 0 0"},
                                          {"add", "okapi", "--numbers", "1 2"},
                                          {"add", "okapi", "--numbers", "1 2 3", "--id", "3"},
                                          {"add", "a\nb", "--numbers", "1 2 3"},
                                          {"add", "", "--numbers", "1 2 3"},
                                          {"add", std::string(64, 'n'), "--numbers", "1 2 3"},
                                          {"rename", "class 1", "a\tb"},
                                          {"rename", "class 1", "class 2"},
                                          {"remove", "okapi"},
                                          {"replace", "class 1", "--numbers", "0 0 0"},
                                          {"rollback", "3"},
                                          {"apply", bench / "absent.bzpack"},
                                          {"apply", bench / "m.bzscr"},
                                          {"apply", forged, "--trust", bench / "shop.pub"}};
  for (const bool there : {false, true}) {
    if (there) std::filesystem::create_directory(bench / "store");
    for (const Arguments& arguments : refused) {
      CAPTURE(arguments.at(0));
      CAPTURE(arguments.at(1));
      bench.refused(bench.on_device(arguments), {"bzscr-store: "});
      CHECK(std::filesystem::exists(bench / "store") == there);
      if (there) CHECK(std::filesystem::is_empty(bench / "store"));
    }
  }
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  CHECK(std::filesystem::exists(bench / "store/bank0"));
}

TEST_CASE("a capacity that is too small or too large is named, with what is expected") {
  const Bench bench;
  const auto with = [&](const Arguments& arguments, const std::string& capacity) {
    Arguments all = bench.on_device(arguments);
    all.insert(all.end(), {"--capacity", capacity});
    return all;
  };
  const Arguments add = {"add", "okapi", "--embedding", bench / "one.npy"};
  for (const std::string wrong : {"3", "1073741825"})
    bench.refused(with(add, wrong), {"--capacity: is " + wrong, "expected 4", "to 1073741824"});
  bench.refused(with(add, "4"), {"--capacity makes room for more"});
  bench.ok(with(add, "5"));
  const Arguments more = {"add", "gnu", "--embedding", bench / "one.npy"};
  bench.refused(with(more, "5"), {"--capacity makes room for more"});
  bench.refused(with({"list"}, "4"), {"--capacity makes room for more"});
  CHECK(bench.names().size() == 5);
}

TEST_CASE("what the listing prints into a pipe that was closed is an error of standard output") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  const Finished done = run_program(
      "/bin/sh", {"-c", std::string(BZSCR_STORE) + " list --json --store " + (bench / "store") +
                            " --model " + (bench / "m.bzscr") + " >/dev/full"});
  CHECK(done.exit_code == 2);
  CHECK(done.err == "bzscr-store: standard output: No space left on device\n");
}

TEST_CASE("check refuses a model that is not the store's") {
  const Bench bench;
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  const auto check = [&](const std::string& name, const AlignedBytes& bytes) {
    write_bytes(bench / name,
                std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    return Arguments{"check", "--store", bench / "store", "--model", bench / name};
  };
  TestModel model = random_model(12, 3, 2, 4);
  bench.ok(check("same.bzscr", serialise(model)));
  bench.refused(check("longer.bzscr", serialise(random_model(12, 4, 2, 4))), {"another length"});
  TestModel without = model;
  without.with_training = false;
  bench.refused(check("other.bzscr", serialise(without)), {"trained on other data"});
  model.w[0] *= 2;
  const Arguments retrained = check("retrained.bzscr", serialise(model));
  bench.refused(retrained, {"store", "another model of the same data", "compact"});
  Arguments compact = retrained;
  compact[0] = "compact";
  bench.ok(compact);
  bench.ok(retrained);
  bench.refused(bench.on_device({"check"}), {"another model of the same data"});
}

TEST_CASE("a class is taught samples, which the listing counts, until it forgets them") {
  const Bench bench(random_model_with_forms(12, 3, 2, 4, format::ScoreForm::Half));
  Matrix values(2, 12);
  for (int j = 0; j < 12; ++j) {
    values(0, j) = j;
    values(1, j) = 5 - 2 * j;
  }
  write_bytes(bench / "seen.npy", npy_bytes(values, "<f4"));
  write_bytes(bench / "seen.txt", "1 2 3 4 5 6 7 8 9 10 11 12\n");
  const auto teach = [&](const std::string& name, const Arguments& more) {
    Arguments arguments = {"teach", name, "--features"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return bench.on_device(arguments);
  };
  bench.refused(teach("okapi", {bench / "seen.txt"}), {"no class 'okapi'"});
  CHECK_FALSE(std::filesystem::exists(bench / "store"));
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  bench.ok(teach("okapi", {bench / "seen.npy", "--row", "1"}));
  bench.ok(teach("okapi", {bench / "seen.txt", "--weight", "0.5"}));
  const Finished taught = bench.run(teach("class 1", {bench / "seen.npy", "--row", "0"}));
  CHECK(taught.out.find("taught 'class 1', now of 1 example;") != std::string::npos);
  const auto counts = [&] {
    std::vector<double> found;
    for (const Json& each : bench.listed()) found.push_back(each["examples"]);
    return found;
  };
  CHECK(counts() == std::vector<double>{0, 1, 0, 0, 1.5});
  const std::string list = bench.run(bench.on_device({"list"})).out;
  CHECK(list.find("class 1  (unseen)  (1 example)\n") != std::string::npos);
  CHECK(list.find("okapi  (unseen)  (from the store)  (1.5 examples)\n") != std::string::npos);
  bench.ok(bench.on_device({"compact"}));
  CHECK(counts() == std::vector<double>{0, 1, 0, 0, 1.5});

  bench.refused(teach("okapi", {bench / "seen.npy"}), {"seen.npy", "several samples", "--row"});
  bench.refused(teach("okapi", {bench / "seen.npy", "--row", "2"}), {"row 2", "there are 2"});
  bench.refused(teach("okapi", {bench / "one.npy"}), {"has 3 features, the model's 12"});
  bench.refused(teach("okapi", {bench / "new.csv"}), {"new.csv", "expected a .npy"});
  bench.refused(teach("okapi", {}), {"--features"});
  for (const char* weight : {"0", "-1", "1025", "nan", "x"})
    bench.refused(teach("okapi", {bench / "seen.txt", "--weight", weight}), {"--weight"});
  bench.refused(bench.on_device({"forget", "okapy"}), {"did you mean 'okapi'?"});
  CHECK(counts() == std::vector<double>{0, 1, 0, 0, 1.5});

  bench.ok(bench.on_device({"forget", "class 1"}));
  CHECK(counts() == std::vector<double>{0, 0, 0, 0, 1.5});
  bench.ok(bench.on_device({"remove", "okapi"}));
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  CHECK(counts() == std::vector<double>(5, 0.0));
  bench.ok(bench.on_device({"rollback", "4"}));
  CHECK(counts() == std::vector<double>{0, 1, 0, 0, 1.5});
}

TEST_CASE("a model without values for teaching cannot be taught, and is named") {
  const Bench bench;
  write_bytes(bench / "x.txt", "1 2 3 4 5 6 7 8 9 10 11 12\n");
  bench.refused(bench.on_device({"teach", "class 1", "--features", bench / "x.txt"}),
                {"m.bzscr", "cannot be taught"});
  bench.refused(bench.on_device({"forget", "class 1"}), {"m.bzscr", "cannot be taught"});
  CHECK_FALSE(std::filesystem::exists(bench / "store"));
  bench.ok(bench.on_device({"remove", "class 0"}));
  for (const Json& each : bench.listed()) CHECK(each["examples"] == 0);
}

TEST_CASE("what one device was taught is packed, signed, and taken by another device") {
  const Bench bench(random_model_with_forms(12, 3, 2, 4, format::ScoreForm::Half));
  write_bytes(bench / "x.txt", "1 2 3 4 5 6 7 8 9 10 11 12\n");
  bench.keygen("shop");
  bench.ok(bench.on_device({"teach", "class 2", "--features", bench / "x.txt"}));
  bench.ok(bench.on_device({"add", "okapi", "--embedding", bench / "one.npy"}));
  bench.ok(bench.on_device({"teach", "okapi", "--features", bench / "x.txt"}));
  const auto pack = [&](const Arguments& more) {
    Arguments arguments = {"pack",  bench / "m.bzscr", "-o", bench / "t.bzpack", "--counter", "3",
                           "--key", bench / "shop.key"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  };
  bench.refused(pack({"--taught-from", bench / "store"}), {"--class"});
  bench.refused(pack({"--class", "okapi"}), {"--taught-from"});
  bench.refused(pack({"--taught-from", bench / "store", "--class", "class 1"}),
                {"class 'class 1' was not taught"});
  bench.refused(pack({"--taught-from", bench / "store", "--class", "okapy"}),
                {"did you mean 'okapi'?"});
  CHECK_FALSE(std::filesystem::exists(bench / "t.bzpack"));
  bench.ok(pack({"--taught-from", bench / "store", "--class", "class 2", "okapi"}));
  bench.ok(
      {"verify", bench / "t.bzpack", "--trust", bench / "shop.pub", "--model", bench / "m.bzscr"});
  const Json shown = Json::parse(bench.run({"show", bench / "t.bzpack", "--json"}).out);
  REQUIRE(shown["changes"].size() == 3);
  CHECK(shown["changes"][0]["kind"] == "teach");
  CHECK(shown["changes"][0]["examples"] == 1);
  std::filesystem::rename(bench / "store", bench / "first");
  bench.ok(bench.on_device(
      {"apply", bench / "t.bzpack", "--trust", bench / "shop.pub", "--require-signature"}));
  CHECK(bench.names() == Names{"class 0", "class 1", "class 2", "class 3", "okapi"});
  const Json listed = bench.listed();
  CHECK(listed[2]["examples"] == 1);
  CHECK(listed[4]["examples"] == 1);
}
