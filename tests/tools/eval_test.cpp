#include "core/metrics.h"
#include "dataset_files.h"
#include "export/model_writer.h"
#include "json.h"
#include "run_program.h"
#include "wordnet_builder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>
#include <string>

namespace bzscr {
namespace {

using test::DataFolder;
using test::Finished;
using test::Json;

Finished evaluate(const std::vector<std::string>& arguments) {
  return test::run_program(BZSCR_EVAL, arguments);
}

std::size_t row(Index i) { return static_cast<std::size_t>(i); }

/// Unit features, embeddings centred on the mean of the first six classes and scaled to unit
/// length.
Matrix unit_rows(Matrix values) {
  values.rowwise().normalize();
  return values;
}
Vector centre_of(const DataFolder& data) {
  return data.embeddings.topRows(6).colwise().mean().transpose();
}
Matrix transformed(const DataFolder& data) {
  return unit_rows(data.embeddings.rowwise() - centre_of(data).transpose());
}

/// The sum of x phi^T over the samples of seen classes: a poor classifier, but better than chance.
Matrix summed_W(const DataFolder& data) {
  const Matrix X = unit_rows(data.features), Phi = transformed(data);
  Matrix W = Matrix::Zero(5, 3);
  for (Index i = 0; i < 48; ++i)
    if (data.labels[row(i)] < 6) W += X.row(i).transpose() * Phi.row(data.labels[row(i)]);
  return W;
}

/// A model of the data set holding its classes [0, classes).
ModelFile model_for(const DataFolder& data, Index classes = 8) {
  ModelFile model;
  const Matrix W = summed_W(data);  // each row is a weak model whose u_j is a unit vector
  const Vector w = W.rowwise().norm();
  model.ensemble = {Matrix::Identity(5, 5), unit_rows(W).transpose(), w};
  model.embedding_centre = centre_of(data);
  for (Index r = 0; r < classes; ++r)
    model.classes.push_back({static_cast<std::uint32_t>(r), data.class_names[row(r)], r < 6});
  model.class_embeddings = data.embeddings.topRows(classes);
  model.record.embedding_name = "words";
  model.record.divergence = "cosine";
  return model;
}

std::string write(const DataFolder& data, const ModelFile& model) {
  const std::vector<std::uint8_t> bytes = serialise_model(model);
  const std::string path = data / "model.bzscr";
  test::write_bytes(path, std::string(bytes.begin(), bytes.end()));
  return path;
}

/// The measures of the given samples with the given classes as candidates, by plain loops in
/// double.
Scores expected_scores(const DataFolder& data, const std::vector<Index>& classes,
                       const std::vector<Index>& samples, const Matrix& Delta) {
  const Matrix F = unit_rows(data.features) * summed_W(data) * transformed(data).transpose();
  Labels truth;
  Ranking ranking = Ranking::Constant(static_cast<Index>(samples.size()), 5, -1);
  for (std::size_t n = 0; n < samples.size(); ++n) {
    truth.push_back(static_cast<std::int32_t>(data.labels[row(samples[n])]));
    std::vector<Index> order = classes;
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return F(samples[n], a) > F(samples[n], b); });
    for (std::size_t k = 0; k < std::min<std::size_t>(5, order.size()); ++k)
      ranking(static_cast<Index>(n), static_cast<Index>(k)) = static_cast<std::int32_t>(order[k]);
  }
  return score_predictions(truth, ranking, Delta);
}

Matrix cosine(const Matrix& embeddings) {
  const Matrix unit = unit_rows(embeddings);
  const Matrix cos = unit * unit.transpose();
  return ((1.0 - cos.array()) / (1.0 - cos.minCoeff())).matrix();
}

std::vector<Index> samples_of(const DataFolder& data, const std::vector<Index>& classes) {
  std::vector<Index> samples;
  for (Index i = 0; i < 48; ++i)
    if (std::find(classes.begin(), classes.end(), data.labels[row(i)]) != classes.end())
      samples.push_back(i);
  return samples;
}

