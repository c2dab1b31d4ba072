// bzscr-train: parse, read, learn, write.

#include "base/atomic_file.h"
#include "bzscr_train/error.hpp"
#include "base/hexadecimal.h"
#include "cli/baseline_training.h"
#include "cli/checkpoint.h"
#include "cli/history.h"
#include "cli/interrupt.h"
#include "cli/libraries.h"
#include "cli/options.h"
#include "cli/plan.h"
#include "cli/progress.h"
#include "cli/training.h"
#include "comm/communicator.h"
#include "core/counters.h"
#include "data/content_hash.h"
#include "data/dataset.h"
#include "geometry/divergence.h"
#include "report/history.h"
#include "report/page.h"
#include "support/cli_support.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <omp.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <exception>

namespace bzscr {
namespace {

constexpr int kExitInterrupted = 130;

long peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

const char* sentence(Ending ending) {
  switch (ending) {
    case Ending::kConverged: return "converged";
    case Ending::kEarlyStopping: return "stopped early, as the validation error rose";
    case Ending::kIterationLimit: return "ended at the iteration limit";
    case Ending::kInterrupted: return "interrupted; this is the best model so far";
  }
  return "";
}

nlohmann::ordered_json split_as_json(const Dataset& data) {
  const Split split = split_of(data);
  return {{"hash", hexadecimal(split.hash)},
          {"training_samples", split.training_samples},
          {"test_seen_samples", split.test_seen_samples},
          {"unseen_samples", split.unseen_samples}};
}

nlohmann::ordered_json as_json(const TrainOptions& options, const Dataset& data,
                               const TrainingResult& result, std::size_t bytes, double seconds) {
  const TrainingRecord& record = result.model.record;
  nlohmann::ordered_json tried = nlohmann::ordered_json::array();
  for (const GridPoint& point : result.tried)
    tried.push_back({{"nu", point.nu},
                     {"beta", point.beta},
                     {"validation_error", point.validation_error},
                     {"weak_models", point.weak_models},
                     {"evaluations", point.evaluations}});
  return {{"model", options.output},
          {"model_bytes", bytes},
          {"method", record.method},
          {"solver", record.solver},
          {"nu", record.nu},
          {"beta", record.beta},
          {"ridge", record.ridge},
          {"tuned", record.tuned},
          {"tried", tried},
          {"validation_error", measured(record.validation_error)},
          {"seen_penalty", result.model.seen_penalty},
          {"validation_harmonic", measured(record.validation_harmonic)},
          {"objective", record.objective},
          {"lower_bound", record.lower_bound},
          {"relative_gap", record.relative_gap},
          {"weak_models", result.model.ensemble.w.size()},
          {"iterations", record.iterations},
          {"evaluations", result.evaluations},
          {"samples", record.samples},
          {"classes", data.class_names.size()},
          {"unseen_classes", data.partition.unseen.size()},
          {"split", split_as_json(data)},
          {"embedding", record.embedding_name},
          {"divergence", record.divergence},
          {"ending", sentence(result.ending)},
          {"seconds", seconds},
          {"seconds_training", result.seconds},
          {"peak_memory_bytes", peak_memory_bytes()},
          {"processes", rank_count()},
          {"bytes_communicated", counters().message_bytes},
          {"seconds_communicating", counters().waiting_seconds},
          {"seconds_in_passes", counters().pass_seconds}};
}

nlohmann::ordered_json as_json(const UnseenTest& test, const Dataset& data) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array(),
                         confusion = nlohmann::ordered_json::array();
  for (const Index r : test.classes) names.push_back(data.class_names[static_cast<std::size_t>(r)]);
  for (const auto& row : test.confusion.rowwise())
    confusion.push_back(std::vector<Index>(row.begin(), row.end()));
  return {{"samples", test.samples},
          {"error_rate", test.error_rate},
          {"mean_delta", test.mean_delta},
          {"per_class_top1", test.per_class_top1},
          {"classes", names},
          {"confusion", confusion}};
}

void print_data_set(const TrainOptions& options, const Dataset& data,
                    const TrainingRecord& record) {
  const Split split = split_of(data);
  fmt::print(
      "{}: {} samples of {} seen classes, {} unseen classes, {} features, embedding {} ({})\n",
      options.data, record.samples, split.seen_classes, split.unseen_classes, data.features.columns,
      record.embedding_name, data.embeddings.cols());
  fmt::print("{}\n", describe(split));
}

void print_penalty(const ModelFile& model) {
  if (model.record.validation_harmonic < 0) return;
  fmt::print(
      "beside unseen classes {:.4g} is taken off the scores of seen ones (harmonic mean of "
      "accuracies {:.3f} on held-out samples)\n",
      model.seen_penalty, model.record.validation_harmonic);
}

void print_summary(const TrainOptions& options, const Dataset& data, const TrainingResult& result,
                   std::size_t bytes, double seconds) {
  const TrainingRecord& record = result.model.record;
  print_data_set(options, data, record);
  if (record.tuned)
    fmt::print(
        "chosen on validation classes: nu {:g}, beta {:g} (per-class accuracy there {:.3f}; {} "
        "points tried)\n",
        record.nu, record.beta, 1 - record.validation_error, result.tried.size());
  fmt::print(
      "{}, {}: {} weak models, nu {:g}, beta {:g}, objective {:.6f} a sample, certified gap "
      "{:.1e}\n",
      record.method, sentence(result.ending), result.model.ensemble.w.size(), record.nu,
      record.beta, record.objective / static_cast<double>(record.samples), record.relative_gap);
  print_penalty(result.model);
  if (!result.correlation)
    fmt::print(
        "the correlation term is off: it needs at least two unseen classes; the device can still "
        "be given new ones\n");
  if (result.without_validation_classes)
    fmt::print(
        "interrupted before the run on all seen classes: the validation classes were left out\n");
  fmt::print("{}: {} bytes, in {:.1f} s ({} passes over the samples, peak memory {} MB)\n",
             options.output, bytes, seconds, result.evaluations, peak_memory_bytes() >> 20);
  if (rank_count() > 1)
    fmt::print(
        "{} processes of {} thread{}: each put {:.1f} MB together with the others', and waited "
        "{:.1f} s for them\n",
        rank_count(), omp_get_max_threads(), omp_get_max_threads() == 1 ? "" : "s",
        static_cast<double>(counters().message_bytes) / 1e6, counters().waiting_seconds);
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "bzscr-train: note: {}\n", note);
}

