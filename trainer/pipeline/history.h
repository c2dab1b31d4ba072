#pragma once

#include "base/json.h"
#include "pipeline/dataset.h"
#include "pipeline/options.h"

#include <functional>
#include <string>

namespace bzscr::train {

/// What happened in a run, as lines of JSON (report/history.h has the fields): in memory, and in a
/// file where one is asked for. Every line reaches the file at once and whole.
class History {
 public:
  /// \param path    empty: no file. Throws InputError if it cannot be written.
  /// \param append  what the file holds stays, but for a last line that was cut short; false: it
  ///   begins anew
  /// \param note    told once where the file can no longer be written: a full disk must not end
  ///   the training
  History(const std::string& path, bool append, std::function<void(const std::string&)> note);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  void add(const Json& line);
  /// All lines, those that were there before included.
  const std::string& text() const { return text_; }

 private:
  void write(const std::string& line);

  std::string path_, text_;
  std::function<void(const std::string&)> note_;
  int fd_ = -1;
};

/// An error or an accuracy; null where it was not measured, which is below 0.
Json measured(double value);

/// The first line of a run: what it was asked for, and on what.
/// \param resumed  goes on from a checkpoint
Json settings_line(const Settings& settings, const Dataset& data, bool resumed);

}  // namespace bzscr::train
