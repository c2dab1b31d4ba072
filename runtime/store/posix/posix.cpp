#include "bzscr_store/bzscr_store_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

constexpr const char* kNames[] = {"bank0", "bank1"};

bzscr_store_posix& of(void* context) { return *static_cast<bzscr_store_posix*>(context); }

int32_t failed(bzscr_store_posix& folder) {
  folder.error = errno;
  return 1;
}

/// A descriptor above those of the standard streams: where the process has closed one of these, what
/// it prints would go into the file.
int above_standard_streams(int file) {
  if (file < 0 || file > STDERR_FILENO) return file;
  const int above = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(file);
  errno = error;
  return above;
}

/// Opens a bank's file. O_NONBLOCK: a FIFO in its place must not make the process wait.
bool open_bank(bzscr_store_posix& folder, int bank, int flags) {
  int& file = folder.files[bank];
  file = above_standard_streams(
      openat(folder.folder, kNames[bank], flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644));
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) return false;
  if (S_ISREG(status.st_mode) && status.st_size <= static_cast<off_t>(folder.device.block_bytes))
    return true;
  errno = S_ISREG(status.st_mode) ? EFBIG : ENOTSUP;
  return false;
}

// A file is as long as what was programmed; after its end is what was erased. So is a file that a
// reader has not found.
int32_t read_bytes(void* context, uint32_t at, void* into, uint32_t size) {
  bzscr_store_posix& folder = of(context);
  const int file = folder.files[at / folder.device.block_bytes];
  uint8_t* bytes = static_cast<uint8_t*>(into);
  at %= folder.device.block_bytes;
  while (size > 0) {
    const ssize_t got = file < 0 ? 0 : pread(file, bytes, size, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(folder);
    if (got == 0) {
      memset(bytes, folder.device.erase_value, size);
      return 0;
    }
    bytes += got;
    at += static_cast<uint32_t>(got);
    size -= static_cast<uint32_t>(got);
  }
  return 0;
}

int32_t program_bytes(void* context, uint32_t at, const void* from, uint32_t size) {
  bzscr_store_posix& folder = of(context);
  const int file = folder.files[at / folder.device.block_bytes];
  const uint8_t* bytes = static_cast<const uint8_t*>(from);
  at %= folder.device.block_bytes;
  while (size > 0) {
    const ssize_t put = pwrite(file, bytes, size, at);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return failed(folder);
    bytes += put;
    at += static_cast<uint32_t>(put);
    size -= static_cast<uint32_t>(put);
  }
  return 0;
}

int32_t erase_file(void* context, uint32_t block) {
  bzscr_store_posix& folder = of(context);
  return ftruncate(folder.files[block], 0) == 0 ? 0 : failed(folder);
}

int32_t sync_files(void* context) {
  bzscr_store_posix& folder = of(context);
  for (const int file : folder.files)
    if (fdatasync(file) != 0) return failed(folder);
  return 0;
}

int32_t used_bytes(void* context, uint32_t bank, uint32_t* bytes) {
  bzscr_store_posix& folder = of(context);
  struct stat status;
  *bytes = 0;
  if (folder.files[bank] < 0) return 0;
  if (fstat(folder.files[bank], &status) != 0) return failed(folder);
  const off_t most = static_cast<off_t>(folder.device.block_bytes);
  *bytes = static_cast<uint32_t>(status.st_size < most ? status.st_size : most);
  return 0;
}

void unlock_folder(void* context) { flock(of(context).folder, LOCK_UN); }

/// Whether both files are still those of the folder: what is written to a file that was removed or
/// replaced is lost, and nobody else sees it. A file that a reader has not found may be there now.
bool has_its_files(bzscr_store_posix& folder) {
  for (int bank = 0; bank < 2; ++bank) {
    struct stat status;
    if (folder.files[bank] < 0) {
      if (!open_bank(folder, bank, O_RDONLY) && errno != ENOENT) return false;
    } else if (fstat(folder.files[bank], &status) != 0) {
      return false;
    } else if (status.st_nlink == 0) {
      errno = ESTALE;
      return false;
    }
  }
  return true;
}

int32_t lock_folder(void* context, int32_t exclusive) {
  bzscr_store_posix& folder = of(context);
  while (flock(folder.folder, exclusive != 0 ? LOCK_EX : LOCK_SH) != 0)
    if (errno != EINTR) return failed(folder);
  if (has_its_files(folder)) return 0;
  const int32_t error = failed(folder);
  unlock_folder(context);
  return error;
}

bool open_files(bzscr_store_posix& folder, const char* path, bool read_only) {
  folder.folder = above_standard_streams(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.folder < 0) return false;
  for (int bank = 0; bank < 2; ++bank)
    if (!open_bank(folder, bank, read_only ? O_RDONLY : O_RDWR | O_CREAT) &&
        !(read_only && errno == ENOENT))
      return false;
  if (folder.files[0] < 0 && folder.files[1] < 0) {  // a reader's: there is no store
    errno = ENOENT;
    return false;
  }
  // The names of new files. Some file systems cannot sync a folder, and keep names safe by
  // themselves.
  return read_only || fsync(folder.folder) == 0 || errno == EINVAL;
}

}  // namespace

bzscr_store_status bzscr_store_posix_make_folder(const char* path) {
  if (path == nullptr) return BZSCR_STORE_BAD_ARGUMENT;
  if (mkdir(path, 0755) != 0) return errno == EEXIST ? BZSCR_STORE_OK : BZSCR_STORE_IO;
  const int made = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int parent = made < 0 ? -1 : openat(made, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (parent >= 0) fsync(parent);
  if (parent >= 0) close(parent);
  if (made >= 0) close(made);
  return BZSCR_STORE_OK;
}

uint32_t bzscr_store_posix_bank_bytes(uint32_t class_capacity, uint32_t embedding_dimension) {
  const uint64_t least = 16u << 20, most = (1u << 30) - 1;
  const uint64_t tables = 4 * uint64_t{class_capacity} * (uint64_t{embedding_dimension} * 4 + 80);
  return static_cast<uint32_t>(tables < least ? least : tables > most ? most : tables);
}

bzscr_store_status bzscr_store_posix_open(bzscr_store_posix* folder, const char* path,
                                          uint32_t bank_bytes, int32_t read_only) {
  if (folder == nullptr || path == nullptr || bank_bytes < 4096 || bank_bytes >= (1u << 30))
    return BZSCR_STORE_BAD_ARGUMENT;
  memset(folder, 0, sizeof *folder);
  folder->folder = folder->files[0] = folder->files[1] = -1;
  folder->device = {folder,        bank_bytes, 2,          1,          0xFF,        read_bytes,
                    program_bytes, erase_file, sync_files, used_bytes, lock_folder, unlock_folder};
  if (open_files(*folder, path, read_only != 0)) return BZSCR_STORE_OK;
  const int error = errno;
  bzscr_store_posix_close(folder);
  folder->error = error;
  return read_only != 0 && error == ENOENT ? BZSCR_STORE_NO_STORE : BZSCR_STORE_IO;
}

void bzscr_store_posix_close(bzscr_store_posix* folder) {
  if (folder == nullptr) return;
  int* const open[] = {&folder->files[0], &folder->files[1], &folder->folder};
  for (int* each : open) {
    if (*each >= 0) close(*each);
    *each = -1;
  }
}