nlohmann::ordered_json as_json(const TrainOptions& options, const Dataset& data,
                               const BaselineResult& result, std::size_t bytes, double seconds) {
  const TrainingRecord& record = result.model.record;
  const auto named = [&](const Setting& setting) {
    nlohmann::ordered_json values = nlohmann::ordered_json::object();
    for (std::size_t j = 0; j < setting.size(); ++j)
      values[baseline_method(*options.baseline).parameters[j].name] = setting[j];
    return values;
  };
  nlohmann::ordered_json tried = nlohmann::ordered_json::array();
  for (const TriedSetting& one : result.tried) {
    tried.push_back(named(one.setting));
    tried.back()["validation_error"] = one.validation_error;
  }
  return {{"model", options.output},
          {"model_bytes", bytes},
          {"method", record.method},
          {"solver", record.solver},
          {"hyper_parameters", named(result.setting)},
          {"average", options.average},
          {"tuned", record.tuned},
          {"tried", tried},
          {"validation_error", measured(record.validation_error)},
          {"seen_penalty", result.model.seen_penalty},
          {"validation_harmonic", measured(record.validation_harmonic)},
          {"weak_models", result.model.ensemble.w.size()},
          {"samples", record.samples},
          {"classes", data.class_names.size()},
          {"unseen_classes", data.partition.unseen.size()},
          {"split", split_as_json(data)},
          {"embedding", record.embedding_name},
          {"divergence", record.divergence},
          {"seconds", seconds},
          {"seconds_training", result.seconds},
          {"peak_memory_bytes", peak_memory_bytes()}};
}

