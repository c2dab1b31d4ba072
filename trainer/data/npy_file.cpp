#include "data/npy_file.h"

#include "types/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

namespace bzscr {
namespace {

/// Calls visit(T{}) with the C++ type of the values; bool comes as a byte.
template <class Visit>
void with_type(NpyType type, Visit visit) {
  switch (type) {
    case NpyType::kInt8: return visit(std::int8_t{});
    case NpyType::kInt16: return visit(std::int16_t{});
    case NpyType::kInt32: return visit(std::int32_t{});
    case NpyType::kInt64: return visit(std::int64_t{});
    case NpyType::kBool:
    case NpyType::kUint8: return visit(std::uint8_t{});
    case NpyType::kUint16: return visit(std::uint16_t{});
    case NpyType::kUint32: return visit(std::uint32_t{});
    case NpyType::kUint64: return visit(std::uint64_t{});
    case NpyType::kFloat16: return visit(Eigen::half{});
    case NpyType::kFloat32: return visit(float{});
    case NpyType::kFloat64: return visit(double{});
  }
}

/// The value at an address of any alignment.
template <class T>
T load(const std::uint8_t* at, bool big_endian) {
  std::uint8_t bytes[sizeof(T)];
  std::memcpy(bytes, at, sizeof(T));
  if (big_endian) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(static_cast<void*>(&value), bytes, sizeof(T));
  return value;
}

template <class T>
std::int64_t to_int64(T value) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return value > static_cast<std::uint64_t>(kMost) ? kMost : static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}

Storage storage_of(NpyType type) {
  return type == NpyType::kFloat16 ? Storage::kFloat16 : type == NpyType::kFloat32 ? Storage::kFloat32 : Storage::kFloat64;
}

}  // namespace

NpyFile::NpyFile(const std::string& path)
    : path_(path),
      file_(std::make_shared<MappedFile>(path)),
      header_(parse_npy_header(path, file_->data(), file_->size())) {}

void NpyFile::expect_matrix(const char* rows_by_columns) const {
  if (shape().size() != 2)
    throw InputError(path_, fmt::format("shape {} has {} dimension{}; expected 2: {}", text_of(shape()), shape().size(),
                                        shape().size() == 1 ? "" : "s", rows_by_columns));
}

Matrix NpyFile::matrix() const {
  expect_matrix("rows x columns");
  const Index rows = shape()[0], columns = shape()[1];
  Matrix result(rows, columns);
  with_type(header_.type, [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) {
        const Index at = header_.column_major ? j * rows + i : i * columns + j;
        result(i, j) = static_cast<double>(load<T>(values() + static_cast<std::size_t>(at) * sizeof(T), header_.big_endian));
      }
  });
  return result;
}

std::vector<std::int64_t> NpyFile::integers() const {
  if (!is_integer(header_.type))
    throw InputError(path_, fmt::format("holds {}; expected integers", name_of(header_.type)));
  if (!(shape().size() == 1 || (shape().size() == 2 && shape()[1] == 1)))
    throw InputError(path_, fmt::format("shape is {}; expected (n,) or (n, 1)", text_of(shape())));
  std::vector<std::int64_t> result(static_cast<std::size_t>(shape()[0]));
  with_type(header_.type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = to_int64(load<T>(values() + i * sizeof(T), header_.big_endian));
  });
  return result;
}

FeatureView NpyFile::features(std::shared_ptr<const void>& owner) const {
  expect_matrix("samples x features");
  const NpyType type = header_.type;
  if (type < NpyType::kFloat16)
    throw InputError(path_, fmt::format("holds {}; expected float16, float32 or float64: save "
                                        "features.astype('float32')", name_of(type)));
  if (header_.big_endian)
    throw InputError(path_, fmt::format("is big-endian, but features are used where they lie: save "
                                        "features.astype('<f{}')", bytes_of(type)));
  FeatureView view{values(), storage_of(type), header_.column_major, shape()[0], shape()[1]};
  owner = file_;
  if (reinterpret_cast<std::uintptr_t>(values()) % bytes_of(type) != 0) {
    const auto copy = std::make_shared<std::vector<double>>((header_.data_bytes + sizeof(double) - 1) / sizeof(double));
    std::memcpy(copy->data(), values(), header_.data_bytes);
    view.data = copy->data();
    owner = copy;
  }
  return view;
}

std::vector<std::uint8_t> npy_bytes(const MatrixF& values) {
  constexpr std::size_t kBeforeHeader = 10, kAlignment = 64;  // of the first value, as NumPy itself has it
  std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", values.rows(), values.cols());
  header.resize((kBeforeHeader + header.size() + kAlignment) / kAlignment * kAlignment - kBeforeHeader, ' ');
  header.back() = '\n';
  std::vector<std::uint8_t> bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  bytes.push_back(static_cast<std::uint8_t>(header.size() & 0xFF));
  bytes.push_back(static_cast<std::uint8_t>(header.size() >> 8));
  bytes.insert(bytes.end(), header.begin(), header.end());
  const auto* const data = reinterpret_cast<const std::uint8_t*>(values.data());
  bytes.insert(bytes.end(), data, data + static_cast<std::size_t>(values.size()) * sizeof(float));
  return bytes;
}

}  // namespace bzscr
