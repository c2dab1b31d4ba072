#include "train/summary.h"

#include "base/spelling.h"

#include <fmt/format.h>

#include <sys/resource.h>

namespace bzscr::cli {
namespace {

long peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss * 1024;
}

const char* text_of(train::Ending ending) {
  switch (ending) {
    case train::Ending::kConverged: return "converged";
    case train::Ending::kEarlyStopping: return "stopped early, as the validation error rose";
    case train::Ending::kIterationLimit: return "ended at the iteration limit";
    case train::Ending::kInterrupted: return "interrupted; this is the best model so far";
  }
  return "";
}

bool boosted(const train::Model& model) {
  return model.method == "bzscr" || model.method == "boosting";
}

Json measured(double value) { return value >= 0 ? Json(value) : Json(); }

double value_of(const train::Model& model, const char* name) {
  for (const auto& [known, value] : model.parameters)
    if (known == name) return value;
  return 0;
}

std::string words_of(const train::Model& model) {
  std::string words;
  for (const auto& [name, value] : model.parameters)
    words += fmt::format("{}{} {:g}", words.empty() ? "" : ", ", name, value);
  return words;
}

Json json_of(const std::vector<train::Trial>& trials, bool with_counts) {
  Json all = Json::array();
  for (const train::Trial& each : trials) {
    Json one = Json::object();
    for (const auto& [name, value] : each.parameters) one.add(name, value);
    one.add("validation_error", each.validation_error);
    if (with_counts) one.add("weak_models", each.weak_models).add("evaluations", each.evaluations);
    all.push_back(one);
  }
  return all;
}

Json json_of(const std::vector<train::TaughtAccuracyRecord>& taught) {
  Json all = Json::array();
  for (const train::TaughtAccuracyRecord& one : taught)
    all.push_back(Json::object({{"shots", one.shots}, {"accuracy", one.accuracy}}));
  return all;
}

Json split_json(const train::SplitSummary& split) {
  return Json::object({{"hash", split.hash},
                       {"training_samples", split.training_samples},
                       {"test_seen_samples", split.held_out_samples},
                       {"unseen_samples", split.unseen_samples}});
}

void add_data(Json& json, const TrainedRun& run) {
  json.add("samples", run.model.samples)
      .add("classes", run.data.classes().size())
      .add("unseen_classes", run.data.split().unseen_classes)
      .add("split", split_json(run.data.split()))
      .add("embedding", run.data.embedding())
      .add("divergence", run.data.divergence());
}

Json json_of(const train::UnseenTest& test) {
  Json confusion = Json::array();
  for (const auto& row : test.confusion) confusion.push_back(row);
  Json json = Json::object({{"samples", test.samples},
                            {"error_rate", test.error_rate},
                            {"mean_delta", test.mean_delta},
                            {"per_class_top1", test.per_class_top1},
                            {"classes", test.classes},
                            {"confusion", confusion}});
  if (test.joint)
    json.add("gzsl_seen", test.joint->without.seen)
        .add("gzsl_unseen", test.joint->without.unseen)
        .add("gzsl_harmonic", test.joint->without.harmonic())
        .add("gzsl_seen_calibrated", test.joint->with.seen)
        .add("gzsl_unseen_calibrated", test.joint->with.unseen)
        .add("gzsl_harmonic_calibrated", test.joint->with.harmonic())
        .add("ausuc", test.joint->ausuc);
  return json;
}

}  // namespace

