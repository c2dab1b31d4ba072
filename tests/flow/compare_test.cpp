// Compares bzscr-compare with bzscr-train and bzscr-eval, which measures with the runtime.
#include "device.h"
#include "train.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace bzscr::test {
namespace {

Finished compare(const std::vector<std::string>& arguments) {
  return run_program(BZSCR_COMPARE, arguments);
}

Json compared(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Finished run = compare(arguments);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.empty());
  return Json::parse(run.out);
}

std::map<std::string, Json> by_method(const Json& json) {
  std::map<std::string, Json> methods;
  for (const Json& one : json["methods"]) methods[one["method"]] = one;
  return methods;
}

const std::set<std::string> kMethods = {"bzscr", "boosting", "sje",   "ale",  "nr",
                                        "cca",   "devise",   "eszsl", "ridge"};

TEST_CASE("the table has every method with its results on unseen classes") {
  const DataFolder data;
  const Json json = compared({data.path()});
  CHECK(json["splits"] == 1);
  CHECK(json["own_split"] == true);
  const auto methods = by_method(json);
  double ranks = 0;
  for (const auto& [name, one] : methods) {
    CAPTURE(name);
    CHECK(kMethods.count(name) == 1);
    for (const char* share :
         {"error_rate", "mean_delta", "per_class_top1", "gzsl_seen", "gzsl_unseen", "gzsl_harmonic",
          "gzsl_seen_calibrated", "gzsl_unseen_calibrated", "gzsl_harmonic_calibrated", "ausuc"}) {
      CAPTURE(share);
      REQUIRE(one[share].is_number());
      CHECK(one[share] >= 0);
      CHECK(one[share] <= 1);
    }
    CHECK(one["error_rate"].get<double>() + one["per_class_top1"].get<double>() ==
          doctest::Approx(1));  // six samples of each class
    CHECK(one["seconds"] > 0);
    CHECK(one["splits"].size() == 1);
    CHECK(one["forms"].size() == (name == "sje" || name == "ale" || name == "cca" ? 2 : 1));
    for (const Json& form : one["forms"]) CHECK(form["error_rate"] >= one["error_rate"]);
    if (one["mean_rank"].is_number()) ranks += one["mean_rank"].get<double>();
  }
  CHECK(methods.size() == kMethods.size());
  CHECK(ranks == doctest::Approx(1 + 2 + 3 + 4 + 5 + 6));
  for (const char* other : {"devise", "eszsl", "ridge"})
    CHECK(methods.at(other)["mean_rank"].is_null());
  for (const char* without : {"nr", "ridge"}) CHECK(methods.at(without)["model_bytes"].is_null());
}

/// Classes that are hard to separate and of different sizes, so that no two measures are equal by
/// accident: 12 classes of 6, 8, ... 28 samples. The last four are unseen, two are validation
/// classes, and every fourth sample of the others is held out.
struct HardData : TemporaryFolder {
  HardData() {
    std::mt19937 random(11);
    std::normal_distribution<double> normal;
    const auto matrix = [&](Index rows, Index columns, double scale) {
      Matrix values(rows, columns);
      for (double& value : values.reshaped()) value = scale * normal(random);
      return values;
    };
    for (Index c = 0; c < kClasses; ++c) labels.insert(labels.end(), 6 + 2 * c, c);
    std::shuffle(labels.begin(), labels.end(), random);
    embeddings = matrix(kClasses, 4, 1);
    const auto N = static_cast<Index>(labels.size());
    features = matrix(N, 6, 1.2);
    const Matrix map = matrix(4, 6, 1);
    for (Index i = 0; i < N; ++i)
      features.row(i) += embeddings.row(labels[static_cast<std::size_t>(i)]) * map;
    features = features.cast<float>().cast<double>();
    embeddings = embeddings.cast<float>().cast<double>();
    for (Index i = 0; i < N; i += 4)
      if (labels[static_cast<std::size_t>(i)] < kSeen) test_seen.push_back(i);
    write_bytes(*this / "features.npy", npy_bytes(features, "<f4"));
    write_bytes(*this / "labels.npy", npy_bytes(labels, "<i8"));
    write_bytes(*this / "embeddings.npy", npy_bytes(embeddings, "<f4"));
    write_bytes(*this / "test_seen.npy", npy_bytes(test_seen, "<i8"));
    std::string names, unseen;
    for (Index c = 0; c < kClasses; ++c) {
      const std::string name = "class" + std::to_string(c) + "\n";
      names += name;
      if (c >= kSeen) unseen += name;
    }
    write_bytes(*this / "classes.txt", names);
    write_bytes(*this / "unseen_classes.txt", unseen);
    write_bytes(*this / "validation_classes.txt", "class2\nclass5\n");
  }

