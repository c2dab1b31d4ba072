// Measures the stack that the library uses: on a stack of this test's own, filled with a pattern
// before the calls.
#include "opened_model.h"
#include "support/painted_stack.h"

#include <algorithm>

using namespace bzscr;
using namespace bzscr::test;

namespace {

struct Calls {
  bzscr_rt_config config;
  const float* x;
  const float* phi;
  bzscr_rt_status worst;
};

void* make_no_call(void*) { return nullptr; }

void* make_calls(void* argument) {
  Calls& calls = *static_cast<Calls*>(argument);
  bzscr_rt* handle = nullptr;
  bzscr_rt* batch = nullptr;
  bzscr_rt_result best[10];
  std::size_t count = 0;
  std::int32_t accepted = 0;
  calls.worst = std::max(
      {bzscr_rt_arena_bytes(&calls.config, &calls.config.arena_bytes),
       bzscr_rt_open(&calls.config, &handle),
       bzscr_rt_top(handle, calls.x, nullptr, 10, best, &count),
       bzscr_rt_top_batch(handle, calls.x, 1, nullptr, 0, 10, best, &count, nullptr),
       bzscr_rt_recognise(handle, calls.x, nullptr, 0, 0, best, &accepted),
       bzscr_rt_set_class(handle, 1, "added", calls.phi),
       bzscr_rt_set_class(handle, 1, "renamed", calls.phi), bzscr_rt_remove_class(handle, 3),
       bzscr_rt_begin_changes(handle, &batch), bzscr_rt_set_class(batch, 1, "again", calls.phi),
       calls.config.teachable != 0 ? bzscr_rt_teach(batch, 1, calls.x, 1) : BZSCR_RT_OK,
       calls.config.teachable != 0 ? bzscr_rt_forget(batch, 1) : BZSCR_RT_OK,
       bzscr_rt_end_changes(handle), bzscr_rt_close(handle)});
  return nullptr;
}

}  // namespace

TEST_CASE("a large model does not need more stack than the header states") {
  TestModel model = random_model_with_forms(600, 300, 500, 200, format::ScoreForm::Half);
  model.own.clear();  // the dense form is possible
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = random_vector(300, 99);
  const AlignedBytes file = serialise(model);
  const AlignedBytes arena(std::size_t{1} << 22);
  const std::vector<float> x = random_vector(600, 7);
  const std::vector<float> phi = random_vector(300, 3);
  for (const bzscr_rt_storage storage : kStorages) {
    const bzscr_rt_form form = kForms[storage];
    Calls calls{config_for(file, {201, 0, form, storage, nullptr, true}), x.data(), phi.data(),
                BZSCR_RT_OK};
    calls.config.teachable = form != BZSCR_RT_FORM_DENSE ? 1 : 0;
    calls.config.arena = arena.data();
    calls.config.arena_bytes = arena.size();
    const std::size_t idle = stack_used(make_no_call, &calls);
    const std::size_t used = stack_used(make_calls, &calls) - idle;
    MESSAGE("stack used: ", used, " bytes");
    CHECK(calls.worst == BZSCR_RT_OK);
    CHECK(used < 2560);
  }
}
