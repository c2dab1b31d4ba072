#include "support/fatal.h"

#include "support/program.h"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <fcntl.h>
#include <unistd.h>

namespace bzscr::cli {
namespace {

const char* program_name = "";

/// A line of text in a fixed buffer: a signal handler must not allocate.
class Line {
 public:
  void add(char c) {
    if (size_ + 1 < sizeof text_) text_[size_++] = c;
    text_[size_] = '\0';
  }
  void add(const char* text) {
    for (; *text != '\0'; ++text) add(*text);
  }
  void clear() { size_ = 0, text_[0] = '\0'; }
  const char* text() const { return text_; }
  void print() const {
    for (std::size_t at = 0; at < size_;) {
      const ssize_t written = ::write(STDERR_FILENO, text_ + at, size_ - at);
      if (written <= 0) return;
      at += static_cast<std::size_t>(written);
    }
  }

 private:
  char text_[5000] = "";
  std::size_t size_ = 0;
};

/// The file of a line of /proc/self/maps, "BEGIN-END rights offset device inode   /FILE", if the
/// address lies in its range; else null.
const char* file_at(const char* line, std::uintptr_t address) {
  char* rest = nullptr;
  const std::uintptr_t begin = std::strtoul(line, &rest, 16);
  if (*rest != '-') return nullptr;
  const std::uintptr_t end = std::strtoul(rest + 1, &rest, 16);
  return address >= begin && address < end ? std::strchr(rest, '/') : nullptr;
}

void add_file_at(Line& text, std::uintptr_t address) {
  const int fd = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  static Line line;  // the stack of a thread may be small
  char bytes[512];
  for (ssize_t count = 0; fd >= 0 && (count = ::read(fd, bytes, sizeof bytes)) > 0;)
    for (ssize_t i = 0; i < count; ++i) {
      if (bytes[i] != '\n') {
        line.add(bytes[i]);
        continue;
      }
      if (const char* const file = file_at(line.text(), address)) return text.add(file);
      line.clear();
    }
  text.add("a mapped file");
}

/// The first thread goes on, to print and end the process; others wait here for that end.
void wait_unless_first() {
  static std::atomic_flag ending = ATOMIC_FLAG_INIT;
  while (ending.test_and_set()) ::pause();
}

void end_on_bus_error(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {  // not of a mapped file: a bug, which is to be seen as such
    std::signal(signal, SIG_DFL);
    return;
  }
  wait_unless_first();
  static Line text;
  text.add(program_name);
  text.add(": ");
  add_file_at(text, reinterpret_cast<std::uintptr_t>(info->si_addr));
  text.add(
      ": became shorter, or cannot be read, while it was in use; expected a file that keeps its "
      "length until the program has ended\n");
  text.print();
  ::_exit(kExitBadInput);
}

[[noreturn]] void end_on_exception() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    wait_unless_first();
    static Line text;
    text.add(program_name);
    text.add(": out of memory\n");
    text.print();
    ::_exit(kExitBadInput);
  } catch (...) {}
  std::abort();
}

}  // namespace

void report_fatal_errors(const char* program) {
  program_name = program;
  struct sigaction action {};
  action.sa_sigaction = end_on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
  std::set_terminate(end_on_exception);
}

}  // namespace bzscr::cli
