#include "data/formats/text_file.h"

#include <bzscr_train/error.hpp>

#include <algorithm>

namespace bzscr {

TextFile::TextFile(const std::string& path) : path_(path), file_(path), rest_(file_.text()) {
  if (rest_.substr(0, 2) == "\xFF\xFE" || rest_.substr(0, 2) == "\xFE\xFF")
    throw InputError(path, "is UTF-16 text; expected UTF-8");
  if (rest_.substr(0, 3) == "\xEF\xBB\xBF") rest_.remove_prefix(3);
  if (rest_.empty()) throw InputError(path, "is empty");
}

bool TextFile::next() {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
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
