// Opening a model with a plan, that is, without verifying it again (bzscr_rt_plan).
#include "opened_model.h"

#include <cstring>
#include <utility>

using namespace bzscr;
using namespace bzscr::test;

namespace {

bzscr_rt_plan empty_plan() {
  bzscr_rt_plan plan{};
  plan.struct_size = sizeof plan;
  return plan;
}

/// A model file, a configuration for it and a plan.
struct Planned {
  explicit Planned(const OpenOptions& options = {}, unsigned seed = 1)
      : file(serialise(random_model(9, 6, 4, 5, seed))), config(config_for(file, options)) {
    REQUIRE(bzscr_rt_plan_model(&config, &plan) == BZSCR_RT_OK);
    arena = AlignedBytes(plan.arena_bytes);
    config.arena = arena.data();
    config.arena_bytes = plan.arena_bytes;
  }

  bzscr_rt_status open() {
    bzscr_rt* opened = nullptr;
    const bzscr_rt_status status = bzscr_rt_open_planned(&config, &plan, &opened);
    CHECK((opened != nullptr) == (status == BZSCR_RT_OK));
    if (opened != nullptr) handle = opened;
    return status;
  }

  /// Changes a letter of the training record, so that a call that verifies the model returns
  /// DAMAGED.
  void damage_payload() { *training_letter(file) ^= 1; }

  AlignedBytes file;
  AlignedBytes arena;
  bzscr_rt_config config;
  bzscr_rt_plan plan = empty_plan();
  bzscr_rt* handle = nullptr;
};

}  // namespace

TEST_CASE(
    "a plan holds the arena's size, and a model opened with it has the scores of one opened "
    "without it") {
  const std::vector<float> x = random_vector(9, 7);
  for (const bzscr_rt_form form : kForms) {
    const OpenOptions options{8, 0, form, kStorages[form % 3]};
    Planned planned(options);
    std::size_t needed = 0;
    REQUIRE(bzscr_rt_arena_bytes(&planned.config, &needed) == BZSCR_RT_OK);
    CHECK(planned.plan.arena_bytes == needed);
    CHECK(planned.plan.model == planned.file.data());
    CHECK(planned.plan.model_bytes == planned.file.size());
    REQUIRE(planned.open() == BZSCR_RT_OK);
    float scores[8];
    std::size_t count = 0;
    REQUIRE(bzscr_rt_score(planned.handle, x.data(), nullptr, 8, scores, nullptr, &count) ==
            BZSCR_RT_OK);
    CHECK(std::vector<float>(scores, scores + count) ==
          OpenedModel(random_model(9, 6, 4, 5, 1), options).scores(x));
  }
}

TEST_CASE("opening with a plan does not verify the payload, and opening without one does") {
  Planned planned;
  planned.damage_payload();
  bzscr_rt* handle = nullptr;
  CHECK(bzscr_rt_open(&planned.config, &handle) == BZSCR_RT_DAMAGED);
  CHECK(planned.open() == BZSCR_RT_OK);
}

TEST_CASE("planning the same model again with another configuration does not verify it again") {
  Planned planned;
  planned.damage_payload();
  bzscr_rt_plan fresh = empty_plan();
  CHECK(bzscr_rt_plan_model(&planned.config, &fresh) == BZSCR_RT_DAMAGED);
  CHECK(fresh.model == nullptr);  // unchanged on failure
  const std::size_t before = planned.plan.arena_bytes;
  planned.config.class_capacity = 50;
  REQUIRE(bzscr_rt_plan_model(&planned.config, &planned.plan) == BZSCR_RT_OK);
  CHECK(planned.plan.arena_bytes > before);
  planned.config.class_capacity = 2;
  CHECK(bzscr_rt_plan_model(&planned.config, &planned.plan) != BZSCR_RT_OK);
}

