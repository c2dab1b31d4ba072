#include "golden.h"

#include "data/formats/npy_file.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace bzscr::test {

GoldenProblem read_golden(const std::string& name) {
  const std::string folder = std::string(BZSCR_TEST_DATA) + "/golden/" + name;
  std::ifstream stream(folder + "/expected.json");
  const auto expected = nlohmann::json::parse(stream);

  GoldenProblem golden;
  Problem& problem = golden.problem;
  problem.seen = expected.at("n_seen");
  problem.X.features = NpyFile(folder + "/X.npy").features(golden.owner);
  problem.X.scale = Vector::Ones(problem.X.features.rows);
  for (Index i = 0; i < problem.X.features.rows; ++i) problem.X.rows.push_back(i);
  for (const auto y : NpyFile(folder + "/y.npy").integers())
    problem.y.push_back(static_cast<std::int32_t>(y));
  problem.Phi = NpyFile(folder + "/Phi.npy").matrix();
  problem.Delta = NpyFile(folder + "/Delta.npy").matrix().topRows(problem.seen);

  // NpyFile reads one-dimensional arrays of integers only, so the doubles after the header are read
  // here.
  const std::string weights = folder + "/s.npy";
  std::ifstream s(weights, std::ios::binary);
  s.seekg(static_cast<std::streamoff>(NpyFile(weights).header().data_offset));
  golden.mixed_s.resize(problem.samples());
  s.read(reinterpret_cast<char*>(golden.mixed_s.data()),
         static_cast<std::streamsize>(problem.samples() * 8));

  for (const auto& one : expected.at("cases")) {
    GoldenCase c{one.at("nu_per_sample"),
                 one.at("beta"),
                 one.at("s") == "mixed",
                 one.at("optimum"),
                 one.at("relative_gap"),
                 one.at("rank"),
                 {}};
    for (const auto& step : one.at("paper_trace"))
      c.paper_trace.push_back({step.at("violation"), step.at("objective"), step.at("active")});
    golden.cases.push_back(std::move(c));
  }
  return golden;
}

}  // namespace bzscr::test
