#pragma once

#include "arena.h"
#include "bzscr_rt/bzscr_rt.h"
#include "kernels/kernels.h"
#include "model_view.h"
#include "storage.h"
#include "transform.h"

namespace bzscr::rt {

/// How a score is computed: as the dot product of a row, made from the class, and a query vector,
/// made from x.
///
///   prototypes   row p_r = W phi_r    query x
///   factors      row z_r = V phi_r    query t = w o (U x)
///   dense        row phi_r            query W^T x
struct Form {
  bzscr_rt_form kind;
  RowFormat row;  ///< rows of m, k or d values
  float* dense;   ///< W^T, d rows of padded m; null in the other forms
};

/// The form whose queries read the fewest bytes with n classes in the table.
bzscr_rt_form cheapest_form(const ModelView& model, bzscr_rt_storage storage, uint32_t n);

/// Whether the sum over a row of this form fits the integer type of the storage.
bool can_store(bzscr_rt_form kind, bzscr_rt_storage storage, const ModelView& model);

const char* form_name(bzscr_rt_form form);

/// Allocates the form's own matrix, if it has one, from the arena.
/// \param kind  not AUTO
Form lay_out_form(bzscr_rt_form kind, bzscr_rt_storage storage, const ModelView& model,
                  Arena& arena);

/// Computes the matrix that lay_out_form() allocated.
void fill_form(const Form& form, const ModelView& model);

/// Floats of scratch memory for make_query() and for make_row(). Both may use the same block.
uint64_t query_scratch(const Form& form, const ModelView& model);
uint64_t row_scratch(const Form& form, const ModelView& model);

/// The query for a raw x with its scale; its values are in `scratch`.
Query make_query(const Form& form, const ModelView& model, const Kernels& kernels, const float* x,
                 Scale scale, float* scratch);

/// The class row, form.row.width floats in `scratch`, for a raw phi that passed check_embedding().
const float* make_row(const Form& form, const ModelView& model, const Kernels& kernels,
                      const float* phi, float* scratch);

}  // namespace bzscr::rt
