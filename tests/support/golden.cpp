#include "golden.h"

#include "data/formats/npy_file.h"
#include "support/dataset_files.h"
#include "support/json.h"

#include <fstream>

namespace bzscr::test {

GoldenProblem read_golden(const std::string& name) {
  const std::string folder = std::string(BZSCR_TEST_DATA) + "/golden/" + name;
  const Json expected = Json::parse(read_bytes(folder + "/expected.json"));

  GoldenProblem golden;
  Problem& problem = golden.problem;
  problem.seen = expected["n_seen"].get<Index>();
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

  for (const Json& one : expected["cases"]) {
    GoldenCase c{one["nu_per_sample"],
                 one["beta"],
                 one["s"] == "mixed",
                 one["optimum"],
                 one["relative_gap"],
                 one["rank"].get<Index>(),
                 {}};
    for (const Json& step : one["paper_trace"])
      c.paper_trace.push_back({step["violation"], step["objective"], step["active"].get<Index>()});
    golden.cases.push_back(std::move(c));
  }
  return golden;
}

}  // namespace bzscr::test
