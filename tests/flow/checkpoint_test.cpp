// A run that is killed at any moment resumes from its checkpoint and writes the same bytes.
#include "train.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace bzscr::test {
namespace {

using Arguments = std::vector<std::string>;

const Arguments kRuns[] = {
    {kCaltech, "--embedding", "hypernyms", "--beta", "0.4"},
    {kCaltech, "--embedding", "hypernyms", "--nu", "0.01", "--beta", "0.4", "--solver", "paper",
     "--max-iterations", "25"},
};

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::function<void(int)> kill_after(std::chrono::milliseconds time) {
  return [=](int pid) {
    std::this_thread::sleep_for(time);
    kill(pid, SIGKILL);
  };
}

std::function<void(int)> kill_once_there(const std::string& file) {
  return [=](int pid) {
    for (int wait = 0; wait < 10000 && !std::filesystem::exists(file); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    kill(pid, SIGKILL);
  };
}

void flip_a_byte(const std::string& path) {
  std::string bytes = read_bytes(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST_CASE("a run that is killed and resumed repeatedly writes the model of an uninterrupted run") {
  for (const Arguments& run : kRuns) {
    const TemporaryFolder folder;
    REQUIRE(train(with(run, {"--quiet", "-o", folder / "whole.bzscr"})).exit_code == 0);
    const Arguments resumed = with(run, {"--quiet", "-o", folder / "model.bzscr", "--checkpoint",
                                         folder / "run.ckpt", "--every", "0", "--resume"});
    for (int milliseconds = 60; milliseconds < 700; milliseconds += 90)
      train(resumed, kill_after(std::chrono::milliseconds(milliseconds)));
    const Finished last = train(resumed);
    CAPTURE(last.err);
    CHECK(last.exit_code == 0);
    CHECK(read_bytes(folder / "model.bzscr") == read_bytes(folder / "whole.bzscr"));
    CHECK_FALSE(std::filesystem::exists(folder / "run.ckpt"));
    CHECK_FALSE(std::filesystem::exists(folder / "run.ckpt.previous"));
  }
}

TEST_CASE(
    "a damaged checkpoint is replaced by the previous one, and without an intact one there is an "
    "error") {
  const TemporaryFolder folder;
  REQUIRE(train(with(kRuns[1], {"--quiet", "-o", folder / "whole.bzscr"})).exit_code == 0);
  const Arguments run = with(kRuns[1], {"--quiet", "-o", folder / "model.bzscr", "--checkpoint",
                                        folder / "run.ckpt", "--every", "0"});
  train(run, kill_once_there(folder / "run.ckpt.previous"));
  REQUIRE(std::filesystem::exists(folder / "run.ckpt.previous"));
  std::filesystem::copy(folder / "run.ckpt.previous", folder / "run.ckpt",
                        std::filesystem::copy_options::overwrite_existing);
  flip_a_byte(folder / "run.ckpt");
  std::filesystem::copy(folder / "run.ckpt", folder / "damaged");

  const Finished rescued = train(with(run, {"--resume"}));
  CHECK(rescued.exit_code == 0);
  CHECK(rescued.err.find("run.ckpt: damaged") != std::string::npos);
  CHECK(rescued.err.find("resuming from " + (folder / "run.ckpt.previous")) != std::string::npos);
  CHECK(read_bytes(folder / "model.bzscr") == read_bytes(folder / "whole.bzscr"));

  for (const char* name : {"run.ckpt", "run.ckpt.previous"})
    std::filesystem::copy(folder / "damaged", folder / name);
  const Finished refused = train(with(run, {"--resume"}));
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("all checkpoint files are damaged") != std::string::npos);
}

TEST_CASE(
    "a checkpoint of another run is refused with the name of the differing setting, and without a "
    "checkpoint --resume starts anew") {
  const TemporaryFolder folder;
  const Arguments run = with(kRuns[1], {"--quiet", "-o", folder / "model.bzscr", "--checkpoint",
                                        folder / "run.ckpt", "--every", "0"});
  const Finished fresh = train(with(run, {"--resume"}));
  CHECK(fresh.exit_code == 0);
  CHECK(fresh.err.find("no checkpoint yet") != std::string::npos);

  train(run, kill_once_there(folder / "run.ckpt"));
  REQUIRE(std::filesystem::exists(folder / "run.ckpt"));
  const Finished other = train(with(run, {"--resume", "--tolerance", "0.5"}));
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("tolerance was 0.001, and is 0.5 now") != std::string::npos);
}

TEST_CASE(
    "a checkpoint of other embeddings is refused, and a run with joined embeddings resumes to the "
    "same model") {
  const TemporaryFolder folder;
  const auto run = [&](const char* embedding, const Arguments& more) {
    return with({kCaltech, "--embedding", embedding, "--nu", "0.01", "--beta", "0.4", "--quiet"},
                more);
  };
  REQUIRE(train(run("hypernyms,glove", {"-o", folder / "whole.bzscr"})).exit_code == 0);
  const Arguments kept = {
      "-o", folder / "model.bzscr", "--checkpoint", folder / "run.ckpt", "--every", "0"};
  train(run("hypernyms,glove", kept), kill_once_there(folder / "run.ckpt"));
  REQUIRE(std::filesystem::exists(folder / "run.ckpt"));
  for (const char* other : {"hypernyms", "glove", "glove,hypernyms"}) {
    const Finished refused = train(run(other, with(kept, {"--resume"})));
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.find(
              "belongs to another run: the embedding was \"hypernyms,glove\", and is \"" +
              std::string(other) + "\" now") != std::string::npos);
  }
  CHECK(train(run("hypernyms,glove", with(kept, {"--resume"}))).exit_code == 0);
  CHECK(read_bytes(folder / "model.bzscr") == read_bytes(folder / "whole.bzscr"));
}

TEST_CASE("--every and --resume require --checkpoint, and --every requires a number of seconds") {
  const TemporaryFolder folder;
  for (const Arguments& wrong : {Arguments{"--resume"}, Arguments{"--every", "5"},
                                 Arguments{"--checkpoint", folder / "c", "--every", "soon"},
                                 Arguments{"--checkpoint", folder / "missing/c"}})
    CHECK(train(with(kRuns[1], with(wrong, {"-o", folder / "model.bzscr"}))).exit_code == 2);
}

}  // namespace
}  // namespace bzscr::test
