#pragma once

#include <bzscr_train/bzscr_train.hpp>

namespace CLI {
class App;
}

namespace bzscr::cli {

/// Adds the options of the objective, the solver, the other methods and the choices on validation
/// classes.
void add_method_options(CLI::App& app, train::FitOptions& options);

}  // namespace bzscr::cli
