/* Tests the header in plain C11, without files and heap: opens a model in constant memory with a
 * static arena, scores it and changes its classes. bzscr-export wrote test_model.h. */
#include "bzscr_rt/bzscr_rt.h"

#include "taught_model.h"
#include "test_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FEATURES 17
#define EMBEDDING 6
#define CLASSES 5

static alignas(BZSCR_RT_ALIGNMENT) unsigned char arena[TEST_MODEL_ARENA_BYTES];
static alignas(BZSCR_RT_ALIGNMENT) unsigned char scratch[1 << 10];

static void check(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "c_api_test.c:%d: %s\n", line, what);
  exit(1);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

/* Checksum (FNV-1a) of the bits of all scores of x, for one form, storage and kernel; of the second
 * model if classes are to be taught. */
static uint32_t checksum(bzscr_rt_form form, bzscr_rt_storage storage, const char* kernel,
                         int32_t teachable, const float* x) {
  static alignas(BZSCR_RT_ALIGNMENT) unsigned char memory[4096];
  bzscr_rt_config config = {0};
  config.struct_size = sizeof config;
  config.model = teachable ? taught_model : test_model;
  config.model_bytes = teachable ? sizeof taught_model : sizeof test_model;
  config.form = form;
  config.storage = storage;
  config.kernel = kernel;
  config.teachable = teachable;
  config.arena = memory;
  config.arena_bytes = sizeof memory;
  bzscr_rt* handle = NULL;
  CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);
  if (teachable) {
    float other[FEATURES];
    for (int i = 0; i < FEATURES; ++i) other[i] = x[i] * x[i] - 0.5f;
    CHECK(bzscr_rt_teach(handle, 3, x, 1) == BZSCR_RT_OK);
    CHECK(bzscr_rt_teach(handle, 3, other, 0.75f) == BZSCR_RT_OK);
    CHECK(bzscr_rt_teach(handle, 13, other, 3) == BZSCR_RT_OK);
  }
  float scores[CLASSES];
  size_t count = 0;
  CHECK(bzscr_rt_score(handle, x, NULL, CLASSES, scores, NULL, &count) == BZSCR_RT_OK &&
        count == CLASSES);
  uint32_t sum = 0x811C9DC5u;
  for (int r = 0; r < CLASSES; ++r) {
    uint32_t bits = 0;
    memcpy(&bits, &scores[r], sizeof bits);
    for (int byte = 0; byte < 4; ++byte) sum = (sum ^ (bits >> (8 * byte) & 0xFF)) * 0x01000193u;
  }
  return sum;
}

/* The bits of scores are the same on x86-64, AArch64, ARMv7 and Cortex-M, with every kernel. The
 * expected checksums are those of the test model (tests/support/write_model.cpp). */
static void check_bits(const float* x) {
  static const uint32_t taught[3][2] = {{0xAAC6AFC8u, 0x94908C25u},
                                        {0xF5D3AB67u, 0x46E2483Du},
                                        {0x638D2CF4u, 0x65EDE268u}}; /* prototypes, factors */
  static const uint32_t expected[3][3] = {/* float32, int8, float16 x prototypes, factors, dense */
                                          {0xD9AE48F9u, 0x3726E23Bu, 0x1ED8BCEBu},
                                          {0x16CDD6E3u, 0xADF03C8Fu, 0xE6B6F2B4u},
                                          {0x445B1BFFu, 0x057A1C00u, 0x566AA20Du}};
  int differ = 0;
  for (uint32_t i = 0; bzscr_rt_kernel_name(i) != NULL; ++i)
    for (int storage = 0; storage < 3; ++storage)
      for (int form = 0; form < 3; ++form) {
        const char* kernel = bzscr_rt_kernel_name(i);
        for (int teachable = 0; teachable < (form < 2 ? 2 : 1); ++teachable) {
          const uint32_t sum = checksum(BZSCR_RT_FORM_PROTOTYPES + form,
                                        BZSCR_RT_STORAGE_FLOAT32 + storage, kernel, teachable, x);
          if (sum == (teachable ? taught[storage][form] : expected[storage][form])) continue;
          fprintf(stderr, "%s, storage %d, form %d, teachable %d: 0x%08lX\n", kernel, storage,
                  form + 1, teachable, (unsigned long)sum);
          differ = 1;
        }
      }
  CHECK(!differ);
}

int main(void) {
  bzscr_rt_config config = {0};
  config.struct_size = sizeof config;
  config.model = test_model;
  config.model_bytes = sizeof test_model;
  CHECK(TEST_MODEL_CLASS_CAPACITY == CLASSES + 1);
  config.class_capacity = TEST_MODEL_CLASS_CAPACITY;
  CHECK(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
  CHECK(config.arena_bytes <= sizeof arena);
  config.arena = arena;
  bzscr_rt* handle = NULL;
  CHECK(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);

  bzscr_rt_info info = {0};
  info.struct_size = sizeof info;
  CHECK(bzscr_rt_describe(handle, &info) == BZSCR_RT_OK);
  CHECK(info.feature_dimension == FEATURES && info.embedding_dimension == EMBEDDING);
  CHECK(info.classes == CLASSES && info.class_capacity == CLASSES + 1);
  CHECK(info.scratch_bytes <= sizeof scratch);
  /* Set by the presets of emulated processors. */
  const char* expected_kernel = getenv("BZSCR_EXPECTED_KERNEL");
  CHECK(expected_kernel == NULL || strcmp(info.kernel_name, expected_kernel) == 0);

  float x[FEATURES];
  for (int i = 0; i < FEATURES; ++i) x[i] = (float)(i % 5) - 2.0f;
  check_bits(x);
  float phi[EMBEDDING] = {1, 0, -1, 0, 2, 0};
  CHECK(bzscr_rt_set_class(handle, 7, "tapir", phi) == BZSCR_RT_OK);

  float scores[CLASSES + 1];
  uint32_t ids[CLASSES + 1];
  size_t count = 0;
  CHECK(bzscr_rt_score(handle, x, scratch, CLASSES + 1, scores, ids, &count) == BZSCR_RT_OK);
  CHECK(count == CLASSES + 1 && ids[CLASSES] == 7);

  bzscr_rt_result best[2];
  CHECK(bzscr_rt_top(handle, x, NULL, 2, best, &count) == BZSCR_RT_OK);
  CHECK(count == 2 && best[0].score >= best[1].score);
  CHECK(best[0].score == scores[best[0].index] && best[0].id == ids[best[0].index]);

  char name[32];
  CHECK(bzscr_rt_class_name(handle, 7, name, sizeof name) == BZSCR_RT_OK);
  CHECK(strcmp(name, "tapir") == 0);
  CHECK(bzscr_rt_remove_class(handle, 7) == BZSCR_RT_OK);
  CHECK(bzscr_rt_remove_class(handle, 7) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(strlen(bzscr_rt_status_text(BZSCR_RT_NO_SUCH_CLASS)) > 0);
  printf("bzscr_rt %s, format %u: %s, %s\n", bzscr_rt_version(),
         (unsigned)bzscr_rt_format_version(), info.form_name, info.kernel_name);
  return 0;
}
