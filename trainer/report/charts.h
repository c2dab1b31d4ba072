#pragma once

#include "report/history.h"
#include "report/json_fields.h"

#include <string>
#include <vector>

namespace bzscr::report {

/// The content of a chart, which assets/charts.js draws.
struct Chart {
  std::string title, note;  ///< the note describes the quantity shown
  Json spec;                ///< kind "lines" or "bars"; the fields are described in charts.js
};

// The charts of one run. Charts of quantities that were not recorded are left out.
std::vector<Chart> error_charts(const Run& run);     ///< the paper's Figure 1 a, b
std::vector<Chart> solution_charts(const Run& run);  ///< objective, certified gap, selected samples
std::vector<Chart> tuning_charts(const Run& run);    ///< Figure 1 c, and the path of nu
std::vector<Chart> class_charts(const Run& run);     ///< accuracy of each unseen class
std::vector<Chart> teaching_charts(const Run& run);  ///< accuracy by number of labelled samples

/// Charts of several runs, with one line per run that recorded the quantity.
std::vector<Chart> shared_charts(const std::vector<Run>& runs);

/// "caltech/run.jsonl" -> "run"
std::string label_of(const Run& run);

}  // namespace bzscr::report
