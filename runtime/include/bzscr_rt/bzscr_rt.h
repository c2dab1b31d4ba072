/* bzscr_rt.h - zero-shot scoring on a device: one score per class, the highest wins.
 *
 *   score(x, r) = sum_j w_j (x^T u_j)(v_j^T phi_r)  =  x^T W phi_r
 *
 * Models may also scale the length of W phi_r, add to the classes of training what their samples
 * told (see bzscr_rt_score_form), and be taught classes by labelled samples on the device.
 *
 * Symbols  x[m]: a feature vector; phi[d]: the embedding of a class; k: number of weak models;
 *          n: number of classes in the table now. float arrays are contiguous.
 * Inputs   The caller passes raw features x and raw class embeddings phi. The transform of training
 *          (standard scaling, unit length, centring) is stored in the model, and the library applies it. If phi is
 *          the concatenation of several embeddings, raw and in the order of training, then each
 *          part is centred and scaled on its own.
 * Memory   The library never allocates. Its state lies in one arena; the model is read in place and
 *          never written. The caller owns both and keeps them until the last call on the handle.
 *          There is nothing to release; to start again, open again in the same arena. See
 *          bzscr_rt_close() if other threads may be inside a call.
 * Threads  The library has no global state. A call with a const handle may overlap other such
 *          calls on the same handle if each passes its own scratch memory. A call with a non-const
 *          handle must not overlap any other call on that handle, unless config.shared is 1: then
 *          one thread at a time may change classes while any number of other threads score, each
 *          with its own scratch memory. The scoring threads never wait. They see the table either
 *          before or after a change, never a state in between; so they see many changes that are
 *          made as one, see bzscr_rt_begin_changes(). A second change while one is in progress is
 *          BUSY, and changes nothing. This is detected for tables that are not shared too, except
 *          in a library built with BZSCR_RT_SINGLE_THREADED.
 * Structs  struct_size is the size of the struct as the caller was compiled with it. Every size
 *          from the first release to this one is accepted: a configuration that lacks newer fields
 *          gets their defaults, and only the fields that the caller has are written. Any other size
 *          is a BAD_ARGUMENT, and nothing is read or written; in particular the larger struct of a
 *          caller that was compiled with a newer header.
 * Errors   Functions that can fail return a bzscr_rt_status. On failure the handle and all outputs
 *          are unchanged, except where a comment below says otherwise. BAD_ARGUMENT is returned
 *          by every function if a pointer that it needs is null.
 * Classes  A class has an id and a name; both are unique in the table. The id is permanent. The
 *          index, 0 to n - 1, is the current position in the table: adding a class does not move
 *          the others, removing a class moves the last class to the freed index. Store ids, not
 *          indices.
 * Numbers  The same input gives the same scores, bit for bit, on every machine and for every
 *          kernel, number of threads and batch size. One exception: in float32 and float16 storage,
 *          ARMv7's NEON treats numbers below 2^-126 as zero. The bits are those of the default
 *          floating-point environment: a program that is linked with -ffast-math, or that sets
 *          another rounding or flushes subnormal numbers to zero, changes them.
 * Stack    At most 2.5 KB for any model; 1.5 KB on Cortex-M. The build target `size_report` prints
 *          the value of a build.
 *
 * Example:
 *
 *   bzscr_rt_config config = {0};
 *   config.struct_size = sizeof config;
 *   config.model = model;                             // 32-byte aligned
 *   config.model_bytes = model_bytes;
 *   bzscr_rt_arena_bytes(&config, &config.arena_bytes);
 *   config.arena = memory;                            // arena_bytes of it, 32-byte aligned
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

/* Alignment of the model, the arena and scratch memory, in bytes. */
#define BZSCR_RT_ALIGNMENT 32

/* ---- status ---------------------------------------------------------------------------------- */

