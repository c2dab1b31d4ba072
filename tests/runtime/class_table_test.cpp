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

TEST_CASE("removing a class keeps the others' seen flags, and the penalty of the seen ones") {
  TestModel model = random_model(9, 6, 4, 4);
  for (TestClass& one : model.classes) one.seen = one.id != 33;
  const OpenedModel free(model);
  model.seen_penalty = 0.5f;
  const OpenedModel opened(model);
  const std::vector<float> x = random_vector(9, 7);
  std::int32_t seen = 1;
  REQUIRE(bzscr_rt_remove_class(opened, 3) == BZSCR_RT_OK);  // 33 moves to its index
  CHECK(bzscr_rt_class_seen(opened, 33, &seen) == BZSCR_RT_OK);
  CHECK(seen == 0);
  CHECK(opened.score_of(33, x) == free.score_of(33, x));
  REQUIRE(bzscr_rt_remove_class(opened, 33) == BZSCR_RT_OK);
  for (const std::uint32_t id : {13u, 23u})
    CHECK(opened.score_of(id, x) == free.score_of(id, x) - 0.5f);
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

    // The class is in the table, but unseen; it keeps its index.
    REQUIRE(bzscr_rt_remove_class(opened, 13) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_set_class(opened, 13, "new", other.data()) == BZSCR_RT_OK);
    std::uint32_t before = 0, after = 9;
    REQUIRE(bzscr_rt_set_class(opened, 99, "last", other.data()) == BZSCR_RT_OK);
    CHECK(bzscr_rt_find_class(opened, 13, &before) == BZSCR_RT_OK);
    REQUIRE(bzscr_rt_restore_class(opened, 13, nullptr) == BZSCR_RT_OK);
    CHECK(bzscr_rt_find_class(opened, 13, &after) == BZSCR_RT_OK);
    CHECK(after == before);
    REQUIRE(bzscr_rt_remove_class(opened, 99) == BZSCR_RT_OK);
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

TEST_CASE("an embedding that is all zero is refused for every scaling, storage and form") {
  for (const auto scaling : {format::EmbeddingScaling::None, format::EmbeddingScaling::Unit,
                             format::EmbeddingScaling::CentreUnit})
    for (const bzscr_rt_form form : kForms)
      for (const bzscr_rt_storage storage : kStorages) {
        TestModel model = random_model(9, 6, 4, 3);
        model.embedding_scaling = scaling;
        if (scaling == format::EmbeddingScaling::CentreUnit) model.centre = random_vector(6, 99);
        OpenOptions options;
        options.class_capacity = 4;
        options.form = form;
        options.storage = storage;
        const OpenedModel opened(model, options);
        const std::vector<float> before = opened.scores(random_vector(9, 7));
        for (const float zero : {0.0f, -0.0f}) {
          const std::vector<float> phi(6, zero);
          CHECK(bzscr_rt_set_class(opened, 99, "ghost", phi.data()) == BZSCR_RT_ZERO_INPUT);
          CHECK(bzscr_rt_set_class(opened, 3, nullptr, phi.data()) == BZSCR_RT_ZERO_INPUT);
          CHECK(bzscr_rt_check_embedding(opened, phi.data()) == BZSCR_RT_ZERO_INPUT);
        }
        CHECK(opened.scores(random_vector(9, 7)) == before);
        std::vector<float> nearly(6, 0.0f);
        nearly[5] = 1e-20f;
        CHECK(bzscr_rt_set_class(opened, 99, "not a ghost", nearly.data()) == BZSCR_RT_OK);
      }
}

TEST_CASE("a joined embedding with a part that is all zero is refused, centred or not") {
  for (const bool centred : {false, true}) {
    TestModel model = random_model(9, 6, 4, 3);
    model.format_version = 2;
    model.parts = {2, 3, 1};
    model.embedding_scaling =
        centred ? format::EmbeddingScaling::CentreUnit : format::EmbeddingScaling::Unit;
    if (centred) model.centre = random_vector(6, 99);
    const OpenedModel opened(model, {4, 0});
    const std::vector<float> good = random_vector(6, 3);
    CHECK(bzscr_rt_check_embedding(opened, good.data()) == BZSCR_RT_OK);
    const std::vector<std::vector<std::size_t>> parts = {{0, 1}, {2, 3, 4}, {5}};
    for (const auto& part : parts) {
      std::vector<float> phi = good;
      for (const std::size_t i : part) phi[i] = 0;
      CHECK(bzscr_rt_check_embedding(opened, phi.data()) == BZSCR_RT_ZERO_INPUT);
      CHECK(bzscr_rt_set_class(opened, 99, "half", phi.data()) == BZSCR_RT_ZERO_INPUT);
    }
  }
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

TEST_CASE("a batch has its own state, which is that of the table once it has ended") {
  for (const bool shared : kShared)
    for (const bzscr_rt_storage storage : kStorages) {
      OpenOptions options;
      options.class_capacity = 6;
      options.shared = shared;
      options.storage = storage;
      const TestModel model = random_model(9, 6, 4, 5);
      const OpenedModel opened(model, options);
      const OpenedModel one_by_one(model, options);
      const std::vector<float> x = random_vector(9, 7), before = opened.scores(x);
      const auto change = [&](bzscr_rt* handle) {
        CHECK(bzscr_rt_remove_class(handle, 3) == BZSCR_RT_OK);
        CHECK(bzscr_rt_rename_class(handle, 13, "class 0") == BZSCR_RT_OK);
        CHECK(bzscr_rt_set_class(handle, 3, "class 1", random_vector(6, 1).data()) == BZSCR_RT_OK);
        CHECK(bzscr_rt_set_class(handle, 23, nullptr, random_vector(6, 2).data()) == BZSCR_RT_OK);
        CHECK(bzscr_rt_set_class(handle, 99, "new", random_vector(6, 3).data()) == BZSCR_RT_OK);
        CHECK(bzscr_rt_remove_class(handle, 33) == BZSCR_RT_OK);
        CHECK(bzscr_rt_set_seen_penalty(handle, 0.25f) == BZSCR_RT_OK);
      };
      bzscr_rt* batch = nullptr;
      for (int round = 0; round < 2; ++round) {
        REQUIRE(bzscr_rt_begin_changes(opened, &batch) == BZSCR_RT_OK);
        if (round == 0) change(batch);
        if (round == 1) CHECK(bzscr_rt_remove_class(batch, 33) == BZSCR_RT_NO_SUCH_CLASS);
        bzscr_rt* second = nullptr;
        CHECK(bzscr_rt_begin_changes(opened, &second) == BZSCR_RT_BUSY);
        CHECK(bzscr_rt_close(opened) == BZSCR_RT_BUSY);
        if (shared) {
          std::uint32_t id = 0;
          CHECK(bzscr_rt_find_name(batch, "class 1", &id) == BZSCR_RT_OK);
          CHECK(id == 3);
          if (round == 0) {
            CHECK(opened.scores(x) == before);
            CHECK(opened.name_of(3) == "class 0");
          }
          CHECK(bzscr_rt_remove_class(opened, 13) == BZSCR_RT_BUSY);
          CHECK(bzscr_rt_close(batch) == BZSCR_RT_BAD_ARGUMENT);
          CHECK(bzscr_rt_begin_changes(batch, &second) == BZSCR_RT_BAD_ARGUMENT);
          CHECK(bzscr_rt_end_changes(batch) == BZSCR_RT_BAD_ARGUMENT);
        }
        REQUIRE(bzscr_rt_end_changes(opened) == BZSCR_RT_OK);
        CHECK(bzscr_rt_end_changes(opened) == BZSCR_RT_BAD_ARGUMENT);
        if (shared) CHECK(bzscr_rt_remove_class(batch, 13) == BZSCR_RT_CLOSED);
        if (round == 0) change(one_by_one);
        CHECK(opened.scores(x) == one_by_one.scores(x));
      }
      // The copy that was not read has the same state: changes go on from it.
      for (const bzscr_rt* each :
           {static_cast<bzscr_rt*>(opened), static_cast<bzscr_rt*>(one_by_one)}) {
        CHECK(bzscr_rt_rename_class(const_cast<bzscr_rt*>(each), 23, "other") == BZSCR_RT_OK);
        CHECK(bzscr_rt_remove_class(const_cast<bzscr_rt*>(each), 3) == BZSCR_RT_OK);
      }
      CHECK(opened.scores(x) == one_by_one.scores(x));
      CHECK(opened.name_of(13) == "class 0");
      CHECK(opened.name_of(23) == "other");
    }
}

TEST_CASE("a batch that is cancelled leaves a shared table as it was") {
  for (const bool shared : kShared) {
    OpenOptions options;
    options.class_capacity = 6;
    options.shared = shared;
    const OpenedModel opened(random_model(9, 6, 4, 5), options);
    const std::vector<float> x = random_vector(9, 7), before = opened.scores(x);
    bzscr_rt* batch = nullptr;
    CHECK(bzscr_rt_cancel_changes(opened) == BZSCR_RT_BAD_ARGUMENT);
    for (int round = 0; round < 3; ++round) {
      REQUIRE(bzscr_rt_begin_changes(opened, &batch) == BZSCR_RT_OK);
      REQUIRE(bzscr_rt_remove_class(batch, 3) == BZSCR_RT_OK);
      REQUIRE(bzscr_rt_set_class(batch, 13, "x", random_vector(6, 2).data()) == BZSCR_RT_OK);
      REQUIRE(bzscr_rt_set_class(batch, 7, "y", random_vector(6, 2).data()) == BZSCR_RT_OK);
      if (!shared) {
        CHECK(bzscr_rt_cancel_changes(opened) == BZSCR_RT_BAD_ARGUMENT);
        CHECK(bzscr_rt_end_changes(opened) == BZSCR_RT_OK);
        break;
      }
      REQUIRE(bzscr_rt_cancel_changes(opened) == BZSCR_RT_OK);
      CHECK(opened.scores(x) == before);
      CHECK(opened.name_of(13) == "class 1");
      REQUIRE(bzscr_rt_rename_class(opened, 23, "renamed") == BZSCR_RT_OK);
      CHECK(opened.scores(x) == before);
      CHECK(opened.name_of(13) == "class 1");
    }
  }
}

TEST_CASE("every call with a closed handle gives CLOSED, and the arena can be opened again") {
  for (const bool shared : kShared) {
    const AlignedBytes file = serialise(random_model(9, 6, 4, 3));
    OpenOptions options;
    options.shared = shared;
    bzscr_rt_config config = config_for(file, options);
    REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
    const AlignedBytes arena(config.arena_bytes);
    config.arena = arena.data();
    bzscr_rt* handle = nullptr;
    const std::vector<float> x = random_vector(9, 7), phi = random_vector(6, 3);
    for (int round = 0; round < 2; ++round) {
      REQUIRE(bzscr_rt_open(&config, &handle) == BZSCR_RT_OK);
      CHECK(bzscr_rt_class_count(handle) == 3);
      REQUIRE(bzscr_rt_close(handle) == BZSCR_RT_OK);
      float scores[3];
      bzscr_rt_result best[3];
      std::size_t count = 77;
      std::uint32_t number = 0;
      std::int32_t flag = 0;
      char name[32];
      bzscr_rt_info info{};
      info.struct_size = sizeof info;
      bzscr_rt* batch = nullptr;
      for (const bzscr_rt_status status :
           {bzscr_rt_close(handle),
            bzscr_rt_describe(handle, &info),
            bzscr_rt_score(handle, x.data(), nullptr, 3, scores, nullptr, &count),
            bzscr_rt_top(handle, x.data(), nullptr, 3, best, &count),
            bzscr_rt_top_batch(handle, x.data(), 1, nullptr, 0, 3, best, &count, nullptr),
            bzscr_rt_recognise(handle, x.data(), nullptr, 0, 0, best, &flag),
            bzscr_rt_class_id(handle, 0, &number),
            bzscr_rt_class_name(handle, 3, name, sizeof name),
            bzscr_rt_class_seen(handle, 3, &flag),
            bzscr_rt_find_class(handle, 3, &number),
            bzscr_rt_find_name(handle, "class 0", &number),
            bzscr_rt_check_embedding(handle, phi.data()),
            bzscr_rt_set_class(handle, 3, nullptr, phi.data()),
            bzscr_rt_rename_class(handle, 3, "x"),
            bzscr_rt_restore_class(handle, 3, nullptr),
            bzscr_rt_remove_class(handle, 3),
            bzscr_rt_set_seen_penalty(handle, 0),
            bzscr_rt_begin_changes(handle, &batch),
            bzscr_rt_end_changes(handle),
            bzscr_rt_cancel_changes(handle)})
        CHECK(status == BZSCR_RT_CLOSED);
      CHECK(count == 77);
      CHECK(bzscr_rt_class_count(handle) == 0);
    }
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
