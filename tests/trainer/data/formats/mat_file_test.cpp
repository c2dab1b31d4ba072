#include "data/formats/mat_file.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"
#include "hdf5_files.h"
#include "mat_files.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>

namespace bzscr {
namespace {

using test::kMatKinds;
using test::MatKind;
using test::MatWriter;

const char* const kTypes[] = {"f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"};

Matrix small_numbers() {
  Matrix values(3, 5);
  for (Index i = 0; i < values.size(); ++i) values.data()[i] = static_cast<double>(3 * i + 1);
  return values;
}

struct Folder : test::TemporaryFolder {
  std::string file() const { return *this / "x.mat"; }
  std::string refusal(const std::function<void()>& read) const {
    try {
      read();
    } catch (const InputError& error) {
      return std::string(error.what()).substr(path().size() + 1);
    }
    return "accepted";
  }
};

TEST_CASE("numbers of every class are read from every kind of file") {
  const Folder folder;
  const Matrix values = small_numbers();
  for (const MatKind kind : kMatKinds) {
    CAPTURE(kind);
    {
      MatWriter writer(folder.file(), kind);
      for (const char* type : kTypes) writer.numbers(std::string("x_") + type, values, type);
    }
    const MatFile file(folder.file());
    for (const char* type : kTypes) {
      CAPTURE(type);
      const std::string name = std::string("x_") + type;
      CHECK(file.has(name));
      CHECK(file.numbers(name).matrix() == values);
      CHECK(file.numbers(name).transposed("x'").matrix() == values.transpose());
      std::shared_ptr<const void> owner;
      const FeatureView view = file.numbers_as_float32(name).transposed("x'").features(owner);
      REQUIRE(view.storage == Storage::kFloat32);
      CHECK_FALSE(view.column_major);
      CHECK(Eigen::Map<const MatrixF>(static_cast<const float*>(view.data), 5, 3).cast<double>() ==
            values.transpose());
    }
    CHECK_FALSE(file.has("y"));
  }
}

TEST_CASE(
    "doubles that MATLAB stores as small integers are read as doubles, in either byte order") {
  // libmatio does not pack, so these are written by hand: class double, values stored as uint8.
  for (const bool big_endian : {false, true}) {
    CAPTURE(big_endian);
    const auto numbers = [&](std::initializer_list<std::uint32_t> values) {
      std::string bytes;
      for (const std::uint32_t value : values)
        for (int i = 0; i < 4; ++i)
          bytes += static_cast<char>(value >> 8 * (big_endian ? 3 - i : i));
      return bytes;
    };
    const std::string header = std::string("MATLAB 5.0 MAT-file") + std::string(105, ' ') +
                               (big_endian ? std::string("\1\0MI", 4) : std::string("\0\1IM", 4));
    const std::string flags = numbers({6, 8, 6, 0}), dims = numbers({5, 8, 2, 3});
    const std::string name = numbers({1, 1}) + std::string("x\0\0\0\0\0\0\0", 8),
                      data = numbers({2, 6}) + std::string("\1\2\3\4\5\xFF\0\0", 8);
    const std::string matrix = flags + dims + name + data;
    const Folder folder;
    test::write_bytes(folder.file(),
                      header + numbers({14, static_cast<std::uint32_t>(matrix.size())}) + matrix);
    const NumberArray array = MatFile(folder.file()).numbers("x");
    CHECK(array.header().type == NpyType::kFloat64);
    CHECK(array.matrix() == (Matrix(2, 3) << 1, 3, 5, 2, 4, 255).finished());
  }
}

TEST_CASE("texts in cell arrays are read from every kind of file") {
  const Folder folder;
  const std::vector<std::string> texts = {"antelope", "grizzly+bear", "x",
                                          "\xC3\xA9l\xC3\xA9phant"};
  for (const MatKind kind : kMatKinds)
    for (const bool as_row : {false, true}) {
      CAPTURE(kind);
      MatWriter(folder.file(), kind).cells("names", {texts.begin(), texts.begin() + 3}, as_row);
      const std::vector<PlacedName> names = MatFile(folder.file()).names("names");
      CHECK(names_of(names) == std::vector<std::string>(texts.begin(), texts.begin() + 3));
      CHECK(names[1].where == folder.file() + ": names, entry 2");
    }
}

TEST_CASE("the rows of a char matrix are texts") {
  const Folder folder;
  for (const MatKind kind : kMatKinds)
    for (const char* type : {"text", "utf16"}) {
      CAPTURE(kind);
      CAPTURE(type);
      MatWriter(folder.file(), kind).text_rows("names", {"ant", "polar bear", "x"}, type);
      std::vector<PlacedName> names = MatFile(folder.file()).names("names");
      check_class_names(names);
      CHECK(names_of(names) == std::vector<std::string>{"ant", "polar bear", "x"});
    }
}

TEST_CASE("the class of a variable of version 7.3 is read in every form of an HDF5 text") {
  const Folder folder;
  for (const test::Padding padding :
       {test::Padding::kNullTerminated, test::Padding::kNullPadded, test::Padding::kBlankPadded,
        test::Padding::kVariableLength}) {
    CAPTURE(padding);
    test::Hdf5Writer(folder.file()).numbers("x", small_numbers(), "double", padding);
    CHECK(MatFile(folder.file()).numbers("x").matrix() == small_numbers());
    test::Hdf5Writer(folder.file()).numbers("x", small_numbers(), "string", padding);
    CHECK(folder.refusal([&] { MatFile(folder.file()).names("x"); }) ==
          "x.mat: x: is an array of MATLAB's class string; expected a cell array of texts: save "
          "cellstr(x)");
  }
  test::Hdf5Writer(folder.file()).numbers("x", small_numbers(), "");
  CHECK(MatFile(folder.file()).numbers("x").matrix() == small_numbers());
}

TEST_CASE("no byte of another file is read through a file of version 7.3") {
  const Folder folder;
  const std::string secret = folder / "secret", other = folder / "other.mat";
  test::write_bytes(secret, "1234567890");
  test::Hdf5Writer(other).numbers("x", small_numbers(), "double");
  {
    test::Hdf5Writer writer(folder.file());
    writer.numbers("own", small_numbers(), "double");
    writer.external_bytes("bytes", secret, 10);
    writer.virtual_numbers("virtual", other, "/x", 15);
    writer.external_link("linked", other, "/x");
    writer.soft_link("other", "/linked");
    writer.soft_link("same", "/own");
  }
  const MatFile file(folder.file());
  const auto refusal = [&](const char* name) {
    return folder.refusal([&] { file.numbers(name); });
  };
  CHECK(file.numbers("own").matrix() == small_numbers());
  CHECK(
      refusal("bytes") ==
      "x.mat: bytes: has its values in another file (HDF5 external storage), which is never read; "
      "expected the values in the file itself");
  CHECK(refusal("virtual") ==
        "x.mat: virtual: takes its values from other datasets (an HDF5 virtual dataset), which are "
        "never read; expected the values in the file itself");
  CHECK(refusal("linked") ==
        "x.mat: linked: is a link to another file (HDF5 external link), which is never followed; "
        "expected the values in the file itself");
  for (const char* name : {"other", "same"})
    CHECK(refusal(name) == "x.mat: " + std::string(name) +
                               ": is a link to another name (HDF5 soft link), which is never "
                               "followed; expected the values in the file itself");
  for (const char* name : {"bytes", "virtual", "linked", "other"}) {
    CHECK(folder.refusal([&] { file.names(name); }) == refusal(name));
    CHECK(folder.refusal([&] { file.numbers_as_float32(name); }) == refusal(name));
  }
}

TEST_CASE("an object of a class of MATLAB in a file of version 5 is named with its class") {
  // libmatio passes over objects. This is one as MATLAB writes it, up to its class.
  const auto number = [](std::uint32_t value) {
    return std::string(reinterpret_cast<const char*>(&value), 4);
  };
  const auto object = [&](const std::string& of_class) {
    std::string text = of_class;
    text.resize((text.size() + 7) / 8 * 8);
    const std::string body = number(6) + number(8) + number(17) + number(0) +  //
                             number(1) + number(5) + std::string("names\0\0\0", 8) +
                             number(1 | 4 << 16) + "MCOS" +  //
                             number(1) + number(static_cast<std::uint32_t>(of_class.size())) + text;
    return number(14) + number(static_cast<std::uint32_t>(body.size())) + body;
  };
  const Folder folder;
  const auto refusal = [&](const std::string& of_class) {
    MatWriter(folder.file(), MatKind::k5).numbers("x", small_numbers());
    test::write_bytes(folder.file(), test::read_bytes(folder.file()) + object(of_class));
    const MatFile file(folder.file());
    CHECK(file.has("names"));
    CHECK(file.numbers("x").matrix() == small_numbers());
    return folder.refusal([&] { file.names("names"); });
  };
  CHECK(refusal("string") ==
        "x.mat: names: is an array of MATLAB's class string; expected a cell array of texts: save "
        "cellstr(names)");
  CHECK(refusal("categorical").find("cellstr(names)") != std::string::npos);
  CHECK(refusal("table") ==
        "x.mat: names: is an object of MATLAB's class table; expected a matrix or a cell array of "
        "texts");
}

TEST_CASE("texts of UTF-16, as written by MATLAB, become UTF-8, including surrogate pairs") {
  const Folder folder;
  for (const MatKind kind : kMatKinds) {
    CAPTURE(kind);
    MatWriter(folder.file(), kind)
        .cells_utf16("names", {u"ox", u"\u00e9l\u00e9phant", u"\u9ce5", u"\U0001f98a fox"});
    CHECK(names_of(MatFile(folder.file()).names("names")) ==
          std::vector<std::string>{"ox", "\xC3\xA9l\xC3\xA9phant", "\xE9\xB3\xA5",
                                   "\xF0\x9F\xA6\x8A fox"});
    // Half a pair is no character, wherever it stands.
    for (const std::u16string& half : {u"a\xd83e",
                                       u"\xd83e"
                                       u"a",
                                       u"\xdd8a"
                                       u"a"}) {
      MatWriter(folder.file(), kind).cells_utf16("names", {half});
      CHECK(folder.refusal([&] { MatFile(folder.file()).names("names"); }) ==
            "x.mat: names, entry 1: holds an invalid Unicode character");
    }
  }
}

TEST_CASE("an unexpected variable is refused with file and variable") {
  const Folder folder;
  for (const MatKind kind : kMatKinds) {
    CAPTURE(kind);
    MatWriter(folder.file(), kind)
        .numbers("features", small_numbers())
        .complex("wave", small_numbers())
        .cube("cube")
        .text("text", "hello")
        .cells("names", {"a", "b"})
        .cells_of_numbers("cells", 2);
    const MatFile file(folder.file());
    const auto numbers = [&](const char* name) {
      return folder.refusal([&] { file.numbers(name); });
    };
    const auto names = [&](const char* name) { return folder.refusal([&] { file.names(name); }); };
    CHECK(numbers("feature").rfind("x.mat: holds no 'feature', only ", 0) == 0);
    CHECK(numbers("feature").find("; did you mean 'features'?") != std::string::npos);
    CHECK(numbers("wave") == "x.mat: wave: is complex; expected real numbers");
    CHECK(numbers("cube") == "x.mat: cube: has 3 dimensions; expected 2");
    CHECK(numbers("text") == "x.mat: text: is text; expected numbers");
    CHECK(numbers("names") == "x.mat: names: is a cell array; expected numbers");
    CHECK(names("features") == "x.mat: features: is numbers; expected a cell array of texts");
    CHECK(names("cells") == "x.mat: cells, entry 1: is numbers; expected text");
    CHECK(folder.refusal([&] { file.numbers_as_float32("cube"); }) ==
          "x.mat: cube: has 3 dimensions; expected 2");
  }
}

TEST_CASE("a file that is not a MATLAB file of a supported version is refused") {
  const Folder folder;
  const auto refusal = [&](const std::string& bytes) {
    test::write_bytes(folder.file(), bytes);
    return folder.refusal([&] { MatFile file(folder.file()); });
  };
  const std::string expected =
      "; expected one of version 5 or 7.3, as MATLAB, Octave and SciPy save";
  CHECK(refusal("") == "x.mat: is empty");
  CHECK(refusal("features") == "x.mat: is not a MATLAB file" + expected);
  CHECK(refusal(std::string(1000, '\0')) == "x.mat: is not a MATLAB file" + expected);
  CHECK(refusal("\x89HDF\r\n\x1a\n" + std::string(1000, 'x')) ==
        "x.mat: is not a MATLAB file" + expected);
  CHECK(refusal(std::string(124, ' ') + std::string("\0\4IM", 4)) ==
        "x.mat: is a MATLAB file of an unknown version" + expected);
  CHECK(refusal(std::string(124, ' ') + std::string("\0\2IM", 4)) ==
        "x.mat: seems to be damaged: it cannot be opened");
  CHECK(refusal(std::string(124, ' ') + std::string("\0\1IM", 4)) == "x.mat: holds no variables");
  CHECK_THROWS_WITH_AS(MatFile(folder / "none.mat"), (folder / "none.mat: no such file").c_str(),
                       InputError);
}

std::string bytes_of_kind(const Folder& folder, MatKind kind) {
  Matrix values(20, 30);
  for (Index i = 0; i < values.size(); ++i) values.data()[i] = static_cast<double>(i % 17) / 7;
  MatWriter(folder.file(), kind).numbers("features", values).cells("names", {"ant", "bee", "cat"});
  return test::read_bytes(folder.file());
}

TEST_CASE("a truncated file is refused, wherever it ends") {
  const Folder folder;
  for (const MatKind kind : kMatKinds) {
    CAPTURE(kind);
    const std::string whole = bytes_of_kind(folder, kind);
    const bool is_5 = kind == MatKind::k5 || kind == MatKind::k5Compressed;
    // The end of a whole variable of version 5 is no end that shows: what is missing then is
    // missing by name.
    for (std::size_t size = 1; size < whole.size(); size += is_5 ? 1 : 199) {
      test::write_bytes(folder.file(), whole.substr(0, size));
      CHECK(folder.refusal([&] {
        const MatFile file(folder.file());
        file.numbers("features");
        file.names("names");
      }) != "accepted");
    }
  }
}

TEST_CASE("a compressed variable of version 5 with a changed byte is refused") {
  const Folder folder;
  const std::string whole = bytes_of_kind(folder, MatKind::k5Compressed);
  for (std::size_t at = 136; at < whole.size(); at += 5) {
    CAPTURE(at);
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    test::write_bytes(folder.file(), bytes);
    CHECK(folder.refusal([&] { MatFile file(folder.file()); }) != "accepted");
  }
}

TEST_CASE("a damaged file is read or refused, whichever of its bytes are changed") {
  const Folder folder;
  std::mt19937 random(11);
  for (const MatKind kind : {MatKind::k5, MatKind::k73, MatKind::k73Compressed}) {
    const std::string whole = bytes_of_kind(folder, kind);
    for (int trial = 0; trial < 120; ++trial) {
      std::string bytes = whole;
      for (unsigned change = 0; change < 1 + random() % 4; ++change)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      test::write_bytes(folder.file(), bytes);
      const std::string refusal = folder.refusal([&] {
        const MatFile file(folder.file());
        if (file.has("features")) file.numbers("features");
        if (file.has("names")) file.names("names");
      });
      CHECK((refusal == "accepted" || refusal.rfind("x.mat", 0) == 0));
    }
  }
}

TEST_CASE("a size that the file cannot hold is refused before memory is allocated") {
  const Folder folder;
  std::string bytes = bytes_of_kind(folder, MatKind::k5);
  const std::string dims("\x14\0\0\0\x1E\0\0\0", 8);  // 20 x 30
  const std::size_t at = bytes.find(dims);
  REQUIRE(at != std::string::npos);
  bytes.replace(at, 8, std::string("\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x7F", 8));
  test::write_bytes(folder.file(), bytes);
  CHECK(folder.refusal([&] { MatFile(folder.file()).numbers("features"); })
            .find("x.mat: features: claims to be 2147483647 x 2147483647") == 0);
}

}  // namespace
}  // namespace bzscr
