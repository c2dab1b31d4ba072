#include "opened_model.h"

#include <cmath>
#include <limits>
#include <thread>

using namespace bzscr;
using namespace bzscr::test;

namespace {

constexpr std::uint32_t kFeatures = 30;

std::vector<float> samples(std::size_t n) { return random_vector(n * kFeatures, 21); }

bool same(const bzscr_rt_result& a, const bzscr_rt_result& b) {
  return a.id == b.id && a.index == b.index && a.score == b.score;
}

}  // namespace

TEST_CASE(
    "a batch gives the results of its samples scored alone, for any amount of scratch memory") {
  for (const bzscr_rt_form form : kForms)
    for (const bzscr_rt_storage storage : kStorages) {
      OpenOptions options;
      options.form = form;
      options.storage = storage;
      const OpenedModel opened(random_model(kFeatures, 12, 9, 150), options);
      constexpr std::size_t kSamples = 37, kLength = 5;
      const std::vector<float> X = samples(kSamples);
      for (const std::size_t room : {0u, 1u, 3u, 16u, 40u}) {
        const AlignedBytes scratch(room * bzscr_rt_scratch_bytes(opened));
        std::vector<bzscr_rt_result> results(kSamples * kLength);
        std::vector<std::size_t> counts(kSamples);
        REQUIRE(bzscr_rt_top_batch(opened, X.data(), kSamples, room == 0 ? nullptr : scratch.data(),
                                   scratch.size(), kLength, results.data(), counts.data(),
                                   nullptr) == BZSCR_RT_OK);
        for (std::size_t i = 0; i < kSamples; ++i) {
          const auto alone =
              opened.top({X.begin() + static_cast<std::ptrdiff_t>(i * kFeatures),
                          X.begin() + static_cast<std::ptrdiff_t>((i + 1) * kFeatures)},
                         kLength);
          REQUIRE(counts[i] == kLength);
          for (std::size_t rank = 0; rank < kLength; ++rank)
            CHECK(same(results[i * kLength + rank], alone[rank]));
        }
      }
    }
}

TEST_CASE("threads that share a batch give the results of one thread") {
  const OpenedModel opened(random_model(kFeatures, 12, 9, 50));
  constexpr std::size_t kSamples = 64, kHalf = 32;
  const std::vector<float> X = samples(kSamples);
  std::vector<bzscr_rt_result> together(kSamples), parts(kSamples);
  std::vector<std::size_t> counts(kSamples);
  REQUIRE(bzscr_rt_top_batch(opened, X.data(), kSamples, nullptr, 0, 1, together.data(),
                             counts.data(), nullptr) == BZSCR_RT_OK);
  const auto score_half = [&](std::size_t first) {
    const AlignedBytes scratch(4 * bzscr_rt_scratch_bytes(opened));
    bzscr_rt_top_batch(opened, X.data() + first * kFeatures, kHalf, scratch.data(), scratch.size(),
                       1, parts.data() + first, counts.data() + first, nullptr);
  };
  std::thread other(score_half, kHalf);
  score_half(0);
  other.join();
  for (std::size_t i = 0; i < kSamples; ++i) CHECK(same(parts[i], together[i]));
}

