#include "support/sibling_program.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace bzscr::cli {
namespace {

std::string beside_this_program(const std::string& program) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = (self.parent_path() / program).string();
  return !error && ::access(beside.c_str(), X_OK) == 0 ? beside : program;
}

std::string read_all(int fd) {
  std::string text;
  char part[4096];
  for (ssize_t got; (got = ::read(fd, part, sizeof part)) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) text.append(part, static_cast<std::size_t>(got));
  }
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace

void run_sibling(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, beside_this_program(program).c_str(), &actions, nullptr,
                                    argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  const std::string said = failed == 0 ? read_all(ends[0]) : "";
  ::close(ends[0]);
  if (failed != 0)
    throw std::runtime_error(program +
                             ", which this needs, cannot be started: " + std::strerror(failed));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  throw std::runtime_error(said.empty() ? program + " failed" : said);
}

TemporaryFile::TemporaryFile(const std::string& ending) {
  std::string folder = (std::filesystem::temp_directory_path() / "bzscr-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error(folder + ": " + std::strerror(errno));
  path_ = folder + "/file" + ending;
}

TemporaryFile::~TemporaryFile() {
  std::error_code unused;
  std::filesystem::remove_all(std::filesystem::path(path_).parent_path(), unused);
}

}  // namespace bzscr::cli