  static constexpr Index kClasses = 12, kSeen = 8;
  std::vector<std::int64_t> labels, test_seen;
  Matrix features, embeddings;
};

/// 1 - cosine, divided by its largest value.
Matrix plain_divergence(const Matrix& embeddings) {
  const Index C = embeddings.rows();
  Matrix Delta = Matrix::Zero(C, C);
  for (Index a = 0; a < C; ++a)
    for (Index b = 0; b < C; ++b)
      if (a != b)
        Delta(a, b) = 1 - embeddings.row(a).dot(embeddings.row(b)) / embeddings.row(a).norm() /
                              embeddings.row(b).norm();
  return Delta / Delta.maxCoeff();
}

/// The class in [first, last) with the highest score, where `penalty` is subtracted from the scores
/// of seen classes.
Index plain_best(const Vector& scores, Index first, Index last, double penalty = 0) {
  Index best = first;
  const auto at = [&](Index r) { return scores[r] - (r < HardData::kSeen ? penalty : 0); };
  for (Index r = first; r < last; ++r)
    if (at(r) > at(best)) best = r;
  return best;
}

struct PlainMeasures {
  double error_rate = 0, mean_delta = 0, per_class_top1 = 0, ausuc = 0;
  double S = 0, U = 0, calibrated_S = 0, calibrated_U = 0;
};

/// The measures of a model file, computed by loops over the samples.
PlainMeasures plain_measures(const HardData& data, const ModelContents& model) {
  const Index C = HardData::kClasses, seen = HardData::kSeen;
  const Matrix Delta = plain_divergence(data.embeddings);
  std::vector<Index> truth;
  std::vector<Vector> scores;
  const auto take = [&](Index i) {
    Vector of_sample(C);
    for (Index r = 0; r < C; ++r)
      of_sample[r] =
          model.score(data.features.row(i).transpose(), data.embeddings.row(r).transpose(),
                      model.own_of(static_cast<std::size_t>(r)));
    scores.push_back(of_sample);
    truth.push_back(data.labels[static_cast<std::size_t>(i)]);
  };
  for (const std::int64_t i : data.test_seen) take(i);
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    if (data.labels[i] >= seen) take(static_cast<Index>(i));

  PlainMeasures at;
  std::vector<double> samples(C, 0), correct(C, 0);
  double unseen_samples = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    ++samples[static_cast<std::size_t>(truth[i])];
    if (truth[i] < seen) continue;
    const Index best = plain_best(scores[i], seen, C);
    ++unseen_samples;
    at.error_rate += best != truth[i];
    at.mean_delta += Delta(truth[i], best);
    correct[static_cast<std::size_t>(truth[i])] += best == truth[i];
  }
  at.error_rate /= unseen_samples;
  at.mean_delta /= unseen_samples;
  for (Index r = seen; r < C; ++r)
    at.per_class_top1 += correct[static_cast<std::size_t>(r)] /
                         samples[static_cast<std::size_t>(r)] / static_cast<double>(C - seen);

  // Per-class accuracies of seen and unseen classes, with all classes as candidates.
  const auto joint = [&](double penalty) {
    std::map<Index, double> found;
    for (std::size_t i = 0; i < truth.size(); ++i)
      found[truth[i]] += plain_best(scores[i], 0, C, penalty) == truth[i];
    double accuracy[2] = {0, 0}, classes[2] = {0, 0};
    for (const auto& [r, count] : found) {
      accuracy[r < seen] += count / samples[static_cast<std::size_t>(r)];
      ++classes[r < seen];
    }
    return std::pair(accuracy[1] / classes[1], accuracy[0] / classes[0]);
  };
  std::tie(at.S, at.U) = joint(0);
  std::tie(at.calibrated_S, at.calibrated_U) = joint(model.seen_penalty);

  // A penalty on each side of every score difference, in ascending order, gives the whole curve.
  std::vector<double> leads;
  for (const Vector& one : scores)
    leads.push_back(one.head(seen).maxCoeff() - one.tail(C - seen).maxCoeff());
  std::sort(leads.begin(), leads.end());
  auto before = joint(leads.front() - 1);
  for (std::size_t j = 0; j < leads.size(); ++j) {
    const double upper = j + 1 < leads.size() ? leads[j + 1] : leads[j] + 1;
    const auto after = joint((leads[j] + upper) / 2);
    at.ausuc += (before.first - after.first) * (before.second + after.second) / 2;
    before = after;
  }
  return at;
}

