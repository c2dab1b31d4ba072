#include "cli/history.h"

#include "bzscr_train/error.hpp"
#include "base/hexadecimal.h"
#include "data/content_hash.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <unistd.h>

namespace bzscr {
namespace {

// The whole lines that a file holds; what follows them was cut short when a run was killed, and
// goes.
std::string whole_lines(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t end = text.rfind('\n') + 1;  // npos + 1: no line at all
  if (end < text.size()) {
    text.resize(end);
    std::filesystem::resize_file(path, end, error);
    if (error) throw InputError(path, "cannot be written: " + error.message());
  }
  return text;
}

nlohmann::ordered_json given(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value)
               : nlohmann::ordered_json("chosen on validation classes");
}

nlohmann::ordered_json boost_settings(const TrainOptions& o) {
  nlohmann::ordered_json settings = {{"method", o.boost.select_samples ? "bzscr" : "boosting"},
                                     {"solver", o.solver == Solver::kPaper ? "paper" : "refine"},
                                     {"nu", given(o.nu)},
                                     {"beta", given(o.beta)},
                                     {"ridge", o.boost.ridge}};
  if (o.boost.select_samples) {
    settings["initial_share"] = o.boost.initial_share;
    settings["share_growth"] = o.boost.share_growth;
    settings["final_share"] = o.boost.final_share;
    settings["full_share"] = o.boost.full_share;
  }
  settings["max_iterations"] = o.boost.max_iterations;
  if (o.solver == Solver::kPaper) {
    settings["min_iterations"] = o.boost.min_iterations;
    settings["tolerance"] = o.boost.tolerance;
    settings["early_stopping"] = o.early_stopping;
  } else {
    settings["gap"] = o.boost.gap;
  }
  return settings;
}

nlohmann::ordered_json baseline_settings(const TrainOptions& o) {
  const BaselineMethod& method = baseline_method(*o.baseline);
  nlohmann::ordered_json settings = {{"method", method.word}, {"solver", method.solver}};
  for (const HyperParameter& parameter : method.parameters)
    settings[parameter.name] = given(o.hyper_parameter(parameter.name));
  if (method.solver == "sgd") settings["average"] = o.average;
  return settings;
}

}  // namespace

History::History(const std::string& path, bool go_on) : path_(path) {
  if (path.empty()) return;
  if (go_on) text_ = whole_lines(path);
  fd_ =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (go_on ? 0 : O_TRUNC), 0666);
  if (fd_ < 0) throw InputError(path, std::string("cannot be written: ") + std::strerror(errno));
}

History::~History() {
  if (fd_ >= 0) ::close(fd_);
}

void History::add(const nlohmann::ordered_json& line) {
  const std::string text =
      line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  text_ += text;
  if (fd_ >= 0) write(text);
}

void History::write(const std::string& line) {
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t written = ::write(fd_, line.data() + at, line.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      fmt::print(stderr,
                 "bzscr-train: history {}: cannot be written: {}; the training goes on without\n",
                 path_, std::strerror(errno));
      if (before >= 0 && ::ftruncate(fd_, before) != 0)
        fmt::print(stderr, "bzscr-train: history {}: its last line is cut short\n", path_);
      ::close(fd_);
      fd_ = -1;
      return;
    }
    at += static_cast<std::size_t>(written);
  }
}

nlohmann::ordered_json measured(double value) {
  return value >= 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json settings_line(const TrainOptions& o, const Dataset& data,
                                     const Divergence& divergence, bool resumed) {
  const Split split = split_of(data);
  std::string missing;
  for (const auto& [word, value] : missing_value_words())
    if (value == o.missing) missing = word;
  const char* features[] = {"none", "unit"};
  const char* embeddings[] = {"none", "unit", "centre-unit"};
  nlohmann::ordered_json settings = {
      {"data", o.data},
      {"data_hash", hexadecimal(data.hash)},
      {"split_hash", hexadecimal(split.hash)},
      {"features", data.features.columns},
      {"classes", data.class_names.size()},
      {"seen_classes", split.seen_classes},
      {"unseen_classes", split.unseen_classes},
      {"training_samples", split.training_samples},
      {"test_seen_samples", split.test_seen_samples},
      {"unseen_samples", split.unseen_samples},
      {"embedding", data.embedding_name},
      {"embedding_dimension", data.embeddings.cols()},
      {"missing_values", missing},
      {"divergence", divergence.name},
      {"feature_scaling", features[static_cast<int>(o.scalings.features)]},
      {"embedding_scaling", embeddings[static_cast<int>(o.scalings.embeddings)]}};
  settings.update(o.baseline ? baseline_settings(o) : boost_settings(o));
  settings["folds"] = o.folds;
  settings["seed"] = o.seed;
  return {{"phase", "settings"},
          {"program", "bzscr-train " BZSCR_VERSION},
          {"resumed", resumed},
          {"settings", settings}};
}

}  // namespace bzscr
