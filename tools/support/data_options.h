#pragma once

#include <CLI/App.hpp>
#include <bzscr_train/bzscr_train.hpp>

#include <string>

namespace bzscr::cli {

/// --embedding, --missing, --divergence, --wordnet: how a data set is read.
void add_data_options(CLI::App& app, train::ReadOptions& options, const std::string& group);
/// --feature-scaling, --embedding-scaling.
void add_scaling_options(CLI::App& app, train::FitOptions& options, const std::string& group);
/// --beta, --ridge, --base, --own-part, --score, --feature-centring: of bzscr and boosting.
void add_boosting_options(CLI::App& app, train::FitOptions& options, const std::string& group);

}  // namespace bzscr::cli