void check_scores(const Json& json, const Scores& expected) {
  CHECK(json["samples"] == expected.samples);
  CHECK(json["error_rate"].get<double>() == doctest::Approx(expected.error_rate));
  CHECK(json["mean_delta"].get<double>() == doctest::Approx(expected.mean_delta).epsilon(1e-6));
  CHECK(json["per_class_top1"].get<double>() == doctest::Approx(expected.per_class_top1));
  CHECK(json["top5"].get<double>() == doctest::Approx(expected.top5));
}

Json json_of(const Finished& run) {
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return Json::parse(run.out);  // throws unless it is exactly one object
}

TEST_CASE("the measures on unseen classes equal those of plain loops") {
  const DataFolder data;
  const std::string model = write(data, model_for(data));
  const Finished run = evaluate({model, data.path(), "--json"});
  const Json json = json_of(run);
  check_scores(json,
               expected_scores(data, {6, 7}, samples_of(data, {6, 7}), cosine(data.embeddings)));
  CHECK(json["classes"] == 2);
  CHECK(json["chance"] == 0.5);
  CHECK(json["classes_added"] == 0);
  CHECK(json["classes_trained_on"] == 0);
  REQUIRE(json["per_class"].size() == 2);
  CHECK(json["per_class"][0]["name"] == "gnu");
  CHECK(json["per_class"][1]["samples"] == 6);
  CHECK(run.err.empty());
}

TEST_CASE("with more than five classes, top-5 and errors equal those of plain loops") {
  const DataFolder data;
  data.text("unseen_classes.txt", "cat\ndog\neel\nfox\ngnu\nhen\n");
  data.remove("validation_classes.txt");
  data.remove("test_seen.npy");
  const std::vector<Index> classes = {2, 3, 4, 5, 6, 7};
  const Finished run = evaluate({write(data, model_for(data)), data.path(), "--json"});
  const Json json = json_of(run);
  check_scores(json,
               expected_scores(data, classes, samples_of(data, classes), cosine(data.embeddings)));
  CHECK(json["classes_trained_on"] == 4);
  CHECK(run.err.find("trained on samples of 4 of these 6 classes, so the figures are not "
                     "zero-shot: cat, dog, eel, fox") != std::string::npos);
}

TEST_CASE("classes that the model does not hold are added, and are scored as if it held them") {
  const DataFolder data;
  const Json held = json_of(evaluate({write(data, model_for(data)), data.path(), "--json"}));
  const Finished run = evaluate({write(data, model_for(data, 6)), data.path(), "--json"});
  const Json added = json_of(run);
  CHECK(added["classes_added"] == 2);
  CHECK(added["per_class"] == held["per_class"]);
  CHECK(added["mean_delta"] == held["mean_delta"]);
  CHECK(run.err.find("added from the data set, as the model does not hold them: gnu, hen") !=
        std::string::npos);
}

TEST_CASE(
    "classes of the model are scored by an embedding that --embedding names, else by its own") {
  const DataFolder data;
  const std::string model = write(data, model_for(data));
  const Finished trained = evaluate({model, data.path(), "--json"});
  const double error_rate = json_of(trained)["error_rate"];
  REQUIRE(error_rate < 0.5);
  const Finished named = evaluate({model, data.path(), "--json", "--embedding", "words"});
  CHECK(named.out == trained.out);
  CHECK(named.err.empty());

  Matrix swapped = data.embeddings;  // of the two unseen classes: what was right is wrong
  swapped.row(6).swap(swapped.row(7));
  data.npy("embeddings/swapped.npy", swapped);
  for (const char* storage : {"float32", "float16"}) {
    const Finished other =
        evaluate({model, data.path(), "--json", "--embedding", "swapped", "--storage", storage});
    CHECK(json_of(other)["error_rate"].get<double>() == doctest::Approx(1 - error_rate));
    CHECK(json_of(other)["same_best_class_as_float32"] == 1.0);
    CHECK(other.err.find("note: 2 of 2 classes are scored by 'swapped' of ") != std::string::npos);
    CHECK(other.err.find("holds other embeddings of them: gnu, hen\n") != std::string::npos);
  }
  data.npy("embeddings/words.npy", swapped);  // changed after the training
  const Finished changed = evaluate({model, data.path(), "--json"});
  CHECK(json_of(changed)["error_rate"] == error_rate);
  CHECK(changed.err.find("note: 2 of 2 classes have other embeddings in the model than in 'words' "
                         "of ") != std::string::npos);
  CHECK(json_of(evaluate({model, data.path(), "--json", "--embedding", "words"}))["error_rate"]
            .get<double>() == doctest::Approx(1 - error_rate));
}

