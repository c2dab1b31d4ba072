#include "pipeline/options.h"

#include "base/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace bzscr::train {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& found,
                         const std::string& expected) {
  Place place;
  place.option = option;
  throw InputError(place, found, expected);
}

template <class Value>
Value word(const std::string& option, const std::string& given,
           const std::map<std::string, Value>& words) {
  const auto found = words.find(given);
  if (found != words.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& each : words) known.push_back(each.first);
  refuse(option, fmt::format("is '{}'", given),
         fmt::format("one of {}{}", fmt::join(known, ", "), did_you_mean(given, known)));
}

void expect_positive(const char* option, const std::optional<double>& value) {
  if (value && !(*value > 0 && std::isfinite(*value)))
    refuse(option, fmt::format("is {}", *value), "a number above 0");
}

/// A member of FitOptions that only some methods and solvers have.
struct Owned {
  const char* name;
  bool set, own;
};

/// Refuses members that would have no effect.
void check_owners(const FitOptions& o, const Settings& settings,
                  const std::vector<std::string>& given) {
  const FitOptions usual;
  const bool boosted = !settings.baseline, selects = o.method == "bzscr",
             paper = boosted && settings.solver == Solver::kPaper, refines = boosted && !paper;
  const auto has = [&](const char* name) {
    if (boosted) return false;
    for (const HyperParameter& each : baseline_method(*settings.baseline).parameters)
      if (each.name == name) return true;
    return false;
  };
  const Owned members[] = {
      {"nu", o.nu.has_value(), boosted},
      {"beta", o.beta.has_value(), boosted},
      {"ridge", o.ridge.has_value(), boosted},
      {"base", !o.base.empty(), boosted},
      {"score", !o.score.empty(), boosted},
      {"own_part", o.own_part.has_value(), boosted},
      {"feature_centring", o.feature_centring.has_value(), boosted},
      {"solver", o.solver != usual.solver, boosted},
      {"initial_share", o.initial_share != usual.initial_share, selects},
      {"share_growth", o.share_growth != usual.share_growth, selects},
      {"final_share", o.final_share != usual.final_share, selects},
      {"full_share", o.full_share != usual.full_share, selects},
      {"gap", o.gap != usual.gap, refines},
      {"tolerance", o.tolerance != usual.tolerance, paper},
      {"min_iterations", o.min_iterations != usual.min_iterations, paper},
      {"early_stopping", o.early_stopping != usual.early_stopping, boosted},
      {"max_iterations", o.max_iterations != usual.max_iterations, boosted},
      {"checkpoint", !o.checkpoint.empty(), boosted},
      // A report asks for the curves of validation classes, with any method.
      {"curves", o.curves != usual.curves && o.curves != "validation", boosted},
      {"rate", o.rate.has_value(), has("rate")},
      {"epochs", o.epochs.has_value(), has("epochs")},
      {"average", o.average, has("rate")},
      {"gamma", o.gamma.has_value(), has("gamma")},
      {"lambda", o.lambda.has_value(), has("lambda")},
  };
  std::vector<std::string> own;
  for (const Owned& each : members)
    if (each.own) own.emplace_back(each.name);
  for (const Owned& each : members) {
    const bool set = each.set || std::find(given.begin(), given.end(), each.name) != given.end();
    if (set && !each.own)
      refuse(each.name,
             fmt::format("is not of method {}{}, which takes {}", o.method,
                         boosted ? " with solver " + o.solver : "", fmt::join(own, ", ")),
             "");
  }
}

void check_values(const FitOptions& o) {
  expect_positive("rate", o.rate);
  expect_positive("gamma", o.gamma);
  expect_positive("lambda", o.lambda);
  if (o.epochs && !(*o.epochs >= 1 && *o.epochs <= 1e6 && *o.epochs == std::floor(*o.epochs)))
    refuse("epochs", fmt::format("is {}", *o.epochs), "a whole number from 1 to a million");
  if (o.folds < 1 || o.folds > 5) refuse("folds", fmt::format("is {}", o.folds), "1 to 5");
  if (!(o.checkpoint_seconds >= 0 && std::isfinite(o.checkpoint_seconds)))
    refuse("checkpoint_seconds", fmt::format("is {}", o.checkpoint_seconds),
           "a finite number of at least 0");
  if (o.resume && o.checkpoint.empty())
    refuse("resume", "is set without a checkpoint", "the file of a checkpoint too");
}

}  // namespace

