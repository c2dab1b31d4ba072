#include "opened_model.h"

#include <cmath>
#include <map>
#include <random>

using namespace bzscr;
using namespace bzscr::test;

namespace {

#if defined(BZSCR_RT_SINGLE_THREADED)
constexpr bool kShared[] = {false};
#else
constexpr bool kShared[] = {false, true};
#endif

void change_like_a_map(const OpenOptions& options) {
  const TestModel model = random_model(7, 5, 4, 20);
  const OpenedModel opened(model, options);
  const std::vector<float> x = random_vector(7, 7);
  std::map<std::uint32_t, std::pair<std::string, std::vector<float>>> expected;
  for (const TestClass& one : model.classes) expected[one.id] = {one.name, one.phi};

  std::mt19937 random(11);
  for (int step = 0; step < 4000; ++step) {
    // More ids than the table has room for, and ids that share low bits.
    const auto id = static_cast<std::uint32_t>(random() % 60 * 0x10001u);
    if (random() % 2 == 0) {
      CHECK(bzscr_rt_remove_class(opened, id) ==
            (expected.erase(id) != 0 ? BZSCR_RT_OK : BZSCR_RT_NO_SUCH_CLASS));
    } else {
      const std::string name = std::to_string(id) + (random() % 2 == 0 ? "a" : "b");
      const std::vector<float> phi = random_vector(5, static_cast<unsigned>(step));
      const bool room = expected.size() < 40 || expected.count(id) != 0;
      CHECK(bzscr_rt_set_class(opened, id, name.c_str(), phi.data()) ==
            (room ? BZSCR_RT_OK : BZSCR_RT_TABLE_FULL));
      if (room) expected[id] = {name, phi};
    }
    REQUIRE(bzscr_rt_class_count(opened) == expected.size());
  }

  const std::vector<float> scores = opened.scores(x);
  REQUIRE(scores.size() == expected.size());
  for (const auto& [id, one] : expected) {
    std::uint32_t found = 0;
    std::uint32_t index = 0;
    REQUIRE(bzscr_rt_find_name(opened, one.first.c_str(), &found) == BZSCR_RT_OK);
    CHECK(found == id);
    REQUIRE(bzscr_rt_find_class(opened, id, &index) == BZSCR_RT_OK);
    CHECK(scores[index] == doctest::Approx(reference_score(model, x, one.second)).epsilon(1e-4));
  }
}

}  // namespace

TEST_CASE("the table holds the model's classes in the order of the file") {
  const TestModel model = random_model(5, 4, 3, 6);
  const OpenedModel opened(model);
  REQUIRE(bzscr_rt_class_count(opened) == 6);
  for (std::uint32_t r = 0; r < 6; ++r) {
    const TestClass& one = model.classes[r];
    std::uint32_t id = 0;
    std::uint32_t index = 0;
    std::int32_t seen = -1;
    CHECK(bzscr_rt_class_id(opened, r, &id) == BZSCR_RT_OK);
    CHECK(id == one.id);
    CHECK(bzscr_rt_find_class(opened, one.id, &index) == BZSCR_RT_OK);
    CHECK(index == r);
    CHECK(bzscr_rt_class_seen(opened, one.id, &seen) == BZSCR_RT_OK);
    CHECK(seen == (one.seen ? 1 : 0));
    CHECK(opened.name_of(one.id) == one.name);
    CHECK(bzscr_rt_find_name(opened, one.name.c_str(), &id) == BZSCR_RT_OK);
    CHECK(id == one.id);
  }
}

TEST_CASE("removing a class does not change the ids and scores of the others") {
  for (const bzscr_rt_form form : kForms) {
    const TestModel model = random_model(9, 6, 4, 5);
    const OpenedModel untouched(model, {0, 0, form});
    const OpenedModel opened(model, {0, 0, form});
    const std::vector<float> x = random_vector(9, 7);
    REQUIRE(bzscr_rt_remove_class(opened, 13) == BZSCR_RT_OK);
    CHECK(bzscr_rt_class_count(opened) == 4);
    std::uint32_t index = 0;
    CHECK(bzscr_rt_find_class(opened, 13, &index) == BZSCR_RT_NO_SUCH_CLASS);
    for (const std::uint32_t id : {3u, 23u, 33u, 43u})
      CHECK(opened.score_of(id, x) == untouched.score_of(id, x));
    CHECK(opened.name_of(43) == "class 4");  // moved to the freed index
  }
}

