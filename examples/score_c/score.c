/* Prints the five best classes of a feature vector with their scores.
 *
 *   score MODEL < x.txt        x.txt: the values of the feature vector, separated by white space
 *
 * Build it with CMake (see CMakeLists.txt) or with pkg-config:
 *
 *   cc score.c $(pkg-config --cflags --libs bzscr_rt) -o score */
#include <bzscr_rt/bzscr_rt.h>

#include <stdio.h>
#include <stdlib.h>

static void* aligned_memory(size_t bytes) {
  const size_t whole = (bytes + BZSCR_RT_ALIGNMENT - 1) / BZSCR_RT_ALIGNMENT * BZSCR_RT_ALIGNMENT;
  void* memory = aligned_alloc(BZSCR_RT_ALIGNMENT, whole);
  if (memory == NULL) {
    fprintf(stderr, "score: out of memory\n");
    exit(1);
  }
  return memory;
}

static void require(bzscr_rt_status status, const char* what) {
  if (status == BZSCR_RT_OK) return;
  fprintf(stderr, "score: %s: %s\n", what, bzscr_rt_status_text(status));
  exit(2);
}

static void* read_file(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  long size = -1;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size < 0 || fseek(file, 0, SEEK_SET) != 0) {
    perror(path);
    exit(2);
  }
  void* memory = aligned_memory((size_t)size);
  if (fread(memory, 1, (size_t)size, file) != (size_t)size) {
    perror(path);
    exit(2);
  }
  fclose(file);
  *bytes = (size_t)size;
  return memory;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: score MODEL < x.txt\n");
    return 2;
  }
  bzscr_rt_config config = {0};
  config.struct_size = sizeof config;
  config.model = read_file(argv[1], &config.model_bytes);
  require(bzscr_rt_arena_bytes(&config, &config.arena_bytes), argv[1]);
  config.arena = aligned_memory(config.arena_bytes);
  bzscr_rt* handle = NULL;
  require(bzscr_rt_open(&config, &handle), argv[1]);

  bzscr_rt_info info = {0};
  info.struct_size = sizeof info;
  require(bzscr_rt_describe(handle, &info), argv[1]);
  float* x = aligned_memory(info.feature_dimension * sizeof *x);
  for (uint32_t i = 0; i < info.feature_dimension; ++i)
    if (scanf("%f", &x[i]) != 1) {
      fprintf(stderr, "score: expected %u numbers, found %u\n", (unsigned)info.feature_dimension,
              (unsigned)i);
      return 2;
    }

  bzscr_rt_result best[5];
  size_t count = 0;
  require(bzscr_rt_top(handle, x, NULL, 5, best, &count), "x");
  char* name = aligned_memory(info.name_bytes);
  for (size_t i = 0; i < count; ++i) {
    require(bzscr_rt_class_name(handle, best[i].id, name, info.name_bytes), "name");
    printf("%.6f %s\n", (double)best[i].score, name);
  }
  return 0;
}
