#include "pipeline/history.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

namespace bzscr::train {
namespace {

// The complete lines of a file. An incomplete last line, left by a killed run, is removed from the
// file.
std::string whole_lines(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t end = text.rfind('\n') + 1;  // npos + 1 = 0: no complete line
  if (end < text.size()) {
    text.resize(end);
    std::filesystem::resize_file(path, end, error);
    if (error) throw InputError(path, "cannot be written: " + error.message());
  }
  return text;
}

/// Whether a file is none yet, empty, no regular file, or begins as a history does: any other is
/// not to be overwritten, or appended to, by a slip of the hand.
bool may_be_written(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return true;
  constexpr std::string_view kBegin = "{\"phase\"";
  std::string begin(kBegin.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  return begin == kBegin.substr(0, begin.size());  // a run that was killed may have left a part
}

Json given(const std::optional<double>& value) {
  return value ? Json(*value) : Json("chosen on validation classes");
}

Json boost_settings(const Settings& settings) {
  const FitOptions& o = settings.asked;
  Json out = Json::object({{"method", o.method},
                           {"solver", o.solver},
                           {"nu", given(o.nu)},
                           {"beta", given(o.beta)},
                           {"ridge", settings.boost.ridge},
                           {"base", settings.boost.base ? "ridge" : "none"},
                           {"score", name_of(settings.boost.score)},
                           {"own_part", settings.scalings.own_part},
                           {"feature_centring", settings.scalings.centre_features}});
  if (settings.boost.select_samples)
    out.add("initial_share", o.initial_share)
        .add("share_growth", o.share_growth)
        .add("final_share", o.final_share)
        .add("full_share", o.full_share);
  out.add("max_iterations", o.max_iterations);
  if (settings.solver == Solver::kPaper)
    out.add("min_iterations", o.min_iterations)
        .add("tolerance", o.tolerance)
        .add("early_stopping", o.early_stopping);
  else
    out.add("gap", o.gap);
  return out;
}

Json baseline_settings(const Settings& settings) {
  const BaselineMethod& method = baseline_method(*settings.baseline);
  Json out = Json::object({{"method", method.word}, {"solver", method.solver}});
  for (const HyperParameter& each : method.parameters)
    out.add(each.name, given(settings.hyper_parameter(each.name)));
  if (method.solver == "sgd") out.add("average", settings.asked.average);
  return out;
}

}  // namespace

History::History(const std::string& path, bool append, std::function<void(const std::string&)> note)
    : path_(path), note_(std::move(note)) {
  if (path.empty()) return;
  if (!may_be_written(path))
    throw InputError(path, "is not a history of a training; expected one, or no file yet");
  if (append) text_ = whole_lines(path);
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (append ? 0 : O_TRUNC),
               0666);
  if (fd_ < 0) throw InputError(path, std::string("cannot be written: ") + std::strerror(errno));
}

History::~History() {
  if (fd_ >= 0) ::close(fd_);
}

void History::add(const Json& line) {
  const std::string text = line.text() + '\n';
  text_ += text;
  if (fd_ >= 0) write(text);
}

void History::write(const std::string& line) {
  const off_t before = ::lseek(fd_, 0, SEEK_END);
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t written = ::write(fd_, line.data() + at, line.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      note_(fmt::format("history {}: cannot be written: {}; training continues without it", path_,
                        std::strerror(errno)));
      if (at > 0 && ::ftruncate(fd_, before) != 0)
        note_(fmt::format("history {}: its last line is incomplete", path_));
      ::close(fd_);
      fd_ = -1;
      return;
    }
    at += static_cast<std::size_t>(written);
  }
}

Json measured(double value) { return value >= 0 ? Json(value) : Json(); }

Json settings_line(const Settings& settings, const Dataset& data, bool resumed) {
  const SplitSummary split = data.split();
  const FitOptions& o = settings.asked;
  Json out = Json::object({{"data", data.path()},
                           {"data_hash", data.hash()},
                           {"split_hash", split.hash},
                           {"features", data.features()},
                           {"classes", data.classes().size()},
                           {"seen_classes", split.seen_classes},
                           {"unseen_classes", split.unseen_classes},
                           {"training_samples", split.training_samples},
                           {"test_seen_samples", split.held_out_samples},
                           {"unseen_samples", split.unseen_samples},
                           {"embedding", data.embedding()},
                           {"embedding_dimension", data.embedding_dimension()},
                           {"missing_values", data.content().missing},
                           {"divergence", data.divergence()},
                           {"feature_scaling", o.feature_scaling},
                           {"embedding_scaling", o.embedding_scaling}});
  out.add_all(settings.baseline ? baseline_settings(settings) : boost_settings(settings));
  out.add("folds", o.folds).add("seed", o.seed);
  return Json::object(
      {{"phase", "settings"}, {"program", kProgram}, {"resumed", resumed}, {"settings", out}});
}

}  // namespace bzscr::train
