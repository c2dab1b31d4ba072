#include "data/formats/npy_file.h"

#include <utility>

namespace bzscr {

NumberArray npy_array(const std::string& where, const std::uint8_t* bytes, std::size_t size,
                      std::shared_ptr<const void> owner) {
  NpyHeader header = parse_npy_header(where, bytes, size);
  const std::uint8_t* const values = bytes + header.data_offset;
  return {where, std::move(header), values, std::move(owner)};
}

std::vector<std::uint8_t> npy_bytes(const MatrixF& values) {
  const std::string header = npy_header("<f4", false, {values.rows(), values.cols()});
  std::vector<std::uint8_t> bytes(header.begin(), header.end());
  const auto* const data = reinterpret_cast<const std::uint8_t*>(values.data());
  bytes.insert(bytes.end(), data, data + static_cast<std::size_t>(values.size()) * sizeof(float));
  return bytes;
}

}  // namespace bzscr
