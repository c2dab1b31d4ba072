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

  /// The score of FORMAT.md of a raw feature and a raw embedding, without the penalty, after the
  /// transform that the model records.
  /// \param own  the values of the class's own part, k; empty: it has none
  double score(const Vector& x, const Vector& phi, const Vector& own = {}) const;
  /// Own values of a class of the file; empty for those that have none.
  Vector own_of(std::size_t place) const;

  Matrix U, V;  ///< k x m, k x d: rows as in the file
  Vector w;
  bool unit_features = false, unit_embeddings = false;
  Vector mean, factor;       ///< of standardised columns; empty: none
  Vector offsets;            ///< k; zeros: none
  double exponent = 0;       ///< of the length of a row
  Matrix own;                ///< a row per seen class of the file; empty: none
  Vector centre;             ///< empty: none
  std::vector<Index> parts;  ///< lengths of the parts of the embedding; {d} if it is not joined
  std::vector<std::uint32_t> ids;
  std::vector<std::string> names;
  std::vector<bool> seen;
  Matrix embeddings;
  double seen_penalty = 0;
};

}  // namespace bzscr::test
