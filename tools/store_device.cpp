#include "store_device.h"

#include "base/spelling.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace bzscr::cli {
namespace {

using nlohmann::ordered_json;

void print_json(const ordered_json& json, int indent) {
  fmt::print("{}\n", json.dump(indent, ' ', false, ordered_json::error_handler_t::replace));
}

const char* word_for(bzscr_store_source source) {
  constexpr const char* kWords[] = {"device", "pack", "new", "compacted", "rolled-back"};
  return source >= 0 && source <= BZSCR_STORE_FROM_ROLLBACK ? kWords[source] : "?";
}

Scorer open_model(const StoreOptions& options, const AlignedFile& file) try {
  return Scorer(file.bytes.get(), file.size,
                store_table(file.bytes.get(), file.size, options.capacity));
} catch (const Error& error) {
  throw pack::Error(options.model, error.what());
}

bzscr_store_config config_of(const StoreOptions& options, const std::vector<std::uint8_t>& keys,
                             bool to_change) {
  bzscr_store_config config{};
  config.keys = keys.data();
  config.key_count = static_cast<std::uint32_t>(options.trusted.size());
  config.require_signatures = options.require_signature ? 1 : 0;
  config.read_only = to_change ? 0 : 1;
  config.create = to_change ? 1 : 0;
  config.accept_last_good = options.accept_last_good ? 1 : 0;
  return config;
}

}  // namespace

Device::Device(const StoreOptions& options, bool to_change)
    : options_(options),
      file_(read_aligned(options.model)),
      scorer_(open_model(options, file_)),
      keys_(pack::read_public_keys(options.trusted)),
      store_(scorer_, file_.bytes.get(), StoreFolder(options.store, scorer_, !to_change),
             config_of(options, keys_, to_change)) {}

bool Device::has_class(const std::string& name) const {
  std::uint32_t unused = 0;
  return bzscr_rt_find_name(scorer_.handle(), name.c_str(), &unused) == BZSCR_RT_OK;
}

std::uint32_t Device::class_id(const std::string& name) const {
  if (has_class(name)) return scorer_.find_name(name);
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < scorer_.class_count(); ++i)
    names.push_back(scorer_.class_name(scorer_.class_id(i)));
  throw pack::Error(options_.store, "there is no class '" + name + "'" + did_you_mean(name, names));
}

void Device::print_state(const std::string& done) const {
  const bzscr_store_info info = store_.info();
  const std::uint32_t classes = scorer_.class_count();
  if (options_.json)
    print_json({{"done", done},
                {"sequence", info.sequence},
                {"counter", info.counter},
                {"classes", classes}},
               -1);
  else
    fmt::print("{}: {}; record {}, pack counter {}, {} classes\n", options_.store, done,
               info.sequence, info.counter, classes);
}

void Device::print_classes() const {
  std::vector<std::uint32_t> ids;
  for (std::uint32_t i = 0; i < scorer_.class_count(); ++i) ids.push_back(scorer_.class_id(i));
  std::sort(ids.begin(), ids.end());
  ordered_json json = ordered_json::array();
  for (const std::uint32_t id : ids) try {
      const bool own = store_.owns(id);
      const bool seen = scorer_.class_seen(id);
      const std::string name = scorer_.class_name(id);
      json.push_back(
          {{"id", id}, {"name", name}, {"seen", seen}, {"from", own ? "store" : "model"}});
      if (!options_.json)
        fmt::print("{:>10}  {}{}{}\n", id, name, seen ? "" : "  (unseen)",
                   own ? "  (from the store)" : "");
    } catch (const StoreError& error) {  // removed by another process just now
      if (error.status() != BZSCR_STORE_CLASS + BZSCR_RT_NO_SUCH_CLASS) throw;
    }
  if (options_.json) print_json(json, 2);
}

void Device::print_history() const {
  ordered_json json = ordered_json::array();
  for (const bzscr_store_record& each : store_.history()) {
    const bool is_signed =
        std::any_of(each.key_id, each.key_id + 8, [](std::uint8_t byte) { return byte != 0; });
    const std::string key = is_signed ? hexadecimal(each.key_id, 8) : "";
    json.push_back({{"record", each.sequence},
                    {"from", word_for(each.source)},
                    {"changes", each.changes},
                    {"bytes", each.bytes},
                    {"counter", each.counter},
                    {"key", key}});
    if (!options_.json)
      fmt::print("{:>8}  {:<11}  {} changes, {} bytes, pack counter {}{}\n", each.sequence,
                 word_for(each.source), each.changes, each.bytes, each.counter,
                 is_signed ? ", key " + key : "");
  }
  if (options_.json) print_json(json, 2);
}

void Device::print_check() const {
  const bzscr_store_info info = store_.info();
  const std::string state = info.damaged != 0   ? "damaged, the last good state was read"
                            : info.unclean != 0 ? "whole; a change was cut off"
                                                : "whole";
  if (options_.json)
    print_json({{"state", state},
                {"damaged", info.damaged != 0},
                {"unclean", info.unclean != 0},
                {"last_good", info.last_good != 0},
                {"generation", info.generation},
                {"sequence", info.sequence},
                {"counter", info.counter},
                {"changed", info.changed},
                {"bank_bytes", info.bank_bytes},
                {"used_bytes", info.used_bytes}},
               -1);
  else
    fmt::print(
        "{}: {}; record {}, pack counter {}, {} classes differ from the model, {} of {} bytes "
        "used\n",
        options_.store, state, info.sequence, info.counter, info.changed, info.used_bytes,
        info.bank_bytes);
}

}  // namespace bzscr::cli
