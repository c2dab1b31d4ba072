#include "data/npy_file.h"

#include <utility>

namespace bzscr {

NumberArray npy_array(const std::string& where, const std::uint8_t* bytes, std::size_t size, std::shared_ptr<const void> owner) {
  NpyHeader header = parse_npy_header(where, bytes, size);
  const std::uint8_t* const values = bytes + header.data_offset;
  return {where, std::move(header), values, std::move(owner)};
}

}  // namespace bzscr
