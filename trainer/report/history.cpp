#include "report/history.h"

#include <bzscr_train/error.hpp>
#include "report/json_fields.h"

#include <algorithm>
#include <map>

namespace bzscr::report {
namespace {

const char* const kPhases = "settings, tuning, validation, training or result";

Fields shown(const Json& object) {
  Fields fields;
  for (const auto& [key, value] : object.items())
    if (value.is_primitive())
      fields.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  return fields;
}

Iteration iteration_of(const FieldReader& line) {
  Iteration at;
  const double samples = line.number("samples", 1);
  at.number = line.integer("iteration", 1);
  at.objective = line.number("objective") / samples;
  at.lower_bound = line.number("lower_bound") / samples;
  at.relative_gap = line.number("relative_gap", 0);
  at.weak_models = line.integer("weak_models");
  at.selected = line.share("selected");
  at.training_error = line.share_or("training_error", -1);
  at.validation_error = line.share_or("validation_error", -1);
  at.test_error = line.share_or("test_error", -1);
  return at;
}

std::optional<SeenUnseen> seen_unseen(const FieldReader& line, const std::string& ending) {
  const auto name = [&](const char* measure) { return "gzsl_" + std::string(measure) + ending; };
  if (!line.object().contains(name("harmonic"))) return std::nullopt;  // of an earlier version
  return SeenUnseen{line.share(name("seen").c_str()), line.share(name("unseen").c_str()),
                    line.share(name("harmonic").c_str())};
}

Unseen unseen_of(const FieldReader& line) {
  Unseen unseen;
  unseen.samples = line.integer("samples");
  unseen.error_rate = line.share("error_rate");
  unseen.mean_delta = line.share("mean_delta");
  unseen.per_class_top1 = line.share("per_class_top1");
  unseen.classes = line.strings("classes");
  unseen.confusion = line.counts("confusion", unseen.classes.size());
  unseen.joint = seen_unseen(line, "");
  unseen.calibrated = seen_unseen(line, "_calibrated");
  return unseen;
}

Result result_of(const FieldReader& line) {
  Result result;
  result.fields = shown(line.object());
  result.validation_error = line.share_or("validation_error", -1);
  result.seconds = line.number("seconds", 0);
  result.weak_models = line.integer("weak_models");
  result.samples = line.integer("samples");
  result.model_bytes = line.integer("model_bytes");
  result.nu = line.number_if_any("nu");
  result.beta = line.number_if_any("beta");
  result.relative_gap = line.number_if_any("relative_gap");
  if (line.object().contains("ending")) result.ending = line.string("ending");
  for (const FieldReader& one : line.list_if_any("taught"))
    result.taught.emplace_back(one.integer("shots"), one.share("accuracy"));
  return result;
}

/// Builds a run from the lines of a history.
class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) { run_.name = name_; }

  /// \param whole  the line ends with a line feed
  void line(const std::string& text, std::size_t number, bool whole) {
    const std::string where = name_ + ":" + std::to_string(number);
    Json object;
    try {
      object = Json::parse(text);
    } catch (const Json::exception& error) {
      if (!whole) {
        run_.note = where + ": is incomplete and was left out";
        return;
      }
      throw InputError(where, "is not JSON" + place_in(error) +
                                  "; expected the history of a run, one JSON object per line");
    }
    const FieldReader fields(object, where);
    take(fields, fields.string("phase"));
    ++lines_;
  }

  Run finish() {
    if (lines_ == 0)
      throw InputError(
          name_, "holds no complete line; expected the history of a run, one JSON object per line");
    for (const auto& [place, point] : grid_) run_.tuning.push_back(point);
    for (const auto& [number, at] : validation_) run_.validation.push_back(at);
    for (const auto& [number, at] : training_) run_.training.push_back(at);
    return std::move(run_);
  }

 private:
  void take(const FieldReader& line, const std::string& phase) {
    if (phase == "settings")
      settings(line);
    else if (phase == "tuning")
      grid_point(line);
    else if (phase == "validation")
      keep(validation_, iteration_of(line));
    else if (phase == "training")
      keep(training_, iteration_of(line));
    else if (phase == "calibration")
      return;  // not shown: the penalty chosen in this phase is in the result
    else if (phase == "result")
      result(line);
    else
      throw InputError(line.where(), "\"phase\" is \"" + phase + "\"; expected " + kPhases);
  }

  void settings(const FieldReader& line) {
    const bool resumed = line.boolean("resumed");
    if (!resumed) {
      grid_.clear();
      validation_.clear();
      training_.clear();
    }
    const std::string note = run_.note;
    run_ = Run();
    run_.name = name_;
    run_.note = note;
    run_.resumed = resumed;
    run_.program = line.string("program");
    run_.settings = shown(line.inner("settings").object());
  }

  void grid_point(const FieldReader& line) {
    if (!line.object().contains("nu") && !line.object().contains("beta")) {
      TriedSetting one{{}, line.share("validation_error")};
      for (const auto& [key, value] : line.object().items())
        if (key != "phase" && key != "validation_error" && key != "seconds")
          one.parameters.emplace_back(key, line.number(key.c_str(), 0));
      const auto same = std::find_if(
          run_.tried.begin(), run_.tried.end(),
          [&](const TriedSetting& other) { return other.parameters == one.parameters; });
      if (same == run_.tried.end()) return run_.tried.push_back(std::move(one));
      ++same->folds;
      same->validation_error +=
          (one.validation_error - same->validation_error) / static_cast<double>(same->folds);
      return;
    }
    const GridPoint point{line.number("nu", 0), line.number("beta", 0),
                          line.share("validation_error"), line.integer("weak_models")};
    grid_[{point.beta, -point.nu}] = point;
  }

  static void keep(std::map<std::int64_t, Iteration>& run, const Iteration& at) {
    run[at.number] = at;
  }

  void result(const FieldReader& line) {
    run_.result = result_of(line.inner("result"));
    if (!line.object().contains("unseen") || line.object()["unseen"].is_null())
      run_.unseen.reset();
    else
      run_.unseen = unseen_of(line.inner("unseen"));
  }

  std::string name_;
  Run run_;
  std::size_t lines_ = 0;
  std::map<std::pair<double, double>, GridPoint> grid_;
  std::map<std::int64_t, Iteration> validation_, training_;
};

}  // namespace

std::string Run::setting(const std::string& key) const {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const auto& field) { return field.first == key; });
  return found == settings.end() ? std::string() : found->second;
}

Run read_history(const std::string& text, const std::string& name) {
  if (text.empty())
    throw InputError(name, "is empty; expected the history of a run, one JSON object per line");
  Reader reader(name);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    reader.line(text.substr(at, end - at), ++number, end < text.size());
    at = end + 1;
  }
  return reader.finish();
}

}  // namespace bzscr::report
