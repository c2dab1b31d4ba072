/* bzscr_rt.h - zero-shot scoring on device: one score per class, the highest wins.
 *
 *   score(x, r) = sum_j w_j (x^T u_j)(v_j^T phi_r)  =  x^T W phi_r
 *
 * Inputs   Raw features x and raw class embeddings phi go in. What training did to them (unit
 * length, centring) is recorded in the model and repeated here. Of a phi joined from several
 * embeddings, raw and in the order of training, each part is centred and scaled on its own. Memory
 * Never allocates. State lives in one arena; the model is read in place and never written. The
 * caller owns both and keeps them until the last call on the handle; there is nothing to close. To
 * start anew, open again in the same arena. Threads  No global state. Calls on a const handle may
 * overlap one another where each passes its own scratch. A call on a non-const handle must overlap
 * no other call on that handle, unless config.shared was set: then one thread at a time may change
 * classes while any number of others score, each with its own scratch. These never wait and see the
 * table as it was before a change or is after it, never between. Errors   Fallible calls return
 * bzscr_rt_status; on failure handle and outputs are unchanged. Data     float arrays are
 * contiguous. m: feature length; d: embedding length; k: weak models; n: classes in the table now.
 * Classes  A class has an id and a name, each unique, and stays the same class while it has that
 * id. Its index, 0 to n - 1, is its place in the table at this moment: adding a class leaves the
 * others where they are, removing one moves the last class into the gap. Keep ids, not indices.
 * Numbers  The same input gives the same scores, bit for bit, whatever the machine, the kernel, the
 * number of threads or the size of a batch. (One exception: in float32 and float16, ARMv7's NEON
 * takes numbers below 2^-126 for zero.) Stack    At most 2.5 KB, whatever the model; 1.5 KB on
 * Cortex-M. `size_report` gives a build's own figure.
 *
 * In short:
 *
 *   bzscr_rt_config config = {0};
 *   config.struct_size = sizeof config;
 *   config.model = model;                          // 32-byte aligned
 *   config.model_bytes = model_bytes;
 *   bzscr_rt_arena_bytes(&config, &config.arena_bytes);
 *   config.arena = memory;                         // arena_bytes of it, 32-byte aligned
 *   bzscr_rt_open(&config, &handle);
 *   bzscr_rt_top(handle, x, NULL, 10, best, &count);  // best[0].id is the answer
 */
#ifndef BZSCR_RT_H
#define BZSCR_RT_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define BZSCR_RT_API
#else
#define BZSCR_RT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define BZSCR_RT_ALIGNMENT 32 /* bytes: of model, arena and scratch */

/* Every status: its name after BZSCR_RT_, its number and its text. Part of the ABI: append, never
 * renumber. To go through all of them, define a macro of three arguments and hand it to this one.
 */
#define BZSCR_RT_STATUS_LIST(STATUS)                                                               \
  STATUS(OK, 0, "no error")                                                                        \
  STATUS(BAD_ARGUMENT, 1,                                                                          \
         "an argument is missing or out of its range") /* or a struct_size is too small */         \
  STATUS(MISALIGNED, 2, "the model, the arena or the scratch memory is not aligned to 32 bytes")   \
  STATUS(NOT_A_MODEL, 3, "this is not a BZ-SCR file")                                              \
  STATUS(TOO_OLD, 4, "the file's format is older than this library reads")                         \
  STATUS(TOO_NEW, 5, "the file's format is newer than this library reads")                         \
  STATUS(WRONG_KIND, 6, "this is a BZ-SCR file, but not a model") /* a pack of classes */          \
  STATUS(DAMAGED, 7, "the model is damaged: changed, cut short, too long, or at odds with itself") \
  STATUS(ARENA_TOO_SMALL, 8, "the arena is smaller than the model and its class table need")       \
  STATUS(TABLE_FULL, 9, "there are more classes than the class table has room for")                \
  STATUS(NO_SUCH_CLASS, 10, "there is no such class") /* no such id, name or index */              \
  STATUS(NAME_TOO_LONG, 11,                                                                        \
         "the name is longer than there is room for") /* with its terminating zero */              \
  STATUS(DUPLICATE_NAME, 12, "another class has this name")                                        \
  STATUS(NOT_FINITE, 13, "the input holds NaN or infinity")                                        \
  STATUS(ZERO_INPUT, 14,                                                                           \
         "the input has length zero, so it cannot be scaled to unit length") /* or a part */       \
  STATUS(OUT_OF_RANGE, 15, "the input is longer than 2^30")                  /* and not scaled */  \
  STATUS(NO_SUCH_KERNEL, 16, "there is no kernel of this name that this processor can run")

