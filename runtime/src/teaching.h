#pragma once

#include "form.h"

namespace bzscr::rt {

/// What a table whose classes can be taught keeps of each class, beside its row, in 2k + 2 floats:
///
///   row[k]    row_r of its embedding alone (form.h); zeros if it has none
///   length    of row; kNoEmbedding if the class has no embedding
///   sum[k]    of weight (U x - o) over its labelled samples x
///   count     the sum of the weights; 0: the class was not taught
///
/// Other files see an array of floats, which they copy with the row.
inline constexpr float kNoEmbedding = -1.0f;

/// Of a sample.
inline constexpr float kLargestWeight = 1024.0f;

constexpr uint32_t floats_of_record(uint32_t k) { return 2 * k + 2; }

struct Record {
  Record(float* record, uint32_t k)
      : row(record), length(record[k]), sum(record + k + 1), count(record[2 * size_t{k} + 1]) {}
  float* row;
  float& length;
  float* sum;
  float& count;
};

/// Completes a record whose row is filled: no samples.
void start_record(float* record, uint32_t k, float length);

/// The samples of a record: sum[k] and count. A null sum is zeros.
void read_examples(float* record, uint32_t k, float* sum, float* count);
void write_examples(const float* sum, float count, uint32_t k, float* record);

/// Adds a labelled sample to a record: sum += weight (U x - o), count += weight.
/// \param x  raw, with its scale
void add_example(const ModelView& model, const Kernels& kernels, const float* x, Scale scale,
                 float weight, const RowScratch& scratch);

/// The row of the class whose record is in `scratch`: of its embedding, its samples, or both.
Row row_of_record(const Form& form, const ModelView& model, const Kernels& kernels,
                  const RowScratch& scratch);

/// The row of a new class without an embedding, with a record in `scratch`.
Row row_without_embedding(const Form& form, const ModelView& model, const Kernels& kernels,
                          const RowScratch& scratch);

}  // namespace bzscr::rt