Json summary_json(const TrainedRun& run) {
  const train::Model& model = run.model;
  Json json = Json::object({{"model", run.options.output},
                            {"model_bytes", model.serialise().size()},
                            {"method", model.method},
                            {"solver", model.solver}});
  if (boosted(model)) {
    json.add("nu", value_of(model, "nu"))
        .add("beta", value_of(model, "beta"))
        .add("ridge", model.ridge)
        .add("base", model.base);
  } else {
    Json parameters = Json::object();
    for (const auto& [name, value] : model.parameters) parameters.add(name, value);
    json.add("hyper_parameters", parameters).add("average", run.options.fit.average);
  }
  json.add("tuned", model.tuned)
      .add("tried", json_of(model.tried, boosted(model)))
      .add("validation_error", measured(model.validation_error))
      .add("seen_penalty", model.seen_penalty)
      .add("validation_harmonic", measured(model.validation_harmonic));
  if (boosted(model))
    json.add("taught", json_of(model.taught))
        .add("objective", model.objective)
        .add("lower_bound", model.lower_bound)
        .add("relative_gap", model.relative_gap);
  json.add("weak_models", model.weak_models);
  if (boosted(model))
    json.add("iterations", model.iterations).add("evaluations", model.cost.evaluations);
  add_data(json, run);
  if (boosted(model)) json.add("ending", text_of(model.ending));
  json.add("seconds", run.seconds)
      .add("seconds_training", model.cost.seconds)
      .add("peak_memory_bytes", peak_memory_bytes());
  if (boosted(model))
    json.add("processes", run.ranks)
        .add("bytes_communicated", model.cost.message_bytes)
        .add("seconds_communicating", model.cost.waiting_seconds)
        .add("seconds_in_passes", model.cost.seconds_in_passes);
  return json;
}

Json result_line(const TrainedRun& run) {
  return Json::object({{"phase", "result"},
                       {"result", summary_json(run)},
                       {"unseen", run.model.unseen ? json_of(*run.model.unseen) : Json()}});
}

std::string summary_text(const TrainedRun& run) {
  const train::Model& model = run.model;
  const train::SplitSummary split = run.data.split();
  std::string text = fmt::format(
      "{}: {} of {}, {}, {}, embedding {} ({})\n{}\n", run.options.data,
      counted(static_cast<std::uint64_t>(model.samples), "sample"),
      counted(split.seen_classes, "seen class"), counted(split.unseen_classes, "unseen class"),
      counted(static_cast<std::uint64_t>(run.data.features()), "feature"), run.data.embedding(),
      run.data.embedding_dimension(), split.text);
  if (model.tuned)
    text += fmt::format(
        "chosen on validation classes: {} (per-class accuracy there {:.3f}; {} tried)\n",
        words_of(model), 1 - model.validation_error,
        counted(model.tried.size(), boosted(model) ? "point" : "setting"));
  if (boosted(model))
    text += fmt::format(
        "{}, {}: {}, {}, objective {:.6f} a sample, certified gap {:.1e}\n", model.method,
        text_of(model.ending), counted(static_cast<std::uint64_t>(model.weak_models), "weak model"),
        words_of(model), model.objective / static_cast<double>(model.samples), model.relative_gap);
  else
    text += fmt::format("{}, {}: rank {}, {}{}\n", model.method, model.solver, model.weak_models,
                        words_of(model), run.options.fit.average ? ", iterates averaged" : "");
  if (model.validation_harmonic >= 0)
    text += fmt::format(
        "where unseen classes compete, {:.4g} is subtracted from the scores of seen "
        "ones (harmonic mean of accuracies {:.3f} on held-out samples)\n",
        model.seen_penalty, model.validation_harmonic);
  if (boosted(model) && !model.correlation)
    text +=
        "the correlation term is off: it needs at least two unseen classes; the device can "
        "still be given new ones\n";
  if (model.without_validation_classes)
    text +=
        "interrupted before the run on all seen classes: the validation classes were left out\n";
  text += fmt::format("{}: {} bytes, in {:.1f} s ({}peak memory {} MB)\n", run.options.output,
                      model.serialise().size(), run.seconds,
                      boosted(model)
                          ? counted(static_cast<std::uint64_t>(model.cost.evaluations), "pass") +
                                " over the samples, "
                          : "",
                      peak_memory_bytes() >> 20);
  if (run.ranks > 1)
    text += fmt::format(
        "{} of {}: each summed {:.1f} MB with the others, and waited {:.1f} s for them\n",
        counted(static_cast<std::uint64_t>(run.ranks), "process"),
        counted(static_cast<std::uint64_t>(run.threads), "thread"),
        static_cast<double>(model.cost.message_bytes) / 1e6, model.cost.waiting_seconds);
  return text;
}

}  // namespace bzscr::cli
