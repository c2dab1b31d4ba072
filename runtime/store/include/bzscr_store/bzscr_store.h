/* bzscr_store.h - the classes of a device in the field, kept through power cuts.
 *
 * A model's class table starts as training left it. What the field changes is written to a store,
 * and from there back into the table at the next start. Power may fail at any byte: after the
 * restart the table is as it was before the change or after it, never anything else.
 *
 *   bzscr_rt_open(&rt_config, &table);         // the model, first
 *   config.table = table;  config.device = ...
 *   bzscr_store_arena_bytes(&config, &config.arena_bytes);
 *   config.create = 1;
 *   bzscr_store_open(&config, &store);
 *   bzscr_store_apply(store, pack, pack_bytes, 0, &refusal);
 *
 * Table    The store changes the opened runtime that it is given, and nobody else may. Others may
 * score meanwhile where that was opened with `shared`: they see the table before all changes of a
 * call or after them. Memory   Never allocates. State lives in one arena of the caller's; there is nothing
 * to close. Threads  One thread at a time. Several processes may share a store whose device has
 * `lock`. Errors   bzscr_store_status. What is refused has changed nothing, neither table nor
 * device. After IO the change is not in the table; if power fails before the next change succeeds
 * it may be there after the restart, whole. Device   Two banks, each of half the blocks. One holds
 * the table as it was at some time (a snapshot) and a log of what changed since; when it is full,
 * the other is erased and gets a new snapshot, and the old bank stays as the last good state until
 * then. Layout: README.md. Numbers  The host is little-endian. Stack    Under 4 KB, but for what
 * checking a signature needs (libsodium). */
#ifndef BZSCR_STORE_H
#define BZSCR_STORE_H

#include <bzscr_rt/bzscr_rt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every status: its name after BZSCR_STORE_, its number and its text. Part of the ABI: append,
 * never renumber. */
#define BZSCR_STORE_STATUS_LIST(STATUS)                                                            \
  STATUS(OK, 0, "no error")                                                                        \
  STATUS(                                                                                          \
      BAD_ARGUMENT, 1,                                                                             \
      "an argument is null or outside its range") /* or a struct_size that no release had, an  \
                                                        impossible device */   \
  STATUS(ARENA_TOO_SMALL, 2, "the arena is too small or not at a multiple of 32 bytes")            \
  STATUS(IO, 3, "the device of the store reported an error")                                       \
  STATUS(NO_STORE, 4, "there is no store yet") /* the device is blank */                           \
  STATUS(                                                                                          \
      DAMAGED, 5,                                                                                  \
      "the store is damaged") /* what was written once does not read back; see accept_last_good */ \
  STATUS(TOO_NEW, 6, "the store was written by a newer version, or for another device")            \
  STATUS(WRONG_MODEL, 7, "it is for a model that was trained on other data") /* store or pack */   \
  STATUS(WRONG_EMBEDDING, 8, "it is for another embedding than the model's") /* the pack's */      \
  STATUS(WRONG_DIMENSION, 9,                                                                       \
         "its embeddings have another length than the model's") /* store's or pack's */            \
  STATUS(NOT_A_PACK, 10, "not a pack of classes")                                                  \
  STATUS(PACK_DAMAGED, 11,                                                                         \
         "the pack is damaged") /* changed, cut short, too long, or its fields   \
                                                     contradict one another */                 \
  STATUS(PACK_TOO_NEW, 12, "the pack is of a version that this library does not read")             \
  STATUS(UNSIGNED, 13, "it is not signed, and a signature is required") /* pack or model */        \
  STATUS(UNKNOWN_KEY, 14, "it is signed by a key that this device does not know")                  \
  STATUS(FORGED, 15, "its signature is not that of its contents")                                  \
  STATUS(STALE, 16, "the pack's counter is not above that of the last pack")                       \
  STATUS(FULL, 17, "the store has no room for it") /* even when compacted */                       \
  STATUS(NO_SIGNATURES, 18,                                                                        \
         "keys are given or signatures required, and this library cannot check signatures")        \
  STATUS(NO_SUCH_RECORD, 19,                                                                       \
         "the history has no such record") /* history does not go back to there */                 \
  STATUS(READ_ONLY, 20, "the store was opened for reading only") /* see read_only */               \
  STATUS(ID_TAKEN, 21, "there is a class of this id")            /* ADD; SET of a pack */          \
  STATUS(OTHER_MODEL, 22, "the table was opened with another model than the one given")            \
  STATUS(                                                                                          \
      NOT_TEACHABLE, 23,                                                                           \
      "the table was not opened to be taught") /* or cannot hold what the store's classes were  \
                                                     taught; see bzscr_rt_config.teachable */  \
  STATUS(EXAMPLES_OF_OTHER_MODEL, 24,                                                              \
         "it holds what classes were taught with another model") /* store or pack */

