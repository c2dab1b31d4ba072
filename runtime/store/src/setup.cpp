#include "setup.h"

#include "arena.h"
#include "media.h"
#include "schema.h"

#include <string.h>

namespace bzscr::store {
namespace {

// The sizes that these structs had in releases, the present one last.
constexpr size_t kConfigSizes[] = {offsetof(bzscr_store_config, create),
                                   sizeof(bzscr_store_config)};
constexpr size_t kInfoSizes[] = {offsetof(bzscr_store_info, model_hash),
                                 offsetof(bzscr_store_info, other_model), sizeof(bzscr_store_info)};

template <size_t kCount>
bool is_one_of(size_t size, const size_t (&sizes)[kCount]) {
  for (const size_t each : sizes)
    if (size == each) return true;
  return false;
}

}  // namespace

bool is_info_size(size_t struct_size) { return is_one_of(struct_size, kInfoSizes); }

bool read_setup(const bzscr_store_config* given, Setup* setup) {
  if (given == nullptr || !is_one_of(given->struct_size, kConfigSizes)) return false;
  bzscr_store_config& config = setup->config;
  config = {};
  memcpy(&config, given, given->struct_size);
  if (config.table == nullptr || config.device == nullptr || !Media::is_sound(*config.device) ||
      (config.keys == nullptr && config.key_count > 0))
    return false;
  bzscr_rt_info& info = setup->info;
  info = {};
  info.struct_size = sizeof info;
  return bzscr_rt_describe(config.table, &info) == BZSCR_RT_OK && info.name_bytes <= UINT16_MAX &&
         info.embedding_dimension < (1u << 28);
}

bool is_same_model(const void* file, const void* other) {
  if (file == other) return true;
  constexpr size_t kIdentified = 8;
  if (!rt::is_aligned(file) || !rt::has_identifier(file, kIdentified, format::EnvelopeIdentifier()))
    return false;
  const auto* bytes = format::GetEnvelope(file)->payload();
  const auto& expected = *format::GetEnvelope(other)->payload();
  return bytes != nullptr && bytes->size() == expected.size() &&
         memcmp(bytes->data(), expected.data(), expected.size()) == 0;
}

}  // namespace bzscr::store
