#include "data/vectors/word_vectors.h"

#include <bzscr_train/error.hpp>
#include "dataset_files.h"
#include "vector_files.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <random>

namespace bzscr {
namespace {

using test::Words;
using test::write_bytes;

constexpr VectorFormat kFormats[] = {VectorFormat::kGlove, VectorFormat::kWord2vecText,
                                     VectorFormat::kWord2vecBinary};

struct Content {
  VectorFormat format;
  Words words;
  std::vector<VectorF> vectors;
};

/// All that a file of these bytes holds.
Content read(const std::string& path, const std::string& bytes,
             std::optional<VectorFormat> format = std::nullopt) {
  write_bytes(path, bytes);
  WordVectorFile file(path, format);
  Content content{file.format(), {}, {}};
  while (file.next()) {
    content.words.emplace_back(file.word());
    content.vectors.push_back(file.vector());
  }
  CHECK(file.words() == content.words.size());
  CHECK(file.fraction() == 1.0);
  return content;
}

void check_content(const Content& content, const Words& words, const Matrix& vectors) {
  REQUIRE(content.words == words);
  bool equal = true;
  for (std::size_t i = 0; i < words.size(); ++i)
    equal =
        equal && content.vectors[i].transpose() == vectors.row(static_cast<Index>(i)).cast<float>();
  CHECK(equal);
}

/// A file in each format: glove, word2vec as text, and as binary with and without line ends.
std::array<std::pair<VectorFormat, std::string>, 4> in_all_formats(const Words& words,
                                                                   const Matrix& vectors) {
  return {{{VectorFormat::kGlove, test::glove_bytes(words, vectors)},
           {VectorFormat::kWord2vecText, test::word2vec_text_bytes(words, vectors)},
           {VectorFormat::kWord2vecBinary, test::word2vec_binary_bytes(words, vectors, true)},
           {VectorFormat::kWord2vecBinary, test::word2vec_binary_bytes(words, vectors, false)}}};
}

TEST_CASE("every format is detected and read, plain or gzipped, at any size") {
  const test::TemporaryFolder folder;
  for (const auto& [N, d] : {std::pair<Index, Index>{1, 1}, {2, 1}, {3, 2}, {5, 7}, {9, 300}}) {
    CAPTURE(N);
    CAPTURE(d);
    const Words words = test::distinct_words(N);
    const Matrix vectors = test::short_numbers(N, d);
    for (const auto& [format, bytes] : in_all_formats(words, vectors)) {
      CAPTURE(name_of(format));
      for (const std::string& stored : {bytes, test::gzip_bytes(bytes)}) {
        const Content content = read(folder / "v", stored);
        CHECK(content.format == format);
        check_content(content, words, vectors);
        check_content(read(folder / "v", stored, format), words, vectors);
      }
    }
  }
}

// The file is seen through a window of a megabyte. Rows here have no round length, so its border
// falls into words, numbers and the four bytes of a float.
TEST_CASE("words and numbers across the boundaries of the read buffer are complete") {
  const test::TemporaryFolder folder;
  const Words words = test::distinct_words(9001);
  const Matrix vectors = test::short_numbers(9001, 97);
  for (const auto& [format, bytes] : in_all_formats(words, vectors)) {
    CAPTURE(name_of(format));
    REQUIRE(bytes.size() > 3u << 20);
    check_content(read(folder / "v", bytes), words, vectors);
    check_content(read(folder / "v", test::gzip_bytes(bytes)), words, vectors);
  }
}

TEST_CASE("a row may be longer than the read buffer") {
  const test::TemporaryFolder folder;
  const Words words = {"one", "two"};
  const Matrix vectors = test::short_numbers(2, 700001);
  for (const auto& [format, bytes] : in_all_formats(words, vectors))
    check_content(read(folder / "v", bytes), words, vectors);
}

TEST_CASE(
    "text is read with either line ending, tabs, more blanks than needed, or without the last line "
    "end") {
  const test::TemporaryFolder folder;
  Matrix vectors(2, 2);
  vectors << 0.5, -1, 2e-3, 3;
  for (const char* text : {"a 0.5 -1\nb 2e-3 3\n", "a 0.5 -1\r\nb 2e-3 3\r\n",
                           "a\t0.5\t-1\nb\t0.002\t3", "a  0.5 -1 \n b 2E-3  3.0\t\n",
                           "2 2\na .5 -1\nb 0.002 3\n", "2 2 \r\na 0.5 -1\r\nb 2e-3 3"})
    check_content(read(folder / "v", text), {"a", "b"}, vectors);
}

TEST_CASE("a word of a text file may contain blanks, or be a number") {
  const test::TemporaryFolder folder;
  const Content content =
      read(folder / "v", "the 1 2\n. . . 1 2\nat name@domain.com 1 2\n7 1 2\n\xC2\xA0 1 2\n");
  CHECK(content.words == Words{"the", ". . .", "at name@domain.com", "7", "\xC2\xA0"});
  for (const VectorF& vector : content.vectors) CHECK(vector == (VectorF(2) << 1, 2).finished());
}

TEST_CASE("only requested vectors must hold finite numbers") {
  const test::TemporaryFolder folder;
  Matrix vectors = test::short_numbers(3, 4);
  vectors(1, 2) = std::numeric_limits<double>::quiet_NaN();
  const char* const places[] = {
      "v:2: 'w1x', value 2 is 'nan'; expected finite numbers within float32",
      "v:3: 'w1x', value 2 is 'nan'; expected finite numbers within float32",
      "v: row 1: 'w1x', value 2 is nan; expected finite numbers",
      "v: row 1: 'w1x', value 2 is nan; expected finite numbers"};
  const char* const* place = places;
  for (const auto& [format, bytes] : in_all_formats(test::distinct_words(3), vectors)) {
    write_bytes(folder / "v", bytes);
    WordVectorFile file(folder / "v", format);
    file.next();
    file.vector();
    file.next();
    CHECK_THROWS_WITH_AS(file.vector(), (folder / *place++).c_str(), InputError);
    CHECK(file.next());
    file.vector();
    CHECK_FALSE(file.next());
  }
}

std::string refusal(const std::string& bytes, std::optional<VectorFormat> format = std::nullopt) {
  const test::TemporaryFolder folder;
  try {
    read(folder / "v", bytes, format);
  } catch (const InputError& error) {
    return std::string(error.what()).substr(folder.path().size() + 1);
  }
  return "accepted";
}

TEST_CASE("a malformed row is refused with its line or row, what was found and what was expected") {
  CHECK(refusal("") == "v: is empty");
  CHECK(refusal("PK\x03\x04 and more") ==
        "v: is a zip archive; expected the file of vectors in it: unzip it first");
  CHECK(refusal("\xBA\x16\x4F\x2F and more") ==
        "v: is a model of fastText; expected its vectors, the .vec file beside it");
  const char* const expected =
      "; expected 'N d', as word2vec begins, or a word and its numbers, as GloVe does";
  CHECK(refusal("word\n") == "v:1: is 'word'" + std::string(expected));
  CHECK(refusal("\nthe 1 2\n") == "v:1: is ''" + std::string(expected));
  CHECK(refusal("{\"the\": [0.5, 0.25]}\n") ==
        "v:1: is '{\"the\": [0.5, 0.25]}'" + std::string(expected));
  CHECK(refusal(std::string(100, 'x') + "\n") ==
        "v:1: is '" + std::string(40, 'x') + "...'" + expected);

  CHECK(refusal("the 1 2\nof 1\n") == "v:2: 'of' is followed by 1 values; expected 2");
  CHECK(refusal("the 1 2\nof 1 2 3\n") == "v:2: 'of' is followed by 3 values; expected 2");
  CHECK(refusal("the 1 2\n\nof 1 2\n") == "v:2: is blank; expected a word and its numbers");
  CHECK(refusal("the 1 2\nof 1 zwei\n") ==
        "v:2: 'of', value 1 is 'zwei'; expected finite numbers within float32");
  CHECK(refusal("the 1 2\nof 1,5 2\n") ==
        "v:2: 'of', value 0 is '1,5'; expected finite numbers within float32");
  CHECK(refusal("the 1 2\nof 1e39 2\n") ==
        "v:2: 'of', value 0 is '1e39'; expected finite numbers within float32");
  CHECK(refusal("the 1 2\nof inf 2\n") ==
        "v:2: 'of', value 0 is 'inf'; expected finite numbers within float32");
  CHECK(refusal("2 2\nthe 1 2\nof 1\n") == "v:3: 'of' is followed by 1 values; expected 2");
  CHECK(refusal("3 2\nthe 1 2\nof 1 2") ==
        "v: is truncated: 2 of the 3 words that its header announces");
  CHECK(refusal("3 2\n") == "v: is truncated: 0 of the 3 words that its header announces");
  CHECK(refusal("2 0\nthe\nof\n") ==
        "v: its header announces 0 values per word; expected 1 to 1000000");
  CHECK(refusal("2 99999999999\nthe 1\n") ==
        "v: its header announces 99999999999 values per word; expected 1 to 1000000");
  CHECK(refusal("the 1 2\n", VectorFormat::kWord2vecText) ==
        "v: begins with 'the 1 2'; expected 'N d', the numbers of words and of their values");
  CHECK(refusal("2 2\nthe 1 2\nof 1 2\n", VectorFormat::kGlove) ==
        "v:2: 'the' is followed by 2 values; expected 1");

  const std::string binary = test::word2vec_binary_bytes({"the", "of"}, test::short_numbers(2, 3),
                                                         false);  // 4 bytes, then 16 and 15
  const auto as_binary = [](const std::string& bytes) {
    return refusal(bytes, VectorFormat::kWord2vecBinary);
  };
  CHECK(as_binary(binary.substr(0, 4)) ==
        "v: is truncated: 0 of the 2 words that its header announces");
  CHECK(as_binary(binary.substr(0, 6)) == "v: row 0: is truncated within its word, 'th'");
  CHECK(as_binary(binary.substr(0, 13)) == "v: row 0: 'the' is truncated: 5 of 12 bytes");
  CHECK(as_binary(binary.substr(0, 20)) ==
        "v: is truncated: 1 of the 2 words that its header announces");
  CHECK(as_binary(binary + "and 0123456789ab") ==
        "v: row 2: is one row too many; expected 2 words, as in the header");
  CHECK(as_binary(binary + "\n\r\n") == "accepted");
  CHECK(as_binary("1 3\n" + std::string(5000, 'x') + " 0123456789ab") ==
        "v: row 0: its word, '" + std::string(40, 'x') +
            "...', has no end; expected a blank within 4096 bytes");

  const std::string packed =
      test::gzip_bytes(test::glove_bytes(test::distinct_words(500), test::short_numbers(500, 20)));
  CHECK(refusal(packed.substr(0, packed.size() - 1000)) ==
        "v: is truncated within its gzipped data");
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // in the checksum
  CHECK(refusal(damaged) == "v: holds damaged gzipped data");
}

TEST_CASE("a text file may hold more or fewer whole lines than its header announces, with a note") {
  const test::TemporaryFolder folder;
  const auto note = [&](const std::string& bytes) {
    read(folder / "v", bytes);
    WordVectorFile file(folder / "v", std::nullopt);
    while (file.next()) {}
    return file.note().substr(std::min(file.note().size(), folder.path().size() + 1));
  };
  CHECK(note("3 2\nthe 1 2\nof 1 2\n") ==
        "v: its header announces 3 words, and it holds 2, all of which were read");
  CHECK(note("1 2\nthe 1 2\nof 1 2\n\n") ==
        "v: its header announces 1 words, and it holds 2, all of which were read");
  CHECK(note("2 2\nthe 1 2\nof 1 2\n").empty());
}

TEST_CASE("blank lines at the end, byte order marks and line ends of CR alone change nothing") {
  const test::TemporaryFolder folder;
  const Words words = {"the", "of"};
  const Matrix vectors = (Matrix(2, 2) << 1, 2, 3, 4).finished();
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string& bytes :
       {mark + "the 1 2\nof 3 4\n", mark + "2 2\nthe 1 2\nof 3 4\n",
        std::string("the 1 2\nof 3 4\n\n \t\r\n"), std::string("2 2\nthe 1 2\nof 3 4\n\n"),
        std::string("the 1 2\rof 3 4\r"), std::string("2 2\rthe 1 2\rof 3 4")}) {
    check_content(read(folder / "v", bytes), words, vectors);
    check_content(read(folder / "v", test::gzip_bytes(bytes)), words, vectors);
  }
  check_content(read(folder / "v", mark + test::word2vec_binary_bytes(words, vectors, true)), words,
                vectors);
}

TEST_CASE("a word may consist of blanks or end in a number") {
  const test::TemporaryFolder folder;
  const Content content = read(folder / "v", "4 2\nthe 1 2\n\t 3 4\n  5 6\niphone 5 7 8\n");
  CHECK(content.words == Words{"the", "", "", "iphone 5"});
  CHECK(content.vectors[1] == (VectorF(2) << 3, 4).finished());
  CHECK(content.vectors[3] == (VectorF(2) << 7, 8).finished());
  CHECK(read(folder / "v", "the 1 2\nof 3 4\niphone 5 7 8\n").words ==
        Words{"the", "of", "iphone 5"});
}

TEST_CASE("numbers with a sign or too small for a float are read") {
  const test::TemporaryFolder folder;
  CHECK(read(folder / "v", "the +0.5 1e-400\nof -1e-50 2\n").vectors[0] ==
        (VectorF(2) << 0.5F, 0).finished());
}

TEST_CASE("a compressed file that is not gzipped, and a pointer of Git LFS, are named as such") {
  CHECK(refusal("BZh91AY") == "v: is compressed by bzip2; expected it unpacked: bzip2 -d");
  CHECK(refusal(std::string("\xFD\x37zXZ\0", 6)) ==
        "v: is compressed by xz; expected it unpacked: xz -d");
  CHECK(refusal("\x28\xB5\x2F\xFD") == "v: is compressed by zstd; expected it unpacked: zstd -d");
  CHECK(refusal("Rar!\x1A\x07") == "v: is compressed by RAR; expected it unpacked: unrar x");
  CHECK(refusal("version https://git-lfs.github.com/spec/v1\n") ==
        "v: is a pointer of Git LFS; expected the file itself: git lfs pull");
  CHECK(refusal("\xFF\xFEt") == "v: is UTF-16 text; expected UTF-8");
}

TEST_CASE("an endless line is refused before it fills the memory") {
  CHECK(refusal("the 1 2\n" + std::string(40u << 20, 'x')) ==
        "v:2: is longer than 16777216 bytes; expected a word and its numbers");
}

TEST_CASE("a missing file and a folder are refused") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_WITH_AS(WordVectorFile(folder / "none", std::nullopt),
                       (folder / "none: no such file").c_str(), InputError);
  CHECK_THROWS_WITH_AS(WordVectorFile(folder.path(), std::nullopt),
                       (folder.path() + ": is a folder; expected a file").c_str(), InputError);
}

