#include "opened_model.h"

#include <algorithm>

using namespace bzscr;
using namespace bzscr::test;

TEST_CASE("the best classes are the first of all scores, sorted") {
  for (const bzscr_rt_form form : kForms) {
    const TestModel model = random_model(12, 7, 5, 200);  // more than one block
    const OpenedModel opened(model, {0, 0, form});
    const std::vector<float> x = random_vector(12, 7);
    const std::vector<float> scores = opened.scores(x);
    std::vector<float> sorted = scores;
    std::sort(sorted.rbegin(), sorted.rend());

    for (const std::size_t length : {1u, 10u, 199u, 200u, 300u}) {
      const std::vector<bzscr_rt_result> best = opened.top(x, length);
      REQUIRE(best.size() == std::min<std::size_t>(length, 200));
      for (std::size_t i = 0; i < best.size(); ++i) {
        CHECK(best[i].score == sorted[i]);
        CHECK(best[i].score == scores[best[i].index]);
        CHECK(best[i].id == model.classes[best[i].index].id);
      }
    }
  }
}

TEST_CASE("among equal scores the lower id comes first, at any index") {
  TestModel model = random_model(4, 3, 2, 0);
  const std::vector<float> phi = random_vector(3, 5);
  const std::vector<float> x = random_vector(4, 7);
  const OpenedModel opened(model, {100, 0, BZSCR_RT_FORM_AUTO});
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint32_t id = (i * 37 + 11) % 100;
    REQUIRE(bzscr_rt_set_class(opened, id, std::to_string(id).c_str(), phi.data()) == BZSCR_RT_OK);
  }
  const std::vector<bzscr_rt_result> best = opened.top(x, 10);
  for (std::uint32_t i = 0; i < 10; ++i) CHECK(best[i].id == i);
}

TEST_CASE("with fewer classes than results requested, the count is the number of classes") {
  const OpenedModel opened(random_model(4, 3, 2, 3));
  const std::vector<float> x = random_vector(4, 7);
  CHECK(opened.top(x, 10).size() == 3);
  CHECK(opened.top(x, 0).empty());
  for (const std::uint32_t id : {3u, 13u, 23u})
    REQUIRE(bzscr_rt_remove_class(opened, id) == BZSCR_RT_OK);
  CHECK(opened.top(x, 10).empty());
  CHECK(opened.scores(x).empty());
}
