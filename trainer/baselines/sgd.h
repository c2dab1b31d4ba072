#pragma once

#include "types/problem.h"

#include <cstdint>
#include <functional>
#include <random>

/// Stochastic gradient descent on W of F(x, r) = x^T W phi_r, sample by sample: what SJE, ALE and
/// DeViSE share. They differ in the class that a sample is held against, and in the length of the
/// step.
namespace bzscr {

struct SgdConfig {
  double rate = 0.1;       ///< length of a step; > 0
  Index epochs = 10;       ///< passes over the samples; >= 1
  bool average = false;    ///< W is the mean of the iterates after each sample, not the last one
  std::uint64_t seed = 1;  ///< of the order of samples, drawn anew each epoch, and of classes
};

/// Told after each epoch, from 1, and given W (m x p) where it asks; true ends the run there.
using AfterEpoch = std::function<bool(Index epoch, const std::function<Matrix()>& W)>;

/// W while it moves, in single precision, and one sample that is looked at.
class SgdState {
 public:
  SgdState(const Problem& problem, const SgdConfig& config);

  /// The next sample; counts as one iterate.
  void look_at(Index i, const float* x);

  Index label() const { return y_; }
  Index seen() const { return Phi_.rows(); }
  float score(Index r) const { return Phi_.row(r).dot(image_); }
  /// seen: F(x, r) for all classes.
  const VectorF& all_scores();
  float Delta(Index r) const { return Delta_(y_, r); }

  /// W += rate factor x (phi_y - phi_r)^T
  void move(Index r, double factor);
  /// A number in 0..count-1.
  Index draw(Index count) {
    return static_cast<Index>(random_() % static_cast<std::uint64_t>(count));
  }

  /// m x p: the mean of the iterates so far, or the last one.
  Matrix W();

 private:
  const Problem& problem_;
  double rate_;
  bool average_;
  std::mt19937_64 random_;
  Index width_;  // p, rounded up to whole vectors
  MatrixF W_,
      late_;    // m x width; late_: updates times the iterates of this run of samples before them
  Matrix sum_;  // m x width: of the iterates of runs that are over
  Index iterates_ = 0, in_run_ = 0;
  MatrixF Phi_, Delta_;  // seen x width; seen x seen
  const float* x_ = nullptr;
  float scale_ = 1;
  Index y_ = 0;
  VectorF image_, step_, late_step_, scores_;

  void end_run();
};

/// Epoch after epoch, samples in random order; step(state) says what a sample does to W.
Matrix descend(const Problem& problem, const SgdConfig& config,
               const std::function<void(SgdState&)>& step, const AfterEpoch& after_epoch);

}  // namespace bzscr