TEST_CASE("a file with a header is refused if it is truncated at any byte") {
  const Words words = test::distinct_words(4);
  const Matrix vectors = test::short_numbers(4, 3);
  for (const bool line_ends : {false, true}) {
    const std::string bytes = test::word2vec_binary_bytes(words, vectors, line_ends);
    for (std::size_t size = 0; size + line_ends < bytes.size(); ++size)
      CHECK(refusal(bytes.substr(0, size), VectorFormat::kWord2vecBinary) != "accepted");
  }
  const std::string text = test::word2vec_text_bytes(words, vectors);
  const std::size_t last_number =
      text.find_last_of(' ', text.size() - 3);  // digits of it may be missing unseen
  for (std::size_t size = 0; size <= last_number; ++size)
    if (size < text.find('\n', text.find('\n') + 1) || text[size - 1] != '\n')  // see below
      CHECK(refusal(text.substr(0, size), VectorFormat::kWord2vecText) != "accepted");
}

TEST_CASE("files with changed bytes are read or refused, in every format") {
  const test::TemporaryFolder folder;
  std::mt19937 random(5);
  for (const auto& [written, bytes] :
       in_all_formats(test::distinct_words(4), test::short_numbers(4, 3)))
    for (int change = 0; change < 150; ++change) {
      std::string changed = change % 2 == 0 ? bytes : test::gzip_bytes(bytes);
      for (int n = 0; n < 2; ++n) changed[random() % changed.size()] = static_cast<char>(random());
      write_bytes(folder / "v", changed);
      for (const VectorFormat format : kFormats) try {
          WordVectorFile file(folder / "v",
                              change % 3 == 0 ? std::nullopt : std::optional<VectorFormat>(format));
          while (file.next()) file.vector();
        } catch (const InputError&) {}
    }
}

}  // namespace
}  // namespace bzscr
