#include "train/summary.h"

#include "base/spelling.h"

#include <fmt/format.h>

namespace bzscr::cli {
namespace {

std::string bytes_text(double bytes) {
  const char* units[] = {"B", "kB", "MB", "GB", "TB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string seconds_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.3g} ms", seconds * 1e3)
                        : fmt::format("{:.3g} s", seconds);
}

}  // namespace

std::string plan_text(const train::Plan& plan) {
  const train::MachineFigures& machine = plan.machine;
  std::string text =
      fmt::format("{}, {}, {}; {} on an embedding of {}\n",
                  counted(static_cast<std::uint64_t>(plan.samples), "sample"),
                  counted(static_cast<std::uint64_t>(plan.features), "feature"),
                  counted(static_cast<std::uint64_t>(plan.classes), "class"),
                  counted(static_cast<std::uint64_t>(plan.weak_models), "weak model"),
                  counted(static_cast<std::uint64_t>(plan.embedding), "dimension"));
  text += fmt::format("measured here with {} a process: {} a sample, {} between evaluations\n",
                      counted(static_cast<std::uint64_t>(machine.threads), "thread"),
                      seconds_text(machine.sample_seconds), seconds_text(machine.step_seconds));
  text += fmt::format("{}: latency {}, bandwidth {}/s\n\n",
                      machine.network_measured
                          ? "measured between these processes"
                          : "a usual network, not measured (mpirun -n 2 measures yours)",
                      seconds_text(machine.latency), bytes_text(machine.bandwidth));
  text += fmt::format("{:>9}  {:>10}  {:>10}  {:>10}  {:>10}  {:>13}  {:>8}  {:>12}\n", "processes",
                      "memory", "+ features", "evaluation", "messages", "communicating", "speed-up",
                      "weak scaling");
  for (const train::PlannedRun& run : plan.runs)
    text += fmt::format("{:>9}  {:>10}  {:>10}  {:>10}  {:>10}  {:>12.1f}%  {:>8.1f}  {:>11.1f}%\n",
                        run.processes, bytes_text(run.memory_bytes), bytes_text(run.feature_bytes),
                        seconds_text(run.seconds()), bytes_text(run.message_bytes),
                        100 * run.communication_seconds / run.seconds(), run.speedup,
                        100 * run.weak_efficiency);
  return text + fmt::format(R"(
worth using: up to {} (at least half of the time is useful). memory, features and messages are of one
process; an evaluation is a pass over the samples, of which a training takes some hundred; features stay
in the file where memory is short. weak scaling: the speed that is kept where each process has as many
samples as there are here in all
)",
                            plan.worth_using);
}

Json plan_json(const train::Plan& plan) {
  const train::MachineFigures& machine = plan.machine;
  Json runs = Json::array();
  for (const train::PlannedRun& run : plan.runs)
    runs.push_back(Json::object({{"processes", run.processes},
                                 {"memory_bytes", run.memory_bytes},
                                 {"feature_bytes", run.feature_bytes},
                                 {"message_bytes", run.message_bytes},
                                 {"compute_seconds", run.compute_seconds},
                                 {"communication_seconds", run.communication_seconds},
                                 {"seconds", run.seconds()},
                                 {"speedup", run.speedup},
                                 {"weak_efficiency", run.weak_efficiency}}));
  return Json::object({{"samples", plan.samples},
                       {"features", plan.features},
                       {"classes", plan.classes},
                       {"embedding_dimension", plan.embedding},
                       {"weak_models", plan.weak_models},
                       {"machine", Json::object({{"processes", machine.processes},
                                                 {"threads", machine.threads},
                                                 {"sample_seconds", machine.sample_seconds},
                                                 {"step_seconds", machine.step_seconds},
                                                 {"latency_seconds", machine.latency},
                                                 {"bandwidth_bytes_per_second", machine.bandwidth},
                                                 {"network_measured", machine.network_measured}})},
                       {"plan", runs},
                       {"worth_using", plan.worth_using}});
}

}  // namespace bzscr::cli