TEST_CASE("features of every type and memory order give the same measures") {
  const DataFolder data;
  const std::string model = write(data, model_for(data));
  const Json expected = json_of(evaluate({model, data.path(), "--json"}))["per_class"];
  for (const char* descr : {"<f2", "<f4", "<f8"})
    for (const bool fortran : {false, true}) {
      data.text("features.npy", test::npy_bytes(data.features, descr, fortran));
      CHECK(json_of(evaluate({model, data.path(), "--json"}))["per_class"] == expected);
    }
}

TEST_CASE(
    "validation classes and held-out samples of seen classes are each scored among their own "
    "classes") {
  const DataFolder data;
  const std::string model = write(data, model_for(data));
  const Matrix Delta = cosine(data.embeddings);
  check_scores(json_of(evaluate({model, data.path(), "--json", "--classes", "validation"})),
               expected_scores(data, {4, 5}, samples_of(data, {4, 5}), Delta));
  const Finished seen = evaluate({model, data.path(), "--json", "--classes", "seen"});
  check_scores(json_of(seen), expected_scores(data, {0, 1, 2, 3, 4, 5}, {40, 41, 42}, Delta));
  CHECK(json_of(seen)["classes"] == 6);
  CHECK(seen.err.empty());
}

TEST_CASE(
    "mean Delta uses the divergence recorded in the model, unless --divergence names another") {
  const DataFolder data;
  data.text("unseen_classes.txt", "dog\neel\nfox\ngnu\nhen\n");  // enough for some errors
  data.remove("validation_classes.txt");
  data.remove("test_seen.npy");
  Matrix Delta = Matrix::Constant(8, 8, 0.25);
  Delta.diagonal().setZero();
  data.npy("elsewhere/delta.npy", Delta);
  ModelFile file = model_for(data);
  file.ensemble.U.col(0) = -file.ensemble.U.col(0);  // a bad model

  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {write(data, file), data.path(), "--json"});
    return json_of(evaluate(more));
  };
  const double errors = run({})["error_rate"];
  REQUIRE(errors > 0.0);
  CHECK(run({"--divergence", "zero-one"})["mean_delta"].get<double>() == doctest::Approx(errors));
  CHECK(run({"--divergence", data / "elsewhere/delta.npy"})["mean_delta"].get<double>() ==
        doctest::Approx(0.25 * errors));
  file.record.divergence = "zero-one";
  CHECK(run({})["mean_delta"].get<double>() == doctest::Approx(errors));
  CHECK(run({"--divergence", "cosine"})["mean_delta"].get<double>() != doctest::Approx(errors));
  data.npy("divergence.npy", Delta);
  file.record.divergence = "divergence.npy";
  CHECK(run({})["mean_delta"].get<double>() == doctest::Approx(0.25 * errors));
}

