#include "report/comparison.h"
#include "report/history.h"
#include "report/page.h"

#include <bzscr_train/bzscr_train.hpp>

namespace bzscr::train {

std::string report_page(const std::vector<NamedText>& histories,
                        const std::optional<NamedText>& comparison) {
  std::vector<report::Run> runs;
  for (const NamedText& each : histories)
    runs.push_back(report::read_history(each.text, each.name));
  std::optional<report::Comparison> compared;
  if (comparison) compared = report::read_comparison(comparison->text, comparison->name);
  return report::page(runs, compared);
}

}  // namespace bzscr::train
