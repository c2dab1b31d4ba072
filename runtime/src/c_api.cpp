#include "bzscr_rt/bzscr_rt.h"

#include "handle.h"
#include "schema.h"
#include "scoring.h"
#include "teaching.h"
#include "transform.h"

#include <float.h>
#include <string.h>
#include <new>

using namespace bzscr::rt;

namespace {

using Reading = LiveTable::Reading;
using Writing = LiveTable::Writing;

bzscr_rt_status scale_of(const bzscr_rt& handle, const float* x, Scale* scale) {
  return find_scale(handle.model.features(x), handle.model.m, handle.model.feature_scaling, scale);
}

Query query_of(const bzscr_rt& handle, const float* x, Scale scale, float* room) {
  return make_query(handle.form, handle.model, handle.kernels, x, scale, room);
}

// Checks a raw x and the scratch memory, and computes the query.
bzscr_rt_status start_query(const bzscr_rt& handle, const float* x, void* scratch, Query* query) {
  if (scratch != nullptr && !is_aligned(scratch)) return BZSCR_RT_MISALIGNED;
  Scale scale;
  const bzscr_rt_status status = scale_of(handle, x, &scale);
  if (status != BZSCR_RT_OK) return status;
  *query = query_of(handle, x, scale,
                    scratch != nullptr ? static_cast<float*>(scratch) : handle.scratch);
  return BZSCR_RT_OK;
}

// Also refuses what check_embedding() accepts of models: embeddings that are centred, and were not
// given.
bzscr_rt_status check_new_embedding(const ModelView& model, const float* phi) {
  const bzscr_rt_status status = check_embedding(model.embedding, phi);
  if (status == BZSCR_RT_OK && has_zero_part(model.embedding, phi)) return BZSCR_RT_ZERO_INPUT;
  return status;
}

// Adds a class, or replaces the row of one in the table, which keeps its examples.
void put_class(bzscr_rt& handle, uint32_t id, const char* name, bool seen, const float* phi) {
  const ModelView& model = handle.model;
  LiveTable& table = handle.table;
  const RowScratch scratch = scratch_for_row(handle);
  const float* own = seen ? model.own_of(model.find(id)) : nullptr;
  Row row = phi != nullptr ? make_row(handle.form, model, handle.kernels, phi, own, scratch)
                           : row_without_embedding(handle.form, model, handle.kernels, scratch);
  const uint32_t index = table.classes().find(id);
  if (index == kNoClass) {
    table.add(id, name, seen, row);
    return;
  }
  if (handle.form.teachable()) {
    const Record kept(table.record(table.view(), index), model.k);
    write_examples(kept.sum, kept.count, model.k, scratch.record);
    if (kept.count > 0) row = row_of_record(handle.form, model, handle.kernels, scratch);
  }
  table.replace(index, name, seen, row);
}

// A copy of the record of a class, which is changed and then put back.
RowScratch open_record(const bzscr_rt& handle, uint32_t index) {
  const RowScratch scratch = scratch_for_row(handle);
  memcpy(scratch.record, handle.table.record(handle.table.view(), index),
         handle.form.record * sizeof(float));
  return scratch;
}

void put_record(bzscr_rt& handle, uint32_t index, const RowScratch& scratch) {
  handle.table.replace(index, nullptr, handle.table.classes().seen(index),
                       row_of_record(handle.form, handle.model, handle.kernels, scratch));
}

// Bytes of the arena that teaching takes for each class.
size_t example_bytes(const bzscr_rt& handle) {
  if (!handle.form.teachable()) return 0;
  const size_t constants = handle.model.offsets == nullptr ? 1 : 0;
  const size_t copies = handle.table.shared() ? 2 : 1;
  return (handle.form.record + constants) * sizeof(float) * copies;
}

// The handle for the changes of a batch: the handle itself if its table exists once.
bzscr_rt* batch_of(bzscr_rt& handle) { return handle.batch != nullptr ? handle.batch : &handle; }

// Places the handle first, so that the stack that this takes is free while the table is filled.
bzscr_rt_status open_verified(const bzscr_rt_config& config, const Kernels& kernels,
                              const VerifiedModel& model, bzscr_rt** handle) {
  bzscr_rt* placed = nullptr;
  const bzscr_rt_status status = place_handle(config, kernels, *model.model, &placed);
  if (status != BZSCR_RT_OK) return status;
  const bzscr_rt_status filled = fill(*placed, {config.wait, config.wait_context});
  if (filled == BZSCR_RT_OK) *handle = placed;
  return filled;
}

}  // namespace

