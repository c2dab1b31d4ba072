#include "classifier.h"

#include <bzscr_pack/bzscr_pack.hpp>

#include <sched.h>

#include <cctype>
#include <fstream>
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

/// With room for as many classes as bzscr-store gives: both may work on one store.
bzscr::Scorer open_scorer(const bzscr::Memory& model, const ClassifierOptions& options) try {
  bzscr_rt_config config = bzscr::store_table(model.data(), model.size(), options.capacity);
  config.shared = 1;
  config.wait = [](void*) { sched_yield(); };
  return bzscr::Scorer(model.data(), model.size(), config);
} catch (const bzscr::Error& error) {
  fail(options.model, error.what());
}

bzscr_store_config store_config(const std::vector<std::uint8_t>& keys,
                                const ClassifierOptions& options) {
  bzscr_store_config config{};
  config.keys = keys.data();
  config.key_count = static_cast<std::uint32_t>(options.trusted.size());
  config.require_signatures = options.require_signature ? 1 : 0;
  config.create = 1;
  return config;
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
      keys_(bzscr::pack::read_public_keys(options.trusted)),
      store_(scorer_, model_.data(), bzscr::StoreFolder(options.store, scorer_),
             store_config(keys_, options)) {}

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

Outcome Classifier::take(const void* pack, std::size_t bytes) try {
  store_.apply(pack, bytes);
  return {Outcome::Result::kTaken, "", "its classes are in the table"};
} catch (const bzscr::StoreError& error) {
  const bzscr_store_refusal& why = error.refusal();
  if (error.status() == BZSCR_STORE_STALE && why.pack_counter == why.last_counter)
    return {Outcome::Result::kUnchanged, "", "the last pack once more"};
  return {Outcome::Result::kRefused, reason_of(error.status()), error.what()};
}

bool Classifier::refresh() {
  try {
    return store_.refresh();
  } catch (const bzscr::StoreError&) {
    return false;
  }
}

Version Classifier::version() const {
  const bzscr_store_info info = store_.info();
  return {bzscr::pack::hexadecimal(info.model_hash, sizeof info.model_hash), info.counter,
          scorer_.class_count(), scorer_.info().kernel_name};
}