/* Every status: its name without BZSCR_RT_, its number and its text. Part of the ABI: statuses are
 * appended, never renumbered. To iterate over them, pass a macro of three arguments.
 *
 *   BAD_ARGUMENT   also: a struct_size is not that of any release; see Structs above
 *   MISALIGNED     see BZSCR_RT_ALIGNMENT
 *   WRONG_KIND     for example a pack of classes
 *   NO_SUCH_CLASS  the id, the name or the index is not in the table
 *   NAME_TOO_LONG  the terminating zero counts
 *   ZERO_INPUT     also: a part of an embedding has length zero, or all its values are zero
 *   OUT_OF_RANGE   only for inputs that the model does not scale; the length is Euclidean. For
 *                  standard scaling: a value, less its mean and times its factor, overflows a float
 *   BUSY           another thread changes the classes, or a batch of changes has not ended
 *   CLOSED         see bzscr_rt_close() */
#define BZSCR_RT_STATUS_LIST(STATUS)                                                             \
  STATUS(OK, 0, "no error")                                                                      \
  STATUS(BAD_ARGUMENT, 1, "an argument is missing or out of its range")                          \
  STATUS(MISALIGNED, 2, "the model, the arena or the scratch memory is not aligned to 32 bytes") \
  STATUS(NOT_A_MODEL, 3, "this is not a BZ-SCR file")                                            \
  STATUS(TOO_OLD, 4, "the file's format is older than this library reads")                       \
  STATUS(TOO_NEW, 5, "the file's format is newer than this library reads")                       \
  STATUS(WRONG_KIND, 6, "this is a BZ-SCR file, but not a model")                                \
  STATUS(DAMAGED, 7, "the model is damaged: changed, truncated, too long, or inconsistent")      \
  STATUS(ARENA_TOO_SMALL, 8, "the arena is smaller than the model and its class table need")     \
  STATUS(TABLE_FULL, 9, "there are more classes than the class table has room for")              \
  STATUS(NO_SUCH_CLASS, 10, "there is no such class")                                            \
  STATUS(NAME_TOO_LONG, 11, "the name is longer than there is room for")                         \
  STATUS(DUPLICATE_NAME, 12, "another class has this name")                                      \
  STATUS(NOT_FINITE, 13, "the input holds NaN or infinity")                                      \
  STATUS(ZERO_INPUT, 14, "the input has length zero, so it has no direction")                    \
  STATUS(OUT_OF_RANGE, 15, "the input is longer than 2^30")                                      \
  STATUS(NO_SUCH_KERNEL, 16, "there is no kernel of this name that this processor can run")      \
  STATUS(BUSY, 17, "another change of the classes is in progress")                               \
  STATUS(CLOSED, 18, "the model was closed")

typedef int32_t bzscr_rt_status; /* fixed width: some ARM ABIs shrink enums */
enum {
#define BZSCR_RT_STATUS_CODE(name, code, text) BZSCR_RT_##name = code,
  BZSCR_RT_STATUS_LIST(BZSCR_RT_STATUS_CODE)
#undef BZSCR_RT_STATUS_CODE
};

/* The text of a status; not null for any number. */
BZSCR_RT_API const char* bzscr_rt_status_text(bzscr_rt_status status);

/* The version of this library, for example "0.1.0". */
BZSCR_RT_API const char* bzscr_rt_version(void);

/* The newest version of the model format that this library reads. */
BZSCR_RT_API uint32_t bzscr_rt_format_version(void);

/* ---- opening a model ------------------------------------------------------------------------- */

/* How scores are computed. All forms give the same scores up to rounding; they differ in cost:
 *
 *                multiply-adds            multiply-adds     values in the arena
 *                of a query               of a new class
 *   PROTOTYPES   m n                      (m + d) k         m per class
 *   FACTORS      (m + n) k                d k               k per class
 *   DENSE        (m + n) d                d, or d k         d per class, and m d floats
 *
 * A new class in the DENSE form takes d k if the score form is not PLAIN or the features have
 * offsets. DENSE is not possible for models whose seen classes have own values, and for tables that
 * can be taught: then AUTO does not take it. */
