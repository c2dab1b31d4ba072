// bzscr-train: trains a zero-shot classifier on a data set, for a device.

#include "train/train.h"

#include "base/atomic_file.h"
#include "support/files.h"
#include "support/interrupt.h"
#include "support/program.h"
#include "support/training_progress.h"
#include "train/options.h"
#include "train/summary.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

namespace bzscr::cli {
namespace {

void write_report(const TrainOptions& options, const std::string& history) {
  const std::string name = options.fit.history.empty() ? options.data : options.fit.history;
  const std::string page = train::report_page({{name, history}}, std::nullopt).html;
  try {
    write_file_atomically(options.report, {page.begin(), page.end()});
  } catch (const InputError& error) {
    throw InputError(Place{},
                     fmt::format("{}; the model was written to {}", error.what(), options.output),
                     "", ErrorKind::kSystem);
  }
}

// The training has ended: a history that cannot take its last line is noted, and the model stays.
// One that is shorter than it should be has been noted already, when it could not be written.
void append_result(const std::string& path, std::size_t written, const std::string& line) {
  std::error_code unknown;
  if (std::filesystem::file_size(path, unknown) != written || unknown) return;
  std::ofstream out(path, std::ios::app);
  if (!(out << line << std::flush))
    cli::print_error(
        fmt::format("bzscr-train: history {}: cannot be written; its result is missing\n", path));
}

}  // namespace

int run_train(int argc, char** argv, const Ranks& ranks) {
  TrainOptions options;
  if (const auto code = parse_train_options(argc, argv, options)) return *code;
  const auto start = std::chrono::steady_clock::now();
  const std::string& checkpoint = options.fit.checkpoint;
  expect_distinct({options.data, options.read.divergence},
                  {options.output, options.fit.history, options.report, checkpoint,
                   checkpoint.empty() ? "" : checkpoint + ".previous"});
  const bool writes = ranks.rank == 0;
  for (const std::string& file : {options.output, checkpoint, options.report})
    if (writes && !file.empty()) expect_writable(file);

  train::Context context;
  context.threads = options.threads;
  context.communicator = ranks.communicator;
  const train::Dataset data = train::Dataset::read(options.data, options.read, context);
  for (const std::string& note : data.notes()) cli::print_note("bzscr-train", note);
  if (options.plan) {
    const train::Plan planned = train::plan(data, data.partition(), options.fit, context);
    fmt::print("{}", options.json ? plan_json(planned).text() + "\n" : plan_text(planned));
    return kExitDone;
  }

  catch_interrupts();
  context.stop = interrupted;
  TrainingProgress progress("bzscr-train", options.quiet);
  context.events = &progress;
  const train::Model model = train::fit(data, data.partition(), options.fit, context);
  if (writes) write_file_atomically(options.output, model.serialise());

  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const int threads =
      options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  const TrainedRun run{options, data, model, seconds, ranks.size, threads};
  const std::string last = result_line(run).text() + "\n";
  if (writes && !options.fit.history.empty())
    append_result(options.fit.history, model.history.size(), last);
  if (writes && !options.report.empty()) write_report(options, model.history + last);
  const bool interrupted = model.ending == train::Ending::kInterrupted;
  if (writes && !interrupted && !checkpoint.empty()) train::remove_checkpoint(checkpoint);
  fmt::print("{}", options.json ? summary_json(run).text() + "\n" : summary_text(run));
  return interrupted ? kExitInterrupted : kExitDone;
}

}  // namespace bzscr::cli