typedef int32_t bzscr_store_status;
enum {
#define BZSCR_STORE_STATUS_CODE(name, code, text) BZSCR_STORE_##name = code,
  BZSCR_STORE_STATUS_LIST(BZSCR_STORE_STATUS_CODE)
#undef BZSCR_STORE_STATUS_CODE
      BZSCR_STORE_CLASS =
          100 /* plus a bzscr_rt_status: why a class cannot be changed so, e.g. 109 TABLE_FULL,
                 or why a file is no model */
};

/* One sentence for a status, in English; never null. */
BZSCR_RT_API const char* bzscr_store_status_text(bzscr_store_status status);

/* Whether this library was built to check signatures. */
BZSCR_RT_API int32_t bzscr_store_checks_signatures(void);

enum { /* what bzscr_store_device.read may return beside 0 and errors */
       BZSCR_STORE_READ_TORN = 0x0ECC0ECC
};

/* Flash, or anything like it. Functions return 0, or anything else for an error. Addresses count
 * from 0 to block_bytes * blocks. Reading must give what was programmed, or erase_value where
 * nothing was. Bytes are programmed at most once between erasures, in whole multiples of
 * write_bytes.
 *
 * Flash with error correction cannot read what power tore while it was programmed or erased. `read`
 * then returns BZSCR_STORE_READ_TORN, if the error correction of any unit of write_bytes in the
 * range fails, whatever is in `bytes`. The store takes such a unit for one that was neither
 * completed nor erased: what it belongs to was cut off, or is DAMAGED where it was synced before.
 * Nothing is programmed there before the block is erased. Any other error is IO, and the store is
 * not opened. */
typedef struct bzscr_store_device {
  void* context;
  uint32_t block_bytes; /* of what is erased at once; a multiple of write_bytes */
  uint32_t blocks;      /* even; in all less than 2^31 bytes */
  uint32_t write_bytes; /* of what is programmed at once: a power of two, 1 to 256 */
  uint8_t erase_value;  /* of a byte that was erased: usually 0xFF */
  int32_t (*read)(void* context, uint32_t at, void* bytes, uint32_t size); /* or READ_TORN */
  int32_t (*program)(void* context, uint32_t at, const void* bytes, uint32_t size);
  int32_t (*erase)(void* context, uint32_t block);
  int32_t (*sync)(
      void* context); /* returns once all before it is where a power cut cannot reach it */
  /* The rest may be null. Bytes of a bank (0, 1) after which surely nothing was programmed since
   * its erasure: saves looking at each. */
  int32_t (*used)(void* context, uint32_t bank, uint32_t* bytes);
  int32_t (*lock)(void* context, int32_t exclusive); /* waits; exclusive: to write, else to read */
  void (*unlock)(void* context);
} bzscr_store_device;

/* Zero it, then set struct_size and what is needed. Fields are only ever added at the end; those
 * that an older, shorter struct of a caller lacks are zero. BAD_ARGUMENT: no release up to this
 * library's had a struct of this size. */
typedef struct bzscr_store_config {
  size_t struct_size;
  const bzscr_store_device* device; /* kept by the caller, as are all other pointers */
  bzscr_rt* table;                  /* just opened: as the model left it */
  const void* model; /* that of the table, or a copy of it; null: the table's. OTHER_MODEL */
  void* arena;       /* 32-byte aligned */
  size_t arena_bytes;
  const uint8_t* keys;        /* key_count public keys of 32 bytes, one after the other */
  uint32_t key_count;         /* above 0 where the library cannot check signatures: NO_SIGNATURES */
  int32_t require_signatures; /* 1: packs must be signed by one of the keys. A signed pack is always
                                 checked where the library can, and refused if its key is not among
                                 them */
  int32_t read_only;          /* 1: never writes; changes are READ_ONLY */
  int32_t accept_last_good;   /* 1: of a damaged store take the last state that reads back whole */
  int32_t create;             /* 1: where there is NO_STORE, bzscr_store_open() makes one */
} bzscr_store_config;

/* The arena that bzscr_store_open() needs: some (64 + name_bytes) bytes twice per class of the
 * table's capacity. */
BZSCR_RT_API bzscr_store_status bzscr_store_arena_bytes(const bzscr_store_config* config,
                                                        size_t* arena_bytes);

/* Erases the device, whatever it holds, and writes a store without changes. Uses the arena. */
BZSCR_RT_API bzscr_store_status bzscr_store_format(const bzscr_store_config* config);

typedef struct bzscr_store bzscr_store; /* opaque; placed in the arena */

