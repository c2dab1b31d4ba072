// bzscr-inspect: checks a model as a device would, and says what is in it.
#include "support/cli_support.h"
#include "support/command_line.h"

#include <bzscr_rt/bzscr_rt.h>
#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/model_generated.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using bzscr::cli::AlignedFile;
using nlohmann::ordered_json;

constexpr const char* kForms[] = {"auto", "prototypes", "factors",
                                  "dense"};  // in the order of bzscr_rt_form

struct Options {
  std::string model;
  bool json = false;
  std::uint32_t class_capacity = 0;
  std::uint32_t name_bytes = 0;
  std::string form = kForms[BZSCR_RT_FORM_AUTO];
  std::string storage = bzscr::cli::kStorages[BZSCR_RT_STORAGE_FLOAT32];
};

struct ClassEntry {
  std::uint32_t id;
  std::string name;
  bool seen;
};

/// All that either output says.
struct Description {
  std::string path;
  std::size_t file_bytes;
  unsigned format_version;
  bool is_signed;
  bzscr_rt_info info;
  std::vector<ClassEntry> classes;
  const bzscr::format::Training* training;     ///< null if the file has no record
  std::vector<std::uint32_t> embedding_parts;  ///< lengths of what is scaled each on its own

  std::size_t seen_classes() const {
    return static_cast<std::size_t>(std::count_if(classes.begin(), classes.end(),
                                                  [](const ClassEntry& one) { return one.seen; }));
  }
};

// Reading

void require(bzscr_rt_status status, const std::string& path) {
  if (status != BZSCR_RT_OK) throw std::runtime_error(path + ": " + bzscr_rt_status_text(status));
}

std::vector<ClassEntry> list_classes(const bzscr_rt* handle, std::size_t name_bytes,
                                     const std::string& path) {
  std::vector<ClassEntry> classes;
  std::string name(name_bytes, '\0');
  for (std::uint32_t index = 0; index < bzscr_rt_class_count(handle); ++index) {
    std::uint32_t id = 0;
    std::int32_t seen = 0;
    require(bzscr_rt_class_id(handle, index, &id), path);
    require(bzscr_rt_class_name(handle, id, name.data(), name.size()), path);
    require(bzscr_rt_class_seen(handle, id, &seen), path);
    classes.push_back({id, name.c_str(), seen != 0});
  }
  return classes;
}

bzscr_rt_form form_code(const std::string& word) {
  return static_cast<bzscr_rt_form>(std::find(std::begin(kForms), std::end(kForms), word) -
                                    std::begin(kForms));
}

bzscr_rt_storage storage_code(const std::string& word) {
  return static_cast<bzscr_rt_storage>(
      std::find(std::begin(bzscr::cli::kStorages), std::end(bzscr::cli::kStorages), word) -
      std::begin(bzscr::cli::kStorages));
}

auto arena_memory(std::size_t bytes) {
  try {
    return bzscr::cli::aligned_memory(bytes);
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(
        fmt::format("an arena of {} bytes is more than there is memory for", bytes));
  }
}

Description describe(const Options& options, const AlignedFile& file) {
  bzscr_rt_config config{};
  config.struct_size = sizeof config;
  config.model = file.bytes.get();
  config.model_bytes = file.size;
  config.class_capacity = options.class_capacity;
  config.name_bytes = options.name_bytes;
  config.form = form_code(options.form);
  config.storage = storage_code(options.storage);
  require(bzscr_rt_arena_bytes(&config, &config.arena_bytes), options.model);
  const auto arena = arena_memory(config.arena_bytes);
  config.arena = arena.get();
  bzscr_rt* handle = nullptr;
  require(bzscr_rt_open(&config, &handle), options.model);

  Description description{};
  description.path = options.model;
  description.file_bytes = file.size;
  description.info.struct_size = sizeof description.info;
  require(bzscr_rt_describe(handle, &description.info), options.model);
  description.classes = list_classes(handle, description.info.name_bytes, options.model);

  // Verified by now; the runtime has no use for these, so they are not in its interface.
  const auto* envelope = bzscr::format::GetEnvelope(file.bytes.get());
  description.format_version = envelope->format_version();
  description.is_signed = envelope->signature() != nullptr;
  const auto* model = bzscr::format::GetModel(envelope->payload()->data());
  description.training = model->training();
  if (const auto* parts = model->transform()->embedding_parts())
    description.embedding_parts.assign(parts->begin(), parts->end());
  else
    description.embedding_parts = {model->embedding_dimension()};
  return description;
}

// Words for values

std::string text_of(const flatbuffers::String* text) { return text != nullptr ? text->str() : ""; }

std::string scaling_word(bzscr_rt_scaling scaling) {
  switch (scaling) {
    case BZSCR_RT_SCALING_UNIT: return "unit";
    case BZSCR_RT_SCALING_CENTRE_UNIT: return "centre-unit";
    default: return "none";
  }
}

std::string scaling_sentence(bzscr_rt_scaling scaling) {
  switch (scaling) {
    case BZSCR_RT_SCALING_UNIT: return "scaled to unit length";
    case BZSCR_RT_SCALING_CENTRE_UNIT: return "centred, then scaled to unit length";
    default: return "taken as they are";
  }
}

