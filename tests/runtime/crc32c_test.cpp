#include <bzscr_schema/crc32c.h>
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using bzscr::format::crc32c;

TEST_CASE("CRC-32C gives the check values of RFC 3720") {
  CHECK(crc32c(0, "123456789", 9) == 0xE3069283u);
  std::vector<unsigned char> bytes(32, 0x00);
  CHECK(crc32c(0, bytes.data(), 32) == 0x8A9136AAu);
  bytes.assign(32, 0xFF);
  CHECK(crc32c(0, bytes.data(), 32) == 0x62A8AB43u);
  for (unsigned i = 0; i < 32; ++i) bytes[i] = static_cast<unsigned char>(i);
  CHECK(crc32c(0, bytes.data(), 32) == 0x46DD794Eu);
  CHECK(crc32c(0, nullptr, 0) == 0);
}

TEST_CASE("a checksum computed in two pieces equals that of the whole") {
  const char* text = "The same bytes, however they are cut";
  const std::size_t size = std::strlen(text);
  for (std::size_t cut = 0; cut <= size; ++cut)
    CHECK(crc32c(crc32c(0, text, cut), text + cut, size - cut) == crc32c(0, text, size));
}
