#include <bzscr_train/error.hpp>

#include <fmt/format.h>

namespace bzscr {
namespace {

constexpr const char* kExpected = "; expected ";

std::string line(const Place& place, const std::string& found, const std::string& expected) {
  std::string where = place.option;
  if (place.row >= 0) where += fmt::format("row {}", place.row);
  if (!place.name.empty())
    where +=
        fmt::format("{}'{}'{}", place.row >= 0 ? " (" : "", place.name, place.row >= 0 ? ")" : "");
  if (place.column >= 0)
    where += fmt::format("{}column {}", where.empty() ? "" : ", ", place.column);
  std::string text = place.file.empty() ? "" : place.file + ": ";
  text += where + (where.empty() ? "" : " ") + found;
  return expected.empty() ? text : text + kExpected + expected;
}

}  // namespace

InputError::InputError(const std::string& text) : std::runtime_error(text) { split(text); }

InputError::InputError(const std::string& file, const std::string& text)
    : std::runtime_error(file + ": " + text) {
  place_.file = file;
  split(text);
}

void InputError::split(const std::string& text) {
  const std::size_t at = text.find(kExpected);
  found_ = text.substr(0, at);
  if (at != std::string::npos) expected_ = text.substr(at + std::string(kExpected).size());
}

InputError::InputError(const Place& place, const std::string& found, const std::string& expected,
                       ErrorKind kind)
    : std::runtime_error(line(place, found, expected)),
      kind_(kind),
      place_(place),
      found_(found),
      expected_(expected) {}

}  // namespace bzscr