TEST_CASE("opening with a plan verifies the envelope") {
  Planned planned;
  const auto* payload = format::GetEnvelope(planned.file.data())->payload();
  const auto begin = static_cast<std::size_t>(payload->data() - planned.file.data());
  const std::size_t end = begin + payload->size();
  for (std::size_t at = 0; at < planned.file.size(); ++at) {
    if (at >= begin && at < end) continue;
    CAPTURE(at);
    planned.file.data()[at] ^= 4;
    CHECK(planned.open() != BZSCR_RT_OK);
    planned.file.data()[at] ^= 4;
  }
  CHECK(planned.open() == BZSCR_RT_OK);
}

TEST_CASE(
    "a plan does not open another model at the same address, and planning again verifies that "
    "model") {
  Planned planned;
  const AlignedBytes other = serialise(random_model(9, 6, 4, 5, 2));
  REQUIRE(other.size() == planned.file.size());
  std::memcpy(planned.file.data(), other.data(), other.size());
  CHECK(planned.open() == BZSCR_RT_BAD_ARGUMENT);
  REQUIRE(bzscr_rt_plan_model(&planned.config, &planned.plan) == BZSCR_RT_OK);
  CHECK(planned.open() == BZSCR_RT_OK);
  // The old plan does not prevent the verification: a damaged model at that address is detected.
  const AlignedBytes third = serialise(random_model(9, 6, 4, 5, 3));
  std::memcpy(planned.file.data(), third.data(), third.size());
  planned.damage_payload();
  CHECK(bzscr_rt_plan_model(&planned.config, &planned.plan) == BZSCR_RT_DAMAGED);
}

TEST_CASE("a plan that the library did not fill, or that was changed, gives BAD_ARGUMENT") {
  Planned planned;
  const bzscr_rt_plan good = planned.plan;
  const auto refused = [&] { return planned.open() == BZSCR_RT_BAD_ARGUMENT; };
  planned.plan = empty_plan();
  CHECK(refused());
  planned.plan.model = planned.file.data();
  planned.plan.model_bytes = planned.file.size();
  CHECK(refused());
  for (std::size_t at = 0; at < sizeof good; ++at) {
    CAPTURE(at);
    planned.plan = good;
    reinterpret_cast<unsigned char*>(&planned.plan)[at] ^= 0x10;
    CHECK(refused());
  }
  planned.plan = good;
  bzscr_rt* handle = nullptr;
  CHECK(bzscr_rt_open_planned(&planned.config, nullptr, &handle) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_open_planned(nullptr, &planned.plan, &handle) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_open_planned(&planned.config, &planned.plan, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_plan_model(&planned.config, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_plan_model(nullptr, &planned.plan) == BZSCR_RT_BAD_ARGUMENT);
  planned.plan.struct_size = sizeof good - 1;
  CHECK(bzscr_rt_plan_model(&planned.config, &planned.plan) == BZSCR_RT_BAD_ARGUMENT);
}

TEST_CASE("a plan does not open the same bytes at another address") {
  Planned planned;
  const AlignedBytes copy(planned.file.size());
  std::memcpy(copy.data(), planned.file.data(), copy.size());
  planned.config.model = copy.data();
  CHECK(planned.open() == BZSCR_RT_BAD_ARGUMENT);
  planned.config.model = planned.file.data();
  planned.config.model_bytes -= 1;
  CHECK(planned.open() == BZSCR_RT_BAD_ARGUMENT);
}

TEST_CASE("opening with a plan checks the rest of the configuration") {
  Planned planned({8, 0, BZSCR_RT_FORM_PROTOTYPES});
  planned.config.arena_bytes -= 1;
  CHECK(planned.open() == BZSCR_RT_ARENA_TOO_SMALL);
  planned.config.arena_bytes += 1;
  planned.config.class_capacity = 9;
  CHECK(planned.open() == BZSCR_RT_ARENA_TOO_SMALL);
  planned.config.class_capacity = 2;
  CHECK(planned.open() == BZSCR_RT_TABLE_FULL);
  planned.config.class_capacity = 6;
  CHECK(planned.open() == BZSCR_RT_OK);
  planned.config.kernel = "abacus";
  CHECK(planned.open() == BZSCR_RT_NO_SUCH_KERNEL);
}