TEST_CASE("a model that was trained with WordNet is evaluated with WordNet, by ids or by names") {
  const DataFolder data;
  const test::WordNetFolder wordnet(test::animals());
  data.text("unseen_classes.txt",
            "cat\ndog\nfox\n");  // the path between any two has 2 edges, so any error costs 2/3
  data.remove("validation_classes.txt");
  data.remove("test_seen.npy");
  ModelFile file = model_for(data);
  file.ensemble.U.col(0) = -file.ensemble.U.col(0);  // a bad model
  file.record.divergence = "wordnet";
  const std::string model = write(data, file);

  const Finished by_name = evaluate({model, data.path(), "--json", "--wordnet", wordnet.path()});
  const double errors = json_of(by_name)["error_rate"];
  REQUIRE(errors > 0.0);
  CHECK(json_of(by_name)["mean_delta"].get<double>() == doctest::Approx(errors * 2 / 3));
  CHECK(by_name.err.find("note: 'cat' is mapped to " + wordnet.text("cat") +
                         " of WordNet: a gloss\n") != std::string::npos);
  std::string ids;
  for (const std::string& name : data.class_names) ids += wordnet.text(name) + "\n";
  data.text("synsets.txt", ids);
  const Finished by_id = evaluate(
      {model, data.path(), "--json", "--divergence", "wordnet", "--wordnet", wordnet.path()});
  CHECK(json_of(by_id)["mean_delta"] == json_of(by_name)["mean_delta"]);
  CHECK(by_id.err.find("is mapped to") == std::string::npos);
  const Finished nowhere = evaluate({model, data.path(), "--wordnet", data / "none"});
  CHECK(nowhere.exit_code == 2);
  CHECK(nowhere.err.rfind("bzscr-eval: " + data.path() +
                              "/none/data.noun: no such file; expected the database of WordNet 3.0",
                          0) == 0);
}

TEST_CASE("the text output has all measures and every class") {
  const DataFolder data;
  const Finished run = evaluate({write(data, model_for(data)), data.path()});
  CHECK(run.exit_code == 0);
  for (const char* part : {"error rate", "mean Delta", "top-1, averaged per class", "chance 0.5000",
                           "12 samples, 2 unseen classes", "embedding 'words'", "\ngnu", "\nhen",
                           "scored by  bzscr_rt "}) {
    CAPTURE(part);
    CHECK(run.out.find(part) != std::string::npos);
  }
}

TEST_CASE("a class without samples is among the candidates, and its accuracy is undefined") {
  const DataFolder data;
  std::vector<std::int64_t> labels = data.labels;
  for (auto& label : labels) label = label == 7 ? 0 : label;
  data.npy("labels.npy", labels);
  const Json json = json_of(evaluate({write(data, model_for(data)), data.path(), "--json"}));
  CHECK(json["classes"] == 2);
  CHECK(json["classes_with_samples"] == 1);
  CHECK(json["per_class"][1]["accuracy"].is_null());
}

TEST_CASE(
    "the accuracies of --gzsl equal those of plain loops, with and without the model's penalty") {
  const DataFolder data;
  ModelFile model = model_for(data);
  const Matrix F = unit_rows(data.features) * summed_W(data) * transformed(data).transpose();
  const std::vector<Index> held_out = {40, 41, 42}, unseen = samples_of(data, {6, 7});
  const auto per_class = [&](const std::vector<Index>& samples, double penalty) {
    Labels truth, best;
    for (const Index i : samples) {
      Index r = 0;
      Vector scores = F.row(i).transpose();
      scores.head(6).array() -= penalty;
      scores.maxCoeff(&r);
      truth.push_back(static_cast<std::int32_t>(data.labels[row(i)]));
      best.push_back(static_cast<std::int32_t>(r));
    }
    return per_class_accuracy(count_by_class(truth, best, 8));
  };
  std::set<double> harmonics;
  for (const double penalty : {0.0, 0.5, -0.5, 2.0, 100.0}) {
    CAPTURE(penalty);
    model.seen_penalty = penalty;
    const Json json = json_of(evaluate({write(data, model), data.path(), "--gzsl", "--json"}));
    CHECK(json["seen_penalty"] == penalty);
    CHECK(json["samples"] == held_out.size() + unseen.size());
    CHECK(json["classes"] == 8);
    for (const auto& [suffix, taken_off] :
         {std::pair<std::string, double>{"", 0}, {"_calibrated", penalty}}) {
      const double S = per_class(held_out, taken_off), U = per_class(unseen, taken_off);
      CHECK(json["gzsl_seen" + suffix].get<double>() == doctest::Approx(S));
      CHECK(json["gzsl_unseen" + suffix].get<double>() == doctest::Approx(U));
      CHECK(json["gzsl_harmonic" + suffix].get<double>() ==
            doctest::Approx(S + U == 0 ? 0 : 2 * S * U / (S + U)));
      harmonics.insert(S + U == 0 ? 0 : 2 * S * U / (S + U));
    }
    CHECK(json["ausuc"] == json_of(evaluate({write(data, model_for(data)), data.path(), "--gzsl",
                                             "--json"}))["ausuc"]);
    double listed = 0;
    for (const Json& one : json["per_class"])
      if (!one["seen"].get<bool>()) listed += one["accuracy"].get<double>() / 2;
    CHECK(listed == doctest::Approx(json["gzsl_unseen_calibrated"].get<double>()));
  }
  CHECK(harmonics.size() > 1);

  const Finished text = evaluate({write(data, model), data.path(), "--gzsl"});
  CHECK(text.exit_code == 0);
  for (const char* part : {"harmonic mean, H", "AUSUC", "the penalty of 100 off seen classes",
                           "8 seen and unseen classes", "unseen\n"})
    CHECK(text.out.find(part) != std::string::npos);
}

