// bzscr-inspect: checks a model as a device would, and says what is in it.
#include "inspect/model_json.h"
#include "support/command_line.h"
#include "support/model_file.h"
#include "support/program.h"
#include "support/tables.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace bzscr;
using cli::ModelClass;
using cli::ModelDescription;
using cli::ModelFile;
using cli::TrainingRecord;

struct Options {
  std::string model, form = "auto", storage = "float32";
  bool json = false;
  std::uint32_t class_capacity = 0, name_bytes = 0;
};

template <class... Values>
void line(const char* label, fmt::format_string<Values...> format, Values&&... values) {
  fmt::print("  {:<16}{}\n", label,
             cli::printable(fmt::format(format, std::forward<Values>(values)...)));
}

std::string count_of(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

const char* scaling_text(bzscr_rt_scaling scaling) {
  switch (scaling) {
    case BZSCR_RT_SCALING_UNIT: return "scaled to unit length";
    case BZSCR_RT_SCALING_CENTRE_UNIT: return "centred, then scaled to unit length";
    case BZSCR_RT_SCALING_STANDARD: return "standardised one by one, then scaled to unit length";
    default: return "taken as they are";
  }
}

const char* score_text(const std::string& form) {
  return form == "cosine" ? "cosine: the row of a class is divided by its length"
         : form == "half" ? "half: the row of a class is divided by the square root of its length"
                          : "plain: the product of the features and the row of a class";
}

void print_teaching(const ModelDescription& model) {
  if (!model.teaching) return line("teaching", "the model cannot be taught");
  const cli::TeachingRule& rule = *model.teaching;
  line("teaching", "n samples of a class weigh a = n / (n + {:g}) against its embedding; {:g} a is",
       rule.blend, rule.offset);
  line("", "subtracted from its scores");
  std::string taught;
  for (const auto& [shots, accuracy] : rule.accuracy)
    taught += fmt::format("{}{}: {:.3f}", taught.empty() ? "" : ", ", shots, accuracy);
  if (!taught.empty()) line("", "accuracy on validation classes, by number of samples: {}", taught);
}

// Names of seen or of unseen classes, wrapped; a table of thousands is for --json.
void print_names(const char* label, const ModelDescription& model, bool seen) {
  constexpr std::size_t kMost = 60, kWidth = 80;
  std::string row;
  std::size_t shown = 0;
  for (const ModelClass& one : model.classes) {
    if (one.seen != seen) continue;
    if (shown++ == kMost) {
      row += ", ... (--json lists all)";
      break;
    }
    if (!row.empty() && row.size() + one.name.size() > kWidth) {
      line(label, "{},", row);
      row.clear();
      label = "";
    }
    row += (row.empty() ? "" : ", ") + one.name;
  }
  if (!row.empty()) line(label, "{}", row);
}

void print_training(const TrainingRecord& record) {
  fmt::print("\nTraining\n");
  line("method", "{}, solver {}, divergence {}", record.method, record.solver, record.divergence);
  const char* choice = record.tuned ? "chosen on validation classes" : "as given";
  if (!record.hyper_parameters.empty()) {
    line("parameters", "{}, {}", record.hyper_parameters, choice);
    line("samples", "{}", record.samples);
  } else {
    line("parameters", "nu {:g}, beta {:g}{} per sample, {}", record.nu, record.beta,
         record.ridge > 0 ? fmt::format(", ridge {:g}", record.ridge) : "", choice);
    if (!record.base.empty() && record.base != "none") line("base", "{}", record.base);
    line("objective", "{:.9g}, at least {:.9g} for any model: within {:.2g} of the best",
         record.objective, record.lower_bound, record.relative_gap);
    line("samples", "{}, {:.1f}% of them selected in the end", record.samples,
         100 * record.final_share);
  }
  if (record.validation_error)
    line("validation", "error {:.4f}, per class", *record.validation_error);
  line("iterations", "{}, seed {}", record.iterations, record.seed);
  line("data", "hash {}", record.data_hash);
  line("program", "{}", record.program);
}

void print_text(const ModelFile& file, const ModelDescription& model, const bzscr_rt_info& info) {
  fmt::print("{}: sound, {} bytes, format {}, {}\n", file.path(), file.size(), model.format_version,
             model.is_signed ? "signed" : "not signed");
  const TrainingRecord record = model.record();
  const std::vector<std::uint32_t>& parts = model.embedding_parts;

  fmt::print("\nModel\n");
  line("features", "{}, {}{}", count_of(model.features, "value", "values"),
       scaling_text(model.feature_scaling), model.features_centred ? ", then centred" : "");
  line("embeddings", "{}{}{} {}", record.embedding.empty() ? "" : record.embedding + ": ",
       count_of(model.embedding_dimension, "value", "values"),
       parts.size() == 1 ? "," : fmt::format(" in parts of {}, each", fmt::join(parts, " and ")),
       scaling_text(model.embedding_scaling));
  line("weak models", "{}{}", model.weak_models,
       model.directions > 0 ? fmt::format(", and {} of the features that only taught classes use",
                                          count_of(model.directions, "direction", "directions"))
                            : "");
  line("score", "{}", score_text(model.score));
  line("own part", "{}", model.own_part ? "of each seen class, beside its embedding" : "none");
  line("seen penalty", "{:g}{}", model.seen_penalty,
       record.validation_harmonic
           ? fmt::format(", chosen on held-out samples and classes (harmonic mean {:.4f} there)",
                         *record.validation_harmonic)
           : "");
  print_teaching(model);
  fmt::print("\nClasses: {}, {} seen and {} unseen\n", model.classes.size(), model.seen_classes(),
             model.classes.size() - model.seen_classes());
  print_names("seen", model, true);
  print_names("unseen", model, false);
  if (model.training)
    print_training(*model.training);
  else
    fmt::print("\nTraining: the file has no record of it\n");

  fmt::print("\nOn a device\n");
  line("arena", "{} bytes, with room for {} of at most {} bytes a name", info.arena_bytes,
       count_of(info.class_capacity, "class", "classes"), info.name_bytes - 1);
  line("scratch", "{} bytes for each thread that scores beside others", info.scratch_bytes);
  line("form", "{}, {}, {} kernel", info.form_name, info.storage_name, info.kernel_name);
}

int run(const Options& options) {
  const ModelFile file(options.model);
  bzscr_rt_config config{};
  config.class_capacity = options.class_capacity;
  config.name_bytes = options.name_bytes;
  config.form = cli::form_of(options.form);
  config.storage = cli::storage_of(options.storage);
  const bzscr_rt_info info = file.open(config).info();
  if (options.json)
    fmt::print("{}\n", cli::model_json(file, file.describe(), info).text());
  else
    print_text(file, file.describe(), info);
  return cli::kExitDone;
}

void describe_options(CLI::App& app, Options& options) {
  app.add_option("MODEL", options.model, "model file (.bzscr)")->required();
  app.add_flag("--json", options.json, "print one JSON object instead of text");
  const std::string group = "On a device (changes what is said of the arena)";
  app.add_option("--capacity", options.class_capacity,
                 "most classes at any one time; default 0: as many as the model holds")
      ->type_name("N")
      ->group(group);
  app.add_option("--name-bytes", options.name_bytes,
                 "room for each name with its zero; default 0: enough, at least 32")
      ->type_name("N")
      ->group(group);
  app.add_option("--form", options.form,
                 "how scores are computed; default auto: the cheapest query")
      ->check(cli::one_of(cli::form_words()))
      ->group(group);
  app.add_option("--storage", options.storage, "how class values are kept; default float32")
      ->check(cli::one_of(cli::storage_words()))
      ->group(group);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  return cli::run_program(
      {"bzscr-inspect", "Checks a BZ-SCR model as a device would, and says what is in it."}, argc,
      argv, [&](CLI::App& app) { describe_options(app, options); }, [&] { return run(options); });
}
