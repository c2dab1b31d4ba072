// Compares bzscr_rt.hpp with bzscr_rt.h.
#include "bzscr_rt/bzscr_rt.hpp"

#include "opened_model.h"
#include "test_model.h"

#include <array>
#include <limits>

using namespace bzscr;
using namespace bzscr::test;

namespace {

bzscr_rt_config room_for(std::uint32_t classes) {
  bzscr_rt_config options{};
  options.class_capacity = classes;
  return options;
}

// The status of the error that a call throws; OK if it throws none.
template <class Call>
bzscr_rt_status thrown(Call call) {
  try {
    call();
    return BZSCR_RT_OK;
  } catch (const Error& error) {
    CHECK(std::string(error.what()).size() > 5);
    return error.status();
  }
}

}  // namespace

TEST_CASE("the C++ wrapper returns what the C functions return") {
  const TestModel model = random_model(9, 6, 4, 5);
  const AlignedBytes file = serialise(model);
  const OpenedModel plain(model, {7, 0, BZSCR_RT_FORM_AUTO});
  Scorer scorer(file.data(), file.size(), room_for(7));
  const std::vector<float> x = random_vector(9, 7);
  const Memory scratch(scorer.scratch_bytes());

  CHECK(scorer.score(x) == plain.scores(x));
  CHECK(scorer.score(x, &scratch) == plain.scores(x));
  const std::vector<bzscr_rt_result> best = scorer.top(x, 10);
  REQUIRE(best.size() == 5);
  for (std::size_t i = 0; i < best.size(); ++i) {
    CHECK(best[i].id == plain.top(x, 10)[i].id);
    CHECK(best[i].id == scorer.top(x, 10, &scratch)[i].id);
    CHECK(scorer.class_name(best[i].id) == plain.name_of(best[i].id));
  }
  CHECK(scorer.info().weak_models == 4);
  CHECK(scorer.info().class_capacity == 7);
  CHECK(scorer.class_count() == 5);
  CHECK(scorer.class_id(2) == 23);
  CHECK(scorer.find_class(23) == 2);
  CHECK(scorer.find_name("class 2") == 23);
  CHECK(scorer.class_seen(23));
  CHECK_FALSE(scorer.class_seen(13));
}

TEST_CASE("a verified model is opened several times without being verified again") {
  const TestModel model = random_model(9, 6, 4, 5);
  const AlignedBytes file = serialise(model);
  const VerifiedModel verified(file.data(), file.size());
  CHECK(verified.data() == file.data());
  CHECK(verified.size() == file.size());
  // No score depends on this letter, but a call that reads the whole payload returns DAMAGED.
  *training_letter(file) ^= 1;
  CHECK(thrown([&] { Scorer(file.data(), file.size()); }) == BZSCR_RT_DAMAGED);
  const std::vector<float> x = random_vector(9, 7);
  for (const bzscr_rt_form form : kForms) {
    bzscr_rt_config options = room_for(7);
    options.form = form;
    const Scorer scorer(verified, options);
    CHECK(scorer.info().class_capacity == 7);
    CHECK(scorer.score(x) == OpenedModel(model, {7, 0, form}).scores(x));
  }
  CHECK(thrown([&] { Scorer(verified, room_for(4)); }) == BZSCR_RT_TABLE_FULL);
}

