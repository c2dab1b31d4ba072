#pragma once

#include <bzscr_train/bzscr_train.hpp>

namespace CLI {
class App;
}

namespace bzscr::cli {

/// Adds the options of the objective, the solver, the other methods and the choices on validation
/// classes.
void add_method_options(CLI::App& app, train::FitOptions& options);

/// Throws InputError if no model file can hold a model of the method, or if an option is given that
/// has no effect with it.
void check_method_options(const CLI::App& app, const train::FitOptions& options);

}  // namespace bzscr::cli
