#pragma once

#include <stdexcept>
#include <string>

namespace bzscr {

/// Something is wrong with what the user gave. The text is one sentence: where, what was found,
/// what was expected. Only data/, geometry/, distributed/ and cli/ raise it; past them a bad value
/// is a bug.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& text) : std::runtime_error(text) {}
  /// "where: text", for example "awa/labels.npy: row 417: label 53 is ..."
  InputError(const std::string& where, const std::string& text)
      : std::runtime_error(where + ": " + text) {}
};

}  // namespace bzscr
