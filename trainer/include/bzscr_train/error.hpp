// error.hpp - what bzscr_train.hpp throws for wrong input. Standard library only.
#ifndef BZSCR_TRAIN_ERROR_HPP
#define BZSCR_TRAIN_ERROR_HPP

#include <cstdint>
#include <stdexcept>
#include <string>

namespace bzscr {

/// The location of an error. Members that are not known are empty or -1.
struct Place {
  std::string file{};        ///< "awa/labels.npy", "zoo.npz: labels"
  std::int64_t row = -1;     ///< from 0
  std::int64_t column = -1;  ///< from 0
  std::string name{};        ///< of the class in that row
  std::string option{};      ///< member of an options struct, such as "max_iterations"
};

enum class ErrorKind {
  kInput,        ///< a file, an array or an option is not what was expected
  kSystem,       ///< a file cannot be read or written, or there is no room for it
  kInterrupted,  ///< a stop was requested before there was a result
};

/// An error in the user's input or of the system. what() is one line: the location, what was found
/// and what was expected, for example
///   awa/labels.npy: row 417 is 53; expected 0 to 49
/// The readers, geometry and the pipeline throw it; in core, solver and baselines an invalid value
/// is a bug.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& text);
  /// "file: text". A text of the form "FOUND; expected EXPECTED" sets found() and expected().
  InputError(const std::string& file, const std::string& text);
  /// "file: row R ('name'), column C FOUND; expected EXPECTED", or "option FOUND; expected
  /// EXPECTED"
  InputError(const Place& place, const std::string& found, const std::string& expected,
             ErrorKind kind = ErrorKind::kInput);

  ErrorKind kind() const { return kind_; }
  const Place& place() const { return place_; }
  const std::string& found() const { return found_; }
  const std::string& expected() const { return expected_; }

 private:
  void split(const std::string& text);

  ErrorKind kind_ = ErrorKind::kInput;
  Place place_;
  std::string found_, expected_;
};

}  // namespace bzscr

#endif
