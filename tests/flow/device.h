#pragma once

#include "bzscr_rt/bzscr_rt.h"
#include "support/model_builder.h"
#include "types/linalg.h"

#include <string>
#include <vector>

namespace bzscr::test {

/// A model file opened in the runtime, as in an application.
class Device {
 public:
  explicit Device(const std::string& path, bzscr_rt_form form = BZSCR_RT_FORM_AUTO,
                  std::uint32_t room_for_more = 0);

  /// In table order.
  std::vector<float> scores(const VectorF& x) const;
  std::vector<std::uint32_t> ids() const;
  void set_class(std::uint32_t id, const char* name, const VectorF& phi);
  void remove_class(std::uint32_t id);
  bzscr_rt_info info() const;

 private:
  AlignedBytes file_, arena_;
  bzscr_rt* handle_ = nullptr;
};

/// The contents of a model file, read field by field, and the score formula in double.
struct ModelContents {
  explicit ModelContents(const std::string& path);

  /// sum_j w_j (x . u_j)(v_j . phi) of a raw feature and a raw embedding, after the transform that
  /// the model records.
  double score(const Vector& x, const Vector& phi) const;

  Matrix U, V;  ///< k x m, k x d: rows as in the file
  Vector w;
  bool unit_features = false, unit_embeddings = false;
  Vector centre;             ///< empty: none
  std::vector<Index> parts;  ///< lengths of the parts of the embedding; {d} if it is not joined
  std::vector<std::uint32_t> ids;
  std::vector<std::string> names;
  std::vector<bool> seen;
  Matrix embeddings;
  double seen_penalty = 0;
};

}  // namespace bzscr::test