void print_summary(const TrainOptions& options, const Dataset& data, const BaselineResult& result,
                   std::size_t bytes, double seconds) {
  const TrainingRecord& record = result.model.record;
  print_data_set(options, data, record);
  if (record.tuned)
    fmt::print(
        "chosen on validation classes: {} (per-class accuracy there {:.3f}; {} settings tried)\n",
        record.hyper_parameters, 1 - record.validation_error, result.tried.size());
  fmt::print("{}, {}: rank {}, {}\n", record.method, record.solver, result.model.ensemble.w.size(),
             record.hyper_parameters);
  print_penalty(result.model);
  fmt::print("{}: {} bytes, in {:.1f} s (peak memory {} MB)\n", options.output, bytes, seconds,
             peak_memory_bytes() >> 20);
}

void write_report(const TrainOptions& options, const History& history) {
  const report::Run run = report::read_history(
      history.text(), options.history.empty() ? options.data : options.history);
  const std::string page = report::page({run}, std::nullopt);
  write_file_atomically(options.report, {page.begin(), page.end()});
}

int run(int argc, char** argv) {
  TrainOptions options;
  if (const auto code = parse_options(argc, argv, options)) return *code;
  if (options.baseline && rank_count() > 1)
    throw InputError(fmt::format(
        "--method {} is trained by one process; expected bzscr or boosting, or no mpirun",
        baseline_method(*options.baseline).word));
  const auto start = std::chrono::steady_clock::now();
  if (options.threads > 0) omp_set_num_threads(options.threads);
  const bool writes = rank() == 0;
  for (const std::string& file : {options.output, options.checkpoint, options.report})
    if (writes && !file.empty()) expect_writable(file);
  const Dataset data = read_dataset(
      options.data, {options.embedding, divergence_file(options.divergence), options.missing});
  print_notes(data.notes);
  const Divergence divergence = divergence_of(data, options.divergence, options.wordnet);
  print_notes(divergence.notes);

  if (options.plan) {
    const Plan planned = plan(data, divergence, options);
    fmt::print("{}", options.json ? json_of(planned) + "\n" : table_of(planned));
    return 0;
  }

  catch_interrupts();
  watch_for_stop(interrupted);
  History history(writes ? options.history : "", options.resume);
  ProgressLog log(options.quiet, history);
  const auto finish = [&](const auto& result) {
    const std::vector<std::uint8_t> bytes = serialise_model(result.model);
    if (writes) write_file_atomically(options.output, bytes);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const nlohmann::ordered_json summary = as_json(options, data, result, bytes.size(), seconds);
    history.add(
        {{"phase", "result"},
         {"result", summary},
         {"unseen", result.unseen ? as_json(*result.unseen, data) : nlohmann::ordered_json()}});
    if (writes && !options.report.empty()) write_report(options, history);
    if (options.json)
      fmt::print("{}\n", summary.dump());
    else
      print_summary(options, data, result, bytes.size(), seconds);
  };
  if (options.baseline) {
    finish(train_baseline(data, divergence, options, history, log));
    return 0;
  }
  Checkpoint checkpoint(options, data);
  const TrainingResult result = train(data, divergence, options, history, log, checkpoint);
  finish(result);
  const bool stopped = result.ending == Ending::kInterrupted;
  if (!stopped) checkpoint.remove();
  return stopped ? kExitInterrupted : 0;
}

}  // namespace
}  // namespace bzscr

int main(int argc, char** argv) try {
  bzscr::prepare_libraries(argv);
  bzscr::start_processes();
  const int code = bzscr::run(argc, argv);
  bzscr::end_processes();
  return code;
} catch (const bzscr::InputError& error) {
  bzscr::abort_all(fmt::format("bzscr-train: {}", error.what()),
                   bzscr::interrupted() || bzscr::stop_agreed() ? bzscr::kExitInterrupted
                                                                : bzscr::cli::kExitBadInput);
} catch (const std::bad_alloc&) {
  bzscr::abort_all("bzscr-train: out of memory", 1);
} catch (const std::exception& error) {
  bzscr::abort_all(fmt::format("bzscr-train: {} (this is a bug)", error.what()), 1);
}
