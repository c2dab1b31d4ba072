#include "base/json.h"

#include "base/utf8.h"

#include <fmt/format.h>

#include <cmath>

namespace bzscr {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const std::size_t bytes = utf8_character(text);
    const char c = text.front();
    if (bytes == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + '"';
}

}  // namespace

Json::Json(double value) : text_("null") {
  if (!std::isfinite(value)) return;
  text_ = fmt::format("{}", value);
  // Mark a double for readers that distinguish integers and doubles.
  if (text_.find_first_of(".e") == std::string::npos) text_ += ".0";
}

Json::Json(std::string_view value) : text_(quoted(value)) {}

Json Json::array(std::initializer_list<Json> values) {
  Json json = array();
  for (const Json& value : values) json.push_back(value);
  return json;
}

Json Json::object(std::initializer_list<Member> members) {
  Json json = object();
  for (const auto& [name, value] : members) json.add(name, value);
  return json;
}

void Json::append(std::string_view inside, char end) {
  text_.pop_back();
  if (text_.size() > 1) text_ += ',';
  text_ += inside;
  text_ += end;
}

Json& Json::push_back(const Json& value) {
  append(value.text_, ']');
  return *this;
}

Json& Json::add(std::string_view name, const Json& value) {
  append(quoted(name) + ':' + value.text_, '}');
  return *this;
}

Json& Json::add_all(const Json& object) {
  if (object.text_.size() > 2)
    append(std::string_view(object.text_).substr(1, object.text_.size() - 2), '}');
  return *this;
}

}  // namespace bzscr