TEST_CASE("the C++ wrapper scores batches and rejects samples") {
  const AlignedBytes file = serialise(random_model(9, 6, 4, 5));
  const Scorer scorer(file.data(), file.size());
  std::vector<float> X = random_vector(3 * 9, 7);
  const Memory scratch(2 * scorer.scratch_bytes());
  const auto batch = scorer.top_batch(X, 3, 2);
  REQUIRE(batch.size() == 3);
  CHECK(scorer.top_batch(X, 3, 9)[1].size() == 5);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<float> x(X.begin() + static_cast<std::ptrdiff_t>(9 * i),
                               X.begin() + static_cast<std::ptrdiff_t>(9 * i + 9));
    REQUIRE(batch[i].size() == 2);
    for (std::size_t j = 0; j < 2; ++j) {
      CHECK(batch[i][j].id == scorer.top(x, 2)[j].id);
      CHECK(batch[i][j].score == scorer.top(x, 2)[j].score);
      CHECK(scorer.top_batch(X, 3, 2, &scratch)[i][j].score == batch[i][j].score);
    }
    const float lowest = std::numeric_limits<float>::lowest();
    REQUIRE(scorer.recognise(x, lowest, 0).has_value());
    CHECK(scorer.recognise(x, lowest, 0)->id == batch[i][0].id);
    CHECK_FALSE(scorer.recognise(x, batch[i][0].score + 1, 0).has_value());
    CHECK_FALSE(scorer.recognise(x, lowest, 1e6f).has_value());
  }
  X[20] = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH(scorer.top_batch(X, 3, 2), "sample 2: the input holds NaN or infinity");
  CHECK_THROWS_WITH(scorer.top_batch(X, 2, 2), "X has 27 values, and the model takes 18");
}

TEST_CASE("the C++ wrapper sets and removes classes, from any contiguous floats") {
  const AlignedBytes file = serialise(random_model(9, 6, 4, 0));
  Scorer scorer(file.data(), file.size(), room_for(2));
  CHECK(scorer.score(random_vector(9, 7)).empty());
  CHECK(scorer.top(random_vector(9, 7), 3).empty());
  const float phi[6] = {1, 0, -1, 0, 2, 0};
  scorer.set_class(7, "tapir", phi);
  scorer.set_class(8, "okapi", std::array<float, 6>{0, 1, 0, 0, 0, 0});
  scorer.set_class(7, random_vector(6, 3));
  CHECK(scorer.class_name(7) == "tapir");
  scorer.rename_class(8, "giraffe");
  CHECK(scorer.find_name("giraffe") == 8);
  scorer.remove_class(8);
  CHECK(scorer.class_count() == 1);

  Scorer moved = std::move(scorer);
  CHECK(moved.find_name("tapir") == 7);
}

TEST_CASE("the C++ wrapper throws the status, and refuses a vector of another length") {
  const AlignedBytes file = serialise(random_model(9, 6, 4, 5));
  CHECK(thrown([&] { Scorer(file.data(), file.size() - 1); }) == BZSCR_RT_DAMAGED);
  Scorer scorer(file.data(), file.size());
  CHECK(thrown([&] { scorer.remove_class(99); }) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(thrown([&] { scorer.class_id(5); }) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(thrown([&] { scorer.set_class(99, "new", random_vector(6, 3)); }) == BZSCR_RT_TABLE_FULL);
  CHECK(thrown([&] {
          scorer.top(std::vector<float>(9, std::numeric_limits<float>::infinity()), 1);
        }) == BZSCR_RT_NOT_FINITE);

  CHECK(thrown([&] { scorer.top(random_vector(8, 7), 1); }) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(thrown([&] { scorer.score(random_vector(10, 7)); }) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(thrown([&] { scorer.set_class(3, random_vector(5, 7)); }) == BZSCR_RT_BAD_ARGUMENT);
  const Memory small(scorer.scratch_bytes() - 1);
  CHECK(thrown([&] { scorer.top(random_vector(9, 7), 1, &small); }) == BZSCR_RT_BAD_ARGUMENT);
  CHECK_THROWS_WITH(scorer.top(random_vector(8, 7), 1), "x has 8 values, and the model takes 9");
}

TEST_CASE("a model exported as an array is opened in place, in an arena of the exported size") {
  const Scorer scorer(test_model, sizeof test_model, room_for(TEST_MODEL_CLASS_CAPACITY));
  CHECK(scorer.info().arena_bytes <= TEST_MODEL_ARENA_BYTES);
  CHECK(scorer.info().arena_bytes + 512 > TEST_MODEL_ARENA_BYTES);
  CHECK(scorer.top(random_vector(17, 7), 9).size() == 5);
}
