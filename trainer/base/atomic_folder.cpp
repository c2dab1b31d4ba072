#include "base/atomic_folder.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace bzscr {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path) {
  throw InputError(path, std::string("cannot be written: ") + std::strerror(errno));
}

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

void write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Some file systems cannot sync a folder; this is no error, as its files are complete.
void sync_folder(const fs::path& folder) {
  const Descriptor it{
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (it.fd >= 0) ::fsync(it.fd);
}

void sync_all_folders(const std::string& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path, error))
    if (entry.is_directory(error)) sync_folder(entry.path());
  sync_folder(path);
}

/// Gives a folder the default mode: mkdtemp makes folders that only their owner can enter.
void open_to_others(const std::string& folder) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::chmod(folder.c_str(), 0777 & ~mask) != 0) fail(folder);
}

bool rename_with(const std::string& from, const std::string& to, unsigned flags) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
}

/// Whether the file system does not support the flags of renameat2().
bool unsupported() { return errno == EINVAL || errno == ENOSYS; }

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

/// "awa" for "awa/" and "./awa//".
std::string without_slash(const std::string& path) {
  fs::path normal = fs::path(path).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).string();
}

}  // namespace

OutputFolder::OutputFolder(const std::string& path)
    : path_(without_slash(path)), filling_(path_ + ".XXXXXX") {
  if (::mkdtemp(filling_.data()) == nullptr) fail(path_);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!filling_.empty()) fs::remove_all(filling_, ignored);
}

void OutputFolder::write(const std::string& name, const std::vector<std::string_view>& parts) {
  const fs::path file = fs::path(filling_) / name;
  const std::string shown = (fs::path(path_) / name).string();
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) throw InputError(shown, "cannot be written: " + error.message());
  const Descriptor out{::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
  if (out.fd < 0) fail(shown);
  for (const std::string_view part : parts) write_all(out.fd, part, shown);
  if (::fsync(out.fd) != 0) fail(shown);
}

void OutputFolder::publish(bool replace) {
  open_to_others(filling_);
  sync_all_folders(filling_);
  if (!replace || !is_there(path_)) {
    const bool renamed =
        rename_with(filling_, path_, RENAME_NOREPLACE) ||
        (unsupported() && !is_there(path_) && std::rename(filling_.c_str(), path_.c_str()) == 0);
    if (!renamed) fail(path_);
    filling_.clear();
  } else if (!rename_with(filling_, path_, RENAME_EXCHANGE)) {
    // The exchange, after which filling_ is the old folder, is not possible: rename twice.
    if (!unsupported()) fail(path_);
    const std::string old = filling_ + ".old";
    if (std::rename(path_.c_str(), old.c_str()) != 0 ||
        std::rename(filling_.c_str(), path_.c_str()) != 0)
      fail(path_);
    filling_ = old;
  }
  sync_folder(fs::path(path_).parent_path());
}

void expect_free(const std::string& path, bool replace,
                 const std::function<bool(const std::string&)>& is_known) {
  const std::string place = without_slash(path);
  if (place.empty()) throw InputError("the folder to write has no name; expected one");
  if (is_there(place)) {
    std::error_code error;
    if (!fs::is_directory(place, error))
      throw InputError(place, "cannot be written: it exists and is not a folder");
    if (!replace)
      throw InputError(place, "exists already; expected a new name, or the option to replace it");
    fs::recursive_directory_iterator entries(place, error);
    if (error) throw InputError(place, "cannot be read: " + error.message());
    for (const fs::directory_entry& entry : entries) {
      const std::string name = entry.path().lexically_relative(place).string();
      if (!is_known(name))
        throw InputError(
            place,
            fmt::format(
                "holds {}, which is not part of a data set and would be lost; move it away first",
                name));
    }
  }
  const OutputFolder attempt(place);  // created and removed
}

}  // namespace bzscr
