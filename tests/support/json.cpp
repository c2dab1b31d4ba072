#include "support/json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <stdexcept>

namespace bzscr::test {

using Parsed = nlohmann::json;

struct JsonReader {
  static Json read(const Parsed& parsed) {
    Json json;
    switch (parsed.type()) {
      case Parsed::value_t::null: break;
      case Parsed::value_t::boolean: json = parsed.get<bool>(); break;
      case Parsed::value_t::string: json = parsed.get<std::string>(); break;
      case Parsed::value_t::array:
        json.kind_ = Json::Kind::kArray;
        for (const Parsed& each : parsed) json.elements_.push_back(read(each));
        break;
      case Parsed::value_t::object:
        json.kind_ = Json::Kind::kObject;
        for (const auto& [key, value] : parsed.items())
          json.members_.emplace_back(key, read(value));
        break;
      default: json = parsed.get<double>();
    }
    return json;
  }

  static Parsed written(const Json& json) {
    switch (json.kind_) {
      case Json::Kind::kNull: return nullptr;
      case Json::Kind::kBool: return json.number_ != 0;
      case Json::Kind::kNumber:
        if (std::fabs(json.number_) < 9e15 && json.number_ == std::floor(json.number_))
          return static_cast<std::int64_t>(json.number_);
        return json.number_;
      case Json::Kind::kText: return json.text_;
      case Json::Kind::kArray: {
        Parsed array = Parsed::array();
        for (const Json& each : json.elements_) array.push_back(written(each));
        return array;
      }
      case Json::Kind::kObject: break;
    }
    Parsed object = Parsed::object();
    for (const auto& [key, value] : json.members_) object[key] = written(value);
    return object;
  }
};

Json Json::parse(const std::string& text) { return JsonReader::read(Parsed::parse(text)); }

std::string Json::dump() const {
  return JsonReader::written(*this).dump(-1, ' ', false, Parsed::error_handler_t::replace);
}

void Json::expect(Kind kind, const char* what) const {
  if (kind_ != kind) throw std::out_of_range("found " + dump() + "; expected " + what);
}

std::size_t Json::size() const {
  if (kind_ == Kind::kObject) return members_.size();
  return elements().size();
}

bool Json::contains(const std::string& key) const {
  return std::any_of(items().begin(), items().end(),
                     [&](const auto& member) { return member.first == key; });
}

const Json& Json::operator[](const std::string& key) const {
  for (const auto& [name, value] : items())
    if (name == key) return value;
  throw std::out_of_range("no member \"" + key + "\" in " + dump());
}

const Json& Json::element(std::size_t index) const {
  if (index >= elements().size())
    throw std::out_of_range("no element " + std::to_string(index) + " in " + dump());
  return elements_[index];
}

const std::vector<Json>& Json::elements() const {
  expect(Kind::kArray, "an array");
  return elements_;
}

const std::vector<std::pair<std::string, Json>>& Json::items() const {
  expect(Kind::kObject, "an object");
  return members_;
}

Json Json::without(const std::string& key) const {
  Json rest = *this;
  rest.members_.clear();
  for (const auto& member : items())
    if (member.first != key) rest.members_.push_back(member);
  return rest;
}

double Json::number() const {
  expect(Kind::kNumber, "a number");
  return number_;
}

bool Json::truth() const {
  expect(Kind::kBool, "true or false");
  return number_ != 0;
}

const std::string& Json::text() const {
  expect(Kind::kText, "a text");
  return text_;
}

bool operator==(const Json& a, const Json& b) {
  return a.kind_ == b.kind_ && a.number_ == b.number_ && a.text_ == b.text_ &&
         a.elements_ == b.elements_ && a.members_ == b.members_;
}

std::ostream& operator<<(std::ostream& stream, const Json& json) { return stream << json.dump(); }

}  // namespace bzscr::test
