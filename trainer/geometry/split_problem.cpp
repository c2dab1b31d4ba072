#include "geometry/split_problem.h"

#include "core/feature_transform.h"

#include <algorithm>
#include <utility>

namespace bzscr {
namespace {

struct Selection {
  std::vector<Index> rows;
  Labels y;
};

// Samples whose class is in `classes`; the labels are indices of `classes`.
Selection samples_of(const Dataset& data, const Partition& partition,
                     const std::vector<Index>& classes) {
  std::vector<std::int32_t> place(data.class_names.size(), -1);
  for (std::size_t c = 0; c < classes.size(); ++c)
    place[static_cast<std::size_t>(classes[c])] = static_cast<std::int32_t>(c);
  Selection samples;
  auto held_out = partition.held_out.begin();
  for (Index i = 0; i < data.features.rows; ++i) {
    if (held_out != partition.held_out.end() && *held_out == i) {
      ++held_out;
      continue;
    }
    const std::int32_t c =
        place[static_cast<std::size_t>(data.labels[static_cast<std::size_t>(i)])];
    if (c < 0) continue;
    samples.rows.push_back(i);
    samples.y.push_back(c);
  }
  return samples;
}

// With the column scaling that X has.
void scale(const Dataset& data, FeatureScaling scaling, Samples& X) {
  if (scaling == FeatureScaling::kUnit) X.scale = data.feature_norms(X.rows).cwiseInverse();
  if (scaling == FeatureScaling::kStandard) X.scale = inverse_lengths(X);
}

}  // namespace

Samples raw_samples(const Dataset& data, std::vector<Index> rows, const Execution& execution) {
  const auto n = static_cast<Index>(rows.size());
  return {data.features, std::move(rows), Vector::Ones(n), execution, data.features_owner};
}

Samples samples_like(const Dataset& data, std::vector<Index> rows, const SplitProblem& split) {
  const Samples& training = split.problem.X;
  Samples X = raw_samples(data, std::move(rows), training.execution);
  X.columns = training.columns;
  scale(data, split.feature_scaling, X);
  X.centre = training.centre;
  return X;
}

ClassSplit all_classes(const Dataset& data, const Partition& partition) {
  return {seen_classes(data, partition), partition.unseen};
}

SplitProblem split_problem(const Dataset& data, const Partition& partition, const Matrix& Delta,
                           const ClassSplit& classes, const Scalings& scalings,
                           const Execution& execution, Origin origin) {
  SplitProblem split;
  split.classes = classes;
  split.own_part = scalings.own_part;
  split.transform =
      fit_transform(scalings.embeddings, data.embeddings, classes.seen, data.embedding_parts);

  std::vector<Index> order = classes.seen;
  order.insert(order.end(), classes.targets.begin(), classes.targets.end());
  std::vector<std::string> names;
  for (const Index c : order) names.push_back(data.class_names[static_cast<std::size_t>(c)]);
  Matrix Phi = transform_embeddings(split.transform, data.embeddings(order, Eigen::all), names);
  if (scalings.own_part > 0) {
    const auto seen = static_cast<Index>(classes.seen.size()), d = Phi.cols();
    Phi.conservativeResize(Phi.rows(), d + seen);
    Phi.rightCols(seen).setZero();
    Phi.topRightCorner(seen, seen).diagonal().setConstant(scalings.own_part);
  }
  ReducedEmbedding reduced = origin == Origin::kMean ? reduce_to_span(Phi) : uncentred_span(Phi);
  split.basis = std::move(reduced.basis);

  Selection samples = samples_of(data, partition, classes.seen);
  Samples& X = split.problem.X = raw_samples(data, std::move(samples.rows), execution);
  split.feature_scaling = scalings.features;
  if (scalings.features == FeatureScaling::kStandard)
    X.columns = std::make_shared<ColumnScaling>(column_scaling(X));
  scale(data, scalings.features, X);
  if (scalings.centre_features) X.centre = mean_sample(X);
  split.problem.y = std::move(samples.y);
  split.problem.Phi = std::move(reduced.coordinates);
  split.problem.Delta = Delta(classes.seen, order);
  split.problem.seen = static_cast<Index>(classes.seen.size());
  return split;
}

EvaluationSet unseen_evaluation_set(const Dataset& data, const Partition& partition,
                                    const SplitProblem& split) {
  Selection samples = samples_of(data, partition, split.classes.targets);
  return {samples_like(data, std::move(samples.rows), split), std::move(samples.y),
          split.problem.Phi.bottomRows(split.problem.targets())};
}

}  // namespace bzscr
