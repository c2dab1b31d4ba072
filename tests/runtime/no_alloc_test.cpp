#include "support/no_alloc.h"
#include "opened_model.h"

using namespace bzscr;
using namespace bzscr::test;

TEST_CASE("the allocation counter counts") {
  const std::size_t before = allocations();
  const std::vector<int> values(1000, 1);
  CHECK(allocations() > before);
}

TEST_CASE("no function of the runtime allocates") {
  TestModel model = random_model_with_forms(33, 9, 20, 100, format::ScoreForm::Cosine);
  model.own.clear();  // the dense form is possible
  const AlignedBytes file = serialise(model);
  const AlignedBytes arena(1 << 20);
  const std::vector<float> x = random_vector(33, 7);
  const std::vector<float> phi = random_vector(9, 3);
  std::vector<float> scores(101);
  std::vector<std::uint32_t> ids(101);

  for (const bzscr_rt_form form : kForms) {
    bzscr_rt_config config = config_for(file, {101, 0, form, kStorages[form % 3], nullptr, true});
    config.teachable = form != BZSCR_RT_FORM_DENSE ? 1 : 0;
    config.arena = arena.data();
    bzscr_rt_info info{};
    info.struct_size = sizeof info;
    bzscr_rt_plan plan{};
    plan.struct_size = sizeof plan;
    bzscr_rt* handle = nullptr;
    bzscr_rt_result best[10];
    char name[32];
    std::size_t count = 0;
    std::uint32_t number = 0;
    std::int32_t seen = 0;
    bzscr_rt_status worst = BZSCR_RT_OK;
    const auto note = [&worst](bzscr_rt_status status) { worst = std::max(worst, status); };

    const std::size_t before = allocations();
    note(bzscr_rt_arena_bytes(&config, &config.arena_bytes));
    note(bzscr_rt_open(&config, &handle));
    note(bzscr_rt_plan_model(&config, &plan));
    note(bzscr_rt_open_planned(&config, &plan, &handle));
    note(bzscr_rt_describe(handle, &info));
    note(bzscr_rt_score(handle, x.data(), nullptr, scores.size(), scores.data(), ids.data(),
                        &count));
    note(bzscr_rt_top(handle, x.data(), nullptr, 10, best, &count));
    note(bzscr_rt_top_batch(handle, x.data(), 1, nullptr, 0, 10, best, &count, nullptr));
    note(bzscr_rt_recognise(handle, x.data(), nullptr, 0, 0, best, &seen));
    note(bzscr_rt_set_class(handle, 5, "added", phi.data()));
    note(bzscr_rt_rename_class(handle, 5, "other"));
    note(bzscr_rt_set_class(handle, 5, "renamed", phi.data()));
    note(bzscr_rt_class_id(handle, 0, &number));
    note(bzscr_rt_class_name(handle, 5, name, sizeof name));
    note(bzscr_rt_class_seen(handle, 5, &seen));
    note(bzscr_rt_find_class(handle, 5, &number));
    note(bzscr_rt_find_name(handle, "renamed", &number));
    note(bzscr_rt_check_embedding(handle, phi.data()));
    note(bzscr_rt_remove_class(handle, 3));
    if (config.teachable != 0) {
      float sum[20];
      float weights = 0;
      note(bzscr_rt_set_class(handle, 7, "no embedding", nullptr));
      note(bzscr_rt_teach(handle, 7, x.data(), 1));
      note(bzscr_rt_get_examples(handle, 7, sum, &weights));
      note(bzscr_rt_set_examples(handle, 5, sum, weights));
      note(bzscr_rt_forget(handle, 5));
      note(bzscr_rt_remove_class(handle, 7));
    }
    note(bzscr_rt_restore_class(handle, 3, nullptr));
    note(bzscr_rt_set_seen_penalty(handle, 1));
    bzscr_rt* batch = nullptr;
    note(bzscr_rt_begin_changes(handle, &batch));
    note(bzscr_rt_set_class(batch, 13, nullptr, phi.data()));
    note(bzscr_rt_cancel_changes(handle));
    note(bzscr_rt_begin_changes(handle, &batch));
    note(bzscr_rt_set_class(batch, 13, nullptr, phi.data()));
    note(bzscr_rt_end_changes(handle));
    note(bzscr_rt_close(handle));
    const std::size_t after = allocations();

    CHECK(worst == BZSCR_RT_OK);
    CHECK(after == before);
  }
}
