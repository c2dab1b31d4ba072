#include "export/crc32c.h"

#include <doctest/doctest.h>

#include <string>

namespace bzscr {
namespace {

TEST_CASE("CRC-32C agrees with the published check values (RFC 3720, B.4)") {
  CHECK(crc32c("123456789", 9) == 0xE3069283u);
  CHECK(crc32c("", 0) == 0u);
  CHECK(crc32c(std::string(32, '\0').data(), 32) == 0x8A9136AAu);
  CHECK(crc32c(std::string(32, '\xff').data(), 32) == 0x62A8AB43u);
}

TEST_CASE("CRC-32C of pieces is that of the whole") {
  const std::string whole = "boosted zero-shot classification";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut)
    CHECK(crc32c(whole.data() + cut, whole.size() - cut, crc32c(whole.data(), cut)) ==
          crc32c(whole.data(), whole.size()));
}

}  // namespace
}  // namespace bzscr
