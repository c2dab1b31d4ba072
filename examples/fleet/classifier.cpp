#include "classifier.h"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace {

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  throw std::runtime_error(where + ": " + why);
}

bzscr::Memory read_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (size < 0) fail(path, "cannot be read");
  bzscr::Memory bytes(static_cast<std::size_t>(size));
  if (!file.seekg(0).read(reinterpret_cast<char*>(bytes.data()), size))
    fail(path, "cannot be read");
  return bytes;
}

/// The model's classes, and room for as many more as bzscr-classes would give: both may work on one
/// store.
bzscr::Scorer open_scorer(const bzscr::Memory& model, const ClassifierOptions& options) try {
  bzscr_rt_config config{};
  const bzscr_rt_info as_trained = bzscr::Scorer(model.data(), model.size()).info();
  config.class_capacity = options.capacity != 0
                              ? options.capacity
                              : std::max(2 * as_trained.classes, as_trained.classes + 1000);
  config.name_bytes = std::max(as_trained.name_bytes, std::uint32_t{64});
  config.shared = 1;
  config.wait = [](void*) { sched_yield(); };
  return bzscr::Scorer(model.data(), model.size(), config);
} catch (const bzscr::Error& error) {
  fail(options.model, error.what());
}

/// A key's file is a line: what it is, its id, its 32 bytes in hexadecimal.
void append_key(const std::string& path, std::vector<std::uint8_t>& keys) {
  std::ifstream file(path);
  std::string kind, id, digits;
  if (!(file >> kind >> id >> digits) || kind != "bzscr-public-key" || digits.size() != 64 ||
      digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos)
    fail(path, "expected a public key, as bzscr-classes keygen writes it");
  for (std::size_t i = 0; i < digits.size(); i += 2)
    keys.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
}

/// "pack-damaged" of BZSCR_STORE_PACK_DAMAGED; "class" of a change that cannot be made.
std::string reason_of(bzscr_store_status status) {
  if (status > BZSCR_STORE_CLASS) return "class";
  std::string name;
#define NAME_OF(each, code, text) \
  if (status == (code)) name = #each;
  BZSCR_STORE_STATUS_LIST(NAME_OF)
#undef NAME_OF
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(c));
  return name;
}

}  // namespace

Classifier::Classifier(const ClassifierOptions& options)
    : model_(read_model(options.model)),
      scorer_(open_scorer(model_, options)),
      features_(scorer_.info().feature_dimension),
      arena_(0) {
  for (const std::string& path : options.trusted) append_key(path, keys_);
  if (bzscr_store_posix_make_folder(options.store.c_str()) != BZSCR_STORE_OK)
    fail(options.store, std::strerror(errno));
  const bzscr_rt_info info = scorer_.info();
  const std::uint32_t bank =
      bzscr_store_posix_bank_bytes(info.class_capacity, info.embedding_dimension);
  const bzscr_store_status found = bzscr_store_posix_open(&folder_, options.store.c_str(), bank, 0);
  if (found != BZSCR_STORE_OK)
    fail(options.store,
         folder_.error != 0 ? std::strerror(folder_.error) : bzscr_store_status_text(found));

  bzscr_store_config config{};
  config.struct_size = sizeof config;
  config.device = &folder_.device;
  config.table = scorer_.handle();
  config.model = model_.data();
  config.keys = keys_.data();
  config.key_count = static_cast<std::uint32_t>(options.trusted.size());
  config.require_signatures = options.require_signature ? 1 : 0;
  config.create = 1;
  bzscr_store_status status = bzscr_store_arena_bytes(&config, &config.arena_bytes);
  if (status == BZSCR_STORE_OK) {
    arena_ = bzscr::Memory(config.arena_bytes);
    config.arena = arena_.data();
    status = bzscr_store_open(&config, &store_);
  }
  if (status != BZSCR_STORE_OK) {
    bzscr_store_posix_close(&folder_);
    fail(options.store, bzscr_store_status_text(status));
  }
}

Classifier::~Classifier() { bzscr_store_posix_close(&folder_); }

Classifier::Answer Classifier::score(const std::vector<float>& x,
                                     const bzscr::Memory& scratch) const {
  for (;;) {
    const std::vector<bzscr_rt_result> best = scorer_.top(x, 1, &scratch);
    if (best.empty()) throw std::runtime_error("there is no class");
    try {
      return {best[0].id, best[0].score, scorer_.class_name(best[0].id)};
    } catch (const bzscr::Error& error) {
      if (error.status() != BZSCR_RT_NO_SUCH_CLASS)
        throw;  // removed meanwhile: score the table that is there now
    }
  }
}

Outcome Classifier::take(const void* pack, std::size_t bytes) {
  bzscr_store_refusal why{};
  const bzscr_store_status status = bzscr_store_apply(store_, pack, bytes, 0, &why);
  if (status == BZSCR_STORE_OK)
    return {Outcome::Result::kTaken, "", "its classes are in the table"};
  if (status == BZSCR_STORE_STALE && why.pack_counter == why.last_counter)
    return {Outcome::Result::kUnchanged, "", "the last pack once more"};
  std::ostringstream text;
  text << bzscr_store_status_text(status);
  if (status == BZSCR_STORE_STALE)
    text << "; its counter is " << why.pack_counter << ", and the last pack's was "
         << why.last_counter;
  if (why.change != UINT32_MAX) text << "; change " << why.change << ", class " << why.id;
  if (status == BZSCR_STORE_IO && folder_.error != 0)
    text << " (" << std::strerror(folder_.error) << ")";
  return {Outcome::Result::kRefused, reason_of(status), text.str()};
}

bool Classifier::refresh() {
  std::int32_t changed = 0;
  return bzscr_store_refresh(store_, &changed) == BZSCR_STORE_OK && changed != 0;
}

Version Classifier::version() const {
  bzscr_store_info info{};
  info.struct_size = sizeof info;
  bzscr_store_describe(store_, &info);
  std::string hash;
  for (const std::uint8_t byte : info.model_hash) {
    hash += "0123456789abcdef"[byte >> 4];
    hash += "0123456789abcdef"[byte & 15];
  }
  return {hash, info.counter, scorer_.class_count(), scorer_.info().kernel_name};
}
