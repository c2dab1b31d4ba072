#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bzscr {

/// A JSON value (RFC 8259) for writing; it holds its text. Objects keep the order in which members
/// were added. Doubles have the shortest text that reads back as the same number; NaN and infinity
/// are null. In text, bytes that are not valid UTF-8 are replaced by U+FFFD.
class Json {
 public:
  Json() : text_("null") {}
  Json(std::nullptr_t) : text_("null") {}
  Json(bool value) : text_(value ? "true" : "false") {}
  Json(double value);
  Json(float value) : Json(static_cast<double>(value)) {}
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  Json(Integer value) : text_(std::to_string(value)) {}
  Json(std::string_view value);
  Json(const std::string& value) : Json(std::string_view(value)) {}
  Json(const char* value) : Json(std::string_view(value)) {}
  template <class Value>
  Json(const std::optional<Value>& value) : Json(value ? Json(*value) : Json()) {}
  template <class Value>
  Json(const std::vector<Value>& values) : text_("[]") {
    for (const auto& value : values) push_back(Json(value));
  }

  static Json array() { return of("[]"); }
  static Json array(std::initializer_list<Json> values);
  static Json object() { return of("{}"); }
  using Member = std::pair<std::string_view, Json>;
  static Json object(std::initializer_list<Member> members);

  /// Appends to an array.
  Json& push_back(const Json& value);
  /// Appends a member to an object. Names must be unique, which is not checked.
  Json& add(std::string_view name, const Json& value);
  /// Appends all members of another object.
  Json& add_all(const Json& object);

  /// On one line, without spaces.
  const std::string& text() const { return text_; }

 private:
  static Json of(const char* text) {
    Json json;
    json.text_ = text;
    return json;
  }
  void append(std::string_view inside, char end);

  std::string text_;
};

}  // namespace bzscr
