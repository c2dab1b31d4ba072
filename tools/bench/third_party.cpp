// Its own namespace for Eigen: a function of it compiled here for another instruction set could be
// the copy that the linker keeps for everyone.
#define Eigen EigenOfThisMachine
#include <Eigen/Core>

#include "bench/third_party.h"

#include <cblas.h>
#include <omp.h>

#include <limits>
#include <memory>
#include <stdexcept>

#if defined(BZSCR_BENCH_XNNPACK)
#include <xnnpack.h>
#endif
#if defined(BZSCR_BENCH_ONEDNN)
#include <oneapi/dnnl/dnnl.hpp>
#endif

namespace bzscr {
namespace {

ThirdParty eigen(const float* P, const float* x, float* scores, std::size_t C, std::size_t m) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(C), columns = static_cast<Eigen::Index>(m);
  return {"eigen", [=] {
            Eigen::Map<Eigen::VectorXf>(scores, rows).noalias() =
                Eigen::Map<const Matrix, Eigen::Aligned64>(P, rows, columns) *
                Eigen::Map<const Eigen::VectorXf, Eigen::Aligned64>(x, columns);
          }};
}

ThirdParty openblas(const float* P, const float* x, float* scores, std::size_t C, std::size_t m) {
  const auto rows = static_cast<int>(C), columns = static_cast<int>(m);
  return {"openblas", [=] {
            cblas_sgemv(CblasRowMajor, CblasNoTrans, rows, columns, 1.0f, P, columns, x, 1, 0.0f,
                        scores, 1);
          }};
}

#if defined(BZSCR_BENCH_XNNPACK)

using Operator = std::unique_ptr<xnn_operator, xnn_status (*)(xnn_operator_t)>;

Operator fully_connected(const float* P, std::size_t C, std::size_t m) {
  xnn_operator_t made = nullptr;
  const float infinity = std::numeric_limits<float>::infinity();
  if (xnn_initialize(nullptr) != xnn_status_success ||
      xnn_create_fully_connected_nc_f32(m, C, m, C, P, nullptr, -infinity, infinity, 0, &made) !=
          xnn_status_success)
    throw std::runtime_error("XNNPACK makes no operator");
  return {made, xnn_delete_operator};
}

ThirdParty xnnpack(const float* P, const float* x, float* scores, std::size_t C, std::size_t m) {
  const std::shared_ptr<xnn_operator> op = fully_connected(P, C, m);
  if (xnn_setup_fully_connected_nc_f32(op.get(), 1, x, scores, nullptr) != xnn_status_success)
    throw std::runtime_error("XNNPACK takes no input");
  return {"xnnpack", [op] { xnn_run_operator(op.get(), nullptr); }};
}

#endif

#if defined(BZSCR_BENCH_ONEDNN)

ThirdParty onednn(const float* P, const float* x, float* scores, std::size_t C, std::size_t m) {
  using namespace dnnl;
  using tag = memory::format_tag;
  const auto type = memory::data_type::f32;
  const auto rows = static_cast<memory::dim>(C), columns = static_cast<memory::dim>(m);
  struct State {
    engine cpu{engine::kind::cpu, 0};
    stream queue{cpu};
    memory weights, input, output;
    inner_product_forward product;
  };
  const auto state = std::make_shared<State>();
  const memory::desc input({1, columns}, type, tag::ab), output({1, rows}, type, tag::ab);
  const inner_product_forward::primitive_desc choice(
      inner_product_forward::desc(prop_kind::forward_inference, input,
                                  memory::desc({rows, columns}, type, tag::any), output),
      state->cpu);
  memory plain({{rows, columns}, type, tag::ab}, state->cpu, const_cast<float*>(P));
  state->weights = memory(choice.weights_desc(), state->cpu);
  reorder(plain, state->weights).execute(state->queue, plain, state->weights);
  state->queue.wait();
  state->input = memory(input, state->cpu, const_cast<float*>(x));
  state->output = memory(output, state->cpu, scores);
  state->product = inner_product_forward(choice);
  return {"onednn", [state] {
            state->product.execute(state->queue, {{DNNL_ARG_SRC, state->input},
                                                  {DNNL_ARG_WEIGHTS, state->weights},
                                                  {DNNL_ARG_DST, state->output}});
            state->queue.wait();
          }};
}

#endif

}  // namespace

std::vector<ThirdParty> third_party_products(const float* P, const float* x, float* scores,
                                             std::size_t C, std::size_t m) {
  openblas_set_num_threads(1);
  omp_set_num_threads(1);
  std::vector<ThirdParty> all = {eigen(P, x, scores, C, m), openblas(P, x, scores, C, m)};
#if defined(BZSCR_BENCH_XNNPACK)
  all.push_back(xnnpack(P, x, scores, C, m));
#endif
#if defined(BZSCR_BENCH_ONEDNN)
  all.push_back(onednn(P, x, scores, C, m));
#endif
  return all;
}

void recreate_xnnpack([[maybe_unused]] const float* P, [[maybe_unused]] std::size_t C,
                      [[maybe_unused]] std::size_t m) {
#if defined(BZSCR_BENCH_XNNPACK)
  fully_connected(P, C, m);
#endif
}

}  // namespace bzscr
