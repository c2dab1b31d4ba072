#include "base/child_process.h"

#include <bzscr_train/error.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bzscr {
namespace {

[[noreturn]] void fail(const std::string& path) {
  throw InputError(path, std::string("cannot be read: ") + std::strerror(errno));
}

/// Prepares the child process: no output, no signal handlers, no core files, a time limit, and
/// SIGKILL when the parent ends.
void become_child(unsigned seconds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM})
    std::signal(signal, SIG_DFL);
  const rlimit time{seconds, seconds + 5};  // at the first SIGXCPU, at the second SIGKILL
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CPU, &time);
  ::setrlimit(RLIMIT_CORE, &no_core);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

/// Runs the work and returns the error message, or empty. Never throws: the stack above is a copy
/// of the parent's.
std::string result_of(const std::function<void()>& work, const std::string& path) {
  try {
    work();
    return {};
  } catch (const InputError& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return path + ": needs more memory than is available";
  } catch (const std::exception& error) {
    return path + ": " + error.what();
  }
}

std::string read_all(int fd) {
  std::string text;
  char piece[4096];
  for (ssize_t got; (got = ::read(fd, piece, sizeof piece)) != 0;) {
    if (got > 0)
      text.append(piece, static_cast<std::size_t>(got));
    else if (errno != EINTR)
      break;
  }
  return text;
}

void write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = ::write(fd, text.data() + at, text.size() - at);
    if (written < 0 && errno != EINTR) return;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

}  // namespace

void run_in_child(const std::string& path, unsigned seconds, const std::function<void()>& work) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) fail(path);
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(pipe[0]);
    ::close(pipe[1]);
    fail(path);
  }
  if (child == 0) {
    become_child(seconds);
    const std::string wrong = result_of(work, path);
    write_all(pipe[1], wrong);
    ::_exit(wrong.empty() ? 0 : 1);
  }
  ::close(pipe[1]);
  const std::string wrong = read_all(pipe[0]);
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!wrong.empty()) throw InputError(wrong);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
    throw InputError(path, "cannot be read: the system stopped it, maybe for lack of memory");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    throw InputError(path, "seems to be damaged: reading it does not end");
  if (status != 0) throw InputError(path, "seems to be damaged: reading it crashes");
}

}  // namespace bzscr
