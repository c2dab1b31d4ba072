#include "report/json_fields.h"

#include <bzscr_train/error.hpp>

namespace bzscr::report {
namespace {

constexpr std::size_t kShownOfAValue = 40;

std::string excerpt(const Json& value) {
  // ASCII, so that it can be cut at any byte.
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kShownOfAValue) text = text.substr(0, kShownOfAValue) + "...";
  return text;
}

std::string in_words(double value) {
  const std::string text = Json(value).dump();
  return text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0
             ? text.substr(0, text.size() - 2)
             : text;
}

bool is_count(const Json& value) { return value.is_number_integer() && value.get<double>() >= 0; }

}  // namespace

std::string place_in(const Json::exception& error) {
  const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
  return parse_error == nullptr ? "" : " (column " + std::to_string(parse_error->byte) + ")";
}

FieldReader::FieldReader(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (!object.is_object())
    throw InputError(where_, "is " + excerpt(object) + "; expected an object, {...}");
}

const Json& FieldReader::field(const char* name, const char* expected) const {
  const auto found = object_.find(name);
  if (found == object_.end())
    throw InputError(where_, std::string("has no \"") + name + "\"; expected " + expected);
  return *found;
}

void FieldReader::refuse(const char* name, const Json& value, const std::string& expected) const {
  throw InputError(where_,
                   std::string("\"") + name + "\" is " + excerpt(value) + "; expected " + expected);
}

double FieldReader::number(const char* name, double least) const {
  const bool any = least == -std::numeric_limits<double>::infinity();
  const std::string expected = any ? "a number" : "a number of at least " + in_words(least);
  const Json& value = field(name, expected.c_str());
  if (!value.is_number() || value.get<double>() < least) refuse(name, value, expected);
  return value.get<double>();
}

std::optional<double> FieldReader::number_if_any(const char* name) const {
  const auto found = object_.find(name);
  if (found == object_.end() || found->is_null()) return std::nullopt;
  return number(name);
}

double FieldReader::share(const char* name) const {
  const Json& value = field(name, "a number from 0 to 1");
  // The mean of shares may exceed 1 by rounding.
  if (!value.is_number() || value.get<double>() < -1e-9 || value.get<double>() > 1 + 1e-9)
    refuse(name, value, "a number from 0 to 1");
  return std::min(1.0, std::max(0.0, value.get<double>()));
}

double FieldReader::share_or(const char* name, double otherwise) const {
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? otherwise : share(name);
}

std::int64_t FieldReader::integer(const char* name, std::int64_t least) const {
  const std::string expected = "a whole number of at least " + std::to_string(least);
  const Json& value = field(name, expected.c_str());
  const bool fits = value.is_number_integer() &&
                    value.get<double>() >= static_cast<double>(least) && value.get<double>() < 9e15;
  if (!fits) refuse(name, value, expected);
  return value.get<std::int64_t>();
}

bool FieldReader::boolean(const char* name) const {
  const Json& value = field(name, "true or false");
  if (!value.is_boolean()) refuse(name, value, "true or false");
  return value.get<bool>();
}

std::string FieldReader::string(const char* name) const {
  const Json& value = field(name, "a text");
  if (!value.is_string()) refuse(name, value, "a text");
  return value.get<std::string>();
}

std::vector<std::string> FieldReader::strings(const char* name) const {
  const Json& value = field(name, "a list of texts");
  std::vector<std::string> texts;
  if (!value.is_array()) refuse(name, value, "a list of texts");
  for (const Json& one : value) {
    if (!one.is_string()) refuse(name, one, "a list of texts");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

std::vector<std::vector<std::int64_t>> FieldReader::counts(const char* name,
                                                           std::size_t size) const {
  const std::string expected =
      std::to_string(size) + " rows of " + std::to_string(size) + " counts, one per class";
  const Json& value = field(name, expected.c_str());
  if (!value.is_array() || value.size() != size) refuse(name, value, expected);
  std::vector<std::vector<std::int64_t>> rows;
  for (const Json& row : value) {
    if (!row.is_array() || row.size() != size) refuse(name, row, expected);
    for (const Json& count : row)
      if (!is_count(count)) refuse(name, count, expected);
    rows.push_back(row.get<std::vector<std::int64_t>>());
  }
  return rows;
}

FieldReader FieldReader::inner(const char* name) const {
  return FieldReader(field(name, "an object, {...}"), where_ + ": \"" + name + "\"");
}

std::vector<FieldReader> FieldReader::list_if_any(const char* name) const {
  std::vector<FieldReader> list;
  const auto found = object_.find(name);
  if (found == object_.end() || found->is_null()) return list;
  if (!found->is_array()) refuse(name, *found, "a list of objects");
  for (const Json& one : *found)
    list.emplace_back(one, where_ + ": \"" + name + "\", entry " + std::to_string(list.size()));
  return list;
}

}  // namespace bzscr::report