typedef int32_t bzscr_rt_form;
enum {
  BZSCR_RT_FORM_AUTO = 0, /* the form whose query reads the fewest bytes when the table is full */
  BZSCR_RT_FORM_PROTOTYPES = 1,
  BZSCR_RT_FORM_FACTORS = 2,
  BZSCR_RT_FORM_DENSE = 3
};

/* How the values of a class are stored. A query reads all of them: fewer bytes are faster. */
typedef int32_t bzscr_rt_storage;
enum {
  BZSCR_RT_STORAGE_FLOAT32 = 0,

  /* Integers from -127 to 127 with one scale per class; the query is stored likewise. A quarter of
   * the bytes of FLOAT32. The error of a score is about 1/100 of the largest score; measure on your
   * data how often that changes the best class. At most 2^17 values per class. */
  BZSCR_RT_STORAGE_INT8 = 1,

  /* 11 significant bits, with one scale per class. Half the bytes of FLOAT32; the error of a score
   * is about 1/4000. Useful where INT8 is too coarse and the processor converts half-precision
   * numbers (x86-64 with AVX2, NEON). */
  BZSCR_RT_STORAGE_FLOAT16 = 2
};

/* Which power of the length of q_r = W phi_r, plus the own values of a seen class if the model has
 * them, divides the scores of class r. It belongs to the model. */
typedef int32_t bzscr_rt_score_form;
enum {
  BZSCR_RT_SCORE_PLAIN = 0, /* none: x^T q_r */
  BZSCR_RT_SCORE_HALF = 1,  /* x^T q_r / |q_r|^(1/2) */
  BZSCR_RT_SCORE_COSINE = 2 /* x^T q_r / |q_r|: the cosine, if x has unit length */
};

/* How a raw input is transformed. */
typedef int32_t bzscr_rt_scaling;
enum {
  BZSCR_RT_SCALING_NONE = 0,
  BZSCR_RT_SCALING_UNIT = 1,        /* divided by its Euclidean length */
  BZSCR_RT_SCALING_CENTRE_UNIT = 2, /* embeddings only: minus the model's centre, then UNIT */
  BZSCR_RT_SCALING_STANDARD =
      3 /* features only: each minus its mean, times its factor; then UNIT */
};

typedef struct bzscr_rt bzscr_rt; /* opaque; placed in the arena */

/* Fill it with zeros, then set struct_size, model, model_bytes and what else is needed. A zero
 * means the default. New versions add fields only at the end. */
typedef struct bzscr_rt_config {
  size_t struct_size; /* sizeof(bzscr_rt_config); see Structs above */

  const void* model;  /* 32-byte aligned; may lie in flash or in read-only pages */
  size_t model_bytes; /* exact size of the file: a longer or shorter one is DAMAGED */

  void* arena;        /* 32-byte aligned; its previous contents do not matter */
  size_t arena_bytes; /* at least the value of bzscr_rt_arena_bytes() */

  /* Largest number of classes at any one time, at most 2^30. 0: as many as the model holds. */
  uint32_t class_capacity;

  /* Bytes for the name of each class, with its terminating zero.
   * 0: enough for the longest name in the model, and at least 32. */
  uint32_t name_bytes;

  bzscr_rt_form form;       /* 0: AUTO */
  bzscr_rt_storage storage; /* 0: FLOAT32 */

  /* A name returned by bzscr_rt_kernel_name(). Null: the best kernel that this processor runs. */
  const char* kernel;

  /* 1: classes may change while other threads score; see Threads above. This takes a second copy of
   * the classes in the arena, and two atomic additions per query. 0: not shared. In a library built
   * with BZSCR_RT_SINGLE_THREADED every value but 0 is a BAD_ARGUMENT. */
  int32_t shared;

  /* Called repeatedly with wait_context while a change, or bzscr_rt_close(), waits for the end of
   * queries that began before it. Null: it spins. If it can run at a higher priority than a query
   * on the same core, this function must yield the core, or it waits forever. */
  void (*wait)(void* context);
  void* wait_context;

  /* 1: classes can be taught, see bzscr_rt_teach(). This takes info.example_bytes per class in the
   * arena. BAD_ARGUMENT if the model has no values for it, and for any number but 0 and 1. 0: they
   * cannot. */
  int32_t teachable;
} bzscr_rt_config;

