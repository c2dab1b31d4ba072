#include "data/formats/number_array.h"

#include <bzscr_train/error.hpp>
#include "base/mapped_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace bzscr {
namespace {

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

constexpr auto kLargestWhole = std::numeric_limits<std::int64_t>::max();

/// Throws InputError if the value has a fraction or is NaN; infinity is treated as large.
template <class T>
std::int64_t to_int64(T value, const std::string& where, std::size_t row) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    return value > static_cast<std::uint64_t>(kLargestWhole) ? kLargestWhole
                                                             : static_cast<std::int64_t>(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    const auto number = static_cast<double>(value);
    if (number != std::floor(number))
      throw InputError(Place{where, static_cast<std::int64_t>(row)}, fmt::format("is {}", number),
                       "a whole number");
    constexpr double kBeyond = 0x1p63;
    if (number >= kBeyond) return kLargestWhole;
    return number < -kBeyond ? std::numeric_limits<std::int64_t>::min()
                             : static_cast<std::int64_t>(number);
  }
}

/// The remedy for an array of labels or rows that has two dimensions.
std::string remedy(const std::vector<Index>& shape, WholeNumbers meaning) {
  if (shape.size() != 2) return "";
  const char* const name = meaning == WholeNumbers::kLabels ? "labels" : "rows";
  if (shape[0] == 1) return fmt::format(": save {}.ravel()", name);
  return meaning == WholeNumbers::kLabels ? "; it looks one-hot: save labels.argmax(axis=1)" : "";
}

Storage storage_of(NpyType type) {
  return type == NpyType::kFloat16   ? Storage::kFloat16
         : type == NpyType::kFloat32 ? Storage::kFloat32
                                     : Storage::kFloat64;
}

}  // namespace

NumberArray::NumberArray(std::string where, NpyHeader header, const std::uint8_t* values,
                         std::shared_ptr<const void> owner)
    : where_(std::move(where)),
      header_(std::move(header)),
      values_(values),
      owner_(std::move(owner)) {}

NumberArray NumberArray::transposed(std::string where) const {
  NpyHeader header = header_;
  std::reverse(header.shape.begin(), header.shape.end());
  header.column_major = !header.column_major;
  return {std::move(where), std::move(header), values_, owner_};
}

void NumberArray::expect_matrix(const char* rows_by_columns) const {
  if (shape().size() != 2)
    throw InputError(where_,
                     fmt::format("shape {} has {} dimension{}; expected 2: {}", text_of(shape()),
                                 shape().size(), shape().size() == 1 ? "" : "s", rows_by_columns));
}

Matrix NumberArray::matrix() const {
  expect_matrix("rows x columns");
  const Index rows = shape()[0], columns = shape()[1];
  Matrix result(rows, columns);
  with_type(header_.type, [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < columns; ++j) {
        const Index at = header_.column_major ? j * rows + i : i * columns + j;
        result(i, j) = static_cast<double>(
            load<T>(values_ + static_cast<std::size_t>(at) * sizeof(T), header_.big_endian));
      }
  });
  return result;
}

std::vector<std::int64_t> NumberArray::integers(WholeNumbers meaning) const {
  if (header_.type == NpyType::kBool && meaning == WholeNumbers::kRows)
    throw InputError(
        where_, "holds bool, a mask; expected the numbers of rows: save numpy.flatnonzero(mask)");
  if (!(shape().size() == 1 || (shape().size() == 2 && shape()[1] == 1)))
    throw InputError(where_, fmt::format("shape is {}; expected (n,) or (n, 1){}", text_of(shape()),
                                         remedy(shape(), meaning)));
  std::vector<std::int64_t> result(static_cast<std::size_t>(shape()[0]));
  with_type(header_.type, [&](auto zero) {
    using T = decltype(zero);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = to_int64(load<T>(values_ + i * sizeof(T), header_.big_endian), where_, i);
  });
  return result;
}

FeatureView NumberArray::features(std::shared_ptr<const void>& owner) const {
  expect_matrix("samples x features");
  const NpyType type = header_.type;
  if (type < NpyType::kFloat16)
    throw InputError(where_, fmt::format("holds {}; expected float16, float32 or float64: save "
                                         "features.astype('float32')",
                                         name_of(type)));
  if (header_.big_endian)
    throw InputError(where_, fmt::format("is big-endian, but features are used in place: save "
                                         "features.astype('<f{}')",
                                         bytes_of(type)));
  FeatureView view{values_, storage_of(type), header_.column_major, shape()[0], shape()[1],
                   {},      release_pages};
  owner = owner_;
  if (reinterpret_cast<std::uintptr_t>(values_) % bytes_of(type) != 0) {
    const auto copy = std::make_shared<std::vector<double>>(
        (header_.data_bytes + sizeof(double) - 1) / sizeof(double));
    std::memcpy(copy->data(), values_, header_.data_bytes);
    view.data = copy->data();
    view.release = nullptr;
    owner = copy;
  }
  return view;
}

}  // namespace bzscr
