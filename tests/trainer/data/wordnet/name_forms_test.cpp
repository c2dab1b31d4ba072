#include "data/wordnet/name_forms.h"

#include <doctest/doctest.h>

namespace bzscr {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("spellings of a name that differ in case and separators have the same normal form") {
  for (const char* name :
       {"polar bear", "polar+bear", "polar-bear", "polar_bear", "Polar_bear", "POLAR BEAR"}) {
    CAPTURE(name);
    CHECK(folded_name(name) == "polar_bear");
  }
  CHECK(folded_name("jack-o'-lantern") == "jack_o'_lantern");
  CHECK(folded_name("\xC3\x89l\xC3\xA9phant") == "\xC3\x89l\xC3\xA9phant");  // only A to Z
  CHECK(folded_name("").empty());
}

TEST_CASE("words are split at any number of separators and keep their spelling") {
  CHECK(words_of("Polar+bear") == Words{"Polar", "bear"});
  CHECK(words_of("__a -b+") == Words{"a", "b"});
  CHECK(words_of("otter") == Words{"otter"});
  CHECK(words_of("+-_ ").empty());
  CHECK(words_of("").empty());
}

}  // namespace
}  // namespace bzscr
