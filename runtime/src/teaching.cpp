#include "teaching.h"

#include "collapse.h"
#include "schema.h"

#include <float.h>
#include <string.h>

namespace bzscr::rt {
namespace {

// What the samples of a class weigh against its embedding: a = n / (n + blend), or 1 if it has no
// embedding, or one that the model maps to zero.
float weight_of_samples(const format::Teaching& teaching, const Record& record) {
  return record.length > 0 ? record.count / (record.count + teaching.blend()) : 1.0f;
}

// b = (1 - a) g + a s, where g and s are the directions of the row and of the sum.
void blend(const Record& record, uint32_t k, float a, float* b) {
  const Scale g = unit_scale(record.row, k);
  const Scale s = unit_scale(record.sum, k);
  for (uint32_t j = 0; j < k; ++j)
    b[j] = (1.0f - a) * (record.row[j] * g.power * g.rest) + a * (record.sum[j] * s.power * s.rest);
}

// L: how long the row of a class is that was taught.
float length_of_row(const ModelView& model, const format::Teaching& teaching, float length) {
  if (model.score_form == BZSCR_RT_SCORE_COSINE) return 1.0f;
  return length > 0 ? length : teaching.length();
}

}  // namespace

void start_record(float* record, uint32_t k, float length) {
  memset(record + k, 0, (k + 2) * sizeof(float));
  Record(record, k).length = length;
}

void read_examples(float* record, uint32_t k, float* sum, float* count) {
  const Record read(record, k);
  memcpy(sum, read.sum, k * sizeof(float));
  *count = read.count;
}

void write_examples(const float* sum, float count, uint32_t k, float* record) {
  const Record written(record, k);
  if (sum != nullptr)
    memcpy(written.sum, sum, k * sizeof(float));
  else
    memset(written.sum, 0, k * sizeof(float));
  written.count = count;
}

void add_example(const ModelView& model, const Kernels& kernels, const float* x, Scale scale,
                 float weight, const RowScratch& scratch) {
  const Record record(scratch.record, model.k);
  float* scaled = scratch.wide;
  float* t = scratch.row;
  apply_scale(model.features(x), model.m, scale, scaled);
  features_along_u(model, kernels, scaled, t);
  for (uint32_t j = 0; j < model.k; ++j)
    record.sum[j] += weight * (model.offsets != nullptr ? t[j] - model.offsets[j] : t[j]);
  record.count += weight;
}

Row row_of_record(const Form& form, const ModelView& model, const Kernels& kernels,
                  const RowScratch& scratch) {
  const Record record(scratch.record, model.k);
  if (!(record.count > 0)) {
    Row row = finish_row(form, model, kernels, record.row, scratch);
    if (record.length < 0) row.constant = -FLT_MAX;
    return row;
  }
  const format::Teaching& teaching = *model.teaching;
  const float a = weight_of_samples(teaching, record);
  float* b = scratch.row;
  blend(record, model.k, a, b);
  Scale scale = unit_scale(b, model.k);
  scale.rest *= length_of_row(model, teaching, record.length);
  apply_scale({b, nullptr, nullptr}, model.k, scale, b);  // row_r = L b / |b|
  Row row = finish_row(form, model, kernels, b, scratch);
  row.constant -= a * teaching.offset();
  return row;
}

Row row_without_embedding(const Form& form, const ModelView& model, const Kernels& kernels,
                          const RowScratch& scratch) {
  memset(scratch.record, 0, model.k * sizeof(float));
  start_record(scratch.record, model.k, kNoEmbedding);
  return row_of_record(form, model, kernels, scratch);
}

}  // namespace bzscr::rt