TEST_CASE(
    "beside accuracy among unseen classes there is that among all classes, as --gzsl has it, if "
    "the "
    "data set has held-out samples and is split as in training") {
  const DataFolder data;
  ModelFile file = model_for(data);
  file.seen_penalty = 0.5;
  const std::string model = write(data, file);
  const Json alone = json_of(evaluate({model, data.path(), "--gzsl", "--json"}));
  const Json all = json_of(evaluate({model, data.path(), "--json"}))["among_all_classes"];
  CHECK(all.size() == 11);
  for (const auto& [key, value] : all.items()) {
    CAPTURE(key);
    CHECK(alone[key] == value);
  }
  const std::string text = evaluate({model, data.path()}).out;
  for (const char* part : {"among unseen classes  among all 8 classes\n", "\nseen classes, S",
                           "With the penalty of 0.5 off seen classes", "accuracy  among all\n"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }

  const auto alone_in = [](const std::vector<std::string>& arguments) {
    const Finished run = evaluate(arguments);
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("among all") == std::string::npos);
    std::vector<std::string> as_json = arguments;
    as_json.emplace_back("--json");
    CHECK(json_of(evaluate(as_json))["among_all_classes"].is_null());
  };
  alone_in({model, data.path(), "--classes", "validation"});
  alone_in({model, data.path(), "--classes", "seen"});
  data.text("unseen_classes.txt", "fox\ngnu\nhen\n");
  data.remove("validation_classes.txt");
  alone_in({model, data.path()});
  const DataFolder without;
  without.remove("test_seen.npy");
  alone_in({write(without, file), without.path()});
}

/// With teaching; its feature directions are the coordinates.
ModelFile teachable_model_for(const DataFolder& data, ScoreForm score = ScoreForm::kCosine) {
  ModelFile model = model_for(data);
  model.score = score;
  model.teaching = ModelTeaching{2, 0.25, 1, {}, {}};
  model.seen_penalty = 0.125;
  return model;
}

