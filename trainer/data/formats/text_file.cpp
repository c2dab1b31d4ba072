#include "data/formats/text_file.h"

#include <bzscr_train/error.hpp>
#include "base/foreign_file.h"

#include <algorithm>

namespace bzscr {

void expect_not_utf16(const std::string& path, std::string_view text) {
  if (text.substr(0, 2) == "\xFF\xFE" || text.substr(0, 2) == "\xFE\xFF")
    throw InputError(path, "is UTF-16 text; expected UTF-8");
}

TextFile::TextFile(const std::string& path) : path_(path), file_(path), rest_(file_.text()) {
  refuse_foreign_file(path, rest_);
  expect_not_utf16(path, rest_);
  if (rest_.substr(0, kByteOrderMark.size()) == kByteOrderMark)
    rest_.remove_prefix(kByteOrderMark.size());
  const std::size_t last = rest_.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) throw InputError(path, "is empty");
  if (rest_.find('\n') == std::string_view::npos) line_end_ = '\r';
  rest_ = rest_.substr(0, rest_.find_first_of("\r\n", last));  // without blank lines at the end
}

bool TextFile::next() {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find(line_end_), rest_.size());
  line_ = rest_.substr(0, end);
  if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++number_;
  return true;
}

std::string TextFile::where() const { return path_ + ":" + std::to_string(number_); }

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace bzscr
