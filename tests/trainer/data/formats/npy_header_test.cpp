#include "data/formats/npy_header.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"

#include <doctest/doctest.h>

#include <string>

namespace bzscr {
namespace {

using test::npy_bytes;

NpyHeader parse(const std::string& bytes) {
  return parse_npy_header("x.npy", reinterpret_cast<const std::uint8_t*>(bytes.data()),
                          bytes.size());
}

std::string message(const std::string& bytes) {
  try {
    parse(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string kGood = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }";
const std::string kEight(8, '\0');

TEST_CASE("a header gives type, order, shape and the offset of the data") {
  const NpyHeader header = parse(npy_bytes(kGood + "\n", kEight));
  CHECK(header.type == NpyType::kFloat32);
  CHECK_FALSE(header.big_endian);
  CHECK_FALSE(header.column_major);
  CHECK(header.shape == std::vector<Index>{1, 2});
  CHECK(header.data_offset == 10 + kGood.size() + 1);
  CHECK(header.data_bytes == 8);
}

TEST_CASE("a header may have any form that Python reads as the same dictionary") {
  for (const char* text :
       {"{'shape':(1,2),'fortran_order':False,'descr':'<f4'}",
        "{\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": (1, 2)}",
        " { 'descr' : '<f4' , 'fortran_order' : False , 'shape' : ( 1 , 2 , ) , } \n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1L, 2L), }"}) {
    CAPTURE(text);
    for (const int version : {1, 2, 3})
      CHECK(message(npy_bytes(text, kEight, version)) == "accepted");
  }
}

TEST_CASE("shapes of zero, one and many dimensions are read") {
  CHECK(parse(npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': ()}", kEight))
            .shape.empty());
  CHECK(parse(npy_bytes("{'descr': '|u1', 'fortran_order': False, 'shape': (8,)}", kEight)).shape ==
        std::vector<Index>{8});
  CHECK(parse(npy_bytes("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2, 2)}", kEight))
            .shape.size() == 3);
  CHECK(
      parse(npy_bytes("{'descr': '|u1', 'fortran_order': True, 'shape': (0, 5)}", "")).data_bytes ==
      0);
}

TEST_CASE("a file that is not exactly one plain array is refused with an error message") {
  struct Case {
    std::string bytes;
    std::string expected;
  };
  const auto dict = [](const std::string& text) { return npy_bytes(text, kEight); };
  const auto shape = [&](const std::string& text) {
    return dict("{'descr': '<f4', 'fortran_order': False, 'shape': " + text + "}");
  };
  const auto descr = [&](const std::string& text) {
    return dict("{'descr': " + text + ", 'fortran_order': False, 'shape': (1, 2)}");
  };
  const char* const huge = "x.npy: its shape is larger than any file";
  const char* const cut = "x.npy: is truncated within its header";
  const Case cases[] = {
      {"", "x.npy: is not a NumPy .npy file"},
      {"hello, world", "x.npy: is not a NumPy .npy file"},
      {"\x93NUMPX\x01\x01\x01\x01", "x.npy: is not a NumPy .npy file"},
      {"PK\x03\x04 and so on",
       "x.npy: is an .npz archive; expected a single array saved with numpy.save"},
      {npy_bytes(kGood, kEight, 4), "x.npy: is of .npy version 4.0; expected 1.0, 2.0 or 3.0"},
      {npy_bytes(kGood, kEight, 1, 1), "x.npy: is of .npy version 1.1; expected 1.0, 2.0 or 3.0"},
      {npy_bytes(kGood, kEight).substr(0, 9), cut},
      {npy_bytes(kGood, kEight, 2).substr(0, 11), cut},
      {npy_bytes(kGood, kEight).substr(0, 40), cut},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + kGood, cut},
      {dict(""), "x.npy: header is malformed at byte 0; expected '{'"},
      {dict("{"), "x.npy: header is malformed at byte 1; expected a quoted string"},
      {dict("{}"), "x.npy: header lacks 'descr'"},
      {dict("{'descr': '<f4', 'fortran_order': False}"), "x.npy: header lacks 'shape'"},
      {dict("{'descr': '<f4', 'shape': (1, 2)}"), "x.npy: header lacks 'fortran_order'"},
      {dict("{'descr': '<f4', 'descr': '<f4'}"), "x.npy: header gives 'descr' twice"},
      {dict("{'order': 'C'}"), "x.npy: header has the unknown key 'order'"},
      {dict("{'descr' '<f4'}"), "x.npy: header is malformed at byte 9; expected ':'"},
      {dict("{'descr': '<f4"), "x.npy: header is malformed at byte 11; expected a closing quote"},
      {dict("{'descr': '<f\\4'}"),
       "x.npy: header is malformed at byte 11; expected a string without escapes"},
      {dict("{'fortran_order': 0}"),
       "x.npy: header is malformed at byte 18; expected True or False"},
      {dict(kGood + ";"),
       "x.npy: header is malformed at byte 59; expected nothing but white space"},
      {dict(kGood + std::string(1, '\0')),
       "x.npy: header is malformed at byte 59; expected nothing but white space"},
      {shape("[1, 2]"), "x.npy: header is malformed at byte 50; expected '('"},
      {shape("(2)"), "x.npy: header is malformed at byte 52; expected ','"},
      {shape("(1 2)"), "x.npy: header is malformed at byte 53; expected ','"},
      {shape("(1.0, 2)"), "x.npy: header is malformed at byte 52; expected ','"},
      {shape("(None, 2)"), "x.npy: header is malformed at byte 51; expected a whole number"},
      {shape("(-1, 2)"), "x.npy: its shape has a negative dimension"},
      {shape("(99999999999999999999999, 2)"), huge},
      {shape("(4294967296, 4294967296)"), huge},
      {shape("(9223372036854775807, 1)"), huge},
      {shape("(2, 2)"),
       "x.npy: is truncated: 8 bytes follow the header; expected 16 for (2, 2) of float32"},
      {shape("(1,)"),
       "x.npy: is too long: 8 bytes follow the header; expected 4 for (1,) of float32"},
      {shape("(0, 9223372036854775807)"),
       "x.npy: is too long: 8 bytes follow the header; expected 0 for (0, 9223372036854775807) of "
       "float32"},
      {descr("'|O'"),
       "x.npy: holds Python objects, which are never unpickled; expected plain numbers: "
       "save numpy.array(values, dtype=float)"},
      {descr("[('a', '<f4')]"),
       "x.npy: holds records (a structured array); expected plain numbers: save "
       "numpy.array(values, dtype=float)"},
      {descr("'<U5'"),
       "x.npy: holds values of type '<U5'; expected numbers: float16 to float64, int8 to int64, "
       "uint8 to uint64 or bool"},
      {descr("'<c8'"),
       "x.npy: holds values of type '<c8'; expected numbers: float16 to float64, int8 to int64, "
       "uint8 to uint64 or bool"},
      {descr("'|f4'"),
       "x.npy: holds values of type '|f4'; expected numbers: float16 to float64, int8 to int64, "
       "uint8 to uint64 or bool"},
      {descr("'f4'"),
       "x.npy: holds values of type 'f4'; expected numbers: float16 to float64, int8 to int64, "
       "uint8 to uint64 or bool"},
      {descr("''"),
       "x.npy: holds values of type ''; expected numbers: float16 to float64, int8 to int64, uint8 "
       "to uint64 or bool"},
  };
  for (const Case& each : cases) CHECK(message(each.bytes) == each.expected);
}

TEST_CASE("a shape of more dimensions than NumPy allows is refused") {
  std::string many = "(1";
  for (int i = 0; i < 40; ++i) many += ", 1";
  CHECK(message(npy_bytes("{'descr': '|u1', 'fortran_order': False, 'shape': " + many + ")}", "x"))
            .find("at most 32 dimensions") != std::string::npos);
}

TEST_CASE("no prefix of a valid file is accepted, and none is read past its end") {
  const std::string whole = npy_bytes(kGood + "\n", kEight);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<char> exact(
        whole.begin(),
        whole.begin() + static_cast<std::ptrdiff_t>(size));  // its end is guarded under asan
    CHECK_THROWS_AS(
        parse_npy_header("x.npy", reinterpret_cast<const std::uint8_t*>(exact.data()), size),
        InputError);
  }
}

TEST_CASE("a header with any one byte changed is read or refused") {
  const std::string whole = npy_bytes(kGood + "\n", kEight);
  for (std::size_t at = 0; at < whole.size() - kEight.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      const std::string said = message(changed);
      if (said == "accepted")
        CHECK(parse(changed).data_bytes == 8);
      else
        CHECK(said.rfind("x.npy: ", 0) == 0);
    }
}

}  // namespace
}  // namespace bzscr