/* The names of the kernels that this processor runs, best first: "avx512", "avx2", "neon-dotprod",
 * "neon"; the last one is always "scalar". Null if index is past the last one. */
BZSCR_RT_API const char* bzscr_rt_kernel_name(uint32_t index);

/* *arena_bytes: the exact number of bytes that bzscr_rt_open() needs. Verifies the whole model,
 * except that names are unique. Does not read config->arena and config->arena_bytes.
 *
 * The size depends on the shapes of the model, on class_capacity, name_bytes, form, storage,
 * shared and teachable, and on the width of a pointer; bzscr-inspect prints it. AVX-512 is fastest with an arena
 * at a multiple of 64 bytes.
 *
 * MISALIGNED, NOT_A_MODEL, TOO_OLD, TOO_NEW, WRONG_KIND, DAMAGED: the model is refused.
 * TABLE_FULL, NAME_TOO_LONG: the classes of the model exceed class_capacity or name_bytes.
 * NO_SUCH_KERNEL: this processor has no kernel of the name config->kernel.
 * BAD_ARGUMENT: a field is out of its range, the size exceeds a size_t, a class has too many values
 * for INT8, the model cannot be taught, or DENSE is not possible (see bzscr_rt_form). */
BZSCR_RT_API bzscr_rt_status bzscr_rt_arena_bytes(const bzscr_rt_config* config,
                                                  size_t* arena_bytes);

/* Verifies the whole model, then adds its classes to the table. Cost: n new classes (see
 * bzscr_rt_form), and k m d multiply-adds for the dense form. Call it once, at start-up. It writes
 * only the first bzscr_rt_arena_bytes() of the arena.
 *
 * The statuses of bzscr_rt_arena_bytes(); ARENA_TOO_SMALL; MISALIGNED also for the arena; DAMAGED
 * also if two classes of the model have the same name. On failure the contents of the arena are
 * undefined. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_open(const bzscr_rt_config* config, bzscr_rt** handle);

/* The result of verifying a model, and the size of the arena of a configuration. A caller that
 * allocates the arena, or that opens a model several times, verifies the model only once with it.
 *
 * Fill it with zeros and set struct_size; bzscr_rt_plan_model() fills the rest. It may be copied
 * and may lie at any address. It is valid only in this process and for this version of the library.
 * New versions add fields only at the end. */
typedef struct bzscr_rt_plan {
  size_t struct_size;   /* sizeof(bzscr_rt_plan) */
  size_t arena_bytes;   /* the value of bzscr_rt_arena_bytes() */
  const void* model;    /* address of the model that was verified */
  size_t model_bytes;   /* its size */
  uint32_t model_check; /* checksum of the model's file; identifies the file */
  uint32_t plan_check;  /* checksum of the fields above; a plan that does not match is refused */
} bzscr_rt_plan;