typedef int32_t bzscr_rt_status; /* fixed width: some ARM ABIs shrink enums */
enum {
#define BZSCR_RT_STATUS_CODE(name, code, text) BZSCR_RT_##name = code,
  BZSCR_RT_STATUS_LIST(BZSCR_RT_STATUS_CODE)
#undef BZSCR_RT_STATUS_CODE
};

/* The text of a status; never null, also for other numbers. */
BZSCR_RT_API const char* bzscr_rt_status_text(bzscr_rt_status status);

/* Of this library ("0.1.0"), and of the newest model format that it reads. */
BZSCR_RT_API const char* bzscr_rt_version(void);
BZSCR_RT_API uint32_t bzscr_rt_format_version(void);

/* How scores are computed. All forms give the same scores, up to rounding; they differ in cost. */
typedef int32_t
    bzscr_rt_form; /* multiply-adds of a query    of a new class   values in the arena          */
enum {
  BZSCR_RT_FORM_AUTO = 0,       /* the query that reads the fewest bytes when the table is full */
  BZSCR_RT_FORM_PROTOTYPES = 1, /* m n                         (m + d) k        m per class */
  BZSCR_RT_FORM_FACTORS = 2,    /* (m + n) k                   d k              k per class    */
  BZSCR_RT_FORM_DENSE =
      3 /* (m + n) d                   d                d per class, and m d floats  */
};

/* How the values of a class are kept. A query reads all of them: fewer bytes are faster. */
typedef int32_t bzscr_rt_storage;
enum {
  BZSCR_RT_STORAGE_FLOAT32 = 0,
  BZSCR_RT_STORAGE_INT8 =
      1, /* of -127 to 127, with a scale per class; the query likewise. A quarter of the bytes.
            Scores are off by about a hundredth of the largest; measure on your data what that
            means for the answers. At most 2^17 values per class. */
  BZSCR_RT_STORAGE_FLOAT16 =
      2 /* 11 bits, with a scale per class. Half the bytes, scores off by 1 in 4000; pays where
           the processor converts halves (x86-64 with AVX2, NEON) and int8 is too coarse */
};

typedef int32_t bzscr_rt_scaling; /* what is done to raw inputs */
enum {
  BZSCR_RT_SCALING_NONE = 0,
  BZSCR_RT_SCALING_UNIT = 1,       /* divided by its Euclidean length */
  BZSCR_RT_SCALING_CENTRE_UNIT = 2 /* embeddings only: the model's centre taken off, then UNIT */
};

typedef struct bzscr_rt bzscr_rt; /* opaque; placed in the arena */

/* Zero it, then set struct_size and what is needed. Fields are only ever added at the end. */
typedef struct bzscr_rt_config {
  size_t struct_size;      /* sizeof(bzscr_rt_config) */
  const void* model;       /* 32-byte aligned; may lie in flash or in read-only pages */
  size_t model_bytes;      /* exact: a file that is longer or shorter is refused */
  void* arena;             /* 32-byte aligned; what it held before does not matter */
  size_t arena_bytes;      /* at least what bzscr_rt_arena_bytes() says */
  uint32_t class_capacity; /* most classes at any one time; 0: as many as the model holds */
  uint32_t name_bytes; /* room for each class's name with its zero; 0: enough for the model's, at
                          least 32 */
  bzscr_rt_form form;  /* 0: AUTO */
  bzscr_rt_storage storage; /* 0: FLOAT32 */
  const char*
      kernel;     /* a name of bzscr_rt_kernel_name(); null: the best that this processor runs */
  int32_t shared; /* 1: classes may change while other threads score, see Threads. Costs the arena a
                 second copy of ids, names and their index, and one class more; a query, two atomic
                 additions. BAD_ARGUMENT in a library built with BZSCR_RT_SINGLE_THREADED */
  void (*wait)(
      void* context); /* called over and over while a change waits for queries that began before it
                     to end; may be null. A change that could run at a higher priority than a query
                     on the same core must give the core away here, or it waits forever */
  void* wait_context;
} bzscr_rt_config;

/* Names of the kernels that this processor runs, best first: "avx512", "avx2", "neon-dotprod",
 * "neon", and always "scalar" as the last. Null for an index past it. */
BZSCR_RT_API const char* bzscr_rt_kernel_name(uint32_t index);

