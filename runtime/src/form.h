#pragma once

#include "arena.h"
#include "bzscr_rt/bzscr_rt.h"
#include "kernels/kernels.h"
#include "model_view.h"
#include "storage.h"
#include "transform.h"

namespace bzscr::rt {

/// How a score is computed: as the dot product of a row, made from the class, and a query vector,
/// made from x, plus a constant of the class. With q_r = w o (V phi_r + own_r), the row of a class
/// is row_r = q_r / |q_r|^e, e = 0, 1/2 or 1 for PLAIN, HALF and COSINE.
///
///   prototypes   row U^T row_r         query x
///   factors      row row_r             query U x
///   dense        row phi_r / |q_r|^e   query W^T x
///
/// The constant is -(o . row_r), so that the query need not subtract o.
struct Form {
  bzscr_rt_form kind;
  RowFormat row;    ///< rows of m, k or d values
  float* dense;     ///< W^T, d rows of padded m; null in the other forms
  uint32_t record;  ///< floats of a class's record, see teaching.h; 0 unless classes can be taught

  bool teachable() const { return record != 0; }
};

/// A class as a table keeps it.
struct Row {
  const float* values;  ///< form.row.width
  float constant;
  const float* record;  ///< form.record floats
};

/// The form whose queries read the fewest bytes with n classes in the table.
bzscr_rt_form cheapest_form(const ModelView& model, bzscr_rt_storage storage, bool teachable,
                            uint32_t n);

/// Whether the sum over a row of this form fits the integer type of the storage, and rows can be
/// what own values and samples make of them: dense ones are embeddings.
bool is_possible(bzscr_rt_form kind, bzscr_rt_storage storage, bool teachable,
                 const ModelView& model);

const char* form_name(bzscr_rt_form form);
const char* score_form_name(bzscr_rt_score_form score_form);

/// Allocates the form's own matrix, if it has one, from the arena.
/// \param kind  not AUTO
Form lay_out_form(bzscr_rt_form kind, bzscr_rt_storage storage, bool teachable,
                  const ModelView& model, Arena& arena);

/// Computes the matrix that lay_out_form() allocated.
void fill_form(const Form& form, const ModelView& model);

/// Floats of scratch memory for make_query().
uint64_t query_scratch(const Form& form, const ModelView& model);

/// Scratch memory for make_row() and teaching.h.
struct RowScratch {
  float* record;     ///< form.record, at least padded k
  float* row;        ///< padded k, if classes can be taught
  float* wide;       ///< padded m, if classes can be taught or have prototypes
  float* embedding;  ///< padded d
};
/// Allocates it at the start of an arena of its own.
RowScratch lay_out_row_scratch(const Form& form, const ModelView& model, Arena& arena);

/// The query for a raw x with its scale; its values are in `scratch`.
Query make_query(const Form& form, const ModelView& model, const Kernels& kernels, const float* x,
                 Scale scale, float* scratch);

/// The row of a class for a raw phi that passed check_embedding(), with a new record, in `scratch`.
/// \param own  k values of a seen class of the model; null: zeros
Row make_row(const Form& form, const ModelView& model, const Kernels& kernels, const float* phi,
             const float* own, const RowScratch& scratch);

/// The row of the factors or prototypes form from row_r.
Row finish_row(const Form& form, const ModelView& model, const Kernels& kernels, const float* row,
               const RowScratch& scratch);

}  // namespace bzscr::rt