/* Verifies the whole model as bzscr_rt_arena_bytes() does, with the same statuses, and fills *plan.
 * If *plan was already filled for the same bytes, with any configuration, then the model is not
 * verified again: only the file's envelope is read, a few dozen bytes.
 *
 * On failure *plan is unchanged. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_plan_model(const bzscr_rt_config* config,
                                                 bzscr_rt_plan* plan);

/* Like bzscr_rt_open(), but does not verify the model again. The other fields of config may differ
 * from those that the plan was made with, if the arena is large enough.
 *
 * The caller must not change the bytes of the model after bzscr_rt_plan_model(). Replacing the
 * whole model by another one is detected, because the checksums in the envelope are compared;
 * changing single bytes is not. If others can write to the model in the meantime, call
 * bzscr_rt_open().
 *
 * BAD_ARGUMENT also if the plan was not filled by this library or was changed, if config->model or
 * config->model_bytes differ from the plan's, or if the memory holds another model now. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_open_planned(const bzscr_rt_config* config,
                                                   const bzscr_rt_plan* plan, bzscr_rt** handle);

/* Set struct_size before the call. New versions add fields only at the end. */
typedef struct bzscr_rt_info {
  size_t struct_size; /* sizeof(bzscr_rt_info) */

  uint32_t feature_dimension;   /* m */
  uint32_t embedding_dimension; /* d */
  uint32_t weak_models;         /* k; if 0, every score is 0 before the penalty */
  uint32_t classes;             /* n */
  uint32_t class_capacity;      /* largest n */
  uint32_t name_bytes;          /* room for a name, with the terminating zero */

  bzscr_rt_form form;                 /* in use; never AUTO */
  bzscr_rt_scaling feature_scaling;   /* NONE, UNIT or STANDARD */
  bzscr_rt_scaling embedding_scaling; /* of each part of an embedding */
  float seen_penalty;                 /* in use; see bzscr_rt_set_seen_penalty() */

  size_t arena_bytes;       /* bytes of the arena in use */
  size_t scratch_bytes;     /* scratch memory of one query; see bzscr_rt_scratch_bytes() */
  const char* form_name;    /* "prototypes", "factors" or "dense" */
  const char* kernel_name;  /* in use; see bzscr_rt_kernel_name() */
  bzscr_rt_storage storage; /* in use */
  int32_t shared;           /* 1 if config.shared was set, 0 if not */
  const char* storage_name; /* "float32", "int8" or "float16" */
  size_t class_bytes;       /* bytes of the values of a class: what a query reads per class */

  bzscr_rt_score_form score_form; /* of the model */
  int32_t teachable;              /* 1 if config.teachable was set, 0 if not */
  size_t example_bytes;           /* bytes of the arena that teaching takes per class; or 0 */
  const char* score_form_name;    /* "plain", "half" or "cosine" */
} bzscr_rt_info;

/* Describes an opened model. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_describe(const bzscr_rt* handle, bzscr_rt_info* info);

/* Closes a handle, so that another model can take its place. If the table is shared, it waits until
 * no other thread reads the model or the classes, and calls config.wait meanwhile. Afterwards every
 * call with the handle that has a status returns CLOSED, and bzscr_rt_class_count() returns 0; also
 * calls that began before and had not come to read.
 *
 * The model's memory may be released or overwritten as soon as this function has returned. The
 * arena may not: threads may still begin a call with the handle, and find there that it is closed.
 * Release it, or open another model in it, when no thread is in such a call or begins one. For
 * example: open the new model in a second arena, publish its handle, close the old one, let each
 * thread take the new handle when it gets CLOSED, and use the old arena again when all have.
 *
 * BUSY: classes are being changed, or a batch of changes has not ended. CLOSED: it is closed
 * already. BAD_ARGUMENT also for the handle of a batch. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_close(bzscr_rt* handle);

/* The model that the handle was opened with: config.model. Null if handle is null. */
BZSCR_RT_API const void* bzscr_rt_model(const bzscr_rt* handle);

/* Bytes of scratch memory that one query needs: a multiple of 32, constant for the life of the
 * handle. 0 if handle is null. */
BZSCR_RT_API size_t bzscr_rt_scratch_bytes(const bzscr_rt* handle);

/* ---- scoring --------------------------------------------------------------------------------- */

