#include "opened_model.h"

using namespace bzscr;
using namespace bzscr::test;

TEST_CASE("a library without atomics refuses a shared table") {
  OpenOptions options;
  options.shared = true;
  CHECK(status_of(serialise(random_model(5, 4, 3, 2)), options) == BZSCR_RT_BAD_ARGUMENT);
}
