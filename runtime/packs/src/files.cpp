#include "files.h"

#include "bzscr_pack/bzscr_pack.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bzscr::pack {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what = "") {
  throw Error(path, what + std::string(std::strerror(errno)));
}

constexpr const char* kCannotWrite = "cannot be written: ";

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// \param take  gives room for so many bytes
template <class Take>
void read_into(const std::string& path, Take take) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail(path);
  if (!S_ISREG(status.st_mode)) throw Error(path, "expected a file, found something else");
  const auto size = static_cast<std::size_t>(status.st_size);
  auto* bytes = reinterpret_cast<char*>(take(size));
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::read(file.get(), bytes + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path);
    if (got == 0) throw Error(path, "became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
}

bool write_all(int fd, const void* bytes, std::size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(fd, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return ::fsync(fd) == 0;
}

/// The new name must reach the disk too. Some file systems cannot sync a folder; the file is whole
/// all the same.
void sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() >= 0) ::fsync(opened.get());
}

/// Renaming over a link would replace the link and leave the file that it names as it was.
std::string behind_links(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
  const std::unique_ptr<char, decltype(&std::free)> target(::realpath(path.c_str(), nullptr),
                                                           &std::free);
  return target != nullptr ? target.get() : path;
}

/// That of the file which is replaced; of a new file, less the umask.
mode_t mode_for(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Memory read_aligned(const std::string& path) {
  Memory bytes(0);
  read_into(path, [&](std::size_t size) {
    bytes = Memory(size);
    return bytes.data();
  });
  return bytes;
}

std::string read_text(const std::string& path) {
  std::string text;
  read_into(path, [&](std::size_t size) {
    text.resize(size);
    return text.data();
  });
  return text;
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

void write_new(const std::string& path, const std::string& text, mode_t mode) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (file.get() < 0) fail(path, kCannotWrite);
  if (!write_all(file.get(), text.data(), text.size())) {
    const int error = errno;
    ::unlink(path.c_str());
    errno = error;
    fail(path, kCannotWrite);
  }
  sync_folder_of(path);
}

void write_atomically(const std::string& link, const std::vector<std::uint8_t>& bytes) {
  const std::string path = behind_links(link);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(path, "cannot be written: it is not a regular file");
  std::string name = path + ".XXXXXX";
  const Descriptor file(::mkstemp(name.data()));
  if (file.get() < 0) fail(path, kCannotWrite);
  if (!write_all(file.get(), bytes.data(), bytes.size()) ||
      ::fchmod(file.get(), mode_for(path)) != 0 || ::rename(name.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(name.c_str());
    errno = error;
    fail(path, kCannotWrite);
  }
  sync_folder_of(path);
}

}  // namespace bzscr::pack