/* Arguments of all scoring functions:
 *
 *   x[m]     a raw feature vector, at any address
 *   scratch  bzscr_rt_scratch_bytes() of memory, 32-byte aligned; its contents do not matter before
 *            the call and are undefined after it. Null: the handle's own scratch memory is used;
 *            then no other call on the handle may overlap this one.
 *
 * Statuses of all scoring functions: NOT_FINITE, ZERO_INPUT or OUT_OF_RANGE if x cannot be scored;
 * MISALIGNED if scratch is; CLOSED.
 *
 * Training favours seen classes, those with training samples. The seen_penalty, that of the model
 * or of bzscr_rt_set_seen_penalty(), is subtracted from the score of every seen class. The score of
 * a class therefore does not depend on which other classes are in the table, and a minimum score
 * keeps its meaning when classes come and go.
 *
 * A class that has neither an embedding nor samples (see bzscr_rt_set_class()) scores -FLT_MAX,
 * which is less than any other score. */

/* scores[r]: the score of the class at index r, for all n classes; ids[r]: its id. ids may be null.
 * Both have room for `length` values. *count is set to n. Scores, ids and n are those of one state
 * of the table.
 *
 * BAD_ARGUMENT if length < n; then *count is set to n too, and nothing is scored. A length of
 * class_capacity is always enough. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_score(const bzscr_rt* handle, const float* x, void* scratch,
                                            size_t length, float* scores, uint32_t* ids,
                                            size_t* count);

typedef struct bzscr_rt_result {
  uint32_t id;
  uint32_t index; /* in the table at the time of scoring */
  float score;    /* with the penalty subtracted */
} bzscr_rt_result;

/* results[length]: the classes with the highest scores, best first; among equal scores the lower id
 * comes first. *count is set to the number of results, the smaller of n and length. Meant for a
 * small length: each score costs up to `length` comparisons. results may be null if length is 0. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_top(const bzscr_rt* handle, const float* x, void* scratch,
                                          size_t length, bzscr_rt_result* results, size_t* count);

/* bzscr_rt_top() for many samples: X[samples][m], results[samples][length], counts[samples]. All
 * samples are scored with the same state of the table.
 *
 * With scratch_bytes = i * bzscr_rt_scratch_bytes(), i samples, at most 16, share each pass over
 * the classes; the more samples and classes, the more time this saves. If scratch is null,
 * scratch_bytes is ignored. To use several threads, give each of them a part of X and its own
 * scratch memory.
 *
 * NOT_FINITE, ZERO_INPUT, OUT_OF_RANGE: a sample cannot be scored. Then no sample is scored, and
 * *refused is set to the index of the first such sample; refused may be null.
 * BAD_ARGUMENT also if scratch is not null and scratch_bytes is too small for one sample. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_top_batch(const bzscr_rt* handle, const float* X,
                                                size_t samples, void* scratch, size_t scratch_bytes,
                                                size_t length, bzscr_rt_result* results,
                                                size_t* counts, size_t* refused);

/* Classifies x with a reject option. *best is set to the class with the highest score; if the table
 * is empty it is unchanged. *accepted is set to 1 if its score is at least minimum_score and
 * exceeds the second highest score by at least minimum_margin, otherwise and for an empty table to
 * 0. If there is only one class, any margin is met.
 *
 * The scores have the penalty subtracted, whatever classes the table holds: a minimum_score that was
 * chosen with some classes holds for these classes when others are added or removed. -HUGE_VALF and
 * 0 accept every class. Choose both minima on samples whose class is not in the table. BAD_ARGUMENT
 * also if one of them is NaN. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_recognise(const bzscr_rt* handle, const float* x,
                                                void* scratch, float minimum_score,
                                                float minimum_margin, bzscr_rt_result* best,
                                                int32_t* accepted);

/* ---- reading the class table ----------------------------------------------------------------- */

/* All lookups by id or name take constant time. NO_SUCH_CLASS: the index, id or name is not in the
 * table. CLOSED. Class names are byte strings, normally UTF-8; they are compared byte by byte. */

