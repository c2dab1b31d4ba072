#pragma once

#include "support/dataset_files.h"
#include "support/json.h"
#include "support/model_builder.h"
#include "support/run_program.h"

#include <doctest/doctest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

/// What the tests of bzscr-pack and bzscr-store share.
namespace bzscr::test {

using Arguments = std::vector<std::string>;
using Names = std::vector<std::string>;

/// A model, embeddings of two new classes (new.npy), that of the first alone (one.npy) and keys, in a
/// folder of the test's own.
class Bench : public TemporaryFolder {
 public:
  Bench() : Bench(random_model(12, 3, 2, 4)) {}
  explicit Bench(const TestModel& of) {
    const AlignedBytes model = serialise(of);
    write_bytes(*this / "m.bzscr",
                std::string(reinterpret_cast<const char*>(model.data()), model.size()));
    Matrix values(2, 3);
    values << 1, 2, 3, -1, 0.5, 4;
    write_bytes(*this / "new.npy", npy_bytes(values, "<f4"));
    write_bytes(*this / "one.npy", npy_bytes(values.topRows(1), "<f4"));
    write_bytes(*this / "new.txt", "okapi\ngnu\n");
  }
  /// The workstation's commands are bzscr-pack's, the others bzscr-store's.
  Finished run(Arguments arguments) const {
    static const std::set<std::string> of_pack = {"keygen", "pack", "sign", "verify", "show"};
    const bool is_pack = of_pack.count(arguments.at(0)) > 0;
    return run_program(is_pack ? BZSCR_PACK : BZSCR_STORE, arguments);
  }
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

/// Runs a program under strace; empty where strace cannot run here.
inline std::optional<Finished> traced(const Bench& bench, const char* program, Arguments options,
                                      const Arguments& arguments) {
  const char* const strace = "/usr/bin/strace";
  if (::access(strace, X_OK) != 0) return std::nullopt;
  options.insert(options.end(), {"-o", bench / "trace", program});
  options.insert(options.end(), arguments.begin(), arguments.end());
  const Finished done = run_program(strace, options);
  if (done.err.find("ptrace") != std::string::npos || done.err.find("strace:") != std::string::npos)
    return std::nullopt;
  return done;
}

inline const Names kTrained = {"class 0", "class 1", "class 2", "class 3"};
inline const Names kWithNew = {"class 0", "class 1", "class 2", "class 3", "okapi", "gnu"};

}  // namespace bzscr::test
