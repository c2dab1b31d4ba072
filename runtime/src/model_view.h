#pragma once

#include "bzscr_rt/bzscr_rt.h"
#include "hash_index.h"
#include "transform.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::format {
struct Model;
struct Teaching;
struct Transform;
}  // namespace bzscr::format

namespace bzscr::rt {

struct ClassView {
  uint32_t id;
  bool seen;
  const char* name;    ///< zero-terminated
  size_t name_length;  ///< without the terminating zero
  const float* phi;    ///< d, raw
};

/// The dimensions and arrays of a verified model. Checks nothing; all pointers point into the file.
struct ModelView {
  uint32_t m;
  uint32_t d;
  uint32_t k;
  uint32_t classes;
  const float* u;  ///< k x m
  const float* v;  ///< k x d
  const float* w;  ///< k
  bzscr_rt_scaling feature_scaling;
  const float* feature_mean;    ///< m; null unless the scaling is STANDARD
  const float* feature_factor;  ///< m; likewise
  EmbeddingTransform embedding;
  float seen_penalty;
  bzscr_rt_score_form score_form;
  const float* own;                  ///< seen classes x k; null: none
  const float* offsets;              ///< k: o; null: zeros
  const format::Teaching* teaching;  ///< null: classes cannot be taught
  const format::Model* model;

  /// A raw feature vector, standardised if the model says so, but not scaled.
  Input features(const float* x) const { return {x, feature_mean, feature_factor}; }

  ClassView class_at(uint32_t index) const;
  uint32_t find(uint32_t id) const;  ///< index of the class with this id, or kNoClass
  size_t longest_name() const;       ///< length without the terminating zero
  /// The k values of a seen class that are added to V phi; null: none.
  const float* own_of(uint32_t index) const;
};

/// \param transform  verified, for embeddings of length d
EmbeddingTransform embedding_transform(const format::Transform& transform, uint32_t d);

/// \param model  verified (verify.h)
ModelView view_model(const format::Model& model);

}  // namespace bzscr::rt