/* Reads the store and brings the table to its state. NO_STORE, DAMAGED, TOO_NEW, WRONG_MODEL,
 * WRONG_DIMENSION, OTHER_MODEL, IO, NO_SIGNATURES; NOT_TEACHABLE, EXAMPLES_OF_OTHER_MODEL: see
 * bzscr_store_teach(); CLASS + TABLE_FULL or NAME_TOO_LONG where the table has less room than the
 * one that wrote it. After a failure the table may hold a part: open
 * the runtime anew before trying again. */
BZSCR_RT_API bzscr_store_status bzscr_store_open(const bzscr_store_config* config,
                                                 bzscr_store** store);

enum { /* flags of bzscr_store_apply() */
       BZSCR_STORE_ALLOW_OLDER =
           1, /* take the pack whatever its counter, which then is the last one */
       BZSCR_STORE_REPLACE_CLASSES =
           2 /* let SET give a class that has another name its name and embedding */
};

/* Why a pack or a batch of changes was refused. */
typedef struct bzscr_store_refusal {
  uint32_t
      change; /* index of the first change that cannot be made; UINT32_MAX: the reason is another */
  uint32_t id;                         /* its class */
  uint64_t pack_counter, last_counter; /* STALE */
} bzscr_store_refusal;

/* Makes the changes of a pack, 32-byte aligned, all or none. `refusal` may be null.
 * From NOT_A_PACK to FULL; WRONG_*; EXAMPLES_OF_OTHER_MODEL and NOT_TEACHABLE of a pack that says
 * what classes were taught, which then replaces what they were taught before; READ_ONLY; CLASS + TABLE_FULL, NO_SUCH_CLASS, NAME_TOO_LONG,
 * DUPLICATE_NAME, ZERO_INPUT, OUT_OF_RANGE. ID_TAKEN: a SET of the pack has the id of a class of
 * another name, which may come from elsewhere; see BZSCR_STORE_REPLACE_CLASSES. */
BZSCR_RT_API bzscr_store_status bzscr_store_apply(bzscr_store* store, const void* pack,
                                                  size_t pack_bytes, uint32_t flags,
                                                  bzscr_store_refusal* refusal);

/* What can be said of a pack, 32-byte aligned, without a store: OK, from NOT_A_PACK to FORGED,
 * NO_SIGNATURES. Without keys signatures are not looked at; with keys one of them must have signed.
 */
BZSCR_RT_API bzscr_store_status bzscr_store_verify_pack(const void* pack, size_t pack_bytes,
                                                        const uint8_t* keys, uint32_t key_count);

/* Whether one of key_count keys, at least one, signed a model's file, 32-byte aligned.
 * bzscr_rt_open() opens signed models like others and does not look at the signature: call this
 * first, on the same bytes. OK, UNSIGNED, UNKNOWN_KEY, FORGED, NO_SIGNATURES, BAD_ARGUMENT; CLASS +
 * NOT_A_MODEL, WRONG_KIND, TOO_OLD, TOO_NEW, DAMAGED. */
BZSCR_RT_API bzscr_store_status bzscr_store_verify_model(const void* model, size_t model_bytes,
                                                         const uint8_t* keys, uint32_t key_count);

typedef int32_t bzscr_store_kind;
enum {                      /* of a change */
       BZSCR_STORE_SET = 1, /* a new class, or another name and embedding for the one of this id;
                               in packs see ID_TAKEN */
       BZSCR_STORE_REPLACE =
           2, /* another embedding for a class that is there, and another name unless null */
       BZSCR_STORE_REMOVE = 3,
       BZSCR_STORE_RENAME = 4,
       BZSCR_STORE_ADD = 5 /* a new class, of an id that no other has; not in packs */
};
typedef struct bzscr_store_change {
  bzscr_store_kind kind;
  uint32_t id;
  const char* name;
  const float* phi; /* d, raw; not all zero: CLASS + ZERO_INPUT */
} bzscr_store_change;

/* Makes changes of the device's own, in their order, all or none. FULL, READ_ONLY, ID_TAKEN, IO;
 * CLASS + as for packs. */
BZSCR_RT_API bzscr_store_status bzscr_store_change_classes(bzscr_store* store,
                                                           const bzscr_store_change* changes,
                                                           uint32_t count,
                                                           bzscr_store_refusal* refusal);

