#include <bzscr_train/error.hpp>

#include <doctest/doctest.h>

using namespace bzscr;

TEST_CASE("an error names the file, row, class and column, what was found and what was expected") {
  Place place{"awa/att.npy", 3, 7, "okapi"};
  const InputError error(place, "is nan", "a finite number");
  CHECK(error.what() ==
        std::string("awa/att.npy: row 3 ('okapi'), column 7 is nan; expected a finite number"));
  CHECK(error.kind() == ErrorKind::kInput);
  CHECK(error.place().row == 3);
  CHECK(error.found() == "is nan");
  CHECK(error.expected() == "a finite number");
  place = {"awa/labels.npy", 417};
  CHECK(InputError(place, "is 53", "0 to 49").what() ==
        std::string("awa/labels.npy: row 417 is 53; expected 0 to 49"));
}

TEST_CASE("an error of an option begins with the option's name") {
  Place place;
  place.option = "folds";
  const InputError error(place, "is 9", "1 to 5");
  CHECK(error.what() == std::string("folds is 9; expected 1 to 5"));
  CHECK(error.place().option == "folds");
}

TEST_CASE("a plain text is split into what was found and what was expected") {
  const InputError error("zoo.npz", "holds no labels; expected a key 'labels'");
  CHECK(error.what() == std::string("zoo.npz: holds no labels; expected a key 'labels'"));
  CHECK(error.place().file == "zoo.npz");
  CHECK(error.found() == "holds no labels");
  CHECK(error.expected() == "a key 'labels'");
  CHECK(InputError("no room").expected().empty());
}