/* n; 0 if handle is null or closed. */
BZSCR_RT_API uint32_t bzscr_rt_class_count(const bzscr_rt* handle);

/* *id: the id of the class at an index from 0 to n - 1. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_class_id(const bzscr_rt* handle, uint32_t index,
                                               uint32_t* id);

/* Copies the name of a class and its terminating zero to name[name_bytes]. info.name_bytes are
 * always enough. NAME_TOO_LONG: the name does not fit, and nothing is written. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_class_name(const bzscr_rt* handle, uint32_t id, char* name,
                                                 size_t name_bytes);

/* *seen: 1 if the class had training samples, 0 if not. Classes added on the device are unseen. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_class_seen(const bzscr_rt* handle, uint32_t id,
                                                 int32_t* seen);

/* *index: the index of the class with this id. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_find_class(const bzscr_rt* handle, uint32_t id,
                                                 uint32_t* index);

/* *id: the id of the class with this name. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_find_name(const bzscr_rt* handle, const char* name,
                                                uint32_t* id);

/* ---- changing the class table ---------------------------------------------------------------- */

/* A name is not empty (BAD_ARGUMENT), fits info.name_bytes with its terminating zero
 * (NAME_TOO_LONG), and belongs to no other class (DUPLICATE_NAME).
 *
 * BUSY, CLOSED: also statuses of all functions below. */

/* Adds a class with the raw embedding phi[d], which may lie at any address; the new class is
 * unseen. If the id is already in the table, the class gets this name and this embedding instead,
 * and keeps its index, whether it is seen, and the samples that it was taught. A null name keeps the
 * old name; BAD_ARGUMENT for a new class.
 *
 * A null phi, which only a teachable table takes: a new class has no embedding, and scores -FLT_MAX
 * until it is taught; a class in the table keeps its embedding, and gets this name, which must not
 * be null.
 *
 * TABLE_FULL: class_capacity classes are already in the table.
 * NOT_FINITE, ZERO_INPUT, OUT_OF_RANGE: phi cannot be used. An embedding whose values are all zero
 * is what an encoder gives that has failed or does not know the word: it is a ZERO_INPUT for every
 * model, although one that is centred would have a direction. So is one with such a part. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_set_class(bzscr_rt* handle, uint32_t id, const char* name,
                                                const float* phi);

/* Gives a class another name. NO_SUCH_CLASS. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_rename_class(bzscr_rt* handle, uint32_t id, const char* name);

/* Restores a class of the model: its embedding and whether it is seen become those of the model
 * again, and its name becomes `name`, or the model's if name is null. If the class was removed, it
 * is added again; otherwise it keeps its index, and the samples that it was taught.
 *
 * NO_SUCH_CLASS: the model holds no class with this id. TABLE_FULL. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_restore_class(bzscr_rt* handle, uint32_t id,
                                                    const char* name);

/* Checks phi[d] as bzscr_rt_set_class() does, and changes nothing: OK, NOT_FINITE, ZERO_INPUT or
 * OUT_OF_RANGE. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_check_embedding(const bzscr_rt* handle, const float* phi);

/* Removes a class and the samples that it was taught; the last class of the table moves to its
 * index. NO_SUCH_CLASS. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_remove_class(bzscr_rt* handle, uint32_t id);

/* Sets what is subtracted from the scores of seen classes, instead of the model's seen_penalty: at
 * least -2^30 and at most 2^30; 0 for none, negative to favour seen classes. Scores of seen classes
 * move by the difference, and so must a minimum score for them. BAD_ARGUMENT also if it is NaN. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_set_seen_penalty(bzscr_rt* handle, float penalty);

/* ---- teaching classes ------------------------------------------------------------------------ */