/* Teaches a class of the table, also one of the model, the raw feature vector x[m] as a labelled
 * sample, as bzscr_rt_teach() does, and keeps it: written is what the class has been taught in all,
 * 4 k + 16 bytes and a record's header, k = weak_models. Scores are the same, bit for bit, after a
 * restart. Renaming a class or replacing its embedding keeps what it was taught, removing it does
 * not; bzscr_store_rollback() brings back what it was taught then.
 *
 * What a class was taught is of one model's bytes, not only of its data: a store with such classes
 * is EXAMPLES_OF_OTHER_MODEL to another model, even one trained on the same data, and
 * NOT_TEACHABLE to a table that was opened without `teachable`; open it as before, and forget. To a
 * library from before teaching it is TOO_NEW.
 *
 * NOT_TEACHABLE, READ_ONLY, FULL, IO; CLASS + NO_SUCH_CLASS, NOT_FINITE, ZERO_INPUT, OUT_OF_RANGE,
 * BAD_ARGUMENT for a weight that is not above 0 and at most 2^10. */
BZSCR_RT_API bzscr_store_status bzscr_store_teach(bzscr_store* store, uint32_t id, const float* x,
                                                  float weight);

/* Forgets all that a class was taught: then it scores as if it had never been taught, bit for bit.
 * Writes nothing for a class that was not. NOT_TEACHABLE, READ_ONLY, FULL, IO; CLASS +
 * NO_SUCH_CLASS. */
BZSCR_RT_API bzscr_store_status bzscr_store_forget(bzscr_store* store, uint32_t id);

/* Takes up what another process has changed. *changed, which may be null: 1 if there was anything.
 * Cheap if not. */
BZSCR_RT_API bzscr_store_status bzscr_store_refresh(bzscr_store* store, int32_t* changed);

/* Writes the state after record `sequence` of the history as a new snapshot. Counters of packs do
 * not go back: a pack that was undone is STALE. NO_SUCH_RECORD. */
BZSCR_RT_API bzscr_store_status bzscr_store_rollback(bzscr_store* store, uint32_t sequence);

/* Writes the present state as a new snapshot, which ends the history before it. FULL, IO. */
BZSCR_RT_API bzscr_store_status bzscr_store_compact(bzscr_store* store);

/* Set struct_size first, as of bzscr_store_config; an older, shorter struct gets the fields it has. */
typedef struct bzscr_store_info {
  size_t struct_size;  /* sizeof(bzscr_store_info) */
  uint32_t generation; /* of the bank in use; each snapshot is one more */
  uint32_t sequence;   /* of the last record */
  uint64_t counter;    /* of the last pack; 0: none yet */
  uint32_t changed;    /* classes that differ from the model's, removed and taught ones included */
  uint32_t bank_bytes; /* of each bank */
  uint32_t used_bytes; /* of the bank in use */
  int32_t damaged;     /* 1: opened with accept_last_good, and something was lost */
  int32_t unclean;     /* 1: a change was cut off; the next one compacts first */
  int32_t last_good;   /* 1: the other bank holds an older state, whole */
  uint8_t model_hash[16]; /* of the data that the model was trained on: packs for it carry the same;
                             zeros: none */
  int32_t other_model;    /* 1: the bank in use was begun with another model of the same data, whose
                             classes may have been others; compacting takes up this one */
} bzscr_store_info;
BZSCR_RT_API bzscr_store_status bzscr_store_describe(const bzscr_store* store,
                                                     bzscr_store_info* info);

typedef int32_t bzscr_store_source;
enum {
  BZSCR_STORE_FROM_DEVICE = 0, /* changes of its own */
  BZSCR_STORE_FROM_PACK = 1,
  BZSCR_STORE_FROM_FORMAT = 2, /* snapshots: when the store was made, */
  BZSCR_STORE_FROM_COMPACTION = 3,
  BZSCR_STORE_FROM_ROLLBACK = 4
};
typedef struct bzscr_store_record {
  uint32_t sequence; /* one more than the record before */
  bzscr_store_source source;
  uint32_t changes;  /* of classes */
  uint32_t bytes;    /* on the device */
  uint64_t counter;  /* of the last pack, this one included */
  uint8_t key_id[8]; /* of a signed pack; else zeros */
} bzscr_store_record;

/* The history since the last snapshot, that first: records[0] ... of `length`. *count: how many
 * there are in all. Takes up first what others have changed, as does the next function. */
BZSCR_RT_API bzscr_store_status bzscr_store_history(bzscr_store* store, uint32_t length,
                                                    bzscr_store_record* records, uint32_t* count);

/* Where a class's embedding comes from: *own is 1 if the store holds it, 0 if it is the model's;
 * phi[d], which may be null, gets it, raw. CLASS + NO_SUCH_CLASS. */
BZSCR_RT_API bzscr_store_status bzscr_store_embedding(bzscr_store* store, uint32_t id, int32_t* own,
                                                      float* phi);

#ifdef __cplusplus
}
#endif

#endif