std::string hexadecimal(const flatbuffers::Vector<std::uint8_t>* bytes) {
  return bytes != nullptr ? bzscr::cli::hexadecimal(bytes->data(), bytes->size()) : "";
}

// JSON

// Null where the file has no record.
template <class Value>
ordered_json recorded(const Description& description,
                      Value (*value)(const bzscr::format::Training&)) {
  if (description.training == nullptr) return nullptr;
  return value(*description.training);
}

ordered_json to_json(const Description& description) {
  using Training = bzscr::format::Training;
  const bzscr_rt_info& info = description.info;
  const auto text = [&](const flatbuffers::String* (*field)(const Training&)) -> ordered_json {
    if (description.training == nullptr || field(*description.training) == nullptr) return nullptr;
    return field(*description.training)->str();
  };
  ordered_json classes = ordered_json::array();
  for (const ClassEntry& one : description.classes)
    classes.push_back({{"id", one.id}, {"name", one.name}, {"seen", one.seen}});

  ordered_json json;
  json["file"] = description.path;
  json["file_bytes"] = description.file_bytes;
  json["format_version"] = description.format_version;
  json["signed"] = description.is_signed;
  json["features"] = info.feature_dimension;
  json["feature_scaling"] = scaling_word(info.feature_scaling);
  json["embedding"] = text([](const Training& t) { return t.embedding_name(); });
  json["embedding_dimension"] = info.embedding_dimension;
  json["embedding_parts"] = description.embedding_parts;
  json["embedding_scaling"] = scaling_word(info.embedding_scaling);
  json["weak_models"] = info.weak_models;
  json["classes"] = description.classes.size();
  json["seen_classes"] = description.seen_classes();
  json["unseen_classes"] = description.classes.size() - description.seen_classes();
  json["seen_penalty"] = info.seen_penalty;
  json["method"] = text([](const Training& t) { return t.method(); });
  json["solver"] = text([](const Training& t) { return t.solver(); });
  json["divergence"] = text([](const Training& t) { return t.divergence(); });
  json["nu"] = recorded<double>(description, [](const Training& t) { return t.nu(); });
  json["ridge"] = recorded<double>(description, [](const Training& t) { return t.ridge(); });
  json["beta"] = recorded<double>(description, [](const Training& t) { return t.beta(); });
  json["hyper_parameters"] = text([](const Training& t) { return t.hyper_parameters(); });
  json["tuned"] = recorded<bool>(description, [](const Training& t) { return t.tuned(); });
  json["objective"] =
      recorded<double>(description, [](const Training& t) { return t.objective(); });
  json["lower_bound"] =
      recorded<double>(description, [](const Training& t) { return t.lower_bound(); });
  json["relative_gap"] =
      recorded<double>(description, [](const Training& t) { return t.relative_gap(); });
  json["final_share"] =
      recorded<double>(description, [](const Training& t) { return t.final_share(); });
  json["iterations"] =
      recorded<std::uint32_t>(description, [](const Training& t) { return t.iterations(); });
  json["samples"] =
      recorded<std::uint64_t>(description, [](const Training& t) { return t.samples(); });
  json["seed"] = recorded<std::uint64_t>(description, [](const Training& t) { return t.seed(); });
  const bool validated =
      description.training != nullptr && description.training->validation_error() >= 0;
  const bool calibrated =
      description.training != nullptr && description.training->validation_harmonic() >= 0;
  json["validation_error"] =
      validated ? ordered_json(description.training->validation_error()) : ordered_json(nullptr);
  json["validation_harmonic"] = calibrated
                                    ? ordered_json(description.training->validation_harmonic())
                                    : ordered_json(nullptr);
  json["data_hash"] = recorded<std::string>(
      description, [](const Training& t) { return hexadecimal(t.data_hash()); });
  json["program"] = text([](const Training& t) { return t.program(); });
  json["class_capacity"] = info.class_capacity;
  json["name_bytes"] = info.name_bytes;
  json["form"] = info.form_name;
  json["storage"] = info.storage_name;
  json["kernel"] = info.kernel_name;
  json["arena_bytes"] = info.arena_bytes;
  json["scratch_bytes"] = info.scratch_bytes;
  json["class_list"] = classes;
  return json;
}

// Words

template <class... Values>
void line(const char* label, fmt::format_string<Values...> format, Values&&... values) {
  fmt::print("  {:<16}{}\n", label, fmt::format(format, std::forward<Values>(values)...));
}

