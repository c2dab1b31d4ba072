#include "opened_model.h"

#include <limits>
#include <set>

using namespace bzscr;
using namespace bzscr::test;

namespace {

struct Status {
  bzscr_rt_status code;
  std::string text;
};

const Status kAll[] = {
#define STATUS(name, code, text) {BZSCR_RT_##name, text},
    BZSCR_RT_STATUS_LIST(STATUS)
#undef STATUS
};

}  // namespace

TEST_CASE("every status has a text of its own, and other numbers have a text too") {
  std::set<std::string> texts;
  bzscr_rt_status next = 0;
  for (const Status& status : kAll) {
    CHECK(status.code == next++);  // appended, never renumbered
    CHECK(bzscr_rt_status_text(status.code) == status.text);
    CHECK(status.text.size() > 5);
    CHECK(texts.insert(status.text).second);
  }
  for (const bzscr_rt_status other : {-1, next, INT32_MAX, INT32_MIN}) {
    CHECK(std::string(bzscr_rt_status_text(other)).size() > 5);
    CHECK(texts.count(bzscr_rt_status_text(other)) == 0);
  }
}

TEST_CASE("every status can be produced") {
  std::set<bzscr_rt_status> produced;
  TestModel model = random_model(5, 4, 3, 2);
  const auto of_file = [&](auto change) {
    TestModel changed = model;
    change(changed);
    produced.insert(status_of(serialise(changed)));
  };
  of_file([](TestModel&) {});
  of_file([](TestModel& changed) { changed.file_identifier = "ABCD"; });
  of_file([](TestModel& changed) { changed.format_version = 0; });
  of_file([](TestModel& changed) { changed.format_version = 4; });
  of_file([](TestModel& changed) { changed.kind = format::Kind::ClassPack; });
  of_file([](TestModel& changed) { changed.w[0] = -1; });

  const AlignedBytes file = serialise(model);
  const AlignedBytes arena(1 << 16);
  bzscr_rt* handle = nullptr;
  bzscr_rt_config config = config_for(file);
  produced.insert(bzscr_rt_open(&config, &handle));
  config.arena = arena.data() + 1;
  produced.insert(bzscr_rt_open(&config, &handle));
  config.arena = arena.data();
  config.arena_bytes = 100;
  produced.insert(bzscr_rt_open(&config, &handle));
  config.kernel = "abacus";
  produced.insert(bzscr_rt_open(&config, &handle));

  const OpenedModel plain(model);
  model.embedding_scaling = format::EmbeddingScaling::Unit;
  const OpenedModel scaled(model);
  const std::vector<float> phi = random_vector(4, 3);
  const std::vector<float> nan(4, std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> long_phi(4, 1e9f);
  const std::vector<float> zero(4, 0.0f);
  produced.insert(bzscr_rt_set_class(plain, 99, "new", phi.data()));
  produced.insert(bzscr_rt_set_class(plain, 3, std::string(32, 'n').c_str(), phi.data()));
  produced.insert(bzscr_rt_set_class(plain, 3, "class 1", phi.data()));
  produced.insert(bzscr_rt_set_class(plain, 3, nullptr, nan.data()));
  produced.insert(bzscr_rt_set_class(plain, 3, nullptr, long_phi.data()));
  produced.insert(bzscr_rt_set_class(scaled, 3, nullptr, zero.data()));
  produced.insert(bzscr_rt_remove_class(plain, 99));
  bzscr_rt* batch = nullptr;
  REQUIRE(bzscr_rt_begin_changes(scaled, &batch) == BZSCR_RT_OK);
  produced.insert(bzscr_rt_begin_changes(scaled, &batch));
  REQUIRE(bzscr_rt_close(plain) == BZSCR_RT_OK);
  produced.insert(bzscr_rt_remove_class(plain, 3));

  for (const Status& status : kAll) {
    CAPTURE(status.text);
    CHECK(produced.count(status.code) == 1);
  }
}

TEST_CASE("the library and the format report their versions") {
  CHECK(std::string(bzscr_rt_version()) == BZSCR_PROJECT_VERSION);
  CHECK(bzscr_rt_format_version() == 3);
}
