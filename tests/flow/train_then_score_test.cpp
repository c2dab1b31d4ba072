// Tests trainer and runtime together: scores models that bzscr-train writes with the runtime.
#include "device.h"
#include "train.h"

#include "data/dataset.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace bzscr::test {
namespace {

constexpr bzscr_rt_form kForms[] = {BZSCR_RT_FORM_PROTOTYPES, BZSCR_RT_FORM_FACTORS,
                                    BZSCR_RT_FORM_DENSE};

VectorF feature(const FeatureView& view, Index i) {
  REQUIRE(view.storage != Storage::kFloat64);
  REQUIRE_FALSE(view.column_major);
  const Index at = i * view.columns;
  if (view.storage == Storage::kFloat32)
    return Eigen::Map<const VectorF>(static_cast<const float*>(view.data) + at, view.columns);
  return Eigen::Map<const Eigen::Matrix<Eigen::half, Eigen::Dynamic, 1>>(
             static_cast<const Eigen::half*>(view.data) + at, view.columns)
      .cast<float>();
}

/// Compares the runtime's scores of x with the formula in double. `added` holds the embeddings of
/// classes that are not in the file.
void check_scores(const Device& device, const ModelContents& model, const VectorF& x,
                  const std::vector<std::pair<std::uint32_t, VectorF>>& added = {}) {
  const std::vector<float> got = device.scores(x);
  const std::vector<std::uint32_t> ids = device.ids();
  std::vector<double> expected;
  std::vector<bool> seen;
  for (const std::uint32_t id : ids) {
    const auto extra =
        std::find_if(added.begin(), added.end(), [&](const auto& one) { return one.first == id; });
    const auto place = static_cast<std::size_t>(std::find(model.ids.begin(), model.ids.end(), id) -
                                                model.ids.begin());
    const Vector phi = extra != added.end()
                           ? extra->second.cast<double>()
                           : Vector(model.embeddings.row(static_cast<Index>(place)).transpose());
    const bool in_file = place < model.ids.size();
    expected.push_back(
        model.score(x.cast<double>(), phi, in_file ? model.own_of(place) : Vector()));
    seen.push_back(place < model.seen.size() &&
                   model.seen[place]);  // a replaced class keeps its seen flag
  }
  double largest = 0, off = 0;
  for (std::size_t r = 0; r < ids.size(); ++r) {
    if (seen[r]) expected[r] -= model.seen_penalty;
    largest = std::max(largest, std::fabs(expected[r]));
    off = std::max(off, std::fabs(static_cast<double>(got[r]) - expected[r]));
  }
  CHECK(off <= 1e-5 * largest);
}

/// For every form: checks the classes of the file, then replaces one, removes one and adds new
/// ones.
void check_model(const std::string& path, const std::vector<VectorF>& samples) {
  const ModelContents model(path);
  REQUIRE(model.w.size() > 0);
  const auto d = model.embeddings.cols();
  for (const bzscr_rt_form form : kForms) {
    CAPTURE(form);
    if (form == BZSCR_RT_FORM_DENSE && model.own.size() > 0)
      continue;  // has no place for own parts
    Device device(path, form, 3);
    CHECK(device.ids() == model.ids);
    for (const VectorF& x : samples) check_scores(device, model, x);

    // A copy of a class of the file, one halfway between two classes, and an unrelated one.
    VectorF odd(d);
    for (Index j = 0; j < d; ++j) odd[j] = std::sin(static_cast<float>(j * j + 1));
    const std::vector<std::pair<std::uint32_t, VectorF>> added = {
        {1000, model.embeddings.row(1).transpose().cast<float>()},
        {1001, (model.embeddings.row(0) + 0.5 * model.embeddings.row(2)).transpose().cast<float>()},
        {model.ids[3], odd},
    };
    for (const auto& [id, phi] : added)
      device.set_class(id, id >= 1000 ? std::to_string(id).c_str() : nullptr, phi);
    device.remove_class(model.ids[1]);
    for (const VectorF& x : samples) check_scores(device, model, x, added);
  }
}

TEST_CASE(
    "on real features the runtime's scores equal the formula, for classes in the file and classes "
    "added later") {
  const TemporaryFolder folder;
  const std::string model = folder / "caltech.bzscr";
  const Finished run = train({kCaltech, "--embedding", "hypernyms", "--nu", "0.03", "--beta", "0.4",
                              "--max-iterations", "12", "--quiet", "-o", model});
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  const Dataset data = read_dataset(kCaltech, {"hypernyms"});
  std::vector<VectorF> samples;
  for (Index i = 0; i < data.features.rows; i += 100) samples.push_back(feature(data.features, i));
  check_model(model, samples);

  const ModelContents contents(model);
  CHECK(contents.names == data.class_names);
  CHECK(
      (contents.embeddings - data.embeddings.cast<float>().cast<double>()).cwiseAbs().maxCoeff() ==
      0);
  for (std::size_t r = 0; r < contents.seen.size(); ++r)
    CHECK(contents.seen[r] != std::binary_search(data.partition.unseen.begin(),
                                                 data.partition.unseen.end(),
                                                 static_cast<Index>(r)));
}

TEST_CASE("the runtime applies the scaling of the training, for every choice and both solvers") {
  for (const char* features : {"none", "unit"})
    for (const char* embeddings : {"none", "unit", "centre-unit"})
      for (const char* solver : {"refine", "paper"}) {
        CAPTURE(features);
        CAPTURE(embeddings);
        CAPTURE(solver);
        const DataFolder data;
        const std::string model = data / "model.bzscr";
        const Finished run =
            train({data.path(), "--nu", "0.01", "--beta", "0.4", "--feature-scaling", features,
                   "--embedding-scaling", embeddings, "--solver", solver, "--max-iterations", "30",
                   "--no-early-stopping", "--quiet", "-o", model});
        CAPTURE(run.err);
        REQUIRE(run.exit_code == 0);
        std::vector<VectorF> samples;
        for (Index i = 0; i < data.features.rows(); i += 5)
          samples.push_back(data.features.row(i).transpose().cast<float>());
        check_model(model, samples);
        const ModelContents contents(model);
        CHECK(contents.unit_features == (std::string(features) == "unit"));
        CHECK(contents.unit_embeddings == (std::string(embeddings) != "none"));
        CHECK((contents.centre.size() > 0) == (std::string(embeddings) == "centre-unit"));
      }
}

TEST_CASE("the runtime scales each part of a joined embedding on its own, for any lengths") {
  for (const char* embeddings : {"none", "unit", "centre-unit"}) {
    CAPTURE(embeddings);
    const DataFolder data;
    data.npy("embeddings/loud.npy", Matrix(1000 * data.embeddings.leftCols(2).array() + 500));
    const std::string model = data / "model.bzscr";
    const Finished run = train({data.path(), "--embedding", "words,loud", "--nu", "0.01", "--beta",
                                "0.4", "--embedding-scaling", embeddings, "--quiet", "-o", model});
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    std::vector<VectorF> samples;
    for (Index i = 0; i < data.features.rows(); i += 5)
      samples.push_back(data.features.row(i).transpose().cast<float>());
    check_model(model, samples);
    const bool scaled = std::string(embeddings) != "none";
    CHECK(ModelContents(model).parts ==
          (scaled ? std::vector<Index>{3, 2} : std::vector<Index>{5}));
    CHECK(inspect_model(model)["embedding"] == "words,loud");
  }
}

TEST_CASE(
    "the runtime scores the models of all bilinear methods in every form and applies their "
    "scalings") {
  for (const char* method : {"sje", "ale", "devise", "eszsl", "cca"})
    for (const char* embeddings : {"none", "centre-unit"}) {
      CAPTURE(method);
      CAPTURE(embeddings);
      const DataFolder data;
      const std::string model = data / "model.bzscr";
      const Finished run = train({data.path(), "--method", method, "--embedding-scaling",
                                  embeddings, "--quiet", "-o", model});
      CAPTURE(run.err);
      REQUIRE(run.exit_code == 0);
      std::vector<VectorF> samples;
      for (Index i = 0; i < data.features.rows(); i += 5)
        samples.push_back(data.features.row(i).transpose().cast<float>());
      check_model(model, samples);
    }
}

TEST_CASE("the runtime recognises classes without training samples, for every bilinear method") {
  for (const char* method : {"bzscr", "sje", "ale", "devise", "eszsl", "cca"}) {
    CAPTURE(method);
    const DataFolder data;
    const std::string model = data / "model.bzscr";
    REQUIRE(train({data.path(), "--method", method, "--quiet", "-o", model}).exit_code == 0);
    const Device device(model);
    Index right = 0, of = 0;
    for (Index i = 0; i < data.features.rows(); ++i) {
      if (data.labels[static_cast<std::size_t>(i)] < 6) continue;
      const std::vector<float> scores =
          device.scores(data.features.row(i).transpose().cast<float>());
      right += (scores[6] > scores[7]) == (data.labels[static_cast<std::size_t>(i)] == 6);
      ++of;
    }
    CHECK(of == 12);
    CHECK(right >= 11);
  }
}

TEST_CASE("the same command writes the same bytes for any number of threads") {
  const TemporaryFolder folder;
  const std::vector<std::vector<std::string>> commands = {
      {"--nu", "0.03", "--beta", "0.4", "--max-iterations", "4"},
      {"--nu", "0.03", "--beta", "0.4", "--solver", "paper", "--max-iterations", "4",
       "--no-early-stopping"},
      {"--method", "ale", "--rate", "0.3"},
      {"--method", "eszsl", "--gamma", "1"},
      {"--method", "cca"},
  };
  for (const std::vector<std::string>& options : commands) {
    std::vector<std::string> models;
    for (const char* threads : {"1", "1", "2", "3"}) {
      const std::string model = folder / "model.bzscr";
      std::vector<std::string> arguments = {kCaltech, "--embedding", "hypernyms", "--quiet",
                                            "-o",     model,         "--threads", threads};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const Finished run = train(arguments);
      CAPTURE(run.err);
      REQUIRE(run.exit_code == 0);
      models.push_back(read_bytes(model));
    }
    for (const std::string& bytes : models) CHECK(bytes == models.front());
  }
}

TEST_CASE("a tuned run writes the same bytes for any number of threads") {
  const DataFolder data;
  std::vector<std::string> models;
  for (const char* threads : {"1", "3"}) {
    const std::string model = data / "model.bzscr";
    REQUIRE(train({data.path(), "--quiet", "-o", model, "--threads", threads}).exit_code == 0);
    models.push_back(read_bytes(model));
  }
  CHECK(models[0] == models[1]);
}

TEST_CASE(
    "without unseen classes the correlation term is off, and classes can still be added on the "
    "device") {
  const DataFolder data;
  data.remove("unseen_classes.txt");
  data.remove("validation_classes.txt");
  const std::string model = data / "model.bzscr";
  for (const bool given : {true, false}) {
    std::vector<std::string> arguments = {data.path(), "--quiet", "-o", model};
    if (given) arguments.insert(arguments.end(), {"--nu", "0.01", "--beta", "0.4"});
    const Finished run = train(arguments);
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(run.out.find("the correlation term is off") != std::string::npos);
    const auto inspected = inspect_model(model);
    CHECK(inspected["beta"] == 0.0);
    CHECK(inspected["seen_classes"] == 8);
    CHECK(inspected["unseen_classes"] == 0);
    Device device(model, BZSCR_RT_FORM_AUTO, 1);
    const VectorF phi = (VectorF(3) << 1, -2, 0.5f).finished();
    device.set_class(77, "yak", phi);
    check_scores(device, ModelContents(model), data.features.row(3).transpose().cast<float>(),
                 {{77, phi}});
  }
}

}  // namespace
}  // namespace bzscr::test