TEST_CASE(
    "accuracies after teaching equal those of plain loops over the rule of the format, where all "
    "samples of a class are alike, so that it does not matter which of them are taught") {
  const DataFolder data;
  Matrix X = data.features;
  for (Index i = 0; i < 48; ++i)
    if (data.labels[row(i)] >= 6) X.row(i) = X.row(data.labels[row(i)]);
  data.npy("features.npy", X);
  const std::vector<Index> held_out = {0, 9, 18, 27, 36, 45, 5, 12, 20, 34, 40, 43};
  data.npy("test_seen.npy", std::vector<std::int64_t>(held_out.begin(), held_out.end()));
  const Matrix T = unit_rows(X), W = summed_W(data);
  std::set<double> different;
  for (const auto& [score, exponent] :
       {std::pair{ScoreForm::kPlain, 0.0}, {ScoreForm::kHalf, 0.5}, {ScoreForm::kCosine, 1.0}}) {
    ModelFile model = teachable_model_for(data, score);
    model.class_embeddings.row(6).swap(model.class_embeddings.row(7));  // untaught, it errs
    Matrix Phi = transformed(data);
    Phi.row(6).swap(Phi.row(7));
    const Json json = json_of(evaluate(
        {write(data, model), data.path(), "--teach", "1,2,3", "--repeats", "4", "--json"}));
    CHECK(json["tested_samples"] == held_out.size() + 6);
    CHECK(json["repeats"] == 4);
    REQUIRE(json["taught"].size() == 4);
    for (Index n = 0; n <= 3; ++n) {
      CAPTURE(exponent);
      CAPTURE(n);
      const double a = static_cast<double>(n) / (static_cast<double>(n) + 2);
      Matrix rows(8, 5);
      for (Index r = 0; r < 8; ++r) {
        const Vector q = W * Phi.row(r).transpose();
        const double length = std::pow(q.norm(), 1 - exponent);
        Vector b = q.normalized();
        if (r >= 6 && n > 0) b = (1 - a) * b + a * T.row(r).transpose();
        rows.row(r) = length * b.normalized().transpose();
      }
      Matrix F = T * rows.transpose();
      F.leftCols(6).array() -= 0.125;
      F.rightCols(2).array() -= a * 0.25;
      const auto accuracy = [&](const std::vector<Index>& samples, Index first) {
        Labels truth, best;
        for (const Index i : samples) {
          Index r = 0;
          F.row(i).tail(8 - first).maxCoeff(&r);
          truth.push_back(static_cast<std::int32_t>(data.labels[row(i)]));
          best.push_back(static_cast<std::int32_t>(first + r));
        }
        return per_class_accuracy(count_by_class(truth, best, 8));
      };
      const Json& one = json["taught"][row(n)];
      const double S = accuracy(held_out, 0), U = accuracy({6, 7}, 0);
      CHECK(one["shots"] == n);
      CHECK(one["among_unseen"].get<double>() == doctest::Approx(accuracy({6, 7}, 6)));
      CHECK(one["gzsl_seen_calibrated"].get<double>() == doctest::Approx(S));
      CHECK(one["gzsl_unseen_calibrated"].get<double>() == doctest::Approx(U));
      CHECK(one["gzsl_harmonic_calibrated"].get<double>() ==
            doctest::Approx(S + U == 0 ? 0 : 2 * S * U / (S + U)));
      for (const char* key : {"among_unseen_deviation", "gzsl_unseen_calibrated_deviation"})
        CHECK(one[key].get<double>() == doctest::Approx(0));
      different.insert(accuracy({6, 7}, 6) + 2 * U + 4 * S);
    }
  }
  CHECK(different.size() > 2);
}

TEST_CASE(
    "samples to teach are drawn by the seed, at most half of a class, in every storage, and "
    "without "
    "held-out samples only unseen classes compete") {
  const DataFolder data;
  data.text("unseen_classes.txt", "eel\nfox\ngnu\nhen\n");
  data.remove("validation_classes.txt");
  data.npy("features.npy", Matrix(data.features + 0.7 * Matrix::Random(48, 5)));
  ModelFile file = teachable_model_for(data);
  for (ModelClass& one : file.classes) one.seen = one.id < 4;
  const std::string model = write(data, file);
  const auto taught = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {model, data.path(), "--json", "--teach", "1,3,5"});
    return evaluate(more);
  };
  const Finished run = taught({});
  const Json json = json_of(run);
  CHECK(run.err.find("half of their samples, fewer than 5, are taught of: eel, fox, gnu, hen") !=
        std::string::npos);
  CHECK(json["repeats"] == 10);
  CHECK(json["tested_samples"] == 3 + 4 * 3);
  CHECK(json["taught"][1]["among_unseen_deviation"].get<double>() > 0);
  CHECK(json["taught"][3].without("shots") ==
        json["taught"][2].without("shots"));  // it has no more
  CHECK(taught({"--seed", "1"}).out == run.out);
  CHECK(json_of(taught({"--seed", "2"}))["taught"] != json["taught"]);
  CHECK(json_of(taught({"--repeats", "1"}))["taught"][1]["among_unseen_deviation"] == 0);
  for (const char* storage : {"int8", "float16"})
    CHECK(json_of(taught({"--storage", storage}))["storage"] == storage);

  const std::string text = evaluate({model, data.path(), "--teach", "1"}).out;
  for (const char* part :
       {"samples taught of each class  among unseen classes ", " among all 8: U ", " ± 0.",
        "means over 10 draws", "penalty of 0.125 off seen classes"}) {
    CAPTURE(part);
    CHECK(text.find(part) != std::string::npos);
  }
  data.remove("test_seen.npy");
  const Json alone = json_of(taught({}))["taught"][1];
  CHECK(alone["gzsl_seen_calibrated"].is_null());
  CHECK(alone["among_unseen"] == json["taught"][1]["among_unseen"]);
  CHECK(evaluate({model, data.path(), "--teach", "1"}).out.find("among all") == std::string::npos);
}