TEST_CASE(
    "removing a class keeps the others' seen flags, and the penalty ends when all classes are seen "
    "or all unseen") {
  TestModel model = random_model(9, 6, 4, 4);
  model.classes[0].seen = true;  // the only seen class
  model.classes[2].seen = false;
  model.seen_penalty = 0.5f;
  const OpenedModel opened(model);
  std::int32_t seen = 1;
  REQUIRE(bzscr_rt_remove_class(opened, 3) == BZSCR_RT_OK);  // 33 moves to its index
  CHECK(bzscr_rt_class_seen(opened, 33, &seen) == BZSCR_RT_OK);
  CHECK(seen == 0);

  model.seen_penalty = 0;
  const OpenedModel free(model);
  const std::vector<float> x = random_vector(9, 7);
  for (const std::uint32_t id : {13u, 23u, 33u})
    CHECK(opened.score_of(id, x) == free.score_of(id, x));

  model.seen_penalty = 0.5f;
  for (TestClass& one : model.classes) one.seen = one.id != 13;
  const OpenedModel mostly_seen(model);
  REQUIRE(bzscr_rt_remove_class(mostly_seen, 3) == BZSCR_RT_OK);
  REQUIRE(bzscr_rt_remove_class(mostly_seen, 33) == BZSCR_RT_OK);
  CHECK(mostly_seen.score_of(23, x) == free.score_of(23, x) - 0.5f);  // 13 is still unseen
  REQUIRE(bzscr_rt_remove_class(mostly_seen, 13) == BZSCR_RT_OK);
  CHECK(mostly_seen.score_of(23, x) == free.score_of(23, x));
}

TEST_CASE("a class that is removed and added again has the same score") {
  const TestModel model = random_model(9, 6, 4, 5);
  const OpenedModel opened(model);
  const std::vector<float> x = random_vector(9, 7);
  const float before = opened.score_of(13, x);
  REQUIRE(bzscr_rt_remove_class(opened, 13) == BZSCR_RT_OK);
  REQUIRE(bzscr_rt_set_class(opened, 13, "class 1", model.classes[1].phi.data()) == BZSCR_RT_OK);
  CHECK(opened.score_of(13, x) == before);
}

TEST_CASE("restoring a class of the model restores its embedding, its name and its seen flag") {
  for (const bzscr_rt_form form : kForms) {
    TestModel model = random_model(9, 6, 4, 5);
    model.seen_penalty = 0.5f;
    model.classes[1].seen = true;
    const OpenedModel untouched(model, {6, 0, form});
    const OpenedModel opened(model, {6, 0, form});
    const std::vector<float> x = random_vector(9, 7);
    const std::vector<float> other = random_vector(6, 99);
    std::int32_t seen = 0;

    // The class is in the table, and seen.
    REQUIRE(bzscr_rt_set_class(opened, 13, "okapi", other.data()) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_restore_class(opened, 13, nullptr) == BZSCR_RT_OK);
    CHECK(opened.name_of(13) == "class 1");
    CHECK(opened.score_of(13, x) == untouched.score_of(13, x));

    // The class was removed.
    REQUIRE(bzscr_rt_remove_class(opened, 13) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_restore_class(opened, 13, "okapi") == BZSCR_RT_OK);
    CHECK(opened.name_of(13) == "okapi");
    CHECK(bzscr_rt_class_seen(opened, 13, &seen) == BZSCR_RT_OK);
    CHECK(seen == 1);
    CHECK(opened.score_of(13, x) == untouched.score_of(13, x));

    // The class is in the table, but unseen.
    REQUIRE(bzscr_rt_remove_class(opened, 13) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_set_class(opened, 13, "new", other.data()) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_restore_class(opened, 13, nullptr) == BZSCR_RT_OK);
    CHECK(bzscr_rt_class_seen(opened, 13, &seen) == BZSCR_RT_OK);
    CHECK(seen == 1);
    for (const std::uint32_t id : {3u, 13u, 23u, 33u, 43u})
      CHECK(opened.score_of(id, x) == untouched.score_of(id, x));
    CHECK(bzscr_rt_class_count(opened) == 5);
  }
}

