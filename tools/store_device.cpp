#include "store_device.h"

#include "base/spelling.h"
#include "support/tables.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

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

constexpr std::uint32_t kMostClasses = std::uint32_t{1} << 30;  // of bzscr_rt_config

Scorer open_model(const StoreOptions& options, const AlignedFile& file) try {
  if (!options.model_keys.empty())
    require_signed_model(file.bytes.get(), file.size, pack::read_public_keys(options.model_keys));
  return Scorer(file.bytes.get(), file.size,
                store_table(file.bytes.get(), file.size, options.capacity));
} catch (const Error& error) {
  const bool unfit = error.status() == BZSCR_RT_TABLE_FULL ||
                     (error.status() == BZSCR_RT_BAD_ARGUMENT && options.capacity > kMostClasses);
  if (!unfit) throw pack::Error(options.model, error.what());
  throw pack::Error(
      "--capacity",
      fmt::format("is {}; expected {}, as many as {} has, to {}", options.capacity,
                  Scorer(file.bytes.get(), file.size).info().classes, options.model, kMostClasses));
} catch (const StoreError& error) {
  const bool unknown = error.status() == BZSCR_STORE_UNKNOWN_KEY;
  throw pack::Error(
      options.model,
      error.what() + std::string(unknown ? "; --model-key names the keys to trust" : ""));
}

bzscr_store_config config_of(const StoreOptions& options, const std::vector<std::uint8_t>& keys,
                             Device::For use) {
  const bool to_change = use != Device::For::kReading;
  bzscr_store_config config{};
  config.keys = keys.data();
  config.key_count = static_cast<std::uint32_t>(options.trusted.size());
  config.require_signatures = options.require_signature ? 1 : 0;
  config.read_only = to_change ? 0 : 1;
  config.create = to_change ? 1 : 0;
  config.accept_last_good = options.accept_last_good ? 1 : 0;
  return config;
}

/// Which option helps where a pack is refused.
std::string advice_on(const StoreError& error, const std::string& path, const Scorer& scorer) {
  switch (error.status()) {
    case BZSCR_STORE_STALE: return "; --allow-older takes it all the same";
    case BZSCR_STORE_UNKNOWN_KEY: {
      const pack::KeyId id = pack::read(path).key_id;
      return ": " + pack::hexadecimal(id.data(), id.size()) + "; --trust names the keys to trust";
    }
    case BZSCR_STORE_ID_TAKEN: {
      const auto& changes = pack::read(path).contents.changes;
      const bzscr_store_refusal& refusal = error.refusal();
      return ", '" + printable(scorer.class_name(refusal.id)) + "'; the pack would make it '" +
             printable(changes.at(refusal.change).name) + "', which --replace allows";
    }
    default: return "";
  }
}

}  // namespace

std::string text_of(const StoreError& error) {
  const bool full = error.status() == BZSCR_STORE_CLASS + BZSCR_RT_TABLE_FULL;
  return error.what() + std::string(full ? "; --capacity makes room for more" : "");
}

bool has_store(const StoreOptions& options) {
  for (const char* bank : {"bank0", "bank1"}) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(options.store + "/" + bank, error);
    if (!error && bytes > 0) return true;
  }
  return false;
}

Device::Device(const StoreOptions& options, For use)
    : options_(options),
      file_(read_aligned(options.model)),
      scorer_(open_model(options, file_)),
      keys_(pack::read_public_keys(options.trusted)),
      memory_(bzscr_store_posix_bank_bytes(scorer_.info().class_capacity,
                                           scorer_.info().embedding_dimension)),
      store_(use == For::kTrial
                 ? Store(scorer_, nullptr, memory_.device(), config_of(options, keys_, use))
                 : Store(scorer_, nullptr,
                         StoreFolder(options.store, scorer_, use == For::kReading),
                         config_of(options, keys_, use))) {}

std::string Device::apply(const std::string& path, bool allow_older, bool replace) {
  const AlignedFile file = read_aligned(path);
  std::string replaced;
  try {
    store_.refresh();
    if (replace) {
      for (const pack::Change& each : pack::read(path).contents.changes) {
        if (each.kind != pack::ChangeKind::kSet || !has_id(each.id)) continue;
        const std::string name = scorer_.class_name(each.id);
        if (name != each.name)
          replaced += fmt::format(", replaced '{}' by '{}'", printable(name), printable(each.name));
      }
    }
    store_.apply(file.bytes.get(), file.size,
                 (allow_older ? std::uint32_t{BZSCR_STORE_ALLOW_OLDER} : 0) |
                     (replace ? std::uint32_t{BZSCR_STORE_REPLACE_CLASSES} : 0));
  } catch (const StoreError& error) {
    const bzscr_store_status status = error.status();
    if (status == BZSCR_STORE_IO || status == BZSCR_STORE_FULL) throw;
    throw pack::Error(path, text_of(error) + advice_on(error, path, scorer_));
  }
  return "applied " + path + replaced;
}

bool Device::has_id(std::uint32_t id) const {
  std::uint32_t unused = 0;
  return bzscr_rt_find_class(scorer_.handle(), id, &unused) == BZSCR_RT_OK;
}

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

float Device::examples(std::uint32_t id) const {
  const bzscr_rt_info info = scorer_.info();
  std::vector<float> sum(info.weak_models + 1);
  float count = 0;
  if (info.teachable != 0) bzscr_rt_get_examples(scorer_.handle(), id, sum.data(), &count);
  return count;
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
    fmt::print("{}: {}; record {}, pack counter {}, {} {}\n", options_.store, done, info.sequence,
               info.counter, classes, classes == 1 ? "class" : "classes");
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
      const float count = examples(id);
      json.push_back({{"id", id},
                      {"name", name},
                      {"seen", seen},
                      {"from", own ? "store" : "model"},
                      {"examples", count}});
      const std::string taught =
          fmt::format("  ({} {})", count, count == 1 ? "example" : "examples");
      if (!options_.json)
        fmt::print("{:>10}  {}{}{}{}\n", id, printable(name), seen ? "" : "  (unseen)",
                   own ? "  (from the store)" : "", count > 0 ? taught : "");
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
    const std::string key = is_signed ? pack::hexadecimal(each.key_id, 8) : "";
    json.push_back({{"record", each.sequence},
                    {"from", word_for(each.source)},
                    {"changes", each.changes},
                    {"bytes", each.bytes},
                    {"counter", each.counter},
                    {"key", key}});
    if (!options_.json)
      fmt::print("{:>8}  {:<11}  {} {}, {} bytes, pack counter {}{}\n", each.sequence,
                 word_for(each.source), each.changes, each.changes == 1 ? "change" : "changes",
                 each.bytes, each.counter, is_signed ? ", key " + key : "");
  }
  if (options_.json) print_json(json, 2);
}

void Device::print_check() const {
  const bzscr_store_info info = store_.info();
  if (info.other_model != 0)
    throw pack::Error(options_.store, "was written with another model of the same data than " +
                                          options_.model + "; compact takes up this one");
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
        "{}: {}; record {}, pack counter {}, {} from the model, {} of {} bytes used\n",
        options_.store, state, info.sequence, info.counter,
        info.changed == 1 ? "1 class differs" : fmt::format("{} classes differ", info.changed),
        info.used_bytes, info.bank_bytes);
}

}  // namespace bzscr::cli
