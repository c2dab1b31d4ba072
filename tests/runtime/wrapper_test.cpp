// Compares bzscr_rt.hpp with bzscr_rt.h.
#include "bzscr_rt/bzscr_rt.hpp"

#include "opened_model.h"
#include "test_model.h"

#include <sched.h>

#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <thread>

using namespace bzscr;
using namespace bzscr::test;

namespace {

bzscr_rt_config room_for(std::uint32_t classes) {
  bzscr_rt_config options{};
  options.class_capacity = classes;
  return options;
}

std::vector<float> scores_of(const std::vector<bzscr_rt_result>& results) {
  std::vector<float> scores;
  for (const bzscr_rt_result& each : results) scores.push_back(each.score);
  return scores;
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

  CHECK(scores_of(scorer.score(x)) == plain.scores(x));
  CHECK(scores_of(scorer.score(x, &scratch)) == plain.scores(x));
  for (std::uint32_t r = 0; r < 5; ++r) {
    CHECK(scorer.score(x)[r].id == model.classes[r].id);
    CHECK(scorer.score(x)[r].index == r);
  }
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
    CHECK(scores_of(scorer.score(x)) == OpenedModel(model, {7, 0, form}).scores(x));
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
}

TEST_CASE(
    "a scorer that was moved from gives BAD_ARGUMENT for every call, and the other one works") {
  const AlignedBytes file = serialise(random_model(9, 6, 4, 5));
  const std::vector<float> x = random_vector(9, 7), phi = random_vector(6, 3);
  Scorer scorer(file.data(), file.size());
  Memory scratch(scorer.scratch_bytes());
  const float score = scorer.top(x, 1)[0].score;
  {
    Scorer moved = std::move(scorer);
    CHECK(moved.top(x, 1)[0].score == score);
    Scorer assigned(file.data(), file.size());
    assigned = std::move(moved);
    CHECK(assigned.find_name("class 1") == 13);
  }  // the arena is gone
  const auto refused = [](auto call) { return thrown(call) == BZSCR_RT_BAD_ARGUMENT; };
  CHECK(scorer.handle() == nullptr);
  CHECK(refused([&] { scorer.info(); }));
  CHECK(refused([&] { scorer.scratch_bytes(); }));
  CHECK(refused([&] { scorer.score(x); }));
  CHECK(refused([&] { scorer.top(x, 1); }));
  CHECK(refused([&] { scorer.top(x, 1, &scratch); }));
  CHECK(refused([&] { scorer.top_batch(x, 1, 1); }));
  CHECK(refused([&] { scorer.recognise(x, 0, 0); }));
  CHECK(refused([&] { scorer.class_count(); }));
  CHECK(refused([&] { scorer.class_id(0); }));
  CHECK(refused([&] { scorer.class_name(3); }));
  CHECK(refused([&] { scorer.class_seen(3); }));
  CHECK(refused([&] { scorer.find_class(3); }));
  CHECK(refused([&] { scorer.find_name("class 1"); }));
  CHECK(refused([&] { scorer.check_embedding(phi); }));
  CHECK(refused([&] { scorer.set_class(3, phi); }));
  CHECK(refused([&] { scorer.rename_class(3, "x"); }));
  CHECK(refused([&] { scorer.restore_class(3); }));
  CHECK(refused([&] { scorer.remove_class(3); }));
  CHECK(refused([&] { scorer.teach(3, x); }));
  CHECK(refused([&] { scorer.forget(3); }));
  CHECK(refused([&] { scorer.get_examples(3); }));
  CHECK(refused([&] { scorer.set_examples(3, {std::vector<float>(4), 1}); }));
  CHECK(refused([&] { scorer.set_class(9, "x", nullptr); }));
  CHECK(refused([&] { scorer.set_seen_penalty(0); }));
  CHECK(refused([&] { scorer.begin_changes(); }));
  CHECK(refused([&] { scorer.end_changes(); }));
  CHECK(refused([&] { scorer.close(); }));
  CHECK(scorer.status().class_count() == 0);
  scorer = Scorer(file.data(), file.size());
  CHECK(scorer.top(x, 1)[0].score == score);
  // Scratch memory that was moved from is none: the handle's own must not be used instead.
  const Memory taken = std::move(scratch);
  CHECK(scratch.size() == 0);
  CHECK(refused([&] { scorer.top(x, 1, &scratch); }));
  CHECK(scorer.top(x, 1, &taken)[0].score == score);
}

TEST_CASE("the C++ wrapper teaches classes, and takes examples from one table to another") {
  const AlignedBytes file =
      serialise(random_model_with_forms(9, 6, 4, 3, format::ScoreForm::Cosine));
  bzscr_rt_config options = room_for(5);
  options.teachable = 1;
  Scorer scorer(file.data(), file.size(), options);
  StatusScorer other;
  REQUIRE(other.open(file.data(), file.size(), options) == BZSCR_RT_OK);
  CHECK(other.weak_models() == 4);
  const std::vector<float> x = random_vector(9, 7), before = scores_of(scorer.score(x));
  scorer.set_class(7, "tapir", nullptr);
  scorer.teach(7, x);
  scorer.teach(7, random_vector(9, 8), 0.5f);
  CHECK(scorer.top(x, 1)[0].id == 7);
  const Examples examples = scorer.get_examples(7);
  CHECK(examples.sum.size() == 4);
  CHECK(examples.count == 1.5f);

  CHECK(other.set_class(7, "tapir", nullptr) == BZSCR_RT_OK);
  CHECK(other.teach(7, std::array<float, 8>{}) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(other.set_examples(7, std::array<float, 5>{}, 1) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(other.set_examples(7, examples.sum, examples.count) == BZSCR_RT_OK);
  std::array<float, 4> sum{};
  float count = 0;
  CHECK(other.get_examples(7, sum, &count) == BZSCR_RT_OK);
  CHECK(std::equal(sum.begin(), sum.end(), examples.sum.begin()));
  CHECK(count == 1.5f);
  bzscr_rt_result best{};
  std::size_t found = 0;
  CHECK(other.top(x, 1, &best, &found) == BZSCR_RT_OK);
  CHECK(best.score == scorer.top(x, 1)[0].score);
  CHECK(other.teach(7, x) == BZSCR_RT_OK);
  CHECK(other.forget(7) == BZSCR_RT_OK);

  scorer.set_examples(3, examples);
  scorer.forget(3);
  scorer.remove_class(7);
  CHECK(scores_of(scorer.score(x)) == before);
  CHECK(thrown([&] { scorer.teach(3, std::vector<float>(8)); }) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(thrown([&] {
          scorer.set_examples(3, {std::vector<float>(5), 1});
        }) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(thrown([&] { scorer.teach(4711, x); }) == BZSCR_RT_NO_SUCH_CLASS);
}

TEST_CASE("the C++ wrapper restores and checks classes, sets the penalty, and makes batches") {
  TestModel model = random_model(9, 6, 4, 5);
  model.seen_penalty = 0.5f;
  const AlignedBytes file = serialise(model);
  bzscr_rt_config options = room_for(6);
  options.shared = 1;
  Scorer scorer(file.data(), file.size(), options);
  const std::vector<float> x = random_vector(9, 7), phi = random_vector(6, 3);
  const std::vector<float> before = scores_of(scorer.score(x));
  scorer.set_class(3, "other", phi);
  scorer.restore_class(3, "still other");
  CHECK(scorer.class_name(3) == "still other");
  CHECK(scores_of(scorer.score(x)) == before);
  scorer.restore_class(3);
  CHECK(scorer.class_name(3) == "class 0");
  scorer.check_embedding(phi);
  CHECK(thrown([&] { scorer.check_embedding(std::vector<float>(6, 0.0f)); }) ==
        BZSCR_RT_ZERO_INPUT);
  CHECK(thrown([&] { scorer.check_embedding(x); }) == BZSCR_RT_BAD_ARGUMENT);
  scorer.set_seen_penalty(0.25f);
  CHECK(scorer.info().seen_penalty == 0.25f);
  scorer.set_seen_penalty(0.5f);

  Scorer batch = scorer.begin_changes();
  batch.remove_class(3);
  batch.set_class(7, "tapir", phi);
  CHECK(batch.class_name(7) == "tapir");
  CHECK(thrown([&] { scorer.class_name(7); }) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(thrown([&] { scorer.remove_class(3); }) == BZSCR_RT_BUSY);
  scorer.cancel_changes();
  CHECK(scores_of(scorer.score(x)) == before);
  CHECK(thrown([&] { batch.class_name(3); }) == BZSCR_RT_CLOSED);
  batch = scorer.begin_changes();
  batch.remove_class(3);
  batch.set_class(7, "tapir", phi);
  scorer.end_changes();
  CHECK(scorer.class_name(7) == "tapir");
  CHECK(scorer.class_count() == 5);
  scorer.close();
  CHECK(thrown([&] { scorer.top(x, 1); }) == BZSCR_RT_CLOSED);
}

TEST_CASE("scores have the ids of the same state of the table while classes come and go") {
  const TestModel model = random_model(9, 6, 4, 5);
  const AlignedBytes file = serialise(model);
  bzscr_rt_config options = room_for(200);
  options.shared = 1;
  options.wait = [](void*) { sched_yield(); };
  Scorer scorer(file.data(), file.size(), options);
  const std::vector<float> x = random_vector(9, 7), phi = random_vector(6, 3);
  scorer.set_class(1000, "new", phi);
  std::map<std::uint32_t, float> expected;
  for (const bzscr_rt_result& one : scorer.score(x)) expected[one.id] = one.score;
  std::atomic<bool> stop{false};
  std::atomic<std::size_t> calls{0}, errors{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i)
    readers.emplace_back([&] {
      const Memory scratch(scorer.scratch_bytes());
      while (!stop) {
        ++calls;
        try {
          for (const bzscr_rt_result& one : scorer.score(x, &scratch))
            if (one.score != expected.at(one.id < 1000 ? one.id : 1000)) ++errors;
        } catch (const std::exception&) {
          ++errors;
        }
      }
    });
  // Many at once, so that a reader that counted before needs much more room.
  do {
    Scorer batch = scorer.begin_changes();
    for (std::uint32_t i = 1; i < 190; ++i) batch.set_class(1000 + i, std::to_string(i), phi);
    scorer.end_changes();
    scorer.set_class(1190, "one more", phi);
    batch = scorer.begin_changes();
    for (std::uint32_t i = 1; i <= 190; ++i) batch.remove_class(1000 + i);
    scorer.end_changes();
  } while (calls < 2000);
  stop = true;
  for (std::thread& each : readers) each.join();
  CHECK(errors == 0);
}

TEST_CASE("a scorer with statuses returns what the C functions return") {
  const TestModel model = random_model(9, 6, 4, 5);
  const AlignedBytes file = serialise(model);
  const std::vector<float> x = random_vector(9, 7), phi = random_vector(6, 3);
  StatusScorer scorer;
  CHECK(scorer.top(std::vector<float>(), 1, nullptr, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(scorer.open(file.data(), file.size() - 1) == BZSCR_RT_DAMAGED);
  CHECK(scorer.handle() == nullptr);
  REQUIRE(scorer.open(file.data(), file.size(), room_for(6)) == BZSCR_RT_OK);
  CHECK(scorer.open(file.data(), file.size(), room_for(1)) == BZSCR_RT_TABLE_FULL);
  CHECK(scorer.class_count() == 5);  // as it was
  const OpenedModel plain(model, {6, 0});
  float scores[6];
  std::uint32_t ids[6];
  std::size_t count = 0;
  REQUIRE(scorer.score(x, 6, scores, ids, &count) == BZSCR_RT_OK);
  CHECK(std::vector<float>(scores, scores + count) == plain.scores(x));
  CHECK(ids[4] == 43);
  CHECK(scorer.score(x, 4, scores, ids, &count) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(count == 5);
  bzscr_rt_result best[2];
  const Memory scratch(scorer.scratch_bytes(), std::nothrow);
  REQUIRE(scorer.top(x, 2, best, &count, &scratch) == BZSCR_RT_OK);
  CHECK(best[0].id == plain.top(x, 1)[0].id);
  CHECK(scorer.top(phi, 2, best, &count) == BZSCR_RT_BAD_ARGUMENT);
  const Memory none;
  CHECK(scorer.top(x, 2, best, &count, &none) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(scorer.set_class(7, "tapir", phi) == BZSCR_RT_OK);
  CHECK(scorer.set_class(8, "okapi", phi) == BZSCR_RT_TABLE_FULL);
  CHECK(scorer.check_embedding(x) == BZSCR_RT_BAD_ARGUMENT);
  std::uint32_t id = 0;
  CHECK(scorer.find_name("tapir", &id) == BZSCR_RT_OK);
  CHECK(id == 7);
  StatusScorer moved = std::move(scorer);
  CHECK(scorer.find_name("tapir", &id) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(moved.remove_class(7) == BZSCR_RT_OK);
  CHECK(moved.close() == BZSCR_RT_OK);
  CHECK(moved.remove_class(3) == BZSCR_RT_CLOSED);
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

  const std::string cut("class 1\0 and more", 17);
  CHECK(thrown([&] { scorer.rename_class(3, cut); }) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(thrown([&] { scorer.set_class(3, cut, random_vector(6, 3)); }) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(thrown([&] { scorer.restore_class(3, cut); }) == BZSCR_RT_BAD_ARGUMENT);
  CHECK_THROWS_WITH(scorer.find_name(cut), "the class name holds a zero byte");
}

TEST_CASE("the C++ wrapper makes room for as many results as there may be classes, and no more") {
  const AlignedBytes file = serialise(random_model(9, 6, 4, 5));
  const Scorer scorer(file.data(), file.size());
  CHECK(scorer.top(random_vector(9, 7), SIZE_MAX).size() == 5);
  CHECK(scorer.top_batch(random_vector(18, 7), 2, SIZE_MAX)[1].size() == 5);
}

TEST_CASE("a model exported as an array is opened in place, in an arena of the exported size") {
  const Scorer scorer(test_model, sizeof test_model, room_for(TEST_MODEL_CLASS_CAPACITY));
  CHECK(scorer.info().arena_bytes <= TEST_MODEL_ARENA_BYTES);
  CHECK(scorer.info().arena_bytes + 512 > TEST_MODEL_ARENA_BYTES);
  CHECK(scorer.top(random_vector(17, 7), 9).size() == 5);
}
