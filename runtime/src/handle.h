#pragma once

#include "arena.h"
#include "bzscr_rt/bzscr_rt.h"
#include "form.h"
#include "kernels/kernels.h"
#include "live_table.h"
#include "model_view.h"
#include "verify.h"

/// What lies at the start of the arena; everything it points to is in the arena or in the model.
struct bzscr_rt {
  bzscr::rt::ModelView model;
  bzscr::rt::Kernels kernels;
  bzscr::rt::Form form;
  bzscr::rt::LiveTable table;
  float* scratch;        ///< for callers without their own, and for set_class()
  size_t scratch_bytes;  ///< of a query
  size_t arena_bytes;
  uint32_t class_capacity;
  uint32_t name_bytes;
};

namespace bzscr::rt {

/// A checked configuration whose model has been verified and whose zeros have been decided.
struct Plan {
  ModelView model;
  uint32_t class_capacity;
  uint32_t name_bytes;
  bzscr_rt_form form;
  bzscr_rt_storage storage;
  Kernels kernels;
  bool shared;
};

/// Everything in the configuration but the model and the arena.
bzscr_rt_status check_config(const bzscr_rt_config* config, Kernels* kernels);

/// \param model  verified (verify.h)
bzscr_rt_status make_plan(const bzscr_rt_config& config, const Kernels& kernels,
                          const format::Model& model, Plan* plan);

/// The configuration's model, if record_plan() filled the caller's plan for it. BAD_ARGUMENT if not,
/// or if another model lies there now.
bzscr_rt_status find_planned_model(const bzscr_rt_config& config, const bzscr_rt_plan& plan,
                                   VerifiedModel* model);
/// \param plan  its struct_size is set and large enough
void record_plan(const bzscr_rt_config& config, const VerifiedModel& model, size_t arena_bytes,
                 bzscr_rt_plan* plan);

/// Takes all that a handle needs, the handle's own bytes first; measuring or placing. The size is
/// arena.used(). Returns where the handle goes, and in *handle what is to stand there.
void* lay_out(const Plan& plan, Arena& arena, bzscr_rt* handle);

/// Fills a laid-out handle's table with the model's classes. DAMAGED if two share a name.
bzscr_rt_status fill(bzscr_rt& handle, Pause pause);

}  // namespace bzscr::rt
