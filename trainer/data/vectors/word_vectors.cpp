#include "data/vectors/word_vectors.h"

#include <bzscr_train/error.hpp>
#include "base/foreign_file.h"
#include "data/formats/byte_window.h"
#include "data/formats/number_text.h"
#include "data/formats/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace bzscr {
namespace {

constexpr std::size_t kFirstLook = std::size_t{1} << 16;     // bytes for the detection of a format
constexpr std::size_t kLongestLine = std::size_t{16} << 20;  // of a text file
constexpr std::size_t kLongestWord = 4096;                   // of a binary file
constexpr std::uint64_t kMostDimensions = 1000000;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view without_end(std::string_view line) {
  while (!line.empty() && (is_blank(line.back()) || line.back() == '\r' || line.back() == '\n'))
    line.remove_suffix(1);
  return line;
}

/// The number of fields of a line that does not end in a blank; any number of blanks separates two.
/// The loop is written for vectorisation, because most of a large file passes only through it.
std::size_t count_fields(std::string_view line) {
  if (line.empty()) return 0;
  std::size_t count = is_blank(line[0]) ? 0 : 1;
  for (std::size_t i = 1; i < line.size(); ++i)
    count += static_cast<std::size_t>(is_blank(line[i - 1])) &
             static_cast<std::size_t>(!is_blank(line[i]));
  return count;
}

std::string_view take_field(std::string_view& line) {
  const auto first = std::find_if_not(line.begin(), line.end(), is_blank);
  const auto last = std::find_if(first, line.end(), is_blank);
  const std::string_view field = line.substr(static_cast<std::size_t>(first - line.begin()),
                                             static_cast<std::size_t>(last - first));
  line.remove_prefix(static_cast<std::size_t>(last - line.begin()));
  return field;
}

std::optional<std::uint64_t> parse_count(std::string_view field) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return value;
}

struct Header {
  std::uint64_t words, dimension;
};

/// Parses "N d"; empty for anything else.
std::optional<Header> parse_header(std::string_view line) {
  const auto words = parse_count(take_field(line)), dimension = parse_count(take_field(line));
  if (!words || !dimension || !line.empty()) return std::nullopt;
  return Header{*words, *dimension};
}

/// Whether the beginning of the rows after a header is binary. In a text file a line holds, after
/// its word, only characters of numbers, and at least 2 d of them.
bool looks_binary(std::string_view rows, std::uint64_t dimension, char line_end) {
  std::string_view numbers = without_end(rows.substr(0, rows.find(line_end)));
  take_field(numbers);
  const bool complete = rows.find(line_end) != std::string_view::npos;
  if (complete && numbers.size() < 2 * dimension) return true;
  return numbers.find_first_not_of("0123456789+-.eEinfa \t") != std::string_view::npos;
}

/// Whether text holds no control characters but tabs and line ends.
bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\r' || c == '\n';
  });
}

/// The beginning of arbitrary bytes, for messages.
std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string shown;
  for (const char c : text.substr(0, kMost)) shown += c >= 0 && c < ' ' ? '?' : c;
  return "'" + shown + (text.size() > kMost ? "...'" : "'");
}

}  // namespace

const char* name_of(VectorFormat format) {
  switch (format) {
    case VectorFormat::kGlove: return "glove";
    case VectorFormat::kWord2vecText: return "word2vec-text";
    case VectorFormat::kWord2vecBinary: return "word2vec-binary";
  }
  return "";
}

WordVectorFile::WordVectorFile(const std::string& path, std::optional<VectorFormat> format)
    : path_(path), window_(std::make_unique<ByteWindow>(path)) {
  begin(format);
}

WordVectorFile::~WordVectorFile() = default;

double WordVectorFile::fraction() const { return window_->fraction(); }

std::string WordVectorFile::where() const {
  if (format_ == VectorFormat::kWord2vecBinary) return fmt::format("{}: row {}", path_, rows_);
  return fmt::format("{}:{}", path_, rows_ + (promised_ ? 2 : 1));
}