/* The exact size of the arena that bzscr_rt_open() needs. Verifies the whole model, except that
 * names are unique, and reads all of config except arena and arena_bytes. The figure depends on the
 * model's shapes, class_capacity, name_bytes, form, storage, shared, and the width of a pointer;
 * bzscr-inspect prints it. An arena at a multiple of 64 bytes suits AVX-512 best. TABLE_FULL,
 * NAME_TOO_LONG: the model's own classes do not fit what config allows. NO_SUCH_KERNEL.
 * BAD_ARGUMENT: also when the size is more than a size_t can hold, or classes have too many values
 * for INT8. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_arena_bytes(const bzscr_rt_config* config,
                                                  size_t* arena_bytes);

/* Verifies the whole model, then fills the table with its classes: work of n new classes, and k m d
 * for the dense form. Call it once, at start-up. Nothing is written past the arena's first
 * bzscr_rt_arena_bytes(). On failure the arena's contents are lost. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_open(const bzscr_rt_config* config, bzscr_rt** handle);

/* That a model was verified, and the arena of a configuration: for callers that allocate the arena,
 * or that open a model more than once, and would verify it each time. Zero it and set struct_size;
 * the library fills it. Fields are only ever added at the end. It may be copied, and lies wherever
 * the caller likes, but means nothing to another process or another version of the library. */
typedef struct bzscr_rt_plan {
  size_t struct_size; /* sizeof(bzscr_rt_plan) */
  size_t arena_bytes; /* as bzscr_rt_arena_bytes() says */
  const void* model;  /* that was verified: this address */
  size_t model_bytes;
  uint32_t model_check; /* checksum of the model's file, which names it */
  uint32_t plan_check;  /* checksum of the fields above: a plan that was not filled by the library,
                           or was changed, is refused */
} bzscr_rt_plan;

/* Fills a plan: verifies the whole model as bzscr_rt_arena_bytes() does, with the same statuses, and
 * says the size of the arena. A plan that was filled for the same bytes before, by any
 * configuration, is taken at its word: then only the file's envelope is read, a few dozen bytes.
 * BAD_ARGUMENT also if plan is null or its struct_size too small. On failure the plan is
 * unchanged. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_plan_model(const bzscr_rt_config* config,
                                                 bzscr_rt_plan* plan);

/* bzscr_rt_open(), but without verifying the model again. The rest of config may be another than the
 * plan was made with, if the arena has room for it. The caller keeps the model's bytes as they were
 * from bzscr_rt_plan_model() on. BAD_ARGUMENT if the plan is null, was changed, or is of other
 * memory than config's, and where another model was put into that memory: the checksums that its
 * envelope holds are compared. Bytes that were changed one by one are not noticed. Where others
 * could write to the model meanwhile, call bzscr_rt_open(). */
BZSCR_RT_API bzscr_rt_status bzscr_rt_open_planned(const bzscr_rt_config* config,
                                                   const bzscr_rt_plan* plan, bzscr_rt** handle);

/* Set struct_size before the call. Fields are only ever added at the end. */
typedef struct bzscr_rt_info {
  size_t struct_size;           /* sizeof(bzscr_rt_info) */
  uint32_t feature_dimension;   /* m */
  uint32_t embedding_dimension; /* d */
  uint32_t weak_models;         /* k; 0: every score is 0 before the penalty */
  uint32_t classes;             /* n */
  uint32_t class_capacity;
  uint32_t name_bytes;              /* with the terminating zero */
  bzscr_rt_form form;               /* in use: never AUTO */
  bzscr_rt_scaling feature_scaling; /* NONE or UNIT */
  bzscr_rt_scaling embedding_scaling;
  float seen_penalty;      /* see bzscr_rt_score() */
  size_t arena_bytes;      /* in use */
  size_t scratch_bytes;    /* what bzscr_rt_score() and bzscr_rt_top() need */
  const char* form_name;   /* "prototypes", "factors" or "dense" */
  const char* kernel_name; /* in use, see bzscr_rt_kernel_name() */
  bzscr_rt_storage storage;
  int32_t shared;
  const char* storage_name; /* "float32", "int8" or "float16" */
  size_t class_bytes;       /* of a class's values: what a query reads for each class */
} bzscr_rt_info;

BZSCR_RT_API bzscr_rt_status bzscr_rt_describe(const bzscr_rt* handle, bzscr_rt_info* info);

/* Same as in bzscr_rt_info. A multiple of 32; constant for the life of the handle; 0 for a null
 * handle. */
BZSCR_RT_API size_t bzscr_rt_scratch_bytes(const bzscr_rt* handle);

/* ---- scoring
 * ------------------------------------------------------------------------------------- x[m]     a
 * raw feature, any alignment. NOT_FINITE, ZERO_INPUT or OUT_OF_RANGE if it cannot be scored.
 * scratch  scratch_bytes of memory, 32-byte aligned, its contents worthless before and after. Null:
 * the handle's own is used, and then no other call on the handle may overlap this one. Seen classes
 * (with training samples) are favoured by training. While seen and unseen classes stand in the
 * table together, the model's seen_penalty is taken off the scores of the seen ones. */

