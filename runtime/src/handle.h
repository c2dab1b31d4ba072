#pragma once

#include "arena.h"
#include "bzscr_rt/bzscr_rt.h"
#include "form.h"
#include "kernels/kernels.h"
#include "live_table.h"
#include "model_view.h"
#include "verify.h"

#include <stddef.h>

/// The handle, at the start of the arena. All its pointers point into the arena or the model.
struct bzscr_rt {
  const void* file;  ///< of the model
  bzscr::rt::ModelView model;
  bzscr::rt::Kernels kernels;
  bzscr::rt::Form form;
  bzscr::rt::LiveTable table;
  float* scratch;        ///< for queries without the caller's scratch memory, and for set_class()
  size_t scratch_bytes;  ///< needed by a query
  size_t arena_bytes;
  uint32_t class_capacity;
  uint32_t name_bytes;
  bzscr_rt* batch;  ///< the handle of batches; itself, if this is it; null unless shared
};

namespace bzscr::rt {

/// Whether struct_size is the size of a struct of the header in some release, from the first to
/// this one. Fields are only added at the end, so that it ends where one of them does.
template <class Struct>
bool is_known_size(size_t struct_size, size_t first_release) {
  return struct_size >= first_release && struct_size <= sizeof(Struct) &&
         struct_size % alignof(Struct) == 0;
}
inline constexpr size_t kFirstConfig =
    offsetof(bzscr_rt_config, wait_context) + sizeof(bzscr_rt_config::wait_context);
inline constexpr size_t kFirstInfo = offsetof(bzscr_rt_info, storage);
inline constexpr size_t kFirstPlan =
    offsetof(bzscr_rt_plan, plan_check) + sizeof(bzscr_rt_plan::plan_check);

/// Copies a caller's configuration; fields that it does not have become zero. Checks all but the
/// model and the arena, and selects the kernels.
bzscr_rt_status read_config(const bzscr_rt_config* callers, bzscr_rt_config* config,
                            Kernels* kernels);

/// The size of the arena that a handle of this configuration needs.
/// \param model  verified (verify.h)
bzscr_rt_status measure(const bzscr_rt_config& config, const Kernels& kernels,
                        const format::Model& model, size_t* arena_bytes);

/// Makes a handle at the start of the configuration's arena; its table is not filled.
/// \param model  verified (verify.h)
bzscr_rt_status place_handle(const bzscr_rt_config& config, const Kernels& kernels,
                             const format::Model& model, bzscr_rt** handle);

/// Finds the configuration's model without verifying it, if record_plan() filled the caller's plan
/// for it. BAD_ARGUMENT if not, or if that memory holds another model now.
bzscr_rt_status find_planned_model(const bzscr_rt_config& config, const bzscr_rt_plan& plan,
                                   VerifiedModel* model);
/// Fills the caller's plan.
/// \param plan  struct_size is set and large enough
void record_plan(const bzscr_rt_config& config, const VerifiedModel& model, size_t arena_bytes,
                 bzscr_rt_plan* plan);

/// The handle's scratch memory, for a row.
RowScratch scratch_for_row(const bzscr_rt& handle);

/// Fills the table of a handle at its place in the arena with the model's classes, and makes the
/// handle of its batches. DAMAGED if two classes have the same name.
bzscr_rt_status fill(bzscr_rt& handle, Pause pause);

}  // namespace bzscr::rt
