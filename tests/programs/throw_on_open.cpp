// To be loaded before all other libraries (LD_PRELOAD): where a file is opened whose path holds
// $BZSCR_THROW_AT, std::logic_error is thrown, as by a bug.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include <dlfcn.h>
#include <fcntl.h>

namespace {

void throw_at(const char* path) {
  const char* const wanted = std::getenv("BZSCR_THROW_AT");
  if (wanted != nullptr && std::strstr(path, wanted) != nullptr)
    throw std::logic_error("thrown by a test");
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  throw_at(path);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return next<int(const char*, int, ...)>("open")(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  throw_at(path);
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return next<int(const char*, int, ...)>("open64")(path, flags, mode);
}

std::FILE* fopen(const char* path, const char* mode) {
  throw_at(path);
  return next<std::FILE*(const char*, const char*)>("fopen")(path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  throw_at(path);
  return next<std::FILE*(const char*, const char*)>("fopen64")(path, mode);
}
}
