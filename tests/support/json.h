#pragma once

#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace bzscr::test {

/// A value that was read from JSON. The parser, which takes seconds to compile, is in json.cpp.
/// Asking for a member, an element or a type that is not there throws and says what is there.
class Json {
 public:
  Json() = default;  ///< null
  template <class T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  Json(T value)
      : kind_(std::is_same<T, bool>::value ? Kind::kBool : Kind::kNumber),
        number_(static_cast<double>(value)) {}
  Json(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}
  Json(const char* text) : Json(std::string(text)) {}

  /// One value and nothing else; throws otherwise.
  static Json parse(const std::string& text);
  std::string dump() const;

  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_number() const { return kind_ == Kind::kNumber; }

  /// Of an array or an object.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  bool contains(const std::string& key) const;
  const Json& operator[](const std::string& key) const;
  const Json& operator[](const char* key) const { return (*this)[std::string(key)]; }
  template <class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
  const Json& operator[](T index) const {
    return element(static_cast<std::size_t>(index));
  }
  std::vector<Json>::const_iterator begin() const { return elements().begin(); }
  std::vector<Json>::const_iterator end() const { return elements().end(); }
  const std::vector<std::pair<std::string, Json>>& items() const;

  /// The object without one member; that it had it is not asked for.
  Json without(const std::string& key) const;

  /// Numbers are doubles: integers up to 2^53 are exact.
  template <class T>
  T get() const {
    if constexpr (std::is_same<T, bool>::value)
      return truth();
    else if constexpr (std::is_arithmetic<T>::value)
      return static_cast<T>(number());
    else
      return T(text());
  }
  operator double() const { return number(); }
  operator std::string() const { return text(); }

  friend bool operator==(const Json& a, const Json& b);
  friend bool operator!=(const Json& a, const Json& b) { return !(a == b); }
  // Without these a comparison with a number could go by the number as well.
  template <class T, std::enable_if_t<!std::is_same<T, Json>::value &&
                                          (std::is_arithmetic<T>::value ||
                                           std::is_convertible<const T&, std::string>::value),
                                      int> = 0>
  friend bool operator==(const Json& a, const T& b) {
    return a == Json(b);
  }
  template <class T, std::enable_if_t<!std::is_same<T, Json>::value &&
                                          (std::is_arithmetic<T>::value ||
                                           std::is_convertible<const T&, std::string>::value),
                                      int> = 0>
  friend bool operator!=(const Json& a, const T& b) {
    return !(a == Json(b));
  }

 private:
  friend struct JsonReader;
  enum class Kind { kNull, kBool, kNumber, kText, kArray, kObject };

  const Json& element(std::size_t index) const;
  const std::vector<Json>& elements() const;
  double number() const;
  bool truth() const;
  const std::string& text() const;
  void expect(Kind kind, const char* what) const;

  Kind kind_ = Kind::kNull;
  double number_ = 0;
  std::string text_;
  std::vector<Json> elements_;
  std::vector<std::pair<std::string, Json>> members_;  ///< by key
};

std::ostream& operator<<(std::ostream& stream, const Json& json);

}  // namespace bzscr::test