void WordVectorFile::begin(std::optional<VectorFormat> format) {
  std::string_view text = window_->peek(kFirstLook);
  if (text.empty()) throw InputError(path_, "is empty");
  refuse_foreign_file(path_, text);
  expect_not_utf16(path_, text);
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    window_->skip(kByteOrderMark.size());
    text = window_->peek(kFirstLook);
  }
  if (text.substr(0, 4) == "PK\x03\x04")
    throw InputError(path_, "is a zip archive; expected the file of vectors in it: unzip it first");
  if (text.substr(0, 4) == "\xBA\x16\x4F\x2F")
    throw InputError(path_,
                     "is a model of fastText; expected its vectors, the .vec file beside it");

  if (text.find('\n') == std::string_view::npos && text.find('\r') != std::string_view::npos &&
      is_printable(text))
    line_end_ = '\r';
  const std::string_view line = text.substr(0, text.find(line_end_));
  const std::optional<Header> header = parse_header(without_end(line));
  if (!format) {
    const std::string_view rest = text.substr(std::min(line.size() + 1, text.size()));
    format = !header                                            ? VectorFormat::kGlove
             : looks_binary(rest, header->dimension, line_end_) ? VectorFormat::kWord2vecBinary
                                                                : VectorFormat::kWord2vecText;
  }
  format_ = *format;

  if (format_ == VectorFormat::kGlove) {
    dimension_ = numbers_in(without_end(peek_line()));
    return;
  }
  if (!header)
    throw InputError(
        path_,
        fmt::format("begins with {}; expected 'N d', the numbers of words and of their values",
                    quoted(without_end(line))));
  if (header->dimension < 1 || header->dimension > kMostDimensions)
    throw InputError(path_, fmt::format("its header announces {} values per word; expected 1 to {}",
                                        header->dimension, kMostDimensions));
  promised_ = header->words;
  dimension_ = static_cast<Index>(header->dimension);
  window_->skip(std::min(line.size() + 1, text.size()));
}

/// d, from the first line of a file without a header.
Index WordVectorFile::numbers_in(std::string_view line) const {
  std::string_view rest = line;
  if (line.empty() || !is_blank(line[0])) take_field(rest);  // else the word is a blank
  const std::size_t numbers = count_fields(rest);
  bool good = numbers >= 1 && numbers <= kMostDimensions;
  for (std::size_t i = 0; good && i < numbers; ++i)
    good = parse_number(take_field(rest)).has_value();
  if (!good)
    throw InputError(
        where(),
        fmt::format(
            "is {}; expected 'N d', as word2vec begins, or a word and its numbers, as GloVe does",
            quoted(line)));
  return static_cast<Index>(numbers);
}

bool WordVectorFile::next() {
  window_->skip(taken_);
  if (taken_ > 0) ++rows_;
  taken_ = 0;
  const bool found = format_ == VectorFormat::kWord2vecBinary ? next_binary() : next_line();
  if (!found) expect_all_rows();
  const bool is_binary = format_ == VectorFormat::kWord2vecBinary;
  if (found && is_binary && rows_ >= *promised_)
    throw InputError(
        where(),
        fmt::format("is one row too many; expected {} words, as in the header", *promised_));
  return found;
}

/// Throws InputError if the file is truncated. A text file whose last line has an end may have been
/// made of a larger one.
void WordVectorFile::expect_all_rows() const {
  if (!promised_ || rows_ >= *promised_) return;
  const bool is_binary = format_ == VectorFormat::kWord2vecBinary;
  if (is_binary || rows_ == 0 || !ends_with_line_)
    throw InputError(
        path_, fmt::format("is truncated: {} of the {} words that its header announces", rows_,
                           *promised_));
}

std::string WordVectorFile::note() const {
  if (!promised_ || rows_ == *promised_) return "";
  return fmt::format("{}: its header announces {} words, and it holds {}, all of which were read",
                     path_, *promised_, rows_);
}

/// The next line, including its end; empty only at the end of the file.
std::string_view WordVectorFile::peek_line() {
  std::size_t searched = 0;
  for (;;) {
    const std::string_view text = window_->peek(searched + 1);
    const std::size_t end = text.find(line_end_, searched);
    if (end != std::string_view::npos) return text.substr(0, end + 1);
    if (text.size() <= searched) return text;
    if (text.size() > kLongestLine)
      throw InputError(
          where(),
          fmt::format("is longer than {} bytes; expected a word and its numbers", kLongestLine));
    searched = text.size();
  }
}

