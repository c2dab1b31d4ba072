// The C++ wrapper in a program that is compiled without exceptions and RTTI. bzscr-export wrote
// test_model.h.
#include "bzscr_rt/bzscr_rt.hpp"

#include "test_model.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void check(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "no_exceptions_test.cpp:%d: %s\n", line, what);
  std::exit(1);
}
#define CHECK(condition) check(condition, #condition, __LINE__)

}  // namespace

int main() {
  bzscr::StatusScorer scorer;
  float x[17] = {};
  for (int i = 0; i < 17; ++i) x[i] = static_cast<float>(i % 5) - 2.0f;
  const float phi[6] = {1, 0, -1, 0, 2, 0};
  bzscr_rt_result best[2];
  std::size_t count = 0;
  CHECK(scorer.top(x, 2, best, &count) == BZSCR_RT_BAD_ARGUMENT);  // not opened
  CHECK(scorer.open(test_model, 1) == BZSCR_RT_NOT_A_MODEL);

  bzscr_rt_config options{};
  options.class_capacity = TEST_MODEL_CLASS_CAPACITY;
  CHECK(scorer.open(test_model, sizeof test_model, options) == BZSCR_RT_OK);
  bzscr_rt_info info{};
  CHECK(scorer.info(&info) == BZSCR_RT_OK);
  CHECK(info.classes == 5 && scorer.class_capacity() == TEST_MODEL_CLASS_CAPACITY);
  CHECK(scorer.top(x, 2, best, &count) == BZSCR_RT_OK);
  CHECK(count == 2 && best[0].score >= best[1].score);
  CHECK(scorer.top(phi, 2, best, &count) == BZSCR_RT_BAD_ARGUMENT);  // 6 values instead of 17

  CHECK(scorer.set_class(7, "tapir", phi) == BZSCR_RT_OK);
  CHECK(scorer.set_class(8, "okapi", phi) == BZSCR_RT_TABLE_FULL);
  bzscr::StatusScorer batch;
  CHECK(scorer.begin_changes(&batch) == BZSCR_RT_OK);
  CHECK(batch.rename_class(7, "okapi") == BZSCR_RT_OK);
  CHECK(scorer.end_changes() == BZSCR_RT_OK);
  char name[64];
  CHECK(scorer.class_name(7, name, sizeof name) == BZSCR_RT_OK);
  CHECK(std::strcmp(name, "okapi") == 0);
  CHECK(scorer.remove_class(7) == BZSCR_RT_OK);

  bzscr::StatusScorer moved(static_cast<bzscr::StatusScorer&&>(scorer));
  CHECK(scorer.remove_class(3) == BZSCR_RT_BAD_ARGUMENT);
  const bzscr::Memory scratch(moved.scratch_bytes(), std::nothrow);
  std::int32_t accepted = 0;
  CHECK(moved.recognise(x, -1e9f, 0, best, &accepted, &scratch) == BZSCR_RT_OK);
  CHECK(accepted == 1);
  CHECK(moved.close() == BZSCR_RT_OK);
  CHECK(moved.top(x, 2, best, &count) == BZSCR_RT_CLOSED);
  return 0;
}
