#include "bzscr_rt/bzscr_rt.h"

#include "handle.h"
#include "ranking.h"
#include "schema.h"
#include "scoring.h"
#include "transform.h"

#include <new>
#include <string.h>

using namespace bzscr::rt;

namespace {

// Checks a raw x and the scratch, and makes the query of it.
bzscr_rt_status start_query(const bzscr_rt& handle, const float* x, void* scratch, const float** query) {
  if (scratch != nullptr && !is_aligned(scratch)) return BZSCR_RT_MISALIGNED;
  const ModelView& model = handle.model;
  Scale scale;
  const bzscr_rt_status status = find_scale(x, nullptr, model.m, model.feature_scaling, &scale);
  if (status != BZSCR_RT_OK) return status;
  float* room = scratch != nullptr ? static_cast<float*>(scratch) : handle.scratch;
  *query = make_query(handle.form, model, *handle.kernels, x, scale, room);
  return BZSCR_RT_OK;
}

}  // namespace

const char* bzscr_rt_version(void) { return BZSCR_RT_VERSION; }

uint32_t bzscr_rt_format_version(void) { return kNewestFormat; }

bzscr_rt_status bzscr_rt_arena_bytes(const bzscr_rt_config* config, size_t* arena_bytes) {
  Plan plan;
  if (arena_bytes == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const bzscr_rt_status status = make_plan(config, &plan);
  if (status != BZSCR_RT_OK) return status;

  Arena arena;
  bzscr_rt handle;
  lay_out(plan, arena, &handle);
  if (arena.overflowed()) return BZSCR_RT_BAD_ARGUMENT;
  *arena_bytes = arena.used();
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_open(const bzscr_rt_config* config, bzscr_rt** handle) {
  Plan plan;
  if (handle == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const bzscr_rt_status status = make_plan(config, &plan);
  if (status != BZSCR_RT_OK) return status;
  if (config->arena == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  if (!is_aligned(config->arena)) return BZSCR_RT_MISALIGNED;

  Arena measured;
  bzscr_rt laid_out;
  lay_out(plan, measured, &laid_out);
  if (measured.overflowed()) return BZSCR_RT_BAD_ARGUMENT;
  if (config->arena_bytes < measured.used()) return BZSCR_RT_ARENA_TOO_SMALL;

  Arena arena(config->arena);
  void* place = lay_out(plan, arena, &laid_out);
  bzscr_rt* opened = new (place) bzscr_rt(laid_out);
  const bzscr_rt_status filled = fill(*opened);
  if (filled == BZSCR_RT_OK) *handle = opened;
  return filled;
}

bzscr_rt_status bzscr_rt_describe(const bzscr_rt* handle, bzscr_rt_info* info) {
  if (handle == nullptr || info == nullptr || info->struct_size < sizeof *info) return BZSCR_RT_BAD_ARGUMENT;
  const size_t struct_size = info->struct_size;  // may be a newer caller's: what it asks beyond is zero
  memset(info, 0, struct_size);
  info->struct_size = struct_size;
  info->feature_dimension = handle->model.m;
  info->embedding_dimension = handle->model.d;
  info->weak_models = handle->model.k;
  info->classes = handle->table.count();
  info->class_capacity = handle->table.capacity();
  info->name_bytes = handle->table.name_bytes();
  info->form = handle->form.kind;
  info->feature_scaling = handle->model.feature_scaling;
  info->embedding_scaling = handle->model.embedding.scaling;
  info->seen_penalty = handle->model.seen_penalty;
  info->arena_bytes = handle->arena_bytes;
  info->scratch_bytes = handle->scratch_bytes;
  info->form_name = form_name(handle->form.kind);
  info->kernel_name = handle->kernels->name;
  return BZSCR_RT_OK;
}

size_t bzscr_rt_scratch_bytes(const bzscr_rt* handle) { return handle != nullptr ? handle->scratch_bytes : 0; }

bzscr_rt_status bzscr_rt_score(const bzscr_rt* handle, const float* x, void* scratch, size_t length,
                               float* scores, uint32_t* ids, size_t* count) {
  if (handle == nullptr || x == nullptr || scores == nullptr || count == nullptr ||
      length < handle->table.count())
    return BZSCR_RT_BAD_ARGUMENT;
  const float* query = nullptr;
  const bzscr_rt_status status = start_query(*handle, x, scratch, &query);
  if (status != BZSCR_RT_OK) return status;

  const uint32_t n = handle->table.count();
  score_classes(*handle, query, 0, n, scores);
  if (ids != nullptr) memcpy(ids, handle->table.ids(), n * sizeof *ids);
  *count = n;
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_top(const bzscr_rt* handle, const float* x, void* scratch, size_t length,
                             bzscr_rt_result* results, size_t* count) {
  if (handle == nullptr || x == nullptr || count == nullptr || (results == nullptr && length > 0))
    return BZSCR_RT_BAD_ARGUMENT;
  const float* query = nullptr;
  const bzscr_rt_status status = start_query(*handle, x, scratch, &query);
  if (status != BZSCR_RT_OK) return status;

  // A block of scores is ranked while it is still at hand: no array of all scores exists.
  constexpr uint32_t kBlock = 64;
  float scores[kBlock];
  Ranking ranking(results, length);
  const uint32_t n = handle->table.count();
  for (uint32_t first = 0; first < n; first += kBlock) {
    const uint32_t block = n - first < kBlock ? n - first : kBlock;
    score_classes(*handle, query, first, block, scores);
    for (uint32_t i = 0; i < block; ++i) ranking.offer({handle->table.ids()[first + i], first + i, scores[i]});
  }
  *count = ranking.count();
  return BZSCR_RT_OK;
}

uint32_t bzscr_rt_class_count(const bzscr_rt* handle) { return handle != nullptr ? handle->table.count() : 0; }

bzscr_rt_status bzscr_rt_class_id(const bzscr_rt* handle, uint32_t index, uint32_t* id) {
  if (handle == nullptr || id == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  if (index >= handle->table.count()) return BZSCR_RT_NO_SUCH_CLASS;
  *id = handle->table.ids()[index];
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_class_name(const bzscr_rt* handle, uint32_t id, char* name, size_t name_bytes) {
  if (handle == nullptr || name == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const uint32_t index = handle->table.find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  const char* found = handle->table.name(index);
  const size_t needed = strlen(found) + 1;
  if (needed > name_bytes) return BZSCR_RT_NAME_TOO_LONG;
  memcpy(name, found, needed);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_class_seen(const bzscr_rt* handle, uint32_t id, int32_t* seen) {
  if (handle == nullptr || seen == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const uint32_t index = handle->table.find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  *seen = handle->table.seen(index) ? 1 : 0;
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_find_class(const bzscr_rt* handle, uint32_t id, uint32_t* index) {
  if (handle == nullptr || index == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const uint32_t found = handle->table.find(id);
  if (found == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  *index = found;
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_find_name(const bzscr_rt* handle, const char* name, uint32_t* id) {
  if (handle == nullptr || name == nullptr || id == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const uint32_t index = handle->table.find(name);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  *id = handle->table.ids()[index];
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_set_class(bzscr_rt* handle, uint32_t id, const char* name, const float* phi) {
  if (handle == nullptr || phi == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const ModelView& model = handle->model;
  ClassTable& table = handle->table;
  const bzscr_rt_status allowed = table.may_set(id, name);
  if (allowed != BZSCR_RT_OK) return allowed;
  const bzscr_rt_status usable = check_embedding(model.embedding, phi);
  if (usable != BZSCR_RT_OK) return usable;

  const uint32_t index = table.find(id);
  if (index != kNoClass && name != nullptr) table.rename(index, name);
  float* row = index != kNoClass ? table.row_to_write(index) : table.add(id, name, /*seen=*/false);
  make_row(handle->form, model, *handle->kernels, phi, handle->scratch, row);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_remove_class(bzscr_rt* handle, uint32_t id) {
  if (handle == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const uint32_t index = handle->table.find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  handle->table.remove(index);
  return BZSCR_RT_OK;
}
