/* The smallest useful program: opens a model in flash and finds the best class of x.
 * size_report.cmake measures its size. */
#include "bzscr_rt/bzscr_rt.h"

#include <stdalign.h>

extern const unsigned char model[];
extern const size_t model_bytes;

static alignas(BZSCR_RT_ALIGNMENT) unsigned char arena[16384];
static bzscr_rt* handle;

bzscr_rt_status start(void) {
  bzscr_rt_config config = {0};
  config.struct_size = sizeof config;
  config.model = model;
  config.model_bytes = model_bytes;
  config.arena = arena;
  config.arena_bytes = sizeof arena;
  return bzscr_rt_open(&config, &handle);
}

bzscr_rt_status best_class(const float* x, uint32_t* id) {
  bzscr_rt_result best;
  size_t count;
  const bzscr_rt_status status = bzscr_rt_top(handle, x, NULL, 1, &best, &count);
  if (status == BZSCR_RT_OK && count == 1) *id = best.id;
  return status;
}

alignas(BZSCR_RT_ALIGNMENT) const unsigned char model[BZSCR_RT_ALIGNMENT] = {0};
const size_t model_bytes = sizeof model;

int main(void) {
  const float x[1] = {1};
  uint32_t id = 0;
  return start() != BZSCR_RT_OK || best_class(x, &id) != BZSCR_RT_OK;
}
