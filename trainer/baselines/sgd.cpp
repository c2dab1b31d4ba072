#include "baselines/sgd.h"

#include "core/clones.h"
#include "core/feature_blocks.h"
#include "core/floats.h"
#include "core/lanes.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace bzscr {
namespace {

// Processes Vectors x 16 columns at a time, so that their sums stay in registers.
template <int Vectors>
BZSCR_INLINE void project_panel(const float* x, Index m, const float* W, Index width,
                                float* image) {
  Floats sum[Vectors] = {};
  for (Index i = 0; i < m; ++i)
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) sum[v] += x[i] * load(W + i * width + 16 * v);
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) store(sum[v], image + 16 * v);
}

// image = W^T x
BZSCR_CLONES void project(const float* x, Index m, const float* W, Index width, float* image) {
  Index c = 0;
  for (; c + 64 <= width; c += 64) project_panel<4>(x, m, W + c, width, image + c);
  for (; c < width; c += 16) project_panel<1>(x, m, W + c, width, image + c);
}

// W += x step^T
BZSCR_CLONES void add_outer(const float* x, Index m, const float* step, Index width, float* W) {
  for (Index i = 0; i < m; ++i)
    for (Index c = 0; c < width; c += 16)
      store(load(W + i * width + c) + x[i] * load(step + c), W + i * width + c);
}

// The same for two matrices.
BZSCR_CLONES void add_outer(const float* x, Index m, const float* step, const float* late_step,
                            Index width, float* W, float* late) {
  for (Index i = 0; i < m; ++i)
    for (Index c = 0; c < width; c += 16) {
      const Index at = i * width + c;
      store(load(W + at) + x[i] * load(step + c), W + at);
      store(load(late + at) + x[i] * load(late_step + c), late + at);
    }
}

// Number of iterates in a run: sums are in single precision within a run, in double across runs.
constexpr Index kRun = 4096;

}  // namespace

SgdState::SgdState(const Problem& problem, const SgdConfig& config)
    : problem_(problem),
      rate_(config.rate),
      average_(config.average),
      random_(config.seed),
      width_(whole_vectors<float>(problem.Phi.cols())),
      W_(MatrixF::Zero(problem.X.dimension(), width_)),
      Phi_(MatrixF::Zero(problem.seen, width_)),
      Delta_(problem.Delta.leftCols(problem.seen).cast<float>()),
      image_(width_),
      step_(width_),
      late_step_(width_),
      scores_(problem.seen) {
  Phi_.leftCols(problem.Phi.cols()) = problem.Phi.topRows(problem.seen).cast<float>();
  if (!average_) return;
  late_ = MatrixF::Zero(W_.rows(), width_);
  sum_ = Matrix::Zero(W_.rows(), width_);
}

void SgdState::look_at(Index i, const float* x) {
  if (average_ && in_run_ == kRun) end_run();
  ++in_run_;
  ++iterates_;
  x_ = x;
  y_ = problem_.y[static_cast<std::size_t>(i)];
  scale_ = static_cast<float>(problem_.X.scale[i]);
  project(x_, W_.rows(), W_.data(), width_, image_.data());
  image_ *= scale_;
}

const VectorF& SgdState::all_scores() {
  scores_.noalias() = Phi_ * image_;
  return scores_;
}

// Computes the mean without adding m x p numbers per sample: of the n iterates of a run, all but
// the first k - 1 contain update k, so their sum is n W - sum_k (k - 1) update_k.
void SgdState::move(Index r, double factor) {
  step_ = static_cast<float>(rate_ * factor) * scale_ * (Phi_.row(y_) - Phi_.row(r)).transpose();
  if (!average_) return add_outer(x_, W_.rows(), step_.data(), width_, W_.data());
  late_step_ = static_cast<float>(in_run_ - 1) * step_;
  add_outer(x_, W_.rows(), step_.data(), late_step_.data(), width_, W_.data(), late_.data());
}

void SgdState::end_run() {
  sum_ += static_cast<double>(in_run_) * W_.cast<double>() - late_.cast<double>();
  late_.setZero();
  in_run_ = 0;
}

Matrix SgdState::W() {
  const Index p = problem_.Phi.cols();
  if (!average_) return W_.leftCols(p).cast<double>();
  end_run();
  return sum_.leftCols(p) / static_cast<double>(iterates_);
}

Matrix descend(const Problem& problem, const SgdConfig& config,
               const std::function<void(SgdState&)>& step, const AfterEpoch& after_epoch) {
  SgdState state(problem, config);
  FeatureBlocks<float> features(problem.X);
  std::vector<Index> order(static_cast<std::size_t>(problem.samples()));
  std::iota(order.begin(), order.end(), Index{0});
  for (Index epoch = 1; epoch <= config.epochs; ++epoch) {
    for (Index i = problem.samples(); i > 1; --i) std::swap(order[i - 1], order[state.draw(i)]);
    for (const Index i : order) {
      state.look_at(i, features.read(i, 1).data());
      step(state);
    }
    if (after_epoch && after_epoch(epoch, [&] { return state.W(); })) break;
  }
  return state.W();
}

}  // namespace bzscr
