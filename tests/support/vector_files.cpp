#include "vector_files.h"

#include <zlib.h>

#include <cstdio>
#include <stdexcept>

namespace bzscr::test {
namespace {

std::string header_of(const Matrix& vectors) {
  return std::to_string(vectors.rows()) + " " + std::to_string(vectors.cols()) + "\n";
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string rows_of_text(const Words& words, const Matrix& vectors, const char* line_end) {
  std::string bytes;
  for (Index i = 0; i < vectors.rows(); ++i) {
    bytes += words[static_cast<std::size_t>(i)];
    for (Index j = 0; j < vectors.cols(); ++j) bytes += " " + number_text(vectors(i, j));
    bytes += line_end;
  }
  return bytes;
}

}  // namespace

std::string glove_bytes(const Words& words, const Matrix& vectors) {
  return rows_of_text(words, vectors, "\n");
}

std::string word2vec_text_bytes(const Words& words, const Matrix& vectors) {
  return header_of(vectors) + rows_of_text(words, vectors, " \n");
}

std::string word2vec_binary_bytes(const Words& words, const Matrix& vectors, bool line_ends) {
  std::string bytes = header_of(vectors);
  for (Index i = 0; i < vectors.rows(); ++i) {
    bytes += words[static_cast<std::size_t>(i)] + " ";
    for (Index j = 0; j < vectors.cols(); ++j) {
      const auto value = static_cast<float>(vectors(i, j));
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    if (line_ends) bytes += "\n";
  }
  return bytes;
}

std::string gzip_bytes(const std::string& bytes) {
  constexpr int kGzipWrapper = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWrapper, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate");
  return packed;
}

Matrix short_numbers(Index words, Index dimension) {
  Matrix vectors(words, dimension);
  for (Index i = 0; i < vectors.size(); ++i)
    vectors.data()[i] = static_cast<double>((i * 7919) % 2001 - 1000) / 128;
  return vectors;
}

Words distinct_words(Index count) {
  Words words;
  for (Index i = 0; i < count; ++i)
    words.push_back("w" + std::to_string(i) + std::string(static_cast<std::size_t>(i % 23), 'x'));
  return words;
}

}  // namespace bzscr::test
