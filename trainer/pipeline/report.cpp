#include "report/comparison.h"
#include "report/history.h"
#include "report/page.h"

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::train {

ReportPage report_page(const std::vector<NamedText>& histories,
                       const std::optional<NamedText>& comparison) {
  ReportPage made;
  std::vector<report::Run> runs;
  for (const NamedText& each : histories) {
    runs.push_back(report::read_history(each.text, each.name));
    if (!runs.back().note.empty()) made.notes.push_back(runs.back().note);
  }
  std::optional<report::Comparison> compared;
  if (comparison) compared = report::read_comparison(comparison->text, comparison->name);
  if (compared) made.methods = compared->methods.size();
  made.html = report::page(runs, compared);
  return made;
}

}  // namespace bzscr::train