/* A class whose samples come up on the device can be taught by them: then its row is blended from
 * what its embedding says and from the direction of its samples, the more of the latter the more
 * samples there are (schema/FORMAT.md, Teaching). All classes can be taught, also those of training
 * and those without an embedding.
 *
 * The functions of this section need a table that was opened with config.teachable = 1, and are
 * BAD_ARGUMENT otherwise. They work in every form and storage, change classes as those of the
 * section above do, and may be calls with the handle of a batch. Of its samples a class keeps k + 1
 * numbers: `sum`, weighted sum of U x - o with x transformed, and `count`, the sum of the weights. The
 * same samples in the same order give the same numbers and the same scores, bit for bit, on every
 * machine and for every kernel (one exception: see Numbers above).
 *
 * BUSY, CLOSED, NO_SUCH_CLASS: also statuses of all functions of this section. */

/* Teaches a class the raw feature vector x[m], at any address, as a sample of it. `weight` is above 0
 * and at most 2^10; 1 for a sample that is labelled with certainty. The class keeps its id, name,
 * index and whether it is seen. Costs k m multiply-adds and a new row: m k more for PROTOTYPES.
 *
 * NOT_FINITE, ZERO_INPUT, OUT_OF_RANGE: x cannot be scored. BAD_ARGUMENT also for another weight. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_teach(bzscr_rt* handle, uint32_t id, const float* x,
                                            float weight);

/* Forgets the samples of a class: it scores as if it had never been taught, bit for bit. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_forget(bzscr_rt* handle, uint32_t id);

/* Copies what a class was taught: sum[k], k = info.weak_models in every form, and *count. All are
 * zero if it was not taught. May overlap queries and, in a shared table, a change, as the functions
 * that read the table. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_get_examples(const bzscr_rt* handle, uint32_t id, float* sum,
                                                   float* count);

/* Replaces what a class was taught by what bzscr_rt_get_examples() gave, here or in another table of
 * the same model; its scores are then those of the class there, bit for bit, if it has the same
 * embedding. With a count of 0 it forgets; then sum is not read and may be null.
 *
 * NOT_FINITE: sum holds NaN or infinity. BAD_ARGUMENT also if count is negative or not finite. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_set_examples(bzscr_rt* handle, uint32_t id, const float* sum,
                                                   float count);

/* ---- batches of changes ---------------------------------------------------------------------- */

/* Begins a batch of changes, which others see all at once. *batch is a handle of its own for the
 * functions that change or teach classes and those that read the table: it holds the state that the batch has
 * reached, which no other handle sees before bzscr_rt_end_changes(handle). Until then changes with
 * `handle` itself are BUSY; after it *batch is CLOSED.
 *
 *   bzscr_rt_begin_changes(handle, &batch);
 *   bzscr_rt_remove_class(batch, 3);                  // two classes that exchange their names
 *   bzscr_rt_rename_class(batch, 5, "okapi");
 *   bzscr_rt_set_class(batch, 3, "quokka", phi);
 *   bzscr_rt_end_changes(handle);
 *
 * Ending takes time in proportion to class_capacity, and to the values of the classes that were
 * set or moved. A table that is not shared exists only once: there *batch is `handle`, and each
 * change takes effect at once.
 *
 * BUSY also if a batch has not ended. BAD_ARGUMENT also for the handle of a batch. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_begin_changes(bzscr_rt* handle, bzscr_rt** batch);

/* Makes the changes of a batch visible. BAD_ARGUMENT also if no batch was begun. What other threads
 * try to change with `handle` never makes it BUSY; only a call with the batch that has not returned,
 * and another change if no batch was begun, do. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_end_changes(bzscr_rt* handle);

/* Ends a batch and drops its changes. BAD_ARGUMENT also if no batch was begun, and if the table is
 * not shared: its changes have been made, and the batch goes on. */
BZSCR_RT_API bzscr_rt_status bzscr_rt_cancel_changes(bzscr_rt* handle);

#ifdef __cplusplus
}
#endif

#endif