/* scores[r] of all classes in table order, and their ids where ids is not null; both have room for
 * `length` values. *count is set to n. BAD_ARGUMENT if length < n. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_score(const bzscr_rt* handle, const float* x, void* scratch,
                                            size_t length, float* scores, uint32_t* ids,
                                            size_t* count);

typedef struct bzscr_rt_result {
  uint32_t id;
  uint32_t index; /* in the table as it was scored */
  float score;
} bzscr_rt_result;

/* The `length` best classes, best first; among equal scores the lower id comes first. *count is set
 * to the number of results: n where n < length. Meant for small length: each score costs up to
 * `length` comparisons. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_top(const bzscr_rt* handle, const float* x, void* scratch,
                                          size_t length, bzscr_rt_result* results, size_t* count);

/* The same for many samples: X[samples][m], results[samples][length], counts[samples]; all of one
 * state of the table. Scratch of scratch_bytes = i * bzscr_rt_scratch_bytes() lets i samples, up to
 * 16, share each pass over the classes, which is faster the more there are of both. To use several
 * threads, give each a part of X and scratch of its own. On NOT_FINITE, ZERO_INPUT or OUT_OF_RANGE
 * nothing is scored, and *refused, if not null, is the index of the first such sample. BAD_ARGUMENT
 * if scratch is not null and scratch_bytes is too little for one sample. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_top_batch(const bzscr_rt* handle, const float* X,
                                                size_t samples, void* scratch, size_t scratch_bytes,
                                                size_t length, bzscr_rt_result* results,
                                                size_t* counts, size_t* refused);

/* The best class, or none of these: *accepted is 1 if its score is at least minimum_score and at
 * least minimum_margin above the second best (which is infinitely low where there is no other), 0
 * if not or if there is no class at all. *best is the best class either way, where there is one.
 * Penalties are taken off first, as in every score. -HUGE_VALF and 0 accept any class; choose both
 * on samples of no class of the table. BAD_ARGUMENT if one is NaN. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_recognise(const bzscr_rt* handle, const float* x,
                                                void* scratch, float minimum_score,
                                                float minimum_margin, bzscr_rt_result* best,
                                                int32_t* accepted);

/* ---- the class table
 * ----------------------------------------------------------------------------- */

/* n; 0 for a null handle. */
BZSCR_RT_API uint32_t bzscr_rt_class_count(const bzscr_rt* handle);

/* Id of the class at an index below n. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_class_id(const bzscr_rt* handle, uint32_t index,
                                               uint32_t* id);

/* Copies the name and its terminating zero; info.name_bytes of room are always enough.
 * NAME_TOO_LONG: it does not fit, and nothing is written. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_class_name(const bzscr_rt* handle, uint32_t id, char* name,
                                                 size_t name_bytes);

/* *seen: 1 if the class had training samples, 0 if not. Classes added on the device are unseen. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_class_seen(const bzscr_rt* handle, uint32_t id,
                                                 int32_t* seen);

/* Index of the class of this id; id of the class of this name. In constant time. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_find_class(const bzscr_rt* handle, uint32_t id,
                                                 uint32_t* index);
BZSCR_RT_API bzscr_rt_status bzscr_rt_find_name(const bzscr_rt* handle, const char* name,
                                                uint32_t* id);

/* Adds a class with raw embedding phi[d], any alignment, or, where the id is in the table, gives
 * that class this name and this embedding in place; it stays seen or unseen as it was. A null name
 * keeps the old one (BAD_ARGUMENT for a new class). Names are bytes, compared exactly; UTF-8 is
 * meant. TABLE_FULL, NAME_TOO_LONG, DUPLICATE_NAME; NOT_FINITE, ZERO_INPUT, OUT_OF_RANGE: phi
 * cannot be used. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_set_class(bzscr_rt* handle, uint32_t id, const char* name,
                                                const float* phi);

/* Gives a class another name. NO_SUCH_CLASS, BAD_ARGUMENT (an empty name), NAME_TOO_LONG,
 * DUPLICATE_NAME. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_rename_class(bzscr_rt* handle, uint32_t id, const char* name);

/* Gives a class of the model back what the model says of it, its embedding and whether it was seen,
 * under this name (null: the model's); adds it where it was removed. NO_SUCH_CLASS: the model holds
 * no such class. BAD_ARGUMENT (an empty name), TABLE_FULL, NAME_TOO_LONG, DUPLICATE_NAME. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_restore_class(bzscr_rt* handle, uint32_t id,
                                                    const char* name);

/* What bzscr_rt_set_class() would say of phi[d]: OK, NOT_FINITE, ZERO_INPUT or OUT_OF_RANGE.
 * Changes nothing. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_check_embedding(const bzscr_rt* handle, const float* phi);

/* Removes a class; the last one in the table moves to its index. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_remove_class(bzscr_rt* handle, uint32_t id);

#ifdef __cplusplus
}
#endif

#endif
