#pragma once

#include "support/dataset_files.h"
#include "support/json.h"
#include "support/run_program.h"

#include <string>
#include <vector>

namespace bzscr::test {

inline const std::string kCaltech = BZSCR_EXAMPLE_DATA "/caltech";

/// Runs the built bzscr-train.
inline Finished train(const std::vector<std::string>& arguments,
                      const std::function<void(int)>& meanwhile = nullptr) {
  return run_program(BZSCR_TRAIN, arguments, meanwhile);
}

/// The description of a model by the built bzscr-inspect.
inline Json inspect_model(const std::string& model) {
  const Finished run = run_program(BZSCR_INSPECT, {model, "--json"});
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  return Json::parse(run.out);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  return lines;
}

}  // namespace bzscr::test
