#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace bzscr::report {

using Json = nlohmann::ordered_json;

/// " (column 17)" if the error of the parser has a position; else empty.
std::string place_in(const Json::exception& error);

/// Validates and reads the fields of a JSON object. A field that is missing, of another type or out
/// of range throws InputError, "where: ...", with the field, its value and what was expected.
class FieldReader {
 public:
  /// \param object  must outlive this reader; InputError if it is not an object
  FieldReader(const Json& object, std::string where);

  const Json& object() const { return object_; }
  const std::string& where() const { return where_; }

  double number(const char* name, double least = -std::numeric_limits<double>::infinity()) const;
  /// Empty if the field is null or missing.
  std::optional<double> number_if_any(const char* name) const;
  double share(const char* name) const;  ///< in [0, 1]
  /// The same; `otherwise` if the field is null or missing.
  double share_or(const char* name, double otherwise) const;
  std::int64_t integer(const char* name, std::int64_t least = 0) const;
  bool boolean(const char* name) const;
  std::string string(const char* name) const;
  std::vector<std::string> strings(const char* name) const;
  /// size x size counts.
  std::vector<std::vector<std::int64_t>> counts(const char* name, std::size_t size) const;
  FieldReader inner(const char* name) const;
  /// The objects of a list; none if the field is null or missing.
  std::vector<FieldReader> list_if_any(const char* name) const;

 private:
  const Json& field(const char* name, const char* expected) const;
  [[noreturn]] void refuse(const char* name, const Json& value, const std::string& expected) const;

  const Json& object_;
  std::string where_;
};

}  // namespace bzscr::report