std::optional<double> Settings::hyper_parameter(const std::string& name) const {
  return name == "rate"     ? asked.rate
         : name == "epochs" ? asked.epochs
         : name == "gamma"  ? asked.gamma
                            : asked.lambda;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all = [] {
    std::vector<Method> methods = {{"bzscr", {"nu", "beta"}, true},
                                   {"boosting", {"nu", "beta"}, true}};
    for (const BaselineMethod& each : baseline_methods()) {
      Method method{each.word, {}, each.bilinear};
      for (const HyperParameter& parameter : each.parameters)
        method.parameters.push_back(parameter.name);
      methods.push_back(std::move(method));
    }
    return methods;
  }();
  return all;
}

const char* name_of(ScoreForm form) {
  return form == ScoreForm::kPlain ? "plain" : form == ScoreForm::kHalf ? "half" : "cosine";
}

FitOptions settled(FitOptions options, const bzscr::Dataset& data) {
  if (options.feature_scaling == "auto")
    options.feature_scaling = data.one_long_column ? "standard" : "unit";
  return options;
}

void check(const FitOptions& options, const std::vector<std::string>& given) {
  checked(options, given);
}

Settings checked(const FitOptions& o, const std::vector<std::string>& given) {
  Settings settings;
  settings.asked = o;
  std::map<std::string, std::optional<Baseline>> by_name = {{"bzscr", {}}, {"boosting", {}}};
  for (const BaselineMethod& each : baseline_methods()) by_name[each.word] = each.id;
  settings.baseline = word("method", o.method, by_name);
  settings.solver =
      word<Solver>("solver", o.solver, {{"refine", Solver::kRefine}, {"paper", Solver::kPaper}});
  settings.curves = word<Curves>(
      "curves", o.curves,
      {{"none", Curves::kNone}, {"validation", Curves::kValidation}, {"test", Curves::kTest}});
  settings.scalings.features = word<FeatureScaling>("feature_scaling", o.feature_scaling,
                                                    {{"auto", FeatureScaling::kUnit},
                                                     {"none", FeatureScaling::kNone},
                                                     {"unit", FeatureScaling::kUnit},
                                                     {"standard", FeatureScaling::kStandard}});
  settings.scalings.embeddings =
      word<EmbeddingScaling>("embedding_scaling", o.embedding_scaling,
                             {{"none", EmbeddingScaling::kNone},
                              {"unit", EmbeddingScaling::kUnit},
                              {"centre-unit", EmbeddingScaling::kCentreUnit}});
  check_owners(o, settings, given);
  check_values(o);

  BoostConfig& boost = settings.boost;
  const bool boosted = !settings.baseline;
  boost.select_samples = o.method == "bzscr";
  boost.nu = o.nu.value_or(boost.nu);
  boost.beta = o.beta.value_or(boost.beta);
  boost.ridge = o.ridge.value_or(settings.solver == Solver::kPaper ? 0 : kDefaultRidge);
  // Algorithm 1 as printed has none of these.
  const bool printed = settings.solver == Solver::kPaper;
  boost.base = word<bool>("base", o.base.empty() ? (printed ? "none" : "ridge") : o.base,
                          {{"none", false}, {"ridge", true}});
  boost.score = word<ScoreForm>(
      "score", o.score.empty() ? (printed ? "plain" : "cosine") : o.score,
      {{"plain", ScoreForm::kPlain}, {"half", ScoreForm::kHalf}, {"cosine", ScoreForm::kCosine}});
  if (o.own_part && !(*o.own_part >= 0 && *o.own_part <= 1000))
    refuse("own_part", fmt::format("is {}", *o.own_part), "0 to 1000");
  if (o.teaching_directions < 0)
    refuse("teaching_directions", fmt::format("is {}", o.teaching_directions), "0 or more");
  if (boosted) {
    settings.scalings.own_part = o.own_part.value_or(printed ? 0 : 1);
    settings.scalings.centre_features = o.feature_centring.value_or(!printed);
  }
  boost.initial_share = o.initial_share;
  boost.share_growth = o.share_growth;
  boost.final_share = o.final_share;
  boost.full_share = o.full_share;
  boost.gap = o.gap;
  boost.tolerance = o.tolerance;
  boost.min_iterations = o.min_iterations;
  boost.max_iterations = o.max_iterations;
  // "nu is 0; expected a number above 0"
  if (const std::string wrong = boost.validate(); !wrong.empty()) {
    const std::size_t name = wrong.find(' '), expected = wrong.find("; expected ");
    refuse(wrong.substr(0, name), wrong.substr(name + 1, expected - name - 1),
           wrong.substr(expected + 11));
  }
  if (boost.ridge > 0 && settings.solver == Solver::kPaper)
    refuse("ridge", fmt::format("is {}", boost.ridge),
           "0 with solver paper: Algorithm 1 has no such term");
  if (boost.base && settings.solver == Solver::kPaper)
    refuse("base", "is 'ridge'", "none with solver paper: Algorithm 1 starts from zero");
  return settings;
}

}  // namespace bzscr::train
