#include "base/atomic_file.h"

#include <bzscr_train/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bzscr {
namespace {

[[noreturn]] void fail(const std::string& path) {
  throw InputError(path, std::string("cannot be written: ") + std::strerror(errno));
}

/// The mode of an existing file, or that of a new one: mkstemp makes files that only their owner
/// can read.
mode_t mode_for(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

/// A temporary file in the folder of its target; the destructor removes it unless it was renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string target)
      : target_(std::move(target)), name_(target_ + ".XXXXXX") {
    fd_ = ::mkstemp(name_.data());
    if (fd_ < 0) fail(target_);
  }
  ~TemporaryFile() {
    if (fd_ >= 0) ::close(fd_);
    if (!renamed_) ::unlink(name_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(const std::vector<std::uint8_t>& bytes) {
    const std::uint8_t* at = bytes.data();
    for (std::size_t left = bytes.size(); left > 0;) {
      const ssize_t written = ::write(fd_, at, left);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(target_);
      at += written;
      left -= static_cast<std::size_t>(written);
    }
  }

  void rename_to_target() {
    if (::fchmod(fd_, mode_for(target_)) != 0 || ::fsync(fd_) != 0) fail(target_);
    const int closed = ::close(fd_);
    fd_ = -1;
    if (closed != 0 || ::rename(name_.c_str(), target_.c_str()) != 0) fail(target_);
    renamed_ = true;
  }

 private:
  std::string target_;
  std::string name_;
  int fd_ = -1;
  bool renamed_ = false;
};

/// Syncs the folder, so that the new name is durable. Some file systems cannot sync a folder; this
/// is no error, as the file is complete.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

/// The target of symbolic links: renaming over a link would replace the link, not its target.
std::string behind_links(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

void expect_writable(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw InputError(path, S_ISDIR(status.st_mode) ? "cannot be written: it is a folder"
                                                   : "cannot be written: it is not a regular file");
  const TemporaryFile attempt(behind_links(path));  // created and removed
}

void write_file_atomically(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  expect_writable(path);
  const std::string target = behind_links(path);
  TemporaryFile file(target);
  file.write(bytes);
  file.rename_to_target();
  sync_folder_of(target);
}

}  // namespace bzscr
