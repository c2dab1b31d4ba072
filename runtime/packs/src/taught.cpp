#include "taught.h"

#include "bzscr_pack/bzscr_pack.hpp"

#include <bzscr_store/bzscr_store.hpp>

namespace bzscr::pack {
namespace {

TaughtClass read_class(Scorer& scorer, Store& store, const std::string& folder,
                       const std::string& name) {
  std::uint32_t id = 0;
  if (bzscr_rt_find_name(scorer.handle(), name.c_str(), &id) != BZSCR_RT_OK) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < scorer.class_count(); ++i)
      names.push_back(scorer.class_name(scorer.class_id(i)));
    throw NoSuchClass(folder, name, names);
  }
  const bzscr_rt_info info = scorer.info();
  TaughtClass found{id, store.owns(id), store.embedding(id), std::vector<float>(info.weak_models),
                    0};
  bzscr_rt_get_examples(scorer.handle(), id, found.sum.data(), &found.count);
  if (!(found.count > 0)) throw Error(folder, "class '" + name + "' was not taught");
  return found;
}

}  // namespace

TaughtClass read_taught(const std::string& path, const Memory& model, const std::string& folder,
                        const std::string& name) {
  bzscr_store_config options{};
  options.read_only = 1;
  for (std::uint32_t capacity = 0;;) try {
      Scorer scorer(model.data(), model.size(), store_table(model.data(), model.size(), capacity));
      if (scorer.info().teachable == 0) throw Error(path, "this model cannot be taught");
      capacity = 2 * scorer.info().class_capacity;
      Store store(scorer, nullptr, StoreFolder(folder, scorer, /*read_only=*/true), options);
      return read_class(scorer, store, folder, name);
    } catch (const StoreError& error) {
      constexpr std::uint32_t kMostClasses = std::uint32_t{1} << 24;
      const bool full = error.status() == BZSCR_STORE_CLASS + BZSCR_RT_TABLE_FULL;
      if (!full || capacity > kMostClasses)
        throw Error(folder, bzscr_store_status_text(error.status()));
    }
}

}  // namespace bzscr::pack
