#include "data/formats/byte_window.h"

#include <bzscr_train/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace bzscr {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{1} << 20;

[[noreturn]] void fail(const std::string& path) {
  throw InputError(path, std::string("cannot be read: ") + std::strerror(errno));
}

}  // namespace

void ByteWindow::Close::operator()(gzFile_s* file) const { ::gzclose(file); }

ByteWindow::ByteWindow(const std::string& path) : path_(path), buffer_(kWindowBytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) throw InputError(path, "no such file");
  if (fd < 0) fail(path);
  file_.reset(::gzdopen(fd, "rb"));
  if (file_ == nullptr) {
    ::close(fd);
    throw std::bad_alloc();
  }
  struct stat status {};
  if (::fstat(fd, &status) != 0) fail(path);
  if (S_ISDIR(status.st_mode)) throw InputError(path, "is a folder; expected a file");
  if (S_ISREG(status.st_mode)) file_bytes_ = static_cast<double>(status.st_size);
}

std::string_view ByteWindow::peek(std::size_t size) {
  while (end_ - begin_ < size && !at_end_) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (buffer_.size() < size) buffer_.resize(std::max(size, 2 * buffer_.size()));
    fill();
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

void ByteWindow::fill() {
  const int count =
      ::gzread(file_.get(), buffer_.data() + end_, static_cast<unsigned>(buffer_.size() - end_));
  int error = Z_OK;
  ::gzerror(file_.get(), &error);
  if (error == Z_ERRNO) fail(path_);
  if (error == Z_BUF_ERROR) throw InputError(path_, "is truncated within its gzipped data");
  if (count < 0) throw InputError(path_, "holds damaged gzipped data");
  end_ += static_cast<std::size_t>(count);
  at_end_ = count == 0;
}

double ByteWindow::fraction() const {
  return file_bytes_ > 0 ? std::min(1.0, static_cast<double>(::gzoffset(file_.get())) / file_bytes_)
                         : 0.0;
}

}  // namespace bzscr