double harmonic(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

TEST_CASE(
    "every measure of a method equals that of plain loops over the model that bzscr-train writes") {
  const HardData data;
  const Json json = compared({data.path(), "--methods", "bzscr,boosting,sje,ale,cca,devise,eszsl"});
  CHECK(json["methods"].size() == 7);
  std::set<double> different;
  for (const Json& method : json["methods"]) {
    const std::string name = method["method"];
    CAPTURE(name);
    // The form that bzscr-train writes to the model.
    const Json wanted = name == "cca"                    ? Json("bilinear")
                        : name == "sje" || name == "ale" ? Json("cosine")
                                                         : Json();
    const auto form = std::find_if(method["forms"].begin(), method["forms"].end(),
                                   [&](const Json& each) { return each["form"] == wanted; });
    REQUIRE(form != method["forms"].end());
    const std::string file = data / "model.bzscr";
    const Finished trained = train({data.path(), "--method", name, "--quiet", "-o", file});
    CAPTURE(trained.err);
    REQUIRE(trained.exit_code == 0);
    const ModelContents model(file);
    const PlainMeasures expected = plain_measures(data, model);
    const auto check = [&](const char* measure, double value) {
      CAPTURE(measure);
      CHECK((*form)[measure].get<double>() == doctest::Approx(value).epsilon(1e-9));
    };
    check("error_rate", expected.error_rate);
    check("mean_delta", expected.mean_delta);
    check("per_class_top1", expected.per_class_top1);
    check("gzsl_seen", expected.S);
    check("gzsl_unseen", expected.U);
    check("gzsl_harmonic", harmonic(expected.S, expected.U));
    check("gzsl_seen_calibrated", expected.calibrated_S);
    check("gzsl_unseen_calibrated", expected.calibrated_U);
    check("gzsl_harmonic_calibrated", harmonic(expected.calibrated_S, expected.calibrated_U));
    check("ausuc", expected.ausuc);
    CHECK((*form)["splits"][0]["penalty"].get<double>() ==
          doctest::Approx(model.seen_penalty).epsilon(1e-6));
    different.insert(
        {expected.error_rate, 1 - expected.per_class_top1, expected.mean_delta, expected.ausuc});
  }
  CHECK(different.size() > 12);  // so that exchanged measures are detected
}

TEST_CASE(
    "measures are means over the splits, and ranks are means of the ranks by error rate on each "
    "split") {
  const HardData data;
  const Json json = compared(
      {data.path(), "--splits", "3", "--methods", "bzscr,boosting,sje,ale,nr,cca,devise,eszsl"});
  const std::set<std::string> of_paper = {"bzscr", "boosting", "sje", "ale", "nr", "cca"};
  const auto methods = by_method(json);
  CHECK(methods.size() == 8);
  std::map<std::string, double> ranks;
  for (std::size_t split = 0; split < 3; ++split)
    for (const std::string& own : of_paper) {
      const auto error = [&](const std::string& of) {
        return methods.at(of)["splits"][split]["error_rate"].get<double>();
      };
      double rank = 1;  // equal error rates have the mean of their ranks
      for (const std::string& other : of_paper)
        if (other != own)
          rank += error(other) < error(own) ? 1 : error(other) == error(own) ? 0.5 : 0;
      ranks[own] += rank / 3;
    }
  for (const auto& [name, one] : methods) {
    CAPTURE(name);
    if (of_paper.count(name) != 0)
      CHECK(one["mean_rank"].get<double>() == doctest::Approx(ranks[name]));
    else
      CHECK(one["mean_rank"].is_null());
    REQUIRE(one["splits"].size() == 3);
    for (const char* measure : {"error_rate", "mean_delta", "per_class_top1", "gzsl_harmonic",
                                "gzsl_harmonic_calibrated", "ausuc"}) {
      CAPTURE(measure);
      double mean = 0;
      for (const Json& split : one["splits"]) mean += split[measure].get<double>() / 3;
      CHECK(one[measure].get<double>() == doctest::Approx(mean).epsilon(1e-12));
    }
    // The method's measures are those of its better form.
    for (const Json& form : one["forms"]) CHECK(one["error_rate"] <= form["error_rate"]);
  }
}

TEST_CASE(
    "the measures of a method equal those of bzscr-eval for the model that bzscr-train writes") {
  const DataFolder data;
  const auto methods =
      by_method(compared({data.path(), "--methods", "bzscr,boosting,devise,eszsl"}));
  CHECK(methods.size() == 4);
  for (const auto& [name, one] : methods) {
    CAPTURE(name);
    const std::string model = data / "model.bzscr";
    const Finished trained =
        train({data.path(), "--method", name, "--json", "--quiet", "-o", model});
    REQUIRE(trained.exit_code == 0);
    const Finished run = run_program(BZSCR_EVAL, {model, data.path(), "--json"});
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    const Json evaluated = Json::parse(run.out);
    for (const char* measure : {"error_rate", "mean_delta", "per_class_top1"})
      CHECK(evaluated[measure].get<double>() == doctest::Approx(one[measure].get<double>()));
    const Finished joint = run_program(BZSCR_EVAL, {model, data.path(), "--gzsl", "--json"});
    CAPTURE(joint.err);
    REQUIRE(joint.exit_code == 0);
    const Json generalised = Json::parse(joint.out);
    for (const char* measure : {"gzsl_seen", "gzsl_unseen", "gzsl_harmonic", "gzsl_seen_calibrated",
                                "gzsl_unseen_calibrated", "gzsl_harmonic_calibrated", "ausuc"}) {
      CAPTURE(measure);
      CHECK(generalised[measure].get<double>() == doctest::Approx(one[measure].get<double>()));
    }
    CHECK(Json::parse(trained.out)["validation_error"].get<double>() ==
          doctest::Approx(one["splits"][0]["validation_error"].get<double>()));
  }
}

TEST_CASE(
    "class splits are read from a file or drawn at random, and do not depend on the number of "
    "threads") {
  const DataFolder data;
  Matrix splits = Matrix::Zero(2, 8);
  splits.row(0) << 0, 0, 0, 0, 1, 1, 2, 2;
  splits.row(1) << 2, 2, 1, 1, 0, 0, 0, 0;
  data.npy("splits.npy", splits, "|u1");
  const std::vector<std::string> from_file = {data.path(), "--methods", "eszsl,ale,bzscr",
                                              "--splits", data / "splits.npy"};
  std::vector<std::string> one_thread = from_file, three_threads = from_file;
  one_thread.insert(one_thread.end(), {"--threads", "1"});
  three_threads.insert(three_threads.end(), {"--threads", "3"});
  const auto measures = [](const Json& json) {
    std::vector<Json> found;
    for (const Json& method : json["methods"]) {
      found.push_back(method.without("seconds").without("splits").without("forms"));
      for (const Json& split : method["splits"]) found.push_back(split.without("seconds"));
    }
    return found;
  };
  const Json json = compared(one_thread);
  CHECK(json["splits"] == 2);
  CHECK(json["own_split"] == false);
  CHECK(measures(json) == measures(compared(three_threads)));
  for (const Json& one : json["methods"]) {
    const double a = one["splits"][0]["per_class_top1"], b = one["splits"][1]["per_class_top1"];
    CHECK(one["per_class_top1"] == doctest::Approx((a + b) / 2));
    CHECK(one["per_class_top1_deviation"] == doctest::Approx(std::fabs(a - b) / std::sqrt(2.0)));
    if (one["method"] == "bzscr") continue;
    const Json& bzscr = json["methods"][0];
    CHECK(one["against_bzscr"]["per_class_top1"]["mean"] ==
          doctest::Approx(one["per_class_top1"].get<double>() -
                          bzscr["per_class_top1"].get<double>()));
  }
  const Json drawn = compared({data.path(), "--methods", "eszsl", "--splits", "3"});
  CHECK(drawn["splits"] == 3);
  CHECK(measures(drawn) ==
        measures(compared({data.path(), "--methods", "eszsl", "--splits", "3"})));
  CHECK(measures(drawn) !=
        measures(compared({data.path(), "--methods", "eszsl", "--splits", "3", "--seed", "2"})));
}

TEST_CASE("beta is given or chosen, and the default ridge is that of bzscr-train") {
  const DataFolder data;
  const auto setting = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {data.path(), "--methods", "bzscr"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return compared(arguments)["methods"][0]["splits"][0]["setting"].get<std::string>();
  };
  CHECK(setting({}).find(", ridge 0.01") != std::string::npos);
  const std::string given = setting({"--beta", "0.25", "--ridge", "0"});
  CHECK(given.find(", beta 0.25") != std::string::npos);
  CHECK(given.find(", ridge") == std::string::npos);
}

TEST_CASE("the table is printed as text and as Markdown") {
  const DataFolder data;
  const Finished plain = compare({data.path(), "--methods", "bzscr,sje", "--splits", "2"});
  REQUIRE(plain.exit_code == 0);
  CHECK(plain.out.find("method") != std::string::npos);
  CHECK(plain.out.find("sje (zero-one)") != std::string::npos);
  CHECK(plain.out.find("split by split") != std::string::npos);
  CHECK(lines_of(plain.err).size() == 7);  // not a terminal: a heading, and one per form and split
  const Finished markdown =
      compare({data.path(), "--methods", "bzscr,sje", "--splits", "2", "--markdown", "--quiet"});
  REQUIRE(markdown.exit_code == 0);
  std::size_t rows = 0;
  for (const std::string& line : lines_of(markdown.out))
    if (line.rfind("| ", 0) == 0) {
      CHECK(line.back() == '|');
      ++rows;
    }
  CHECK(rows == (2 + 3) + (2 + 2));
}

TEST_CASE(
    "a table has columns of teaching if a method can be taught, and a method that cannot has "
    "dashes there") {
  const DataFolder data;
  const Json methods = compared({data.path(), "--methods", "bzscr,eszsl"})["methods"];
  REQUIRE(methods[0]["taught"].size() == 5);
  CHECK(methods[1]["taught"].empty());
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out;
    for (std::size_t at = 2, end; (end = line.find(" |", at)) != std::string::npos; at = end + 3) {
      const std::string cell = line.substr(at, end - at);
      const std::size_t first = cell.find_first_not_of(' '), last = cell.find_last_not_of(' ');
      out.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
    }
    return out;
  };
  std::vector<std::vector<std::string>> table;
  for (const std::string& line :
       lines_of(compare({data.path(), "--methods", "bzscr,eszsl", "--markdown", "--quiet"}).out))
    if (line.rfind("| ", 0) == 0) table.push_back(cells(line));
  REQUIRE(table.size() == 4);
  const std::vector<std::string>& titles = table[0];
  for (const auto& [title, n] : {std::pair<std::string, int>{"U+1", 1}, {"U+5", 3}}) {
    const auto at = std::find(titles.begin(), titles.end(), title) - titles.begin();
    REQUIRE(static_cast<std::size_t>(at) < titles.size());
    const double expected = methods[0]["taught"][n]["gzsl_unseen_calibrated"];
    const std::string cell = table[2][static_cast<std::size_t>(at)];
    CHECK(std::stod(cell) == doctest::Approx(expected).epsilon(1e-3));
    CHECK(table[3][static_cast<std::size_t>(at)] == "-");
  }
  const Finished plain = compare({data.path(), "--methods", "bzscr", "--quiet"});
  CHECK(plain.out.find(" U+5  ") != std::string::npos);
  CHECK(compare({data.path(), "--methods", "eszsl", "--quiet"}).out.find("U+") ==
        std::string::npos);
}

