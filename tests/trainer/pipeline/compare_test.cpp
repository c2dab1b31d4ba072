#include <bzscr_train/bzscr_train.hpp>

#include "memory_arrays.h"

#include <doctest/doctest.h>

namespace bzscr {
namespace {

using namespace train;
using test::DataFolder;

TEST_CASE("a compared method has the setting, penalty and model size of fit()") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  CompareOptions options;
  options.methods = {"bzscr", "boosting", "eszsl"};
  const Comparison comparison = compare(data, {data.partition()}, options, {});
  CHECK(comparison.complete);
  REQUIRE(comparison.forms.size() == 3);
  for (const ComparedForm& form : comparison.forms) {
    CAPTURE(form.method);
    FitOptions fitted;
    fitted.method = form.method;
    fitted.test_unseen = true;
    const Model model = fit(data, data.partition(), fitted, {});
    const Measures& at = form.splits.front();
    CHECK(at.penalty == model.seen_penalty);
    CHECK(at.validation_error == model.validation_error);
    CHECK(at.error_rate == model.unseen->error_rate);
    CHECK(at.per_class_top1 == model.unseen->per_class_top1);
    CHECK(std::abs(static_cast<double>(*at.model_bytes) -
                   static_cast<double>(model.serialise().size())) <
          512);  // the record alone differs
  }
}

TEST_CASE("a stopped comparison keeps the splits that all methods have finished") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  const std::vector<train::Partition> partitions = draw_partitions(data, 3, 1);
  CompareOptions options;
  options.methods = {"bzscr", "eszsl"};
  std::size_t finished = 0;
  Context context;
  context.threads = 1;
  context.stop = [&] { return finished >= 3; };
  const Comparison comparison =
      compare(data, partitions, options, context,
              [&](const ComparedForm&, std::size_t, const Measures&, double) { ++finished; });
  CHECK_FALSE(comparison.complete);
  for (const ComparedForm& form : comparison.forms) CHECK(form.splits.size() == 1);
}

TEST_CASE(
    "drawn partitions have as many unseen classes as the data set, leave validation classes to be "
    "drawn, and differ from each other") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  const std::vector<train::Partition> drawn = draw_partitions(data, 5, 1);
  REQUIRE(drawn.size() == 5);
  bool differ = false;
  for (const train::Partition& each : drawn) {
    CHECK(each.unseen.size() == 2);
    CHECK(each.validation_folds.empty());
    CHECK(each.held_out.size() == 6);  // one of the six samples of each seen class
    differ = differ || each.unseen != drawn.front().unseen;
  }
  CHECK(differ);
}

TEST_CASE("mean_of() gives the mean and the sample standard deviation") {
  CHECK(mean_of({1, 2, 3, 6}).mean == doctest::Approx(3));
  CHECK(mean_of({1, 2, 3, 6}).deviation == doctest::Approx(std::sqrt(14.0 / 3)));
  CHECK(mean_of({4}).deviation == 0);
}

}  // namespace
}  // namespace bzscr
