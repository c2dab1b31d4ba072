#pragma once

#include "bzscr_rt/bzscr_rt.h"
#include "hash_index.h"
#include "transform.h"

#include <stddef.h>
#include <stdint.h>

namespace bzscr::format {
struct Model;
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
  EmbeddingTransform embedding;
  float seen_penalty;
  const format::Model* model;

  ClassView class_at(uint32_t index) const;
  uint32_t find(uint32_t id) const;  ///< index of the class with this id, or kNoClass
  size_t longest_name() const;       ///< length without the terminating zero
};

/// \param transform  verified, for embeddings of length d
EmbeddingTransform embedding_transform(const format::Transform& transform, uint32_t d);

/// \param model  verified (verify.h)
ModelView view_model(const format::Model& model);

}  // namespace bzscr::rt
