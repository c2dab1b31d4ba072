#pragma once

#include "types/problem.h"

#include <cstdint>
#include <functional>
#include <random>

/// Stochastic gradient descent on W of F(x, r) = x^T W phi_r, one sample at a time, for SJE, ALE
/// and DeViSE. They differ in the class with which a sample is compared and in the step length.
namespace bzscr {

struct SgdConfig {
  double rate = 0.1;       ///< length of a step; > 0
  Index epochs = 10;       ///< passes over the samples; >= 1
  bool average = false;    ///< W is the mean of the iterates after each sample, not the last one
  std::uint64_t seed = 1;  ///< of the order of samples in each epoch, and of drawn classes
};

/// Called after each epoch (from 1); W() returns the current W (m x p). Returning true ends the
/// run.
using AfterEpoch = std::function<bool(Index epoch, const std::function<Matrix()>& W)>;

/// The state of the descent: W in single precision, and the current sample.
class SgdState {
 public:
  SgdState(const Problem& problem, const SgdConfig& config);

  /// Makes sample i the current one and counts one iterate.
  /// \param x  m features, not scaled; must stay valid until the next call
  void look_at(Index i, const float* x);

  Index label() const { return y_; }
  Index seen() const { return Phi_.rows(); }
  float score(Index r) const { return Phi_.row(r).dot(image_); }
  /// seen: F(x, r) for all classes.
  const VectorF& all_scores();
  float Delta(Index r) const { return Delta_(y_, r); }

  /// W += rate factor x (phi_y - phi_r)^T
  void move(Index r, double factor);
  /// A random number from 0 to count - 1.
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
  Index width_;   // p, rounded up to whole vectors
  MatrixF W_;     // m x width
  MatrixF late_;  // m x width: sum of (k - 1) update_k over the current run
  Matrix sum_;    // m x width: sum of the iterates of finished runs
  Index iterates_ = 0, in_run_ = 0;
  MatrixF Phi_, Delta_;  // seen x width; seen x seen
  const float* x_ = nullptr;
  float scale_ = 1;
  Index y_ = 0;
  VectorF image_, step_, late_step_, scores_;

  void end_run();
};

/// Runs the epochs, with the samples in random order, and returns W (m x p). step(state) applies
/// the update of the current sample.
Matrix descend(const Problem& problem, const SgdConfig& config,
               const std::function<void(SgdState&)>& step, const AfterEpoch& after_epoch);

}  // namespace bzscr
