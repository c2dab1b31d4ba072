/* bzscr_store_posix.h - a store in a folder of a POSIX system: two files, bank0 and bank1.
 *
 *   bzscr_store_posix_make_folder("/var/lib/okapi/classes");
 *   bzscr_store_posix folder;
 *   bzscr_store_posix_open(&folder, "/var/lib/okapi/classes", bank_bytes, 0);
 *   config.device = &folder.device;
 *   ...
 *   bzscr_store_posix_close(&folder);
 *
 * Every change is on the disk (fdatasync) when it is done. Processes that share a folder wait for
 * one another (flock on the folder; the kernel lets go when a process dies), so none reads or
 * writes in the middle of a change. Where a file was removed or replaced while it is open, calls of
 * the store are IO, and `error` is ESTALE: what was written to it would be lost. Does not allocate. */
#ifndef BZSCR_STORE_POSIX_H
#define BZSCR_STORE_POSIX_H

#include <bzscr_store/bzscr_store.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bzscr_store_posix {
  bzscr_store_device device; /* its context is this struct: do not copy it */
  int folder;                /* descriptors; -1: none */
  int files[2];
  int error; /* errno of what failed last; 0: nothing did */
} bzscr_store_posix;

/* Makes a folder that is not there yet, mode 0755, and syncs its name. OK, BAD_ARGUMENT, or IO with
 * errno set. */
BZSCR_RT_API bzscr_store_status bzscr_store_posix_make_folder(const char* path);

/* A bank_bytes that suits a table: room for four full ones, at least 16 MB. Programs that share a
 * folder and open their tables alike come to the same. */
BZSCR_RT_API uint32_t bzscr_store_posix_bank_bytes(uint32_t class_capacity,
                                                   uint32_t embedding_dimension);

/* Opens the folder's files, made if they are not there; the folder must be. A bank holds at most
 * bank_bytes, which takes no room before it is used: below 2^30, and at least what the files hold
 * already. With read_only nothing is made or opened for writing, and one file is enough: the other
 * counts as empty. Returns BZSCR_STORE_OK,
 * BAD_ARGUMENT, NO_STORE (read_only, and no files) or IO, with `error` set; nothing is open then.
 */
BZSCR_RT_API bzscr_store_status bzscr_store_posix_open(bzscr_store_posix* folder, const char* path,
                                                       uint32_t bank_bytes, int32_t read_only);
BZSCR_RT_API void bzscr_store_posix_close(bzscr_store_posix* folder);

#ifdef __cplusplus
}
#endif

#endif
