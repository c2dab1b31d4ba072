#include "eval/figures.h"

#include "base/spelling.h"
#include "support/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace bzscr::cli {
namespace {

using train::ClassAccuracy;

const std::string& name_of(const Subject& subject, const ClassAccuracy& one) {
  return subject.data.classes()[static_cast<std::size_t>(one.class_row)];
}

bool is_seen(const Subject& subject, const ClassAccuracy& one) {
  const std::vector<std::int64_t>& unseen = subject.partition.unseen;
  return !std::binary_search(unseen.begin(), unseen.end(), one.class_row);
}

std::optional<double> accuracy(const ClassAccuracy& one) {
  if (one.samples == 0) return std::nullopt;
  return static_cast<double>(one.correct) / static_cast<double>(one.samples);
}

/// "seen and unseen" for all classes.
std::string description(const Subject& subject) {
  const std::string& which = subject.selection.description;
  return which == "all" ? "seen and unseen" : which;
}

double chance(const Subject& subject) {
  return 1.0 / static_cast<double>(subject.selection.classes.size());
}

/// Of up to five classes, the true one is always among the five best.
bool top5_differs(const Subject& subject) { return subject.selection.classes.size() > 5; }

Json subject_json(const Subject& subject) {
  return Json::object({{"model", subject.model},
                       {"data", subject.data.path()},
                       {"embedding", subject.data.embedding()},
                       {"evaluated", description(subject)},
                       {"samples", subject.selection.samples.size()},
                       {"classes", subject.selection.classes.size()}});
}

Json class_json(const Subject& subject, const ClassAccuracy& one) {
  return Json::object({{"name", name_of(subject, one)},
                       {"samples", one.samples},
                       {"correct", one.correct},
                       {"accuracy", accuracy(one)}});
}

std::string heading(const Subject& subject) {
  const bool same_data = subject.training_hash == subject.data.hash();
  return fmt::format(
      "model      {}{}\n"
      "data       {}: {}, {}, embedding '{}'\n"
      "           {}\n"
      "scored by  bzscr_rt {} ({}, {}, {})\n\n",
      subject.model, same_data ? "" : ", trained on other data or settings of it",
      subject.data.path(), counted(subject.selection.samples.size(), "sample"),
      counted(subject.selection.classes.size(), description(subject) + " class"),
      subject.data.embedding(), subject.data.split().text, bzscr_rt_version(),
      subject.runtime.form_name, subject.runtime.storage_name, subject.runtime.kernel_name);
}

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.4f}", *share) : "-";
}

std::string class_table(const Subject& subject, const std::vector<ClassAccuracy>& classes) {
  const bool joint = subject.selection.description == "all";
  Table table = Table::names_and_numbers({"class", "samples", "correct", "accuracy", ""});
  for (const ClassAccuracy& one : classes)
    table.add({name_of(subject, one), std::to_string(one.samples), std::to_string(one.correct),
               share_text(accuracy(one)), joint && !is_seen(subject, one) ? "unseen" : ""});
  return table.text();
}

/// The unseen classes, among themselves and among all classes.
std::string class_table(const Subject& subject, const std::vector<ClassAccuracy>& classes,
                        const AmongAll& all) {
  Table table = Table::names_and_numbers({"class", "samples", "correct", "accuracy", "among all"});
  for (const ClassAccuracy& one : classes) {
    const auto same =
        std::find_if(all.result.per_class.begin(), all.result.per_class.end(),
                     [&](const ClassAccuracy& other) { return other.class_row == one.class_row; });
    table.add({name_of(subject, one), std::to_string(one.samples), std::to_string(one.correct),
               share_text(accuracy(one)), share_text(accuracy(*same))});
  }
  return table.text();
}

/// Accuracies with the penalty, side by side.
std::string both_text(const train::Evaluation& result, const AmongAll& all) {
  Table table =
      Table::names_and_numbers({"top-1, averaged per class", "among unseen classes",
                                fmt::format("among all {} classes", all.selection.classes.size())});
  const train::SeenUnseen& with = all.result.with;
  table.add({"unseen classes, U", share_text(result.per_class_top1), share_text(with.unseen)});
  table.add({"seen classes, S", "-", share_text(with.seen)});
  table.add({"harmonic mean, H", "-", share_text(with.harmonic())});
  return fmt::format("\n{}With the penalty of {:g} off seen classes; --gzsl tells more.\n",
                     table.text(), all.penalty);
}

Json joint_figures(const Subject& subject, const train::JointEvaluation& result, double penalty) {
  Json classes = Json::array();
  for (const ClassAccuracy& one : result.per_class)
    classes.push_back(class_json(subject, one).add("seen", is_seen(subject, one)));
  return Json::object({{"seen_penalty", penalty},
                       {"gzsl_seen", result.without.seen},
                       {"gzsl_unseen", result.without.unseen},
                       {"gzsl_harmonic", result.without.harmonic()},
                       {"gzsl_seen_calibrated", result.with.seen},
                       {"gzsl_unseen_calibrated", result.with.unseen},
                       {"gzsl_harmonic_calibrated", result.with.harmonic()},
                       {"ausuc", result.ausuc},
                       {"per_class", classes}});
}

Json among_all_json(const Subject& subject, const AmongAll* all) {
  if (all == nullptr) return {};
  return Json::object({{"samples", all->selection.samples.size()},
                       {"classes", all->selection.classes.size()}})
      .add_all(joint_figures(subject, all->result, all->penalty));
}

}  // namespace

