#include "base/child_process.h"

#include <bzscr_train/error.hpp>
#include "base/scratch_file.h"

#include <doctest/doctest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

namespace bzscr {
namespace {

std::string refusal(const std::function<void()>& work) {
  try {
    run_in_child("x.mat", 1, work);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE(
    "bytes that the child appends to a scratch file are kept, and its changes of memory are not") {
  ScratchFile scratch("x.mat");
  int changed = 0;
  run_in_child("x.mat", 10, [&] {
    changed = 1;
    scratch.append("hello", 5);
    scratch.flush();
  });
  const auto file = scratch.map();
  CHECK(std::string(reinterpret_cast<const char*>(file->data()), file->size()) == "hello");
  CHECK(changed == 0);
}

TEST_CASE("an InputError of the child is rethrown unchanged, however long its message is") {
  CHECK(refusal([] { throw InputError("x.mat: features", "is a struct; expected numbers"); }) ==
        "x.mat: features: is a struct; expected numbers");
  const std::string text(300000, 'x');
  CHECK(refusal([&] { throw InputError(text); }) == text);
  CHECK(refusal([] { throw std::bad_alloc(); }) == "x.mat: needs more memory than is available");
}

TEST_CASE(
    "a crash and an endless loop of the child are reported, without output and without a core "
    "file") {
  CHECK(refusal([] { std::raise(SIGSEGV); }) == "x.mat: seems to be damaged: reading it crashes");
  CHECK(refusal([] { std::abort(); }) == "x.mat: seems to be damaged: reading it crashes");
  CHECK(refusal([] { std::_Exit(3); }) == "x.mat: seems to be damaged: reading it crashes");
  CHECK(refusal([] { std::raise(SIGKILL); }) ==
        "x.mat: cannot be read: the system stopped it, maybe for lack of memory");
  CHECK(refusal([] {
          std::atomic<unsigned> spins{0};
          while (true) ++spins;
        }) == "x.mat: seems to be damaged: reading it does not end");
  CHECK(refusal([] { std::puts("this is not shown"); }) == "accepted");
}

}  // namespace
}  // namespace bzscr
