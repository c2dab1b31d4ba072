#pragma once

#include "bzscr_pack/bzscr_pack.hpp"

#include <bzscr_schema/envelope_writer.h>
#include <bzscr_store/bzscr_store.h>
#include <bzscr_rt/bzscr_rt.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What packs and models share: signatures of envelopes (FORMAT.md, "Signatures").
namespace bzscr::pack {

format::EnvelopeSignature sign(const SecretKey& key, format::Kind kind,
                               std::uint16_t format_version, const std::uint8_t* payload,
                               std::size_t size);

/// How many public keys these bytes are. Throws std::invalid_argument for a part of one.
std::uint32_t count_of(const std::vector<std::uint8_t>& keys);

/// Throws for a status other than OK, UnknownKey for that one.
void require_good(bzscr_store_status status, const std::string& path, const Memory& file);

/// Who signed a file whose envelope was verified; empty: nobody.
std::optional<KeyId> signer_of(const format::Envelope& envelope);

}  // namespace bzscr::pack
