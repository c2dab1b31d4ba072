#pragma once

#include "cli/options.h"
#include "data/dataset.h"
#include "geometry/divergence.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace bzscr {

/// What happened in a run, as lines of JSON (report/history.h has the fields): in memory, and in a
/// file where one is asked for. Every line reaches the file at once and whole.
class History {
 public:
  /// \param path   empty: no file. Throws InputError if it cannot be written.
  /// \param go_on  what the file holds stays, but for a last line that was cut short; false: it
  /// begins anew
  History(const std::string& path, bool go_on);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  /// Never throws for the file's sake: a full disk must not end the training. It is told once, on
  /// standard error, and the file ends with the last whole line.
  void add(const nlohmann::ordered_json& line);
  /// All lines, those that were there before included.
  const std::string& text() const { return text_; }

 private:
  void write(const std::string& line);

  std::string path_, text_;
  int fd_ = -1;
};

/// An error or an accuracy as JSON; null where it was not measured, which is below 0.
nlohmann::ordered_json measured(double value);

/// The first line of a run: what it was asked for, and on what.
/// \param resumed  goes on from a checkpoint
nlohmann::ordered_json settings_line(const TrainOptions& options, const Dataset& data,
                                     const Divergence& divergence, bool resumed);

}  // namespace bzscr
