#include "model_view.h"

#include "schema.h"

namespace bzscr::rt {
namespace {

bzscr_rt_scaling scaling_of(format::FeatureScaling scaling) {
  switch (scaling) {
    case format::FeatureScaling::Standard: return BZSCR_RT_SCALING_STANDARD;
    case format::FeatureScaling::Unit: return BZSCR_RT_SCALING_UNIT;
    case format::FeatureScaling::None: break;
  }
  return BZSCR_RT_SCALING_NONE;
}

bzscr_rt_scaling scaling_of(format::EmbeddingScaling scaling) {
  switch (scaling) {
    case format::EmbeddingScaling::CentreUnit: return BZSCR_RT_SCALING_CENTRE_UNIT;
    case format::EmbeddingScaling::Unit: return BZSCR_RT_SCALING_UNIT;
    case format::EmbeddingScaling::None: break;
  }
  return BZSCR_RT_SCALING_NONE;
}

static_assert(BZSCR_RT_SCORE_PLAIN == static_cast<int>(format::ScoreForm::Plain) &&
              BZSCR_RT_SCORE_HALF == static_cast<int>(format::ScoreForm::Half) &&
              BZSCR_RT_SCORE_COSINE == static_cast<int>(format::ScoreForm::Cosine));

// The elements of an optional array; null if it is absent.
const float* data_of(const flatbuffers::Vector<float>* array) {
  return array != nullptr ? array->data() : nullptr;
}

}  // namespace

EmbeddingTransform embedding_transform(const format::Transform& transform, uint32_t d) {
  const flatbuffers::Vector<uint32_t>* parts = transform.embedding_parts();
  return {scaling_of(transform.embedding_scaling()), data_of(transform.embedding_centre()), d,
          parts != nullptr ? parts->data() : nullptr, parts != nullptr ? parts->size() : 1};
}

ModelView view_model(const format::Model& model) {
  const format::Transform& transform = *model.transform();
  ModelView view{};
  view.m = model.feature_dimension();
  view.d = model.embedding_dimension();
  view.k = model.weak_models();
  view.classes = model.classes()->size();
  view.u = model.u()->data();
  view.v = model.v()->data();
  view.w = model.w()->data();
  view.feature_scaling = scaling_of(transform.feature_scaling());
  view.feature_mean = data_of(transform.feature_mean());
  view.feature_factor = data_of(transform.feature_factor());
  view.embedding = embedding_transform(transform, view.d);
  view.seen_penalty = model.seen_penalty();
  view.score_form = static_cast<bzscr_rt_score_form>(model.score());
  view.own = data_of(model.own());
  view.offsets = data_of(model.feature_offsets());
  view.teaching = model.teaching();
  view.model = &model;
  return view;
}

ClassView ModelView::class_at(uint32_t index) const {
  const format::Class& one = *model->classes()->Get(index);
  const float* phi = model->class_embeddings()->data() + static_cast<size_t>(index) * d;
  return {one.id(), one.seen(), one.name()->c_str(), one.name()->size(), phi};
}

uint32_t ModelView::find(uint32_t id) const {  // binary search: ids are in ascending order
  uint32_t from = 0;
  uint32_t to = classes;
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    if (model->classes()->Get(middle)->id() < id)
      from = middle + 1;
    else
      to = middle;
  }
  return from < classes && model->classes()->Get(from)->id() == id ? from : kNoClass;
}

const float* ModelView::own_of(uint32_t index) const {
  if (own == nullptr) return nullptr;
  size_t before = 0;  // seen classes
  for (uint32_t r = 0; r < index; ++r) before += model->classes()->Get(r)->seen() ? 1 : 0;
  return own + before * k;
}

size_t ModelView::longest_name() const {
  size_t longest = 0;
  for (uint32_t r = 0; r < classes; ++r) {
    const size_t length = model->classes()->Get(r)->name()->size();
    if (length > longest) longest = length;
  }
  return longest;
}

}  // namespace bzscr::rt