TEST_CASE("a sample that cannot be scored refuses the whole batch, and its index is returned") {
  const OpenedModel opened(random_model(kFeatures, 12, 9, 4));
  std::vector<float> X = samples(5);
  X[3 * kFeatures + 7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<bzscr_rt_result> results(5, {4711, 0, 0});
  std::vector<std::size_t> counts(5, 77);
  std::size_t refused = 0;
  CHECK(bzscr_rt_top_batch(opened, X.data(), 5, nullptr, 0, 1, results.data(), counts.data(),
                           &refused) == BZSCR_RT_NOT_FINITE);
  CHECK(refused == 3);
  CHECK(results[0].id == 4711);
  CHECK(counts[0] == 77);
  CHECK(bzscr_rt_top_batch(opened, X.data(), 3, nullptr, 0, 1, results.data(), counts.data(),
                           &refused) == BZSCR_RT_OK);
}

TEST_CASE("the arguments of a batch are checked, and an empty batch succeeds") {
  const OpenedModel opened(random_model(kFeatures, 12, 9, 4));
  const std::vector<float> X = samples(2);
  bzscr_rt_result results[2];
  std::size_t counts[2];
  const AlignedBytes scratch(bzscr_rt_scratch_bytes(opened) + 32);
  const auto batch = [&](const float* x, void* room, std::size_t bytes, bzscr_rt_result* out,
                         std::size_t* n) {
    return bzscr_rt_top_batch(opened, x, 2, room, bytes, 1, out, n, nullptr);
  };
  CHECK(bzscr_rt_top_batch(nullptr, X.data(), 2, nullptr, 0, 1, results, counts, nullptr) ==
        BZSCR_RT_BAD_ARGUMENT);
  CHECK(batch(nullptr, nullptr, 0, results, counts) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(batch(X.data(), nullptr, 0, nullptr, counts) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(batch(X.data(), nullptr, 0, results, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(batch(X.data(), scratch.data(), bzscr_rt_scratch_bytes(opened) - 1, results, counts) ==
        BZSCR_RT_BAD_ARGUMENT);
  CHECK(batch(X.data(), scratch.data() + 8, bzscr_rt_scratch_bytes(opened), results, counts) ==
        BZSCR_RT_MISALIGNED);
  CHECK(batch(X.data(), scratch.data(), bzscr_rt_scratch_bytes(opened), results, counts) ==
        BZSCR_RT_OK);
  CHECK(bzscr_rt_top_batch(opened, nullptr, 0, nullptr, 0, 1, nullptr, nullptr, nullptr) ==
        BZSCR_RT_OK);
}

TEST_CASE("a best class below the minimum score or margin is not accepted") {
  const OpenedModel opened(random_model(kFeatures, 12, 9, 6));
  const std::vector<float> x = samples(1);
  const std::vector<bzscr_rt_result> best = opened.top(x, 2);
  const float margin = best[0].score - best[1].score;
  const auto accepted = [&](float least_score, float least_margin) {
    bzscr_rt_result answer{};
    std::int32_t yes = -1;
    REQUIRE(bzscr_rt_recognise(opened, x.data(), nullptr, least_score, least_margin, &answer,
                               &yes) == BZSCR_RT_OK);
    CHECK(same(answer, best[0]));
    return yes;
  };
  CHECK(accepted(-HUGE_VALF, 0) == 1);
  CHECK(accepted(best[0].score, margin) == 1);
  CHECK(accepted(std::nextafter(best[0].score, HUGE_VALF), 0) == 0);
  CHECK(accepted(-HUGE_VALF, std::nextafter(margin, HUGE_VALF)) == 0);
}

TEST_CASE("a single class meets any margin, and an empty table accepts no class") {
  const std::vector<float> x = samples(1);
  bzscr_rt_result best{4711, 0, 0};
  std::int32_t accepted = -1;
  const OpenedModel one(random_model(kFeatures, 12, 9, 1));
  CHECK(bzscr_rt_recognise(one, x.data(), nullptr, -HUGE_VALF, HUGE_VALF, &best, &accepted) ==
        BZSCR_RT_OK);
  CHECK(accepted == 1);
  CHECK(best.id == 3);

  const OpenedModel none(random_model(kFeatures, 12, 9, 0));
  best.id = 4711;
  CHECK(bzscr_rt_recognise(none, x.data(), nullptr, -HUGE_VALF, 0, &best, &accepted) ==
        BZSCR_RT_OK);
  CHECK(accepted == 0);
  CHECK(best.id == 4711);

  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(bzscr_rt_recognise(one, x.data(), nullptr, nan, 0, &best, &accepted) ==
        BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_recognise(one, x.data(), nullptr, 0, nan, &best, &accepted) ==
        BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_recognise(one, x.data(), nullptr, 0, 0, nullptr, &accepted) ==
        BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_recognise(one, x.data(), nullptr, 0, 0, &best, nullptr) == BZSCR_RT_BAD_ARGUMENT);
  CHECK(bzscr_rt_recognise(one, nullptr, nullptr, 0, 0, &best, &accepted) == BZSCR_RT_BAD_ARGUMENT);
}
