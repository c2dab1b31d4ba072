#include "bench/training_report.h"

#include "base/json.h"
#include "core/products.h"

#include <fmt/format.h>

#include <optional>

namespace bzscr::bench {
namespace {

Json json_of(const Report& report, const Cost& cost, const char* kind) {
  const Figures figures(cost, report.threads, report.peak);
  return Json::object({{kind, cost.name},
                       {"evaluations", cost.evaluations},
                       {"seconds", cost.seconds},
                       {"gflops", figures.gflops()},
                       {"gflops_in_products", figures.gflops_in_products()},
                       {"share_of_peak", figures.share_of_peak()},
                       {"share_of_peak_in_products", figures.share_of_peak_in_products()},
                       {"share_in_products", figures.products()},
                       {"share_in_losses", figures.losses()},
                       {"feature_bytes", cost.spent.feature_bytes},
                       {"gbytes_per_second", figures.gbytes_per_second()},
                       {"peak_memory_bytes", cost.memory}});
}

void print_table(const Report& report, const char* title, const std::vector<Cost>& costs,
                 const char* unit, double scale) {
  const auto number = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.1f}", *value) : "-";
  };
  const auto percent = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}%", 100 * *value) : "-";
  };
  fmt::print(
      "\n{:<19} {:>6} {:>10} | {:>8} {:>5} | {:>11} {:>5} | {:>8} {:>6} | {:>8} {:>6} {:>9}\n",
      title, "passes", unit, "GFLOP/s", "peak", "in products", "peak", "products", "losses",
      "MB read", "GB/s", "memory MB");
  for (const Cost& cost : costs) {
    const Figures figures(cost, report.threads, report.peak);
    fmt::print(
        "{:<19} {:>6} {:>10.3f} | {:>8} {:>5} | {:>11} {:>5} | {:>8} {:>6} | {:>8} {:>6} {:>9}\n",
        cost.name, cost.evaluations, cost.seconds * scale, number(figures.gflops()),
        percent(figures.share_of_peak()), number(figures.gflops_in_products()),
        percent(figures.share_of_peak_in_products()), percent(figures.products()),
        percent(figures.losses()), number(static_cast<double>(cost.spent.feature_bytes) / 1e6),
        number(figures.gbytes_per_second()), cost.memory >> 20);
  }
}

}  // namespace

void print_json(const Report& report) {
  Json phases = Json::array(), passes = Json::array();
  for (const Cost& phase : report.phases) phases.push_back(json_of(report, phase, "phase"));
  for (const Cost& pass : report.passes) passes.push_back(json_of(report, pass, "pass"));
  const Json out = Json::object({{"data", report.data},
                                 {"embedding", report.embedding},
                                 {"samples", report.samples},
                                 {"features", report.features},
                                 {"seen_classes", report.seen},
                                 {"target_classes", report.targets},
                                 {"method", report.method},
                                 {"solver", report.solver},
                                 {"nu", report.nu},
                                 {"beta", report.beta},
                                 {"threads", report.threads},
                                 {"product_kernel", product_kernel()},
                                 {"peak_gflops", report.peak},
                                 {"weak_models", report.weak_models},
                                 {"relative_gap", report.relative_gap},
                                 {"evaluations", report.evaluations()},
                                 {"phases", phases},
                                 {"passes", passes}});
  fmt::print("{}\n", out.text());
}

void print_text(const Report& report) {
  fmt::print(
      "data      {}: {} samples, {} features, {} seen and {} target classes, embedding '{}'\n",
      report.data, report.samples, report.features, report.seen, report.targets, report.embedding);
  fmt::print(
      "training  {}, {}, nu {:g}, beta {:g}: {} weak models, certified gap {:.1e}, {} passes over "
      "the samples\n",
      report.method, report.solver, report.nu, report.beta, report.weak_models, report.relative_gap,
      report.evaluations());
  fmt::print(
      "machine   {} thread{}, {:.1f} GFLOP/s in single-precision matrix products; products of "
      "blocks by {}\n",
      report.threads, report.threads == 1 ? "" : "s", report.peak, product_kernel());
  print_table(report, "phase", report.phases, "seconds", 1);
  print_table(report, "one pass", report.passes, "ms", 1e3);
  fmt::print(
      "\npeak: share of the machine's. in products: while they run, were all threads at them. "
      "products, losses: shares of\n"
      "the threads' time in passes. Passes are those that bzscr-train counts; flops and bytes are "
      "of all there are.\n");
}

}  // namespace bzscr::bench
