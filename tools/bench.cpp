// bzscr-bench: how fast a model is scored on this machine, in every form and storage and by every
// kernel.
#include "base/json.h"
#include "bench/scoring_speed.h"
#include "support/command_line.h"
#include "support/program.h"
#include "support/tables.h"

#include <fmt/format.h>

#include <bzscr_train/error.hpp>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using cli::ModelFile;
using cli::Speed;

struct Options {
  std::string model, form, storage, kernel;
  cli::SpeedOptions speed;
  bool json = false;
};

std::vector<std::string> forms() {
  return {cli::form_words().begin() + 1, cli::form_words().end()};  // all but auto
}

/// The rows asked for, each as soon as it is known.
void measure_all(const Options& options, const ModelFile& file,
                 const std::function<void(const Speed&)>& show) {
  const auto wanted = [](const std::string& asked, const std::string& name) {
    return asked.empty() || asked == name;
  };
  bool any = false;
  for (const std::string& form : forms())
    for (const std::string& storage : cli::storage_words())
      for (std::uint32_t k = 0; const char* kernel = bzscr_rt_kernel_name(k); ++k) {
        if (!wanted(options.form, form) || !wanted(options.storage, storage) ||
            !wanted(options.kernel, kernel))
          continue;
        bzscr_rt_config config{};
        config.form = cli::form_of(form);
        config.storage = cli::storage_of(storage);
        config.kernel = kernel;
        any = true;
        show(measure_speed(file, config, options.speed));
      }
  if (!any)
    throw InputError(fmt::format("no kernel '{}' that this processor can run", options.kernel));
}

// JSON

Json row_json(const Speed& row) {
  return Json::object({{"form", row.info.form_name},
                       {"storage", row.info.storage_name},
                       {"kernel", row.info.kernel_name},
                       {"p50_us", row.p50},
                       {"p90_us", row.p90},
                       {"p99_us", row.p99},
                       {"worst_us", row.worst},
                       {"queries", row.queries},
                       {"batch_us", row.batch},
                       {"add_class_us", row.change},
                       {"bytes_per_query", row.bytes},
                       {"bytes_per_second", row.rate},
                       {"read_bytes_per_second", row.ceiling},
                       {"arena_bytes", row.info.arena_bytes},
                       {"changes_meanwhile", row.changes}});
}

void print_json(const Options& options, const ModelFile& file, double verified) {
  Json rows = Json::array();
  bzscr_rt_info info{};
  measure_all(options, file,
              [&](const Speed& row) { info = row.info, rows.push_back(row_json(row)); });
  const Json out = Json::object({{"model", options.model},
                                 {"features", info.feature_dimension},
                                 {"embedding_dimension", info.embedding_dimension},
                                 {"weak_models", info.weak_models},
                                 {"classes", info.classes},
                                 {"length", options.speed.length},
                                 {"batch", options.speed.batch},
                                 {"verified_bytes_per_second", verified},
                                 {"rows", rows}});
  fmt::print("{}\n", out.text());
}

// Text

cli::Table table_for(const Options& options) {
  using Column = cli::Table::Column;
  constexpr auto kLeft = cli::Table::Align::kLeft, kRight = cli::Table::Align::kRight;
  std::vector<Column> columns = {{"form", kLeft, 10}, {"storage", kLeft, 7}, {"kernel", kLeft, 12}};
  for (const char* title : {"p50", "p90", "p99", "worst", "batch"})
    columns.push_back({title, kRight, 8});
  columns.insert(columns.end(), {{"add", kRight, 7},
                                 {"bytes read", kRight, 10},
                                 {"GB/s", kRight, 6},
                                 {"ceiling", kRight, 7},
                                 {"arena bytes", kRight, 11}});
  if (options.speed.writer) columns.push_back({"changes", kRight, 8});
  return cli::Table(std::move(columns));
}

std::vector<std::string> cells_of(const Speed& row, const Options& options) {
  const auto time = [](double microseconds) { return fmt::format("{:.1f}", microseconds); };
  return {row.info.form_name,
          row.info.storage_name,
          row.info.kernel_name,
          time(row.p50),
          time(row.p90),
          time(row.p99),
          time(row.worst),
          options.speed.batch > 1 ? time(row.batch) : "-",
          time(row.change),
          fmt::format("{:.0f}", row.bytes),
          fmt::format("{:.1f}", row.rate / 1e9),
          fmt::format("{:.0f}%", 100 * row.rate / row.ceiling),
          std::to_string(row.info.arena_bytes),
          options.speed.writer ? std::to_string(row.changes) : ""};
}

void print_text(const Options& options, const ModelFile& file, double verified) {
  const cli::Table table = table_for(options);
  fmt::print("{}: {} bytes, verified at {:.2f} GB/s\n\n", options.model, file.size(),
             verified / 1e9);
  fmt::print("{:33} microseconds a query\n{}", "", table.heading_line());
  measure_all(options, file, [&](const Speed& row) {
    fmt::print("{}", table.line(cells_of(row, options)));
    std::fflush(stdout);
  });
}

int run(const Options& options) {
  const ModelFile file(options.model);
  const double verified = cli::verification_speed(file, options.speed.seconds);
  if (options.json)
    print_json(options, file, verified);
  else
    print_text(options, file, verified);
  return cli::kExitDone;
}

void describe_options(CLI::App& app, Options& options) {
  app.add_option("MODEL", options.model, "model file (.bzscr)")->required();
  app.add_option("--classes", options.speed.classes,
                 "classes in the table; default 0: as many as the model holds")
      ->type_name("N");
  app.add_option("--length", options.speed.length, "best classes to find; default 10")
      ->check(CLI::Range(1, 1000));
  app.add_option("--batch", options.speed.batch,
                 "samples that share a pass over the classes, 1: no batches; default 16")
      ->check(CLI::Range(1, 16));
  app.add_option("--seconds", options.speed.seconds, "for each measurement; default 0.3")
      ->check(CLI::Range(0.001, 100.0));
  app.add_option("--form", options.form, "only this form")->check(cli::one_of(forms()));
  app.add_option("--storage", options.storage, "only this storage")
      ->check(cli::one_of(cli::storage_words()));
  app.add_option("--kernel", options.kernel, "only this kernel, such as scalar")->type_name("NAME");
  app.add_flag("--writer", options.speed.writer,
               "another thread adds and removes a class meanwhile, as fast as it can");
  app.add_flag("--json", options.json, "print one JSON object instead of text");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return cli::run_program(
      {"bzscr-bench",
       "Times a model on this machine: one thread, one query after the other, the best classes "
       "included.\nFeatures are random; classes beyond the model's own are random too."},
      argc, argv, [&](CLI::App& app) { describe_options(app, options); },
      [&] { return run(options); });
}
