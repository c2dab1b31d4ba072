#include "base/json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

using bzscr::Json;

TEST_CASE("members and elements keep their order, nested and empty ones included") {
  Json object = Json::object({{"b", 1}, {"a", Json::array({1, "two", nullptr, true})}});
  object.add("empty", Json::object()).add("list", std::vector<double>{0.5, 2});
  CHECK(object.text() == R"({"b":1,"a":[1,"two",null,true],"empty":{},"list":[0.5,2.0]})");
  CHECK(Json::object().add_all(object).add_all(Json::object()).add("z", 0).text() ==
        object.text().substr(0, object.text().size() - 1) + ",\"z\":0}");
  CHECK(Json::array().text() == "[]");
}

TEST_CASE("a double reads back as the same bits, and never as an integer") {
  for (const double value : {0.1, 1e300, -2.5e-308, 1.0 / 3, 123456789.0, 5e-324, 1e22})
    CHECK(std::strtod(Json(value).text().c_str(), nullptr) == value);
  CHECK(Json(2.0).text() == "2.0");
  CHECK(Json(-0.0).text() == "-0.0");
  CHECK(Json(1e22).text() == "1e+22");
  CHECK(Json(std::numeric_limits<double>::infinity()).text() == "null");
  CHECK(Json(std::nan("")).text() == "null");
}

TEST_CASE("texts are escaped, and each byte that is not valid UTF-8 is replaced") {
  CHECK(Json("a\"b\\c\n\t\r\x01").text() == R"("a\"b\\c\n\t\r\u0001")");
  CHECK(Json("\xC3\xA9 \xF0\x9F\xA6\x93").text() == "\"\xC3\xA9 \xF0\x9F\xA6\x93\"");
  const std::string wrong = "\xEF\xBF\xBD";
  CHECK(Json("\xFFx\xC3").text() == "\"" + wrong + "x" + wrong + "\"");
  CHECK(Json("\xED\xA0\x80").text() == "\"" + wrong + wrong + wrong + "\"");
  CHECK(Json("\xF4\x90\x80\x80").text() == "\"" + wrong + wrong + wrong + wrong + "\"");
}

TEST_CASE("an empty optional is null") {
  CHECK(Json(std::optional<double>()).text() == "null");
  CHECK(Json(std::optional<double>(0.5)).text() == "0.5");
  CHECK(Json(std::optional<std::string>("x")).text() == "\"x\"");
}
