#pragma once

#include "arena.h"
#include "bzscr_rt/bzscr_rt.h"
#include "form.h"
#include "kernels/kernels.h"
#include "live_table.h"
#include "model_view.h"
#include "verify.h"

/// The handle, at the start of the arena. All its pointers point into the arena or the model.
struct bzscr_rt {
  bzscr::rt::ModelView model;
  bzscr::rt::Kernels kernels;
  bzscr::rt::Form form;
  bzscr::rt::LiveTable table;
  float* scratch;        ///< for queries without the caller's scratch memory, and for set_class()
  size_t scratch_bytes;  ///< needed by a query
  size_t arena_bytes;
  uint32_t class_capacity;
  uint32_t name_bytes;
};

namespace bzscr::rt {

/// A checked configuration with a verified model; the defaults have replaced the zeros.
struct Plan {
  ModelView model;
  uint32_t class_capacity;
  uint32_t name_bytes;
  bzscr_rt_form form;
  bzscr_rt_storage storage;
  Kernels kernels;
  bool shared;
};

/// Checks the configuration except the model and the arena, and selects its kernels.
bzscr_rt_status check_config(const bzscr_rt_config* config, Kernels* kernels);

/// \param model  verified (verify.h)
bzscr_rt_status make_plan(const bzscr_rt_config& config, const Kernels& kernels,
                          const format::Model& model, Plan* plan);

/// Finds the configuration's model without verifying it, if record_plan() filled the caller's plan
/// for it. BAD_ARGUMENT if not, or if that memory holds another model now.
bzscr_rt_status find_planned_model(const bzscr_rt_config& config, const bzscr_rt_plan& plan,
                                   VerifiedModel* model);
/// Fills the caller's plan.
/// \param plan  struct_size is set and large enough
void record_plan(const bzscr_rt_config& config, const VerifiedModel& model, size_t arena_bytes,
                 bzscr_rt_plan* plan);

/// Allocates from the arena everything that a handle needs, the handle itself first. Afterwards
/// arena.used() is the size of the arena. Fills *handle, which the caller copies to the address
/// returned; the address is null if the arena only counts.
void* lay_out(const Plan& plan, Arena& arena, bzscr_rt* handle);

/// Fills the table of a handle with the model's classes. DAMAGED if two have the same name.
bzscr_rt_status fill(bzscr_rt& handle, Pause pause);

}  // namespace bzscr::rt
