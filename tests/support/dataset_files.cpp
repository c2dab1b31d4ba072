#include "dataset_files.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

namespace bzscr::test {
namespace {

namespace fs = std::filesystem;

template <class T>
void append_as(std::string& bytes, double value) {
  const T converted = static_cast<T>(value);
  bytes.append(reinterpret_cast<const char*>(&converted), sizeof converted);
}

std::string encoded(double value, const std::string& descr) {
  std::string bytes;
  const std::string code = descr.substr(1);
  if (code == "f2") append_as<Eigen::half>(bytes, value);
  if (code == "f4") append_as<float>(bytes, value);
  if (code == "f8") append_as<double>(bytes, value);
  if (code == "i1") append_as<std::int8_t>(bytes, value);
  if (code == "i2") append_as<std::int16_t>(bytes, value);
  if (code == "i4") append_as<std::int32_t>(bytes, value);
  if (code == "i8") append_as<std::int64_t>(bytes, value);
  if (code == "u1" || code == "b1") append_as<std::uint8_t>(bytes, value);
  if (code == "u2") append_as<std::uint16_t>(bytes, value);
  if (code == "u4") append_as<std::uint32_t>(bytes, value);
  if (code == "u8") append_as<std::uint64_t>(bytes, value);
  if (bytes.empty()) throw std::logic_error("the test does not know the type " + descr);
  if (descr[0] == '>') std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

std::string header_of(const std::string& descr, bool fortran_order, const std::string& shape,
                      std::size_t preamble) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': " + (fortran_order ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  while ((preamble + header.size() + 1) % 64 != 0) header += ' ';
  return header + '\n';
}

Matrix normal_matrix(Index rows, Index columns, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Matrix values(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      values(i, j) = static_cast<double>(static_cast<float>(normal(random)));
  return values;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  path_ = (fs::temp_directory_path() / "bzscr-test-XXXXXX").string();
  if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

std::string npy_bytes(const std::string& header, const std::string& data, int major, int minor) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += static_cast<char>(minor);
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes + header + data;
}

std::string npy_bytes(const Matrix& values, const std::string& descr, bool fortran_order,
                      int major) {
  const std::string shape =
      "(" + std::to_string(values.rows()) + ", " + std::to_string(values.cols()) + ")";
  std::string data;
  const Index outer = fortran_order ? values.cols() : values.rows(),
              inner = fortran_order ? values.rows() : values.cols();
  for (Index a = 0; a < outer; ++a)
    for (Index b = 0; b < inner; ++b)
      data += encoded(fortran_order ? values(b, a) : values(a, b), descr);
  return npy_bytes(header_of(descr, fortran_order, shape, major == 1 ? 10 : 12), data, major);
}

std::string npy_bytes(const std::vector<std::int64_t>& values, const std::string& descr) {
  std::string data;
  for (const std::int64_t value : values) data += encoded(static_cast<double>(value), descr);
  return npy_bytes(header_of(descr, false, "(" + std::to_string(values.size()) + ",)", 10), data);
}

DataFolder::DataFolder() : class_names{"ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen"} {
  std::mt19937 random(7);
  embeddings = normal_matrix(kClasses, kEmbedding, random);
  const Matrix map = normal_matrix(kEmbedding, kFeatures, random);
  features = 0.1 * normal_matrix(kSamples, kFeatures, random);
  for (Index i = 0; i < kSamples; ++i) {
    labels.push_back(i % kClasses);
    features.row(i) += embeddings.row(i % kClasses) * map;
  }
  features = features.cast<float>().cast<double>();

  npy("features.npy", features);
  npy("labels.npy", labels);
  npy("embeddings/words.npy", embeddings);
  text("classes.txt", "ant\nbee\ncat\ndog\neel\nfox\ngnu\nhen\n");
  text("unseen_classes.txt", "gnu\nhen\n");
  text("validation_classes.txt", "eel\nfox\n");
  npy("test_seen.npy", std::vector<std::int64_t>{40, 41, 42});
}

void DataFolder::npy(const std::string& name, const Matrix& values,
                     const std::string& descr) const {
  text(name, npy_bytes(values, descr));
}

void DataFolder::npy(const std::string& name, const std::vector<std::int64_t>& values,
                     const std::string& descr) const {
  text(name, npy_bytes(values, descr));
}

void DataFolder::remove(const std::string& name) const { fs::remove_all(*this / name); }

Matrix with(Matrix values, Index row, Index column, double value) {
  values(row, column) = value;
  return values;
}

std::vector<std::int64_t> with(std::vector<std::int64_t> values, std::size_t at,
                               std::int64_t value) {
  values[at] = value;
  return values;
}

}  // namespace bzscr::test
