#include "base/mapped_file.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bzscr {
namespace {

/// Closes the descriptor in the destructor; a mapping outlives its descriptor.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

std::string unreadable() { return std::string("cannot be read: ") + std::strerror(errno); }

// Without O_NONBLOCK, opening a named pipe would wait for a writer.
Descriptor open_to_read(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) throw InputError(path, errno == ENOENT ? "no such file" : unreadable());
  return {fd};
}

}  // namespace

MappedFile::MappedFile(const std::string& path) : MappedFile(path, open_to_read(path).fd) {}

MappedFile::MappedFile(const std::string& path, int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw InputError(path, unreadable());
  if (S_ISDIR(status.st_mode)) throw InputError(path, "is a folder; expected a file");
  if (!S_ISREG(status.st_mode)) throw InputError(path, "is not a regular file");
  if (status.st_size == 0) throw InputError(path, "is empty");

  const auto size = static_cast<std::size_t>(status.st_size);
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) throw InputError(path, unreadable());
  data_ = static_cast<const std::uint8_t*>(bytes);
  size_ = size;
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::uint8_t*>(data_), size_); }

FileState::FileState(std::string path) : path_(std::move(path)) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  bytes_ = static_cast<std::uint64_t>(status.st_size);
  seconds_ = status.st_mtim.tv_sec;
  nanoseconds_ = status.st_mtim.tv_nsec;
}

void FileState::expect_kept() const {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) return;
  const bool same = status.st_dev == device_ && status.st_ino == inode_;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (!same) return;
  if (bytes < bytes_)
    throw InputError(Place{path_},
                     fmt::format("has {} bytes, and had {} when it was opened", bytes, bytes_),
                     "a file that keeps its length while it is in use", ErrorKind::kSystem);
  if (status.st_mtim.tv_sec != seconds_ || status.st_mtim.tv_nsec != nanoseconds_)
    throw InputError(Place{path_}, "was written to after it was opened",
                     "a file that keeps its content while it is in use", ErrorKind::kSystem);
}

void release_pages(const void* begin, std::size_t bytes) {
  // Whole pages: from the page of the first byte to the last page that ends in the range.
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE)),
             address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t from = address / page * page, to = (address + bytes) / page * page;
  if (to > from) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
}

}  // namespace bzscr
