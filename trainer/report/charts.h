#pragma once

#include "report/history.h"
#include "report/json_fields.h"

#include <string>
#include <vector>

namespace bzscr::report {

/// What a chart says, for assets/charts.js to draw.
struct Chart {
  std::string title, note;  ///< the note is a sentence on what is to be seen
  Json spec;                ///< kind "lines" or "bars"; charts.js has the fields
};

// Of one run. Charts of what was not recorded are left out.
std::vector<Chart> error_charts(const Run& run);     ///< the paper's Figure 1 a, b
std::vector<Chart> solution_charts(const Run& run);  ///< objective, certified gap, selected samples
std::vector<Chart> tuning_charts(const Run& run);    ///< Figure 1 c, and the path of nu
std::vector<Chart> class_charts(const Run& run);     ///< accuracy of each unseen class

/// The same figure for several runs in one: a line for each run that has it.
std::vector<Chart> shared_charts(const std::vector<Run>& runs);

/// "caltech/run.jsonl" -> "run"
std::string label_of(const Run& run);

}  // namespace bzscr::report