TEST_CASE("input on which methods cannot be compared is refused with one error message") {
  const DataFolder data;
  data.npy("short.npy", Matrix::Zero(1, 7), "|u1");
  data.npy("odd.npy", Matrix::Constant(1, 8, 3), "|u1");
  data.npy("all.npy", Matrix::Zero(1, 8), "|u1");
  const std::pair<std::vector<std::string>, std::string> misuses[] = {
      {{data.path(), "--methods", "szsl"}, "--methods: 'szsl' is none of"},
      {{data.path(), "--splits", "0"}, "--splits is 0; expected 1 to 9999, or FILE.npy"},
      {{data.path(), "--splits", "none.npy"}, "none.npy: no such file"},
      {{data.path(), "--splits", data / "short.npy"},
       "short.npy: is 1 x 7; expected one row per split and 8 columns, one per class"},
      {{data.path(), "--splits", data / "odd.npy"},
       "odd.npy: row 0, column 0 is 3; expected 0 (training), 1 (validation) or 2 (unseen)"},
      {{data.path(), "--splits", data / "all.npy"},
       "all.npy: row 0 has fewer than two classes that are 1; expected at least two of 0, 1 and 2 "
       "each"},
      {{data.path(), "--folds", "9"}, "--folds is 9; expected 1 to 5"},
      {{data.path(), "--ridge", "-1"}, "ridge is -1; expected"},
      {{data.path(), "--beta", "nan"}, "beta is nan; expected"},
      {{data / "none"}, "none: no such folder"},
  };
  for (const auto& [arguments, said] : misuses) {
    CAPTURE(said);
    const Finished run = compare(arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.out.empty());
    CHECK(lines_of(run.err).size() == 1);
    CHECK(run.err.find(said) != std::string::npos);
  }
  data.remove("unseen_classes.txt");
  CHECK(compare({data.path()}).err.find("names no two unseen classes to compare on") !=
        std::string::npos);
}

}  // namespace
}  // namespace bzscr::test