std::string count_of(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

// Names of one kind, wrapped; a table of thousands is for --json.
void print_names(const char* label, const Description& description, bool seen) {
  constexpr std::size_t kMost = 60, kWidth = 80;
  std::string row;
  std::size_t shown = 0;
  for (const ClassEntry& one : description.classes) {
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
    if (!row.empty()) row += ", ";
    row += one.name;
  }
  if (!row.empty()) line(label, "{}", row);
}

void print_classes(const Description& description) {
  const std::size_t seen = description.seen_classes();
  fmt::print("\nClasses: {}, {} seen and {} unseen\n", description.classes.size(), seen,
             description.classes.size() - seen);
  print_names("seen", description, true);
  print_names("unseen", description, false);
}

void print_training(const bzscr::format::Training* training) {
  if (training == nullptr) {
    fmt::print("\nTraining: the file has no record of it\n");
    return;
  }
  fmt::print("\nTraining\n");
  line("method", "{}, solver {}, divergence {}", text_of(training->method()),
       text_of(training->solver()), text_of(training->divergence()));
  const char* choice = training->tuned() ? "chosen on validation classes" : "as given";
  if (training->hyper_parameters() !=
      nullptr) {  // a method with no nu, and no bound on its objective
    line("parameters", "{}, {}", text_of(training->hyper_parameters()), choice);
    line("samples", "{}", training->samples());
  } else {
    line("parameters", "nu {:g}, beta {:g}{} per sample, {}", training->nu(), training->beta(),
         training->ridge() > 0 ? fmt::format(", ridge {:g}", training->ridge()) : "", choice);
    line("objective", "{:.9g}, at least {:.9g} for any model: within {:.2g} of the best",
         training->objective(), training->lower_bound(), training->relative_gap());
    line("samples", "{}, {:.1f}% of them selected in the end", training->samples(),
         100 * training->final_share());
  }
  if (training->validation_error() >= 0)
    line("validation", "error {:.4f}, per class", training->validation_error());
  line("iterations", "{}, seed {}", training->iterations(), training->seed());
  line("data", "hash {}", hexadecimal(training->data_hash()));
  line("program", "{}", text_of(training->program()));
}

void print_words(const Description& description) {
  const bzscr_rt_info& info = description.info;
  fmt::print("{}: sound, {} bytes, format {}, {}\n", description.path, description.file_bytes,
             description.format_version, description.is_signed ? "signed" : "not signed");

  fmt::print("\nModel\n");
  line("features", "{}, {}", count_of(info.feature_dimension, "value", "values"),
       scaling_sentence(info.feature_scaling));
  const std::string name =
      description.training != nullptr ? text_of(description.training->embedding_name()) : "";
  const auto& parts = description.embedding_parts;
  line("embeddings", "{}{}{} {}", name.empty() ? "" : name + ": ",
       count_of(info.embedding_dimension, "value", "values"),
       parts.size() == 1 ? "," : fmt::format(" in parts of {}, each", fmt::join(parts, " and ")),
       scaling_sentence(info.embedding_scaling));
  line("weak models", "{}", info.weak_models);
  const bool calibrated =
      description.training != nullptr && description.training->validation_harmonic() >= 0;
  line("seen penalty", "{:g}{}", static_cast<double>(info.seen_penalty),
       calibrated
           ? fmt::format(", chosen on held-out samples and classes (harmonic mean {:.4f} there)",
                         description.training->validation_harmonic())
           : "");
  print_classes(description);
  print_training(description.training);

  fmt::print("\nOn a device\n");
  line("arena", "{} bytes, with room for {} of at most {} bytes a name", info.arena_bytes,
       count_of(info.class_capacity, "class", "classes"), info.name_bytes - 1);
  line("scratch", "{} bytes for each thread that scores beside others", info.scratch_bytes);
  line("form", "{}, {}, {} kernel", info.form_name, info.storage_name, info.kernel_name);
}

// Options

std::optional<int> parse_options(int argc, char** argv, Options& options) {
  CLI::App app("Checks a BZ-SCR model as a device would, and says what is in it.", "bzscr-inspect");
  app.set_version_flag("--version", std::string("bzscr-inspect ") + bzscr_rt_version());
  app.add_option("MODEL", options.model, "model file (.bzscr)")->required();
  app.add_flag("--json", options.json,
               "write one JSON object, and nothing else, to standard output");
  const std::string group = "On a device (changes what is said of the arena)";
  app.add_option("--capacity", options.class_capacity,
                 "most classes at any one time; 0: as many as the model holds")
      ->capture_default_str()
      ->group(group);
  app.add_option("--name-bytes", options.name_bytes,
                 "room for each name with its zero; 0: enough, at least 32")
      ->capture_default_str()
      ->group(group);
  app.add_option("--form", options.form, "how scores are computed; auto: the cheapest query")
      ->check(bzscr::cli::one_of({std::begin(kForms), std::end(kForms)}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--storage", options.storage, "how class values are kept")
      ->check(
          bzscr::cli::one_of({std::begin(bzscr::cli::kStorages), std::end(bzscr::cli::kStorages)}))
      ->capture_default_str()
      ->group(group);
  return bzscr::cli::parse_command_line(app, argc, argv);
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  if (const auto exit_code = parse_options(argc, argv, options)) return *exit_code;
  const AlignedFile file = bzscr::cli::read_aligned(options.model);
  const Description description = describe(options, file);
  if (options.json) {
    // Names are bytes; what is not UTF-8 is replaced rather than refused.
    fmt::print("{}\n",
               to_json(description).dump(2, ' ', false, ordered_json::error_handler_t::replace));
  } else {
    print_words(description);
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "bzscr-inspect: {}\n", error.what());
  return bzscr::cli::kExitBadInput;
}