Json evaluation_json(const Subject& subject, const train::Evaluation& result, double agreement,
                     const AmongAll* all) {
  Json classes = Json::array();
  for (const ClassAccuracy& one : result.per_class) classes.push_back(class_json(subject, one));
  return subject_json(subject)
      .add("classes_with_samples", result.classes_with_samples)
      .add("error_rate", result.error_rate)
      .add("mean_delta", result.mean_delta)
      .add("per_class_top1", result.per_class_top1)
      .add("top5", result.top5)
      .add("chance", chance(subject))
      .add("storage", subject.runtime.storage_name)
      .add("same_best_class_as_float32", agreement)
      .add("classes_added", subject.classes_added)
      .add("classes_trained_on", subject.classes_trained_on)
      .add("per_class", classes)
      .add("among_all_classes", among_all_json(subject, all));
}

std::string evaluation_text(const Subject& subject, const train::Evaluation& result,
                            double agreement, const AmongAll* all) {
  std::string text = heading(subject);
  text += fmt::format("error rate                   {:.4f}\n", result.error_rate);
  text += fmt::format("mean Delta                   {:.4f}\n", result.mean_delta);
  text += fmt::format("top-1, averaged per class    {:.4f}   chance {:.4f}\n",
                      result.per_class_top1, chance(subject));
  if (top5_differs(subject))
    text += fmt::format("top-5, averaged per sample   {:.4f}\n", result.top5);
  if (subject.runtime.storage != BZSCR_RT_STORAGE_FLOAT32)
    text += fmt::format("same best class as float32   {:.4f}\n", agreement);
  if (all == nullptr) return text + "\n" + class_table(subject, result.per_class);
  return text + both_text(result, *all) + "\n" + class_table(subject, result.per_class, *all);
}

Json joint_json(const Subject& subject, const train::JointEvaluation& result, double penalty) {
  return subject_json(subject).add_all(joint_figures(subject, result, penalty));
}

std::string joint_text(const Subject& subject, const train::JointEvaluation& result,
                       double penalty) {
  const auto line = [](const char* what, double without, double with) {
    return fmt::format("{:<34} {:8.4f} {:8.4f}\n", what, without, with);
  };
  return heading(subject) +
         fmt::format("{:<34} {:>8} {:>8}   the penalty of {:g} off seen classes\n",
                     "top-1, averaged per class", "without", "with", penalty) +
         line("  seen classes, S", result.without.seen, result.with.seen) +
         line("  unseen classes, U", result.without.unseen, result.with.unseen) +
         line("  harmonic mean, H", result.without.harmonic(), result.with.harmonic()) +
         fmt::format("{:<34} {:8.4f}\n\nWith the penalty:\n", "area under S and U, AUSUC",
                     result.ausuc) +
         class_table(subject, result.per_class);
}

Json taught_json(const Subject& subject, const Taught& taught) {
  const bool joint = taught.result.joint;
  Json rows = Json::array();
  for (const train::AfterTeaching& one : taught.result.after) {
    Json row = Json::object({{"shots", one.shots}});
    const auto add = [&](const std::string& key, const train::Mean& value, bool measured) {
      row.add(key, measured ? Json(value.mean) : Json())
          .add(key + "_deviation", measured ? Json(value.deviation) : Json());
    };
    add("among_unseen", one.among_unseen, true);
    add("gzsl_seen_calibrated", one.seen, joint);
    add("gzsl_unseen_calibrated", one.unseen, joint);
    add("gzsl_harmonic_calibrated", one.harmonic, joint);
    rows.push_back(row);
  }
  return subject_json(subject)
      .add("storage", subject.runtime.storage_name)
      .add("seen_penalty", taught.penalty)
      .add("repeats", taught.options.repeats)
      .add("seed", taught.options.seed)
      .add("tested_samples", taught.result.tested)
      .add("taught", rows);
}

std::string taught_text(const Subject& subject, const Taught& taught) {
  const bool joint = taught.result.joint, spread = taught.options.repeats > 1;
  const auto text = [&](const train::Mean& value) {
    return fmt::format("{:.4f}", value.mean) +
           (spread ? fmt::format(" ± {:.4f}", value.deviation) : "");
  };
  std::vector<std::string> titles = {"samples taught of each class", "among unseen classes"};
  if (joint)
    titles.insert(titles.end(),
                  {fmt::format("among all {}: U", subject.selection.classes.size()), "S", "H"});
  Table table = Table::names_and_numbers(titles);
  for (const train::AfterTeaching& one : taught.result.after) {
    std::vector<std::string> cells = {std::to_string(one.shots), text(one.among_unseen)};
    if (joint) cells.insert(cells.end(), {text(one.unseen), text(one.seen), text(one.harmonic)});
    table.add(cells);
  }
  std::string below =
      fmt::format("Accuracy averaged per class, on {} that are not taught",
                  counted(static_cast<std::size_t>(taught.result.tested), "sample"));
  if (joint) below += fmt::format(", with the penalty of {:g} off seen classes", taught.penalty);
  if (spread)
    below +=
        fmt::format("; means over {} draws, ± their standard deviation", taught.options.repeats);
  return heading(subject) + table.text() + "\n" + below + ".\n";
}

}  // namespace bzscr::cli
