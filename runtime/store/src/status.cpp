#include "bzscr_store/bzscr_store.h"

const char* bzscr_store_status_text(bzscr_store_status status) {
  switch (status) {
    case BZSCR_STORE_OK: return "no error";
    case BZSCR_STORE_BAD_ARGUMENT: return "an argument is null or outside its range";
    case BZSCR_STORE_ARENA_TOO_SMALL: return "the arena is too small or not at a multiple of 32 bytes";
    case BZSCR_STORE_IO: return "the device of the store reported an error";
    case BZSCR_STORE_NO_STORE: return "there is no store yet";
    case BZSCR_STORE_DAMAGED: return "the store is damaged";
    case BZSCR_STORE_TOO_NEW: return "the store was written by a newer version, or for another device";
    case BZSCR_STORE_WRONG_MODEL: return "it is for a model that was trained on other data";
    case BZSCR_STORE_WRONG_EMBEDDING: return "it is for another embedding than the model's";
    case BZSCR_STORE_WRONG_DIMENSION: return "its embeddings have another length than the model's";
    case BZSCR_STORE_NOT_A_PACK: return "not a pack of classes";
    case BZSCR_STORE_PACK_DAMAGED: return "the pack is damaged";
    case BZSCR_STORE_PACK_TOO_NEW: return "the pack is of a version that this library does not read";
    case BZSCR_STORE_UNSIGNED: return "the pack is not signed, and signatures are required";
    case BZSCR_STORE_UNKNOWN_KEY: return "the pack is signed by a key that this device does not know";
    case BZSCR_STORE_FORGED: return "the pack's signature is not that of its contents";
    case BZSCR_STORE_STALE: return "the pack's counter is not above that of the last pack";
    case BZSCR_STORE_FULL: return "the store has no room for it";
    case BZSCR_STORE_NO_SIGNATURES: return "signatures are required, and this library was built without";
    case BZSCR_STORE_NO_SUCH_RECORD: return "the history has no such record";
    case BZSCR_STORE_READ_ONLY: return "the store was opened for reading only";
    default: break;
  }
  return status > BZSCR_STORE_CLASS ? bzscr_rt_status_text(status - BZSCR_STORE_CLASS) : "an unknown status";
}
