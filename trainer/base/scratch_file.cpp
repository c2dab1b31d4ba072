#include "base/scratch_file.h"

#include <bzscr_train/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace bzscr {
namespace {

constexpr std::size_t kTogether = std::size_t{1} << 18;

std::string temporary_folder() {
  const char* const set = std::getenv("TMPDIR");
  return set != nullptr && *set != '\0' ? set : "/tmp";
}

}  // namespace

ScratchFile::ScratchFile(const std::string& path) : path_(path), folder_(temporary_folder()) {
  std::string name = folder_ + "/bzscr-XXXXXX";
  fd_ = ::mkstemp(name.data());
  if (fd_ < 0) fail();
  ::unlink(name.c_str());
}

ScratchFile::~ScratchFile() {
  if (fd_ >= 0) ::close(fd_);
}

void ScratchFile::fail() const {
  throw InputError(path_, std::string("cannot be unpacked in ") + folder_ + ": " +
                              std::strerror(errno) + "; set TMPDIR to a folder with free space");
}

void ScratchFile::append(const void* bytes, std::size_t size) {
  const auto* const begin = static_cast<const std::uint8_t*>(bytes);
  if (waiting_.size() + size > kTogether) flush();
  if (size > kTogether) return write(begin, size);
  waiting_.insert(waiting_.end(), begin, begin + size);
}

void ScratchFile::flush() {
  write(waiting_.data(), waiting_.size());
  waiting_.clear();
}

void ScratchFile::write(const std::uint8_t* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(fd_, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
}

std::shared_ptr<const MappedFile> ScratchFile::map() {
  flush();
  return std::make_shared<MappedFile>(path_, fd_);
}

}  // namespace bzscr