const char* bzscr_rt_version(void) { return BZSCR_RT_VERSION; }

uint32_t bzscr_rt_format_version(void) { return bzscr::format::kNewestModelVersion; }

const char* bzscr_rt_kernel_name(uint32_t index) {
  Kernels kernels;
  return usable_kernels(index, &kernels) ? kernels.name : nullptr;
}

bzscr_rt_status bzscr_rt_arena_bytes(const bzscr_rt_config* callers_config, size_t* arena_bytes) {
  if (arena_bytes == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  bzscr_rt_config config;
  Kernels kernels;
  bzscr_rt_status status = read_config(callers_config, &config, &kernels);
  VerifiedModel model;
  if (status == BZSCR_RT_OK) status = verify_model(config.model, config.model_bytes, &model);
  return status == BZSCR_RT_OK ? measure(config, kernels, *model.model, arena_bytes) : status;
}

bzscr_rt_status bzscr_rt_plan_model(const bzscr_rt_config* callers_config, bzscr_rt_plan* plan) {
  if (plan == nullptr || !is_known_size<bzscr_rt_plan>(plan->struct_size, kFirstPlan))
    return BZSCR_RT_BAD_ARGUMENT;
  bzscr_rt_config config;
  Kernels kernels;
  bzscr_rt_status status = read_config(callers_config, &config, &kernels);
  if (status != BZSCR_RT_OK) return status;
  VerifiedModel model;
  if (find_planned_model(config, *plan, &model) != BZSCR_RT_OK)
    status = verify_model(config.model, config.model_bytes, &model);
  size_t arena_bytes = 0;
  if (status == BZSCR_RT_OK) status = measure(config, kernels, *model.model, &arena_bytes);
  if (status == BZSCR_RT_OK) record_plan(config, model, arena_bytes, plan);
  return status;
}

bzscr_rt_status bzscr_rt_open(const bzscr_rt_config* callers_config, bzscr_rt** handle) {
  if (handle == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  bzscr_rt_config config;
  Kernels kernels;
  bzscr_rt_status status = read_config(callers_config, &config, &kernels);
  VerifiedModel model;
  if (status == BZSCR_RT_OK) status = verify_model(config.model, config.model_bytes, &model);
  return status == BZSCR_RT_OK ? open_verified(config, kernels, model, handle) : status;
}

bzscr_rt_status bzscr_rt_open_planned(const bzscr_rt_config* callers_config,
                                      const bzscr_rt_plan* plan, bzscr_rt** handle) {
  if (plan == nullptr || handle == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  bzscr_rt_config config;
  Kernels kernels;
  bzscr_rt_status status = read_config(callers_config, &config, &kernels);
  VerifiedModel model;
  if (status == BZSCR_RT_OK) status = find_planned_model(config, *plan, &model);
  return status == BZSCR_RT_OK ? open_verified(config, kernels, model, handle) : status;
}

bzscr_rt_status bzscr_rt_describe(const bzscr_rt* handle, bzscr_rt_info* info) {
  if (handle == nullptr || info == nullptr ||
      !is_known_size<bzscr_rt_info>(info->struct_size, kFirstInfo))
    return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  bzscr_rt_info all;
  all.struct_size = info->struct_size;
  all.feature_dimension = handle->model.m;
  all.embedding_dimension = handle->model.d;
  all.weak_models = handle->model.k;
  all.classes = view->classes.count();
  all.class_capacity = handle->class_capacity;
  all.name_bytes = handle->name_bytes;
  all.form = handle->form.kind;
  all.feature_scaling = handle->model.feature_scaling;
  all.embedding_scaling = handle->model.embedding.scaling;
  all.seen_penalty = view->seen_penalty;
  all.arena_bytes = handle->arena_bytes;
  all.scratch_bytes = handle->scratch_bytes;
  all.form_name = form_name(handle->form.kind);
  all.kernel_name = handle->kernels.name;
  all.storage = handle->form.row.storage;
  all.shared = handle->table.shared() ? 1 : 0;
  all.storage_name = storage_name(handle->form.row.storage);
  all.class_bytes = handle->form.row.bytes;
  all.score_form = handle->model.score_form;
  all.teachable = handle->form.teachable() ? 1 : 0;
  all.example_bytes = example_bytes(*handle);
  all.score_form_name = score_form_name(handle->model.score_form);
  memcpy(info, &all, all.struct_size);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_close(bzscr_rt* handle) {
  if (handle == nullptr || handle->batch == handle) return BZSCR_RT_BAD_ARGUMENT;
  const Writing writing(handle->table);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  if (writing.before() == LiveTable::kInBatch) return BZSCR_RT_BUSY;
  handle->table.close();
  return BZSCR_RT_OK;
}

const void* bzscr_rt_model(const bzscr_rt* handle) {
  return handle != nullptr ? handle->file : nullptr;
}

size_t bzscr_rt_scratch_bytes(const bzscr_rt* handle) {
  return handle != nullptr ? handle->scratch_bytes : 0;
}

bzscr_rt_status bzscr_rt_score(const bzscr_rt* handle, const float* x, void* scratch, size_t length,
                               float* scores, uint32_t* ids, size_t* count) {
  if (handle == nullptr || x == nullptr || scores == nullptr || count == nullptr)
    return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  const uint32_t n = view->classes.count();
  if (length < n) {
    *count = n;
    return BZSCR_RT_BAD_ARGUMENT;
  }
  Query query;
  const bzscr_rt_status status = start_query(*handle, x, scratch, &query);
  if (status != BZSCR_RT_OK) return status;

  score_classes(*handle, *view, query, 0, n, scores);
  if (ids != nullptr) memcpy(ids, view->classes.ids(), n * sizeof *ids);
  *count = n;
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_top(const bzscr_rt* handle, const float* x, void* scratch, size_t length,
                             bzscr_rt_result* results, size_t* count) {
  if (handle == nullptr || x == nullptr || count == nullptr || (results == nullptr && length > 0))
    return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  Query query;
  const bzscr_rt_status status = start_query(*handle, x, scratch, &query);
  if (status != BZSCR_RT_OK) return status;
  rank_classes(*handle, *view, &query, 1, length, results, count);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_top_batch(const bzscr_rt* handle, const float* X, size_t samples,
                                   void* scratch, size_t scratch_bytes, size_t length,
                                   bzscr_rt_result* results, size_t* counts, size_t* refused) {
  if (handle == nullptr || ((X == nullptr || counts == nullptr) && samples > 0) ||
      (results == nullptr && length > 0 && samples > 0))
    return BZSCR_RT_BAD_ARGUMENT;
  constexpr size_t kMostAtOnce = 16;
  const size_t room = scratch != nullptr ? scratch_bytes / handle->scratch_bytes : 1;
  if (room == 0) return BZSCR_RT_BAD_ARGUMENT;
  if (scratch != nullptr && !is_aligned(scratch)) return BZSCR_RT_MISALIGNED;

  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  const size_t m = handle->model.m;
  Scale scale;
  for (size_t i = 0; i < samples; ++i) {
    const bzscr_rt_status status = scale_of(*handle, X + i * m, &scale);
    if (status == BZSCR_RT_OK) continue;
    if (refused != nullptr) *refused = i;
    return status;
  }

  float* rooms = scratch != nullptr ? static_cast<float*>(scratch) : handle->scratch;
  const size_t most = room < kMostAtOnce ? room : kMostAtOnce;
  for (size_t first = 0; first < samples; first += most) {
    const size_t n = samples - first < most ? samples - first : most;
    Query queries[kMostAtOnce];
    for (size_t i = 0; i < n; ++i) {
      const float* x = X + (first + i) * m;
      static_cast<void>(scale_of(*handle, x, &scale));  // succeeded above
      queries[i] = query_of(*handle, x, scale, rooms + i * (handle->scratch_bytes / sizeof(float)));
    }
    rank_classes(*handle, *view, queries, n, length, results + first * length, counts + first);
  }
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_recognise(const bzscr_rt* handle, const float* x, void* scratch,
                                   float minimum_score, float minimum_margin, bzscr_rt_result* best,
                                   int32_t* accepted) {
  if (best == nullptr || accepted == nullptr || !(minimum_score == minimum_score) ||
      !(minimum_margin == minimum_margin))
    return BZSCR_RT_BAD_ARGUMENT;
  bzscr_rt_result two[2];
  size_t count = 0;
  const bzscr_rt_status status = bzscr_rt_top(handle, x, scratch, 2, two, &count);
  if (status != BZSCR_RT_OK) return status;
  const bool clear = count < 2 || two[0].score - two[1].score >= minimum_margin;
  *accepted = count > 0 && two[0].score >= minimum_score && clear ? 1 : 0;
  if (count > 0) *best = two[0];
  return BZSCR_RT_OK;
}

uint32_t bzscr_rt_class_count(const bzscr_rt* handle) {
  if (handle == nullptr) return 0;
  const Reading view(handle->table);
  return view ? view->classes.count() : 0;
}

bzscr_rt_status bzscr_rt_class_id(const bzscr_rt* handle, uint32_t index, uint32_t* id) {
  if (handle == nullptr || id == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  if (index >= view->classes.count()) return BZSCR_RT_NO_SUCH_CLASS;
  *id = view->classes.ids()[index];
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_class_name(const bzscr_rt* handle, uint32_t id, char* name,
                                    size_t name_bytes) {
  if (handle == nullptr || name == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  const uint32_t index = view->classes.find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  const char* found = view->classes.name(index);
  const size_t needed = strlen(found) + 1;
  if (needed > name_bytes) return BZSCR_RT_NAME_TOO_LONG;
  memcpy(name, found, needed);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_class_seen(const bzscr_rt* handle, uint32_t id, int32_t* seen) {
  if (handle == nullptr || seen == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  const uint32_t index = view->classes.find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  *seen = view->classes.seen(index) ? 1 : 0;
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_find_class(const bzscr_rt* handle, uint32_t id, uint32_t* index) {
  if (handle == nullptr || index == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  const uint32_t found = view->classes.find(id);
  if (found == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  *index = found;
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_find_name(const bzscr_rt* handle, const char* name, uint32_t* id) {
  if (handle == nullptr || name == nullptr || id == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  const uint32_t index = view->classes.find(name);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  *id = view->classes.ids()[index];
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_set_class(bzscr_rt* handle, uint32_t id, const char* name,
                                   const float* phi) {
  if (handle == nullptr || (phi == nullptr && (name == nullptr || !handle->form.teachable())))
    return BZSCR_RT_BAD_ARGUMENT;
  LiveTable& table = handle->table;
  const Writing writing(table);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  const bzscr_rt_status allowed = table.classes().may_set(id, name);
  if (allowed != BZSCR_RT_OK) return allowed;
  const uint32_t index = table.classes().find(id);
  if (phi == nullptr && index != kNoClass) {
    table.rename(index, name);
    return BZSCR_RT_OK;
  }
  const bzscr_rt_status usable =
      phi != nullptr ? check_new_embedding(handle->model, phi) : bzscr_rt_status{BZSCR_RT_OK};
  if (usable != BZSCR_RT_OK) return usable;
  put_class(*handle, id, name, index != kNoClass && table.classes().seen(index), phi);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_rename_class(bzscr_rt* handle, uint32_t id, const char* name) {
  if (handle == nullptr || name == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  LiveTable& table = handle->table;
  const Writing writing(table);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  const uint32_t index = table.classes().find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  const bzscr_rt_status allowed = table.classes().may_set(id, name);
  if (allowed != BZSCR_RT_OK) return allowed;
  table.rename(index, name);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_restore_class(bzscr_rt* handle, uint32_t id, const char* name) {
  if (handle == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const ModelView& model = handle->model;
  LiveTable& table = handle->table;
  const Writing writing(table);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  const uint32_t at = model.find(id);
  if (at == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  const ClassView one = model.class_at(at);
  if (name == nullptr) name = one.name;
  const bzscr_rt_status allowed = table.classes().may_set(id, name);
  if (allowed != BZSCR_RT_OK) return allowed;
  put_class(*handle, id, name, one.seen, one.phi);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_check_embedding(const bzscr_rt* handle, const float* phi) {
  if (handle == nullptr || phi == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  return check_new_embedding(handle->model, phi);
}

bzscr_rt_status bzscr_rt_remove_class(bzscr_rt* handle, uint32_t id) {
  if (handle == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  LiveTable& table = handle->table;
  const Writing writing(table);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  const uint32_t index = table.classes().find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  table.remove(index);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_teach(bzscr_rt* handle, uint32_t id, const float* x, float weight) {
  if (handle == nullptr || x == nullptr || !handle->form.teachable() ||
      !(weight > 0 && weight <= kLargestWeight))
    return BZSCR_RT_BAD_ARGUMENT;
  const Writing writing(handle->table);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  const uint32_t index = handle->table.classes().find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  Scale scale;
  const bzscr_rt_status usable = scale_of(*handle, x, &scale);
  if (usable != BZSCR_RT_OK) return usable;
  const RowScratch scratch = open_record(*handle, index);
  add_example(handle->model, handle->kernels, x, scale, weight, scratch);
  put_record(*handle, index, scratch);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_forget(bzscr_rt* handle, uint32_t id) {
  return bzscr_rt_set_examples(handle, id, nullptr, 0);
}

bzscr_rt_status bzscr_rt_get_examples(const bzscr_rt* handle, uint32_t id, float* sum,
                                      float* count) {
  if (handle == nullptr || sum == nullptr || count == nullptr || !handle->form.teachable())
    return BZSCR_RT_BAD_ARGUMENT;
  const Reading view(handle->table);
  if (!view) return BZSCR_RT_CLOSED;
  const uint32_t index = view->classes.find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  read_examples(handle->table.record(*view, index), handle->model.k, sum, count);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_set_examples(bzscr_rt* handle, uint32_t id, const float* sum,
                                      float count) {
  if (handle == nullptr || !handle->form.teachable() || !(count >= 0 && count <= FLT_MAX) ||
      (count > 0 && sum == nullptr))
    return BZSCR_RT_BAD_ARGUMENT;
  const Writing writing(handle->table);
  if (writing.status() != BZSCR_RT_OK) return writing.status();
  const uint32_t index = handle->table.classes().find(id);
  if (index == kNoClass) return BZSCR_RT_NO_SUCH_CLASS;
  const uint32_t k = handle->model.k;
  Scale unused;
  if (count > 0 &&
      find_scale({sum, nullptr, nullptr}, k, BZSCR_RT_SCALING_UNIT, &unused) == BZSCR_RT_NOT_FINITE)
    return BZSCR_RT_NOT_FINITE;
  const RowScratch scratch = open_record(*handle, index);
  write_examples(count > 0 ? sum : nullptr, count, k, scratch.record);
  put_record(*handle, index, scratch);
  return BZSCR_RT_OK;
}

bzscr_rt_status bzscr_rt_set_seen_penalty(bzscr_rt* handle, float penalty) {
  if (handle == nullptr || !(penalty >= -kLongest && penalty <= kLongest))
    return BZSCR_RT_BAD_ARGUMENT;
  const Writing writing(handle->table);
  if (writing.status() == BZSCR_RT_OK) handle->table.set_seen_penalty(penalty);
  return writing.status();
}

bzscr_rt_status bzscr_rt_begin_changes(bzscr_rt* handle, bzscr_rt** batch) {
  if (handle == nullptr || batch == nullptr || handle->batch == handle)
    return BZSCR_RT_BAD_ARGUMENT;
  bzscr_rt* begun = batch_of(*handle);
  const bzscr_rt_status status = handle->table.start_batch(begun->table);
  if (status == BZSCR_RT_OK) *batch = begun;
  return status;
}

bzscr_rt_status bzscr_rt_end_changes(bzscr_rt* handle) {
  if (handle == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  return handle->table.end_batch(batch_of(*handle)->table, /*keep=*/true);
}

bzscr_rt_status bzscr_rt_cancel_changes(bzscr_rt* handle) {
  if (handle == nullptr) return BZSCR_RT_BAD_ARGUMENT;
  return handle->table.end_batch(batch_of(*handle)->table, /*keep=*/false);
}
