#include <bzscr_train/bzscr_train.hpp>

#include "memory_arrays.h"

#include <doctest/doctest.h>

#include <omp.h>

#include <csignal>
#include <functional>
#include <set>

namespace bzscr {
namespace {

using namespace train;
using test::DataFolder;
using test::MemoryArrays;

FitOptions quick(const std::string& method = "bzscr") {
  FitOptions options;
  options.method = method;
  return options;
}

/// What a caller is told.
struct Heard : Events {
  std::vector<std::string> phases, ended, notes;
  std::size_t iterations = 0, trials = 0;
  double last = 0;
  bool falls = false;
  void phase(const std::string& name) override {
    phases.push_back(name);
    last = 0;
  }
  void phase_ended(const std::string& name, std::int64_t evaluations) override {
    ended.push_back(name);
    CHECK(evaluations > 0);
  }
  void progress(double fraction) override {
    falls = falls || fraction < last || fraction > 1;
    last = fraction;
  }
  void iteration(const std::string& phase, const IterationEvent& at) override {
    CHECK(phase == phases.back());
    CHECK(at.lower_bound <= at.objective * (1 + 1e-9));
    ++iterations;
  }
  void trial(const TrialEvent& at) override {
    CHECK(at.done <= at.at_most);
    ++trials;
  }
  void note(const std::string& text) override { notes.push_back(text); }
};

TEST_CASE("arrays in memory and the same files give the same model, byte by byte") {
  const DataFolder folder;
  const MemoryArrays memory(folder);
  const train::Dataset files = train::Dataset::read(folder.path(), {}, {});
  const train::Dataset arrays = memory.dataset();
  for (const char* method : {"bzscr", "boosting", "eszsl", "sje"}) {
    CAPTURE(method);
    const Model a = fit(files, files.partition(), quick(method), {});
    const Model b = fit(arrays, arrays.partition(), quick(method), {});
    CHECK(a.serialise() == b.serialise());
    CHECK(a.tuned);
    CHECK(a.validation_harmonic >= 0);
  }
}

TEST_CASE("the bytes are the same for any number of threads") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  for (const char* base : {"none", "ridge"}) {
    FitOptions options = quick();
    options.base = base;
    Context context;
    context.threads = 1;
    const Model one = fit(data, data.partition(), options, context);
    for (const int threads : {2, 3, 5}) {
      context.threads = threads;
      CHECK(fit(data, data.partition(), options, context).serialise() == one.serialise());
    }
  }
}

TEST_CASE("a model from the base is certified, and holds the base where nu allows nothing else") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  FitOptions options = quick();
  options.base = "ridge";
  options.nu = 0.01;
  options.beta = 0.4;
  options.test_unseen = true;
  const Model model = fit(data, data.partition(), options, {});
  CHECK(model.base == "ridge");
  CHECK(model.relative_gap <= 1e-3);
  CHECK(model.weak_models > 0);
  options.nu = 1000;
  const Model alone = fit(data, data.partition(), options, {});
  CHECK(alone.weak_models > 0);
  REQUIRE(alone.unseen.has_value());
  options.base = "none";
  CHECK_THROWS_AS(fit(data, data.partition(), options, {}), InputError);
}

TEST_CASE(
    "events report each phase with its trials, iterations and progress that never decreases") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  Heard heard;
  Context context;
  context.events = &heard;
  const Model model = fit(data, data.partition(), quick(), context);
  CHECK(heard.phases == std::vector<std::string>{"tuning", "training", "calibration", ""});
  CHECK(heard.ended == std::vector<std::string>{"tuning", "training", "calibration"});
  CHECK(heard.trials == model.tried.size());
  CHECK(heard.iterations > 0);
  CHECK_FALSE(heard.falls);
  CHECK(heard.notes.empty());
}

TEST_CASE(
    "fit() trains on a given partition, and its unseen classes are not seen classes of the model") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  train::Partition partition;
  partition.unseen = {0, 1};
  partition.validation_folds = {{2, 3}};
  FitOptions options = quick();
  options.test_unseen = true;
  const Model model = fit(data, partition, options, {});
  REQUIRE(model.unseen.has_value());
  CHECK(model.unseen->classes == std::vector<std::string>{"ant", "bee"});
  CHECK(model.unseen->samples == 12);
  CHECK(model.samples == 36);
  CHECK(model.serialise() != fit(data, data.partition(), options, {}).serialise());
}

