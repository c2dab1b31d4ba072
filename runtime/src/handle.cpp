#include "handle.h"

#include "transform.h"
#include "verify.h"

#include <bzscr_schema/crc32c.h>

#include <stddef.h>
#include <string.h>
#include <new>

namespace bzscr::rt {
namespace {

constexpr uint32_t kLeastNameBytes = 32;

bool known(bzscr_rt_form form) { return form >= BZSCR_RT_FORM_AUTO && form <= BZSCR_RT_FORM_DENSE; }

bool known_storage(bzscr_rt_storage storage) {
  return storage >= BZSCR_RT_STORAGE_FLOAT32 && storage <= BZSCR_RT_STORAGE_FLOAT16;
}

// The checksum of a plan's other fields. It includes the version of the library, so that plans of
// other versions, and plans of zeros, do not match.
uint32_t check_of(const bzscr_rt_plan& plan) {
  constexpr size_t kBegin = offsetof(bzscr_rt_plan, arena_bytes);
  constexpr size_t kEnd = offsetof(bzscr_rt_plan, plan_check);
  using format::crc32c;
  const uint32_t seed = crc32c(0, BZSCR_RT_VERSION, sizeof BZSCR_RT_VERSION);
  return crc32c(seed, reinterpret_cast<const unsigned char*>(&plan) + kBegin, kEnd - kBegin);
}

// A checked configuration with a verified model; the defaults have replaced the zeros.
struct Plan {
  ModelView model;
  uint32_t class_capacity;
  uint32_t name_bytes;
  bzscr_rt_form form;
  bzscr_rt_storage storage;
  Kernels kernels;
  bool shared;
  bool teachable;
};

// Fills *plan, also if the status is that of an error.
bzscr_rt_status make_plan(const bzscr_rt_config& config, const Kernels& kernels,
                          const format::Model& model, Plan* plan) {
  plan->model = view_model(model);
  plan->storage = config.storage;
  plan->kernels = kernels;
  plan->shared = config.shared != 0;
  plan->teachable = config.teachable != 0;
  const ModelView& view = plan->model;
  if (plan->teachable && view.teaching == nullptr) return BZSCR_RT_BAD_ARGUMENT;

  const uint32_t capacity = config.class_capacity != 0 ? config.class_capacity : view.classes;
  if (view.classes > capacity) return BZSCR_RT_TABLE_FULL;
  plan->class_capacity = capacity;

  const uint32_t needed = static_cast<uint32_t>(view.longest_name()) + 1;
  const uint32_t usual = needed > kLeastNameBytes ? needed : kLeastNameBytes;
  plan->name_bytes = config.name_bytes != 0 ? config.name_bytes : usual;
  if (needed > plan->name_bytes && view.classes > 0) return BZSCR_RT_NAME_TOO_LONG;

  plan->form = config.form != BZSCR_RT_FORM_AUTO
                   ? config.form
                   : cheapest_form(view, config.storage, plan->teachable, capacity);
  return is_possible(plan->form, config.storage, plan->teachable, view) ? BZSCR_RT_OK
                                                                        : BZSCR_RT_BAD_ARGUMENT;
}

// Allocates from the arena everything that a handle needs, the handle itself first. Afterwards
// arena.used() is the size of the arena. Fills *handle, which the caller copies to the address
// returned; the address is null if the arena only counts.
void* lay_out(const Plan& plan, Arena& arena, bzscr_rt* handle) {
  bzscr_rt* place = arena.take<bzscr_rt>(1);
  handle->model = plan.model;
  handle->kernels = plan.kernels;
  handle->form = lay_out_form(plan.form, plan.storage, plan.teachable, plan.model, arena);
  handle->table.lay_out(plan.class_capacity, plan.name_bytes, handle->form,
                        plan.teachable || plan.model.offsets != nullptr, plan.shared, arena);
  const uint64_t query = query_scratch(handle->form, plan.model);
  Arena rows;
  lay_out_row_scratch(handle->form, plan.model, rows);
  const uint64_t row = rows.used() / sizeof(float);
  handle->scratch = arena.take<float>(query > row ? query : row);
  handle->scratch_bytes = static_cast<size_t>(query * sizeof(float));
  handle->batch = plan.shared ? arena.take<bzscr_rt>(1) : nullptr;
  handle->arena_bytes = arena.used();
  handle->class_capacity = plan.class_capacity;
  handle->name_bytes = plan.name_bytes;
  return place;
}

// *handle is undefined afterwards.
bzscr_rt_status measure(const Plan& plan, bzscr_rt* handle, size_t* arena_bytes) {
  Arena arena;
  lay_out(plan, arena, handle);
  if (arena.overflowed()) return BZSCR_RT_BAD_ARGUMENT;
  *arena_bytes = arena.used();
  return BZSCR_RT_OK;
}

}  // namespace

bzscr_rt_status read_config(const bzscr_rt_config* callers, bzscr_rt_config* config,
                            Kernels* kernels) {
  if (callers == nullptr || !is_known_size<bzscr_rt_config>(callers->struct_size, kFirstConfig))
    return BZSCR_RT_BAD_ARGUMENT;
  memset(config, 0, sizeof *config);
  memcpy(config, callers, callers->struct_size);
  if (config->model == nullptr || !known(config->form) || config->class_capacity > kMostClasses ||
      !known_storage(config->storage) || (config->shared & ~1) != 0 ||
      (config->shared != 0 && !atomics::kAvailable) || (config->teachable & ~1) != 0)
    return BZSCR_RT_BAD_ARGUMENT;
  if (!select_kernels(config->kernel, kernels)) return BZSCR_RT_NO_SUCH_KERNEL;
  // int8 scores have the same bits on every processor, so what they are computed from must too.
  if (config->storage == BZSCR_RT_STORAGE_INT8 && !kernels->subnormals) {
    kernels->dot_float32 = scalar_kernels().dot_float32;
    kernels->combine = scalar_kernels().combine;
  }
  return BZSCR_RT_OK;
}

bzscr_rt_status measure(const bzscr_rt_config& config, const Kernels& kernels,
                        const format::Model& model, size_t* arena_bytes) {
  Plan plan;
  const bzscr_rt_status status = make_plan(config, kernels, model, &plan);
  bzscr_rt handle;
  return status == BZSCR_RT_OK ? measure(plan, &handle, arena_bytes) : status;
}

bzscr_rt_status place_handle(const bzscr_rt_config& config, const Kernels& kernels,
                             const format::Model& model, bzscr_rt** handle) {
  Plan plan;
  const bzscr_rt_status status = make_plan(config, kernels, model, &plan);
  if (status != BZSCR_RT_OK) return status;
  if (config.arena == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  if (!is_aligned(config.arena)) return BZSCR_RT_MISALIGNED;

  bzscr_rt laid_out;
  size_t needed = 0;
  const bzscr_rt_status measured = measure(plan, &laid_out, &needed);
  if (measured != BZSCR_RT_OK) return measured;
  if (config.arena_bytes < needed) return BZSCR_RT_ARENA_TOO_SMALL;

  Arena arena(config.arena);
  void* place = lay_out(plan, arena, &laid_out);
  laid_out.file = config.model;
  *handle = new (place) bzscr_rt(laid_out);
  return BZSCR_RT_OK;
}

bzscr_rt_status find_planned_model(const bzscr_rt_config& config, const bzscr_rt_plan& plan,
                                   VerifiedModel* model) {
  if (!is_known_size<bzscr_rt_plan>(plan.struct_size, kFirstPlan) || plan.model == nullptr ||
      plan.model != config.model || plan.model_bytes != config.model_bytes ||
      plan.plan_check != check_of(plan))
    return BZSCR_RT_BAD_ARGUMENT;
  const bzscr_rt_status status = find_verified_model(config.model, config.model_bytes, model);
  if (status != BZSCR_RT_OK) return status;
  return model->envelope_crc == plan.model_check ? BZSCR_RT_OK : BZSCR_RT_BAD_ARGUMENT;
}

void record_plan(const bzscr_rt_config& config, const VerifiedModel& model, size_t arena_bytes,
                 bzscr_rt_plan* plan) {
  const size_t struct_size = plan->struct_size;
  memset(plan, 0, struct_size);
  plan->struct_size = struct_size;
  plan->arena_bytes = arena_bytes;
  plan->model = config.model;
  plan->model_bytes = config.model_bytes;
  plan->model_check = model.envelope_crc;
  plan->plan_check = check_of(*plan);
}

RowScratch scratch_for_row(const bzscr_rt& handle) {
  Arena arena(handle.scratch);
  return lay_out_row_scratch(handle.form, handle.model, arena);
}

bzscr_rt_status fill(bzscr_rt& handle, Pause pause) {
  const ModelView& model = handle.model;
  LiveTable& table = handle.table;
  fill_form(handle.form, model);
  table.start(pause, model.seen_penalty);
  const RowScratch scratch = scratch_for_row(handle);
  const float* own = model.own;
  for (uint32_t r = 0; r < model.classes; ++r) {
    const ClassView one = model.class_at(r);
    if (table.classes().may_set(one.id, one.name) != BZSCR_RT_OK ||
        check_embedding(model.embedding, one.phi) != BZSCR_RT_OK)
      return BZSCR_RT_DAMAGED;
    const float* ones_own = one.seen ? own : nullptr;
    if (ones_own != nullptr) own += model.k;
    table.add_first(one.id, one.name, one.seen,
                    make_row(handle.form, model, handle.kernels, one.phi, ones_own, scratch));
  }
  table.fill_end();
  if (handle.batch != nullptr) {
    new (handle.batch) bzscr_rt(handle);
    handle.batch->table.become_batch();
  }
  return BZSCR_RT_OK;
}

}  // namespace bzscr::rt
