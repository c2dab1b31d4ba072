#include "model_view.h"

#include "schema.h"

namespace bzscr::rt {
namespace {

bzscr_rt_scaling scaling_of(format::FeatureScaling scaling) {
  return scaling == format::FeatureScaling::Unit ? BZSCR_RT_SCALING_UNIT : BZSCR_RT_SCALING_NONE;
}

bzscr_rt_scaling scaling_of(format::EmbeddingScaling scaling) {
  switch (scaling) {
    case format::EmbeddingScaling::CentreUnit: return BZSCR_RT_SCALING_CENTRE_UNIT;
    case format::EmbeddingScaling::Unit: return BZSCR_RT_SCALING_UNIT;
    case format::EmbeddingScaling::None: break;
  }
  return BZSCR_RT_SCALING_NONE;
}

}  // namespace

EmbeddingTransform embedding_transform(const format::Transform& transform, uint32_t d) {
  const flatbuffers::Vector<float>* centre = transform.embedding_centre();
  const flatbuffers::Vector<uint32_t>* parts = transform.embedding_parts();
  return {scaling_of(transform.embedding_scaling()), centre != nullptr ? centre->data() : nullptr,
          d, parts != nullptr ? parts->data() : nullptr, parts != nullptr ? parts->size() : 1};
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
  view.embedding = embedding_transform(transform, view.d);
  view.seen_penalty = model.seen_penalty();
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

size_t ModelView::longest_name() const {
  size_t longest = 0;
  for (uint32_t r = 0; r < classes; ++r) {
    const size_t length = model->classes()->Get(r)->name()->size();
    if (length > longest) longest = length;
  }
  return longest;
}

}  // namespace bzscr::rt
