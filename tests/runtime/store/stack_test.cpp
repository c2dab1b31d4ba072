// How deep the store's calls go, the runtime's below them included; not what libsodium needs for a
// signature.
#include "opened_store.h"
#include "support/painted_stack.h"

#include <algorithm>

using namespace bzscr;
using namespace bzscr::test;

namespace {

struct Calls {
  Host& host;
  const AlignedBytes& pack;
  const float* phi;
  const float* x;
  bzscr_store_status worst;
};

void* make_no_call(void*) { return nullptr; }

void* make_calls(void* argument) {
  Calls& calls = *static_cast<Calls*>(argument);
  bzscr_store* store = nullptr;
  bzscr_store_record records[8];
  std::uint32_t count = 0;
  std::int32_t own = 0;
  const bzscr_store_change changes[] = {{BZSCR_STORE_ADD, 1, "added", calls.phi},
                                        {BZSCR_STORE_RENAME, 3, "renamed", nullptr}};
  calls.worst = std::max(
      {bzscr_store_arena_bytes(&calls.host.config, &calls.host.config.arena_bytes),
       bzscr_store_open(&calls.host.config, &store),
       bzscr_store_change_classes(store, changes, 2, nullptr),
       bzscr_store_apply(store, calls.pack.data(), calls.pack.size(), 0, nullptr),
       bzscr_store_teach(store, 1, calls.x, 1), bzscr_store_forget(store, 1),
       bzscr_store_embedding(store, 1, &own, nullptr), bzscr_store_rollback(store, 3),
       bzscr_store_compact(store), bzscr_store_refresh(store, nullptr),
       bzscr_store_history(store, 8, records, &count), bzscr_store_format(&calls.host.config)});
  return nullptr;
}

}  // namespace

TEST_CASE("the stack stays within what the header says, for a large model too") {
  const TestModel model = random_model_with_forms(600, 300, 50, 200, format::ScoreForm::Half);
  SimulatedDevice flash({std::uint32_t{1} << 20, 2, 4, 0xFF});
  Host host(model, 202);
  host.config.create = 1;
  REQUIRE(host.open(flash.device()) == BZSCR_STORE_OK);
  const std::vector<float> phi = random_vector(300, 3), x = random_vector(600, 4);
  const AlignedBytes pack = serialise(pack_for(
      model, 1,
      {{format::ChangeKind::Set, 2, "okapi", phi}, {format::ChangeKind::Remove, 13, "", {}}}));
  // The table is as the model left it, as bzscr_store_open() wants it: nothing was changed yet.
  Calls calls{host, pack, phi.data(), x.data(), BZSCR_STORE_OK};
  const std::size_t idle = stack_used(make_no_call, &calls);
  const std::size_t used = stack_used(make_calls, &calls) - idle;
  MESSAGE("stack used: ", used, " bytes");
  CHECK(calls.worst == BZSCR_STORE_OK);
  CHECK(used < 4096);
}
