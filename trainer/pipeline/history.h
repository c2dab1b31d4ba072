#pragma once

#include "base/json.h"
#include "pipeline/dataset.h"
#include "pipeline/options.h"

#include <functional>
#include <string>

namespace bzscr::train {

/// The events of a run as lines of JSON (fields: report/history.h), in memory and optionally in a
/// file. Each line is written to the file with one call as soon as it is added.
class History {
 public:
  /// \param path    empty: no file. Throws InputError if it cannot be written.
  /// \param append  keep the complete lines that the file holds; false: truncate it
  /// \param note    called once if the file can no longer be written: a full disk must not end the
  ///   training
  History(const std::string& path, bool append, std::function<void(const std::string&)> note);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  void add(const Json& line);
  /// All lines, including those that the file held before.
  const std::string& text() const { return text_; }

 private:
  void write(const std::string& line);

  std::string path_, text_;
  std::function<void(const std::string&)> note_;
  int fd_ = -1;
};

/// An error or an accuracy; null for a negative value (not measured).
Json measured(double value);

/// The first line of a run: its options and its data set.
/// \param resumed  the run continues from a checkpoint
Json settings_line(const Settings& settings, const Dataset& data, bool resumed);

}  // namespace bzscr::train