// One kind of misuse: the change to a valid model and data set, further arguments, and the error
// message.
struct Misuse {
  std::string kind;
  std::function<void(const DataFolder&, ModelFile&)> spoil;
  std::vector<std::string> arguments;
  std::string message;  // DATA stands for the folder
};

TEST_CASE("misuse gives one error message, exit code 2 and nothing on standard output") {
  const auto nothing = [](auto&, auto&) {};
  // clang-format off
  const Misuse misuses[] = {
      {"other feature length", [](auto& d, auto&) { d.npy("features.npy", Matrix::Ones(48, 4)); }, {}, "DATA/model.bzscr: is for features of length 5, but those of DATA have length 4"},
      {"other embedding length", [](auto& d, auto&) { d.npy("embeddings/words.npy", Matrix::Random(8, 2)); }, {}, "DATA/model.bzscr: is for embeddings of length 3 ('words'), but 'words' of DATA has length 2"},
      {"other embedding name", [](auto& d, auto&) { d.npy("embeddings/word.npy", d.embeddings); d.remove("embeddings/words.npy"); }, {}, "DATA/embeddings: holds no embedding 'words', only word; did you mean 'word'?"},
      {"unknown embedding", nothing, {"--embedding", "wrds"}, "DATA/embeddings: holds no embedding 'wrds', only words; did you mean 'words'?"},
      {"no unseen class", [](auto& d, auto&) { d.remove("unseen_classes.txt"); }, {}, "DATA: names no unseen classes"},
      {"no validation class", [](auto& d, auto&) { d.remove("validation_classes.txt"); }, {"--classes", "validation"}, "DATA: names no validation classes"},
      {"no held-out sample", [](auto& d, auto&) { d.remove("test_seen.npy"); }, {"--classes", "seen"}, "DATA: names no test_seen rows, so no sample of a seen class was kept from training"},
      {"no sample of unseen classes", [](auto& d, auto&) { d.npy("labels.npy", std::vector<std::int64_t>(48, 1)); }, {}, "DATA: has no sample of any unseen class"},
      {"unknown divergence", nothing, {"--divergence", "cosin"}, "--divergence: 'cosin' is none of cosine|wordnet|zero-one|FILE.npy; did you mean 'cosine'?"},
      {"no such divergence file", nothing, {"--divergence", "/nowhere/d.npy"}, "/nowhere/d.npy: no such file"},
      {"recorded divergence not at hand", [](auto&, auto& m) { m.record.divergence = "taxonomy.npy"; }, {}, "DATA/model.bzscr: was trained with the divergence of taxonomy.npy; name the file with --divergence FILE.npy"},
      {"gzsl without held-out samples", [](auto& d, auto&) { d.remove("test_seen.npy"); }, {"--gzsl"}, "DATA: names no test_seen rows, so no sample of a seen class was kept from training"},
      {"gzsl of another split", [](auto& d, auto&) { d.text("unseen_classes.txt", "fox\ngnu\nhen\n"); d.remove("validation_classes.txt"); }, {"--gzsl"}, "DATA/model.bzscr: 'fox' is a seen class of the model, but an unseen class of DATA; expected a model that was trained on this split"},
      {"gzsl of some classes", nothing, {"--gzsl", "--classes", "seen"}, "--classes excludes --gzsl; expected one of them"},
      {"teaching a model that cannot be taught", nothing, {"--teach", "1"}, "DATA/model.bzscr: cannot be taught, as it does not say how; expected a model of the methods bzscr or boosting that bzscr-train has calibrated on validation classes, see bzscr-inspect"},
      {"numbers of samples that fall", nothing, {"--teach", "2,1"}, "--teach: '2,1'; expected rising whole numbers from 1 to 10000, with commas between, such as 1,2,5,10"},
      {"no sample", nothing, {"--teach", "0,1"}, "--teach: '0,1'; expected rising whole numbers from 1 to 10000, with commas between, such as 1,2,5,10"},
      {"numbers that are none", nothing, {"--teach", "1,,x"}, "--teach: '1,,x'; expected rising whole numbers from 1 to 10000, with commas between, such as 1,2,5,10"},
      {"teaching and gzsl", nothing, {"--teach", "1", "--gzsl"}, "--gzsl excludes --teach; expected one of them"},
      {"teaching some classes", nothing, {"--teach", "1", "--classes", "seen"}, "--classes excludes --teach; expected one of them"},
      {"repeats of nothing", nothing, {"--repeats", "3"}, "--repeats requires --teach"},
      {"no repeats", nothing, {"--teach", "1", "--repeats", "0"}, "--repeats is 0; expected 1 to 10000"},
      {"unknown option", nothing, {"--jsno"}, "unknown option '--jsno'; did you mean '--json'?"},
      {"unknown classes", nothing, {"--classes", "all"}, "--classes: 'all' is none of unseen|validation|seen"},
      {"one argument too many", nothing, {"more"}, "'more' is one argument too many; usage: bzscr-eval MODEL DATA [OPTIONS]"},
  };
  // clang-format on
  for (const Misuse& misuse : misuses) {
    CAPTURE(misuse.kind);
    const DataFolder data;
    ModelFile model = model_for(data);
    misuse.spoil(data, model);
    std::vector<std::string> arguments = {write(data, model), data.path()};
    arguments.insert(arguments.end(), misuse.arguments.begin(), misuse.arguments.end());
    const Finished run = evaluate(arguments);
    const auto with_path = [&](std::string text) {
      for (std::size_t at = 0; (at = text.find("DATA", at)) != std::string::npos;)
        text.replace(at, 4, data.path());
      return text;
    };
    const std::string expected = with_path("bzscr-eval: " + misuse.message + "\n");
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(with_path(run.err) == expected);  // the usage names DATA too
  }
}

TEST_CASE(
    "a file that is not a model, and a damaged model, are refused with the runtime's message") {
  const DataFolder data;
  const std::string model = write(data, model_for(data));
  std::string bytes = test::read_bytes(model);
  CHECK(evaluate({data / "none.bzscr", data.path()}).err ==
        "bzscr-eval: " + data.path() + "/none.bzscr: No such file or directory\n");
  test::write_bytes(model, "not a model, by any means, of any length");
  CHECK(evaluate({model, data.path()}).err ==
        "bzscr-eval: " + model + ": this is not a BZ-SCR file\n");
  bytes[bytes.size() / 2] ^= 1;
  test::write_bytes(model, bytes);
  const Finished run = evaluate({model, data.path()});
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("the model is damaged") != std::string::npos);
}

TEST_CASE("help and version are printed on standard output") {
  const Finished help = evaluate({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.out.find("--divergence") != std::string::npos);
  CHECK(help.err.empty());
  CHECK(evaluate({"--version"}).out.rfind("bzscr-eval ", 0) == 0);
  CHECK(evaluate({}).exit_code == 2);
}

}  // namespace
}  // namespace bzscr
