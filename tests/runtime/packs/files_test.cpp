// Embeddings and keys as files.
#include "scratch_folder.h"

#include <bzscr_pack/bzscr_pack.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

#include <sys/stat.h>

using namespace bzscr;
using namespace bzscr::test;
using Row = std::vector<float>;

namespace {

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string header = dictionary + "\n", file = "\x93NUMPY";
  file += version;
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return file + header + data;
}

std::string dictionary(const std::string& type, const std::string& shape,
                       const std::string& fortran_order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran_order + ", 'shape': " + shape +
         ", }";
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

TEST_CASE("a .npy file of any type of number, order of bytes and order of values gives its rows") {
  const ScratchFolder folder;
  const auto second_row = [&](const std::string& file) {
    return pack::read_embedding(folder.write("a.npy", file), "", 1);
  };
  const Row expected = {-4, 5, 6};
  const std::string shape = "(2, 3)";
  CHECK(second_row(npy(dictionary("<f4", shape), bytes_of<float>({1, 2, 3, -4, 5, 6}))) ==
        expected);
  CHECK(second_row(npy(dictionary("<f8", shape), bytes_of<double>({1, 2, 3, -4, 5, 6}))) ==
        expected);
  CHECK(second_row(npy(dictionary("<f8", shape, "True"), bytes_of<double>({1, -4, 2, 5, 3, 6}))) ==
        expected);
  CHECK(second_row(npy(dictionary("<i8", shape), bytes_of<std::int64_t>({1, 2, 3, -4, 5, 6}))) ==
        expected);
  CHECK(second_row(npy(dictionary("|i1", shape), bytes_of<std::int8_t>({1, 2, 3, -4, 5, 6}))) ==
        expected);
  CHECK(second_row(npy(dictionary(">i2", shape),
                       std::string("\0\1\0\2\0\3\xFF\xFC\0\5\0\6", 12))) == expected);
  // 1, 2, 3, -4, 5, 6 as float16
  CHECK(second_row(
            npy(dictionary("<f2", shape), bytes_of<std::uint16_t>({0x3C00, 0x4000, 0x4200, 0xC400,
                                                                   0x4500, 0x4600}))) == expected);
  CHECK(second_row(npy(dictionary("<f4", shape), bytes_of<float>({1, 2, 3, -4, 5, 6}), 2)) ==
        expected);
  for (const char* one : {"(3,)", "(1, 3)"}) {
    const std::string vector = npy(dictionary("<f4", one), bytes_of<float>({7, 8, 9}));
    CHECK(pack::read_embedding(folder.write("v.npy", vector), "") == Row{7, 8, 9});
    CHECK(pack::read_embedding(folder / "v.npy", "", 0) == Row{7, 8, 9});
  }
  CHECK_THROWS_AS(pack::read_embedding(folder / "a.npy", ""), pack::SeveralRows);
  CHECK(message_of([&] {
          pack::read_embedding(folder.write("a.txt", "1 2 3"), "", 1);
        }).find("expected a .npy file") != std::string::npos);
}

TEST_CASE("a .npy file that is damaged, or holds no numbers, is refused") {
  const ScratchFolder folder;
  const std::string data = bytes_of<float>({1, 2, 3, -4, 5, 6});
  const std::string good = npy(dictionary("<f4", "(2, 3)"), data);
  for (std::size_t size = 0; size < good.size(); ++size)
    CHECK(message_of([&] {
            pack::read_embedding(folder.write("cut.npy", good.substr(0, size)), "");
          }).find("cut.npy: ") != std::string::npos);
  const auto refused = [&](const std::string& file, const std::string& word) {
    const std::string message =
        message_of([&] { pack::read_embedding(folder.write("a.npy", file), ""); });
    INFO(message);
    CHECK(message.find("a.npy: ") != std::string::npos);
    CHECK(message.find(word) != std::string::npos);
  };
  refused(good + "x", "25 bytes follow");
  refused("\x93NUMPY", "not a NumPy");
  refused(npy(dictionary("<c8", "(1, 3)"), data), "'<c8'; expected numbers");
  refused(npy(dictionary("|O", "(1, 3)"), data), "'|O'; expected numbers");
  refused(npy(dictionary("", "(1, 3)"), data), "''; expected numbers");
  refused(npy(dictionary("<f4", "(1, 2, 3)"), data), "expected a matrix");
  refused(npy(dictionary("<f4", "()"), data), "expected a matrix");
  refused(npy(dictionary("<f4", "(-1, 3)"), data), "expected a matrix");
  refused(npy(dictionary("<f4", "(4611686018427387904, 4)"), data), "bytes follow");
  refused(npy(dictionary("<f4", "(99999999999999999999, 4)"), data), "expected a matrix");
  refused(npy(dictionary("<f4", "(0, 3)"), ""), "row 0 is asked for");
  // Rows without columns would take memory and no bytes of the file.
  refused(npy(dictionary("<f4", "(4611686018427387904, 0)"), ""), "row 0 is asked for");
  refused(npy("{'descr': '<f4', 'shape': (2, 3)}", data), "malformed");
}

TEST_CASE("a table of embeddings gives the row of each class, and its cells may be quoted") {
  const ScratchFolder folder;
  const std::string csv =
      folder.write("a.csv",
                   "\xEF\xBB\xBF"
                   "x, class ,y\r\n1,\"a \"\"b\"\", c\",+2.5\r\n-3, gnu ,4e1\r\n");
  const pack::Embeddings read = pack::read_embeddings(csv, "");
  CHECK(read.names == std::vector<std::string>{"a \"b\", c", "gnu"});
  CHECK(read.rows == std::vector<Row>{{1, 2.5}, {-3, 40}});
  CHECK(pack::read_embedding(csv, "gnu") == Row{-3, 40});
  CHECK(pack::read_embeddings(folder.write("end.csv", "class,x\na,1\n\r\n \n"), "").rows ==
        std::vector<Row>{{1}});  // blank lines behind the last row are the end of the file
  CHECK(pack::read_embedding(folder.write("a.tsv", "class\tx\nq,r\t1\n"), "q,r") == Row{1});

  const auto refused = [&](const std::string& text, const std::string& words) {
    const std::string message =
        message_of([&] { pack::read_embeddings(folder.write("b.csv", text), ""); });
    INFO(message);
    CHECK(message.find(words) != std::string::npos);
  };
  refused("class,x\n", "b.csv: expected a line that names the columns, then rows");
  refused("name,x\na,1\n", "b.csv: expected one column 'class'");
  refused("class,class\na,1\n", "b.csv: expected one column 'class'");
  refused("class,x\na,1,2\n", "b.csv:2: has 3 cells; expected 2");
  refused("class,x\na,1\n\nb,1\n", "b.csv:3: has 1 cells; expected 2");
  refused(std::string("class,x\na,\x1b[2J\0(\n", 17), "b.csv:2: cell 2: '?[2J?(' is not a number");
  refused("class,x\na,one\n", "b.csv:2: cell 2: 'one' is not a number");
  refused("class,x\na,\n", "b.csv:2: cell 2: '' is not a number");
  refused("class,x\na,1e60\n", "b.csv:2: cell 2: 1e60 is not a finite number");
  refused("class,x\n\"a,1\n", "b.csv:2: opens a quote");
  refused("class,x\n\"a\"b,1\n", "b.csv:2: cell 1 goes on");
  refused("class,x\na\"b,1\n", "b.csv:2: cell 1 has a quote inside");
  refused("class,x\na,1\na,2\n", "b.csv:3: class 'a' is in line 2 too");
}

TEST_CASE("numbers in a text have spaces, line ends or single commas between them") {
  const Row read = {1, -2.5, 3};
  for (const char* text : {"1 -2.5 3", "1,-2.5,3", "1, -2.5\t,3,\n", "1\n-2.5\r\n\n3\n"})
    CHECK(pack::parse_numbers(text, "here") == read);
  for (const char* text : {"1,,3", ",1,3", "1, \n,3"})
    CHECK(message_of([&] { pack::parse_numbers(text, "here"); }).find("is empty") !=
          std::string::npos);
}

TEST_CASE("class names of a text file are one a line, each once, in UTF-8") {
  const ScratchFolder folder;
  const std::string values =
      folder.write("a.npy", npy(dictionary("<f4", "(2, 1)"), bytes_of<float>({1, 2})));
  const auto read = [&](const std::string& text) {
    return pack::read_embeddings(values, folder.write("names.txt", text));
  };
  CHECK(read("\xEF\xBB\xBF okapi \r\nLeopard\xC3\xA9").names ==
        std::vector<std::string>{"okapi", "Leopard\xC3\xA9"});
  CHECK(read("okapi\ngnu\n\n \r\n").names == std::vector<std::string>{"okapi", "gnu"});
  const auto refused = [&](const std::string& text, const std::string& words) {
    const std::string message = message_of([&] { read(text); });
    INFO(message);
    CHECK(message.find(words) != std::string::npos);
  };
  refused("", "names.txt: is empty");
  refused("a\n\nb\n", "names.txt:2: there is no class name");
  refused("a\na\n", "names.txt:2: class 'a' is in line 1 too");
  refused("a\nb\x01\n", "names.txt:2: the class name holds a control character");
  for (const char* bad : {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xE2\x82", "\xF4\x90\x80\x80"})
    refused(std::string("a\n") + bad + "\n", "names.txt:2: the class name is not UTF-8");
  refused("a\nb\nc\n", "a.npy: 2 rows, but 3 names");
}

TEST_CASE(
    "a key that was written reads back, its secret half is its owner's, and none is overwritten") {
  const ScratchFolder folder;
  const pack::SecretKey key = pack::new_key();
  pack::write_key_pair(key, folder / "shop");
  CHECK(pack::read_secret_key(folder / "shop.key").bytes == key.bytes);
  CHECK(pack::read_public_key(folder / "shop.pub").bytes == key.public_key().bytes);
  CHECK(pack::read_public_keys({folder / "shop.pub", folder / "shop.pub"}).size() == 64);
  struct stat status {};
  REQUIRE(::stat((folder / "shop.key").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  const std::string before = folder.read("shop.key");
  CHECK(message_of([&] {
          pack::write_key_pair(pack::new_key(), folder / "shop");
        }).find("already") != std::string::npos);
  CHECK(folder.read("shop.key") == before);

  const auto refused = [&](const std::string& text, const std::string& words) {
    const std::string message =
        message_of([&] { pack::read_public_key(folder.write("bad.pub", text)); });
    INFO(message);
    CHECK(message.find("bad.pub: " + words) != std::string::npos);
  };
  refused("", "not a bzscr-public-key");
  refused(before, "not a bzscr-public-key");
  refused("bzscr-public-key 0011 " + std::string(62, 'a'), "not a bzscr-public-key");
  refused("bzscr-public-key 0011 " + std::string(64, 'g'), "its third word is not hexadecimal");
}
