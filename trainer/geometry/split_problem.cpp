#include "geometry/split_problem.h"

#include <bzscr_train/error.hpp>

#include <algorithm>
#include <utility>

namespace bzscr {
namespace {

struct Selection {
  Samples X;
  Labels y;
};

// Samples whose class is in `classes`; the labels are indices of `classes`.
Selection samples_of(const Dataset& data, const Partition& partition,
                     const std::vector<Index>& classes, FeatureScaling scaling,
                     const Execution& execution) {
  std::vector<std::int32_t> place(data.class_names.size(), -1);
  for (std::size_t c = 0; c < classes.size(); ++c)
    place[static_cast<std::size_t>(classes[c])] = static_cast<std::int32_t>(c);
  std::vector<Index> rows;
  Labels y;
  auto held_out = partition.held_out.begin();
  for (Index i = 0; i < data.features.rows; ++i) {
    if (held_out != partition.held_out.end() && *held_out == i) {
      ++held_out;
      continue;
    }
    const std::int32_t c =
        place[static_cast<std::size_t>(data.labels[static_cast<std::size_t>(i)])];
    if (c < 0) continue;
    rows.push_back(i);
    y.push_back(c);
  }
  return {samples_at(data, std::move(rows), scaling, execution), std::move(y)};
}

}  // namespace

Samples samples_at(const Dataset& data, std::vector<Index> rows, FeatureScaling scaling,
                   const Execution& execution) {
  const auto n = static_cast<Index>(rows.size());
  const Vector scale = scaling == FeatureScaling::kUnit
                           ? Vector(data.feature_norms(rows).cwiseInverse())
                           : Vector(Vector::Ones(n));
  return {data.features, std::move(rows), scale, execution, data.features_owner};
}

ClassSplit all_classes(const Dataset& data, const Partition& partition) {
  return {seen_classes(data, partition), partition.unseen};
}

SplitProblem split_problem(const Dataset& data, const Partition& partition, const Matrix& Delta,
                           const ClassSplit& classes, const Scalings& scalings,
                           const Execution& execution, Origin origin) {
  SplitProblem split;
  split.classes = classes;
  split.transform =
      fit_transform(scalings.embeddings, data.embeddings, classes.seen, data.embedding_parts);

  std::vector<Index> order = classes.seen;
  order.insert(order.end(), classes.targets.begin(), classes.targets.end());
  std::vector<std::string> names;
  for (const Index c : order) names.push_back(data.class_names[static_cast<std::size_t>(c)]);
  const Matrix Phi =
      transform_embeddings(split.transform, data.embeddings(order, Eigen::all), names);
  ReducedEmbedding reduced = origin == Origin::kMean ? reduce_to_span(Phi) : uncentred_span(Phi);
  split.basis = std::move(reduced.basis);

  Selection samples = samples_of(data, partition, classes.seen, scalings.features, execution);
  split.problem.X = std::move(samples.X);
  split.problem.y = std::move(samples.y);
  split.problem.Phi = std::move(reduced.coordinates);
  split.problem.Delta = Delta(classes.seen, order);
  split.problem.seen = static_cast<Index>(classes.seen.size());
  return split;
}

EvaluationSet unseen_evaluation_set(const Dataset& data, const Partition& partition,
                                    const SplitProblem& split, const Scalings& scalings) {
  Selection samples = samples_of(data, partition, split.classes.targets, scalings.features,
                                 split.problem.X.execution);
  return {std::move(samples.X), std::move(samples.y),
          split.problem.Phi.bottomRows(split.problem.targets())};
}

}  // namespace bzscr
