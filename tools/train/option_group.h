#pragma once

#include "support/command_line.h"

#include <string>
#include <utility>
#include <vector>

namespace bzscr::cli {

/// Adds options to a group of the help.
class Group {
 public:
  Group(CLI::App& app, std::string name) : app_(app), name_(std::move(name)) {}

  template <class Value>
  CLI::Option* option(const std::string& name, Value& value, const std::string& description,
                      const std::string& type = "X") {
    return app_.add_option(name, value, description)->type_name(type)->group(name_);
  }
  CLI::Option* words(const std::string& name, std::string& value, std::vector<std::string> words,
                     const std::string& description) {
    return app_.add_option(name, value, description)->check(one_of(std::move(words)))->group(name_);
  }
  CLI::Option* flag(const std::string& name, bool& value, const std::string& description) {
    return app_.add_flag(name, value, description)->group(name_);
  }

 private:
  CLI::App& app_;
  std::string name_;
};

}  // namespace bzscr::cli