TEST_CASE("a class that cannot be restored gives a status, and nothing changes") {
  const TestModel model = random_model(9, 6, 4, 5);
  const OpenedModel opened(model);
  const std::vector<float> phi = random_vector(6, 99);
  CHECK(bzscr_rt_restore_class(nullptr, 3, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_restore_class(opened, 4, nullptr) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_restore_class(opened, 3, "") == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_restore_class(opened, 3, "class 1") == BZSCR_RT_DUPLICATE_NAME);
  CHECK(bzscr_rt_restore_class(opened, 3, std::string(100, 'n').c_str()) == BZSCR_RT_NAME_TOO_LONG);
  CHECK(opened.name_of(3) == "class 0");
  REQUIRE(bzscr_rt_remove_class(opened, 3) == BZSCR_RT_OK);
  REQUIRE(bzscr_rt_set_class(opened, 4, "in its place", phi.data()) == BZSCR_RT_OK);
  CHECK(bzscr_rt_restore_class(opened, 3, nullptr) == BZSCR_RT_TABLE_FULL);
  CHECK(bzscr_rt_class_count(opened) == 5);
}

TEST_CASE(
    "checking an embedding returns the status of setting a class with it, and changes nothing") {
  TestModel model = random_model(9, 6, 4, 5);
  model.embedding_scaling = format::EmbeddingScaling::Unit;
  const OpenedModel opened(model, {6, 0});
  const std::vector<float> good = random_vector(6, 99);
  std::vector<std::vector<float>> embeddings(5, good);
  embeddings[1] = std::vector<float>(6, 0);
  embeddings[2][5] = NAN;
  embeddings[3][0] = INFINITY;
  embeddings[4][3] = 3e38f;
  for (const std::vector<float>& phi : embeddings) {
    const bzscr_rt_status checked = bzscr_rt_check_embedding(opened, phi.data());
    CHECK(bzscr_rt_class_count(opened) == 5);
    CHECK(checked == bzscr_rt_set_class(opened, 1, "new", phi.data()));
    if (checked == BZSCR_RT_OK) REQUIRE(bzscr_rt_remove_class(opened, 1) == BZSCR_RT_OK);
  }
  CHECK(bzscr_rt_check_embedding(opened, good.data()) == BZSCR_RT_OK);
  CHECK(bzscr_rt_check_embedding(opened, embeddings[1].data()) == BZSCR_RT_ZERO_INPUT);
  CHECK(bzscr_rt_check_embedding(opened, embeddings[2].data()) == BZSCR_RT_NOT_FINITE);
  CHECK(bzscr_rt_check_embedding(nullptr, good.data()) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_check_embedding(opened, nullptr) == BZSCR_RT_BAD_ARGUMENT);
}

TEST_CASE("replacing a class changes its embedding and name, but not its index and its seen flag") {
  const TestModel model = random_model(9, 6, 4, 5);
  const OpenedModel opened(model);
  const std::vector<float> x = random_vector(9, 7);
  std::uint32_t index = 0;
  std::uint32_t id = 0;
  std::int32_t seen = 0;
  REQUIRE(bzscr_rt_set_class(opened, 23, "renamed", model.classes[0].phi.data()) == BZSCR_RT_OK);
  CHECK(bzscr_rt_class_count(opened) == 5);
  CHECK(bzscr_rt_find_class(opened, 23, &index) == BZSCR_RT_OK);
  CHECK(index == 2);
  CHECK(opened.score_of(23, x) == opened.score_of(3, x));
  CHECK(opened.name_of(23) == "renamed");
  CHECK(bzscr_rt_find_name(opened, "class 2", &id) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_class_seen(opened, 23, &seen) == BZSCR_RT_OK);
  CHECK(seen == 1);

  REQUIRE(bzscr_rt_set_class(opened, 23, nullptr, model.classes[1].phi.data()) == BZSCR_RT_OK);
  CHECK(opened.name_of(23) == "renamed");
  CHECK(opened.score_of(23, x) == opened.score_of(13, x));
}

TEST_CASE("a change that is refused changes nothing") {
  TestModel model = random_model(9, 4, 3, 3);
  model.embedding_scaling = format::EmbeddingScaling::CentreUnit;
  model.centre = random_vector(4, 99);
  const OpenedModel opened(model, {3, 32, BZSCR_RT_FORM_AUTO});
  const std::vector<float> x = random_vector(9, 7);
  const std::vector<float> before = opened.scores(x);
  const std::vector<float> phi = random_vector(4, 5);
  std::vector<float> bad = phi;
  bad[3] = -1.0f / 0.0f;
  const std::string fits(31, 'n');
  const std::string too_long(32, 'n');

  CHECK(bzscr_rt_set_class(opened, 99, "new", phi.data()) == BZSCR_RT_TABLE_FULL);
  CHECK(bzscr_rt_set_class(opened, 3, too_long.c_str(), phi.data()) == BZSCR_RT_NAME_TOO_LONG);
  CHECK(bzscr_rt_set_class(opened, 3, "class 1", phi.data()) == BZSCR_RT_DUPLICATE_NAME);
  CHECK(bzscr_rt_set_class(opened, 99, "class 1", phi.data()) == BZSCR_RT_DUPLICATE_NAME);
  CHECK(bzscr_rt_set_class(opened, 3, "", phi.data()) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_set_class(opened, 99, nullptr, phi.data()) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_set_class(opened, 3, "fine", bad.data()) == BZSCR_RT_NOT_FINITE);
  CHECK(bzscr_rt_set_class(opened, 3, "fine", model.centre.data()) == BZSCR_RT_ZERO_INPUT);
  CHECK(bzscr_rt_remove_class(opened, 99) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(opened.scores(x) == before);
  CHECK(opened.name_of(3) == "class 0");

  CHECK(bzscr_rt_set_class(opened, 3, fits.c_str(), phi.data()) == BZSCR_RT_OK);
  CHECK(opened.name_of(3) == fits);
  char too_small[31];
  CHECK(bzscr_rt_class_name(opened, 3, too_small, sizeof too_small) == BZSCR_RT_NAME_TOO_LONG);
}

TEST_CASE("after random changes the table equals a std::map, shared or not") {
  for (const bool shared : kShared) {
    OpenOptions options{40, 16, BZSCR_RT_FORM_FACTORS};
    options.shared = shared;
    change_like_a_map(options);
  }
}

TEST_CASE("a class is renamed in place, and a name that is refused changes nothing") {
  for (const bool shared : kShared) {
    OpenOptions options;
    options.shared = shared;
    const OpenedModel opened(random_model(9, 6, 4, 3), options);
    const std::vector<float> before = opened.scores(random_vector(9, 7));
    std::uint32_t id = 0;
    CHECK(bzscr_rt_rename_class(opened, 13, "okapi") == BZSCR_RT_OK);
    CHECK(opened.name_of(13) == "okapi");
    CHECK(bzscr_rt_find_name(opened, "okapi", &id) == BZSCR_RT_OK);
    CHECK(id == 13);
    CHECK(bzscr_rt_find_name(opened, "class 1", &id) == BZSCR_RT_NO_SUCH_CLASS);
    CHECK(bzscr_rt_rename_class(opened, 13, "okapi") == BZSCR_RT_OK);
    CHECK(bzscr_rt_rename_class(opened, 13, "class 2") == BZSCR_RT_DUPLICATE_NAME);
    CHECK(bzscr_rt_rename_class(opened, 13, "") == BZSCR_RT_BAD_ARGUMENT);
    CHECK(bzscr_rt_rename_class(opened, 13, nullptr) == BZSCR_RT_BAD_ARGUMENT);
    CHECK(bzscr_rt_rename_class(nullptr, 13, "name") == BZSCR_RT_BAD_ARGUMENT);
    CHECK(bzscr_rt_rename_class(opened, 13, std::string(32, 'n').c_str()) ==
          BZSCR_RT_NAME_TOO_LONG);
    CHECK(bzscr_rt_rename_class(opened, 99, "new") == BZSCR_RT_NO_SUCH_CLASS);
    CHECK(opened.name_of(13) == "okapi");
    CHECK(opened.scores(random_vector(9, 7)) == before);
  }
}

TEST_CASE("an index, id or name that is not in the table gives NO_SUCH_CLASS") {
  const OpenedModel opened(random_model(5, 4, 3, 2));
  std::uint32_t number = 0;
  std::int32_t seen = 0;
  char name[64];
  CHECK(bzscr_rt_class_id(opened, 2, &number) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_class_id(opened, UINT32_MAX, &number) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_find_class(opened, 4, &number) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_find_name(opened, "class", &number) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_find_name(opened, "", &number) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_class_seen(opened, 4, &seen) == BZSCR_RT_NO_SUCH_CLASS);
  CHECK(bzscr_rt_class_name(opened, 4, name, sizeof name) == BZSCR_RT_NO_SUCH_CLASS);
}