TEST_CASE(
    "a stop before there is a model throws kInterrupted, and a later one returns the best model") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  for (const char* method : {"bzscr", "sje"}) {
    Context context;
    context.stop = [] { return true; };
    try {
      fit(data, data.partition(), quick(method), context);
      FAIL("not stopped");
    } catch (const InputError& error) {
      CHECK(error.kind() == ErrorKind::kInterrupted);
    }
  }
  struct UntilTraining : Heard {
    bool reached = false;
    void phase(const std::string& name) override {
      Heard::phase(name);
      reached = reached || name == "calibration";
    }
  } heard;
  Context context;
  context.events = &heard;
  context.stop = [&] { return heard.reached; };
  const Model model = fit(data, data.partition(), quick(), context);
  CHECK(model.ending == Ending::kInterrupted);
  CHECK(model.seen_penalty == 0);
  CHECK_FALSE(model.serialise().empty());
}

TEST_CASE("an invalid option is refused by its name before training") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  const struct {
    std::function<void(FitOptions&)> spoil;
    const char *option, *message;
  } bad[] = {
      {[](auto& o) { o.method = "bzcsr"; }, "method", "did you mean 'bzscr'?"},
      {[](auto& o) { o.solver = "papers"; }, "solver", "did you mean 'paper'?"},
      {[](auto& o) { o.nu = 0; }, "nu", "nu is 0; expected a number above 0"},
      {[](auto& o) { o.max_iterations = 0; }, "max_iterations",
       "max_iterations is 0; expected at least 1"},
      {[](auto& o) { o.folds = 6; }, "folds", "folds is 6; expected 1 to 5"},
      {[](auto& o) { o.rate = 1; }, "rate", "is not of method bzscr with solver refine"},
      {[](auto& o) {
         o.method = "eszsl";
         o.nu = 1;
       },
       "nu", "is not of method eszsl, which takes gamma, lambda"},
      {[](auto& o) {
         o.method = "sje";
         o.epochs = 1.5;
       },
       "epochs", "a whole number"},
      {[](auto& o) {
         o.solver = "paper";
         o.ridge = 0.1;
       },
       "ridge", "Algorithm 1 has no such term"},
      {[](auto& o) { o.base = "rigde"; }, "base", "did you mean 'ridge'?"},
      {[](auto& o) {
         o.solver = "paper";
         o.base = "ridge";
       },
       "base", "Algorithm 1 starts from zero"},
      {[](auto& o) {
         o.method = "sje";
         o.base = "ridge";
       },
       "base", "is not of method sje"},
      {[](auto& o) { o.feature_scaling = "units"; }, "feature_scaling", "did you mean 'unit'?"},
  };
  for (const auto& one : bad) {
    CAPTURE(one.message);
    FitOptions options;
    one.spoil(options);
    try {
      fit(data, data.partition(), options, {});
      FAIL("accepted");
    } catch (const InputError& error) {
      CHECK(error.place().option == one.option);
      CHECK(std::string(error.what()).find(one.message) != std::string::npos);
      CHECK(std::string(error.what()).find("--") == std::string::npos);
    }
  }
}

TEST_CASE("training does not change the settings of the process") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  const auto handler = [](int) {};
  std::signal(SIGINT, handler);
  const int threads = omp_get_max_threads(), levels = omp_get_max_active_levels();
  const int blas = linear_algebra().threads;
  Context context;
  context.threads = 3;
  fit(data, data.partition(), quick(), context);
  CHECK(omp_get_max_threads() == threads);
  CHECK(omp_get_max_active_levels() == levels);
  CHECK(linear_algebra().threads == blas);
  const bool same_handler = std::signal(SIGINT, SIG_DFL) == static_cast<void (*)(int)>(handler);
  CHECK(same_handler);
}

TEST_CASE("every method is trained, and serialise() throws for methods that are not bilinear") {
  const DataFolder folder;
  const train::Dataset data = train::Dataset::read(folder.path(), {}, {});
  std::set<std::string> trained;
  for (const Method& method : methods()) {
    CAPTURE(method.name);
    FitOptions options = quick(method.name);
    options.test_unseen = true;
    const Model model = fit(data, data.partition(), options, {});
    CHECK(model.unseen->per_class_top1 > 0.4);  // chance is 0.5; the classes are two
    if (method.in_model_file)
      CHECK_FALSE(model.serialise().empty());
    else
      CHECK_THROWS_WITH_AS(model.serialise(), doctest::Contains("no model file can hold it"),
                           InputError);
    trained.insert(method.name);
  }
  CHECK(trained.count("bzscr") == 1);
  for (const char* name : {"sje", "ale", "devise", "eszsl", "cca", "ridge", "nr"})
    CHECK(trained.count(name) == 1);
}

}  // namespace
}  // namespace bzscr
