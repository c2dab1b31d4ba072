#include "core/feature_blocks.h"
#include "geometry/split_problem.h"
#include "pipeline/context.h"
#include "pipeline/dataset.h"
#include "tuning/folds.h"

#include <fmt/format.h>

#include <algorithm>

namespace bzscr::train {
namespace {

void expect_valid(const TeachOptions& options) {
  const std::vector<std::int64_t>& shots = options.shots;
  if (shots.empty()) throw InputError("shots", "is empty; expected one number or more");
  for (std::size_t n = 0; n < shots.size(); ++n)
    if (shots[n] < 1 || (n > 0 && shots[n] <= shots[n - 1]))
      throw InputError("shots",
                       fmt::format("entry {} is {}; expected rising numbers from 1", n, shots[n]));
  if (options.repeats < 1)
    throw InputError("repeats", fmt::format("is {}; expected 1 or more", options.repeats));
}

/// Which samples teach the classes, and which test them.
struct Draw {
  std::vector<std::vector<Index>> taught;  ///< of each class of the selection, in random order
  Selection tested;
};

Draw draw_samples(const Dataset& data, const Partition& partition, const Selection& selection,
                  std::int64_t most, std::uint64_t seed) {
  const std::vector<std::int32_t>& labels = data.content().data.labels;
  const auto label = [&](Index i) { return labels[static_cast<std::size_t>(i)]; };
  const auto& unseen = partition.unseen;
  Draw draw{std::vector<std::vector<Index>>(selection.classes.size()),
            {selection.description, selection.classes, {}}};
  std::vector<Index> of_unseen;
  for (const std::int64_t i : selection.samples)
    if (std::binary_search(unseen.begin(), unseen.end(), label(i)))
      of_unseen.push_back(i);
    else
      draw.tested.samples.push_back(i);
  shuffle(of_unseen, seed);
  for (std::size_t c = 0; c < selection.classes.size(); ++c) {
    std::vector<Index>& of_class = draw.taught[c];
    for (const Index i : of_unseen)
      if (label(i) == selection.classes[c]) of_class.push_back(i);
    const auto taught =
        static_cast<std::ptrdiff_t>(std::min(static_cast<std::size_t>(most), of_class.size() / 2));
    draw.tested.samples.insert(draw.tested.samples.end(), of_class.begin() + taught,
                               of_class.end());
    of_class.resize(static_cast<std::size_t>(taught));
  }
  std::sort(draw.tested.samples.begin(), draw.tested.samples.end());
  return draw;
}

/// Teaches each class its samples [first, end), or those of them that it has.
void teach(const Dataset& data, const Draw& draw, std::int64_t first, std::int64_t end,
           TeachableScorer& scorer) {
  for (std::size_t c = 0; c < draw.taught.size(); ++c)
    for (auto n = static_cast<std::size_t>(first);
         n < std::min(static_cast<std::size_t>(end), draw.taught[c].size()); ++n) {
      const Samples sample = raw_samples(data.content().data, {draw.taught[c][n]});
      FeatureBlocks<float> features(sample);
      scorer.teach(static_cast<std::int64_t>(c), features.read(0, 1).data(), draw.taught[c][n]);
    }
}

/// The measures of all repeats after one number of samples.
struct Repeats {
  std::vector<double> among_unseen, seen, unseen, harmonic;
};

void measure(const Dataset& data, const Partition& partition, const Selection& tested, bool joint,
             const TeachableScorer& scorer, const Context& context, Repeats& repeats) {
  if (!joint)
    return repeats.among_unseen.push_back(evaluate(data, tested, scorer, context).per_class_top1);
  const JointEvaluation at = evaluate_jointly(data, partition, tested, scorer, 0, context);
  repeats.among_unseen.push_back(at.among_unseen);
  repeats.seen.push_back(at.with.seen);
  repeats.unseen.push_back(at.with.unseen);
  repeats.harmonic.push_back(at.with.harmonic());
}

}  // namespace

TeachingEvaluation evaluate_taught(const Dataset& data, const Partition& partition,
                                   const Selection& selection, TeachableScorer& scorer,
                                   const TeachOptions& options, const Context& context) {
  expect_valid(options);
  std::vector<std::int64_t> shots = {0};
  shots.insert(shots.end(), options.shots.begin(), options.shots.end());
  TeachingEvaluation result;
  result.joint = selection.classes != partition.unseen;
  std::vector<Repeats> measures(shots.size());
  for (std::int64_t repeat = 0; repeat < options.repeats; ++repeat) {
    // Seeds that follow one another have no draw in common.
    const std::uint64_t seed =
        options.seed ^ (static_cast<std::uint64_t>(repeat) * 0x9e3779b97f4a7c15u);
    const Draw draw = draw_samples(data, partition, selection, shots.back(), seed);
    result.tested = static_cast<std::int64_t>(draw.tested.samples.size());
    scorer.forget();
    for (std::size_t n = 0; n < shots.size(); ++n) {
      if (n > 0) teach(data, draw, shots[n - 1], shots[n], scorer);
      measure(data, partition, draw.tested, result.joint, scorer, context, measures[n]);
    }
  }
  scorer.forget();
  for (std::size_t n = 0; n < shots.size(); ++n)
    result.after.push_back({shots[n], mean_of(measures[n].among_unseen), mean_of(measures[n].seen),
                            mean_of(measures[n].unseen), mean_of(measures[n].harmonic)});
  return result;
}

}  // namespace bzscr::train