bool WordVectorFile::next_line() {
  const std::string_view line = peek_line();
  taken_ = line.size();
  if (line.empty()) return false;
  ends_with_line_ = line.back() == line_end_;
  const std::string_view content = without_end(line);
  if (content.empty() && only_blank_lines_follow()) {
    taken_ = 0;
    return false;
  }
  split_line(content);
  return true;
}

/// Passes over blank lines. Returns whether they are the last of the file.
bool WordVectorFile::only_blank_lines_follow() {
  std::size_t blank = 0;
  for (;;) {
    const std::string_view text = window_->peek(blank + kFirstLook);
    const std::size_t first = text.find_first_not_of(" \t\r\n", blank);
    if (first != std::string_view::npos) return false;
    if (text.size() == blank || text.size() > kLongestLine) break;
    blank = text.size();
  }
  return true;
}

/// Splits a line into its word and d numbers, the last d fields. The word may contain blanks; if it
/// consists of them, nobody can ask for it.
void WordVectorFile::split_line(std::string_view line) {
  const auto d = static_cast<std::size_t>(dimension_);
  const std::size_t fields = count_fields(line);
  const auto wrong = [&] {
    std::string_view rest = line;
    const std::string word = quoted(take_field(rest));
    return InputError(where(), fields == 0 ? "is blank; expected a word and its numbers"
                                           : fmt::format("{} is followed by {} values; expected {}",
                                                         word, fields - 1, d));
  };
  const bool blank_word = fields == d && is_blank(line[0]);
  if (fields < d + 1 && !blank_word) throw wrong();
  values_ = line;
  std::string_view last;
  for (std::size_t i = 0; i + d < fields; ++i) last = take_field(values_);
  // A word such as "iphone 5" ends in a number. But d is uncertain if the first line alone gives it.
  if (fields > d + 1 && !promised_ && rows_ == 1 && parse_number(last)) throw wrong();
  word_ = line.substr(0, line.size() - values_.size());
  word_.remove_prefix(static_cast<std::size_t>(
      std::find_if_not(word_.begin(), word_.end(), is_blank) - word_.begin()));
}

bool WordVectorFile::next_binary() {
  std::string_view text = window_->peek(1);
  std::size_t line_ends = 0;
  while (!text.empty() && (text[line_ends] == '\n' || text[line_ends] == '\r')) {
    ++line_ends;
    if (line_ends == text.size()) text = window_->peek(line_ends + 1);
    if (line_ends == text.size()) break;
  }
  window_->skip(line_ends);
  text = window_->peek(kLongestWord).substr(0, kLongestWord);
  if (text.empty()) return false;
  const std::size_t length = text.find(' ');
  if (length == std::string_view::npos)
    throw InputError(where(),
                     text.size() < kLongestWord
                         ? fmt::format("is truncated within its word, {}", quoted(text))
                         : fmt::format("its word, {}, has no end; expected a blank within {} bytes",
                                       quoted(text), kLongestWord));
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(dimension_);
  taken_ = length + 1 + bytes;
  text = window_->peek(taken_);
  word_ = text.substr(0, length);
  if (text.size() < taken_)
    throw InputError(where(), fmt::format("{} is truncated: {} of {} bytes", quoted(word_),
                                          text.size() - length - 1, bytes));
  values_ = text.substr(length + 1, bytes);
  return true;
}

float WordVectorFile::number(std::string_view field, Index column) const {
  const std::optional<double> value = parse_number(field);
  if (!value || !(std::abs(*value) <= std::numeric_limits<float>::max()))
    throw InputError(where(),
                     fmt::format("{}, value {} is {}; expected finite numbers within float32",
                                 quoted(word_), column, quoted(field)));
  return static_cast<float>(*value);
}

VectorF WordVectorFile::vector() const {
  VectorF values(dimension_);
  if (format_ != VectorFormat::kWord2vecBinary) {
    std::string_view rest = values_;
    for (Index j = 0; j < dimension_; ++j) values[j] = number(take_field(rest), j);
    return values;
  }
  std::memcpy(values.data(), values_.data(), values_.size());
  for (Index j = 0; j < dimension_; ++j)
    if (!std::isfinite(values[j]))
      throw InputError(where(), fmt::format("{}, value {} is {}; expected finite numbers",
                                            quoted(word_), j, values[j]));
  return values;
}

}  // namespace bzscr
