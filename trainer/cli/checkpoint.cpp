#include "cli/checkpoint.h"

#include "base/atomic_file.h"
#include "bzscr_train/error.hpp"
#include "comm/communicator.h"
#include "data/content_hash.h"
#include "tuning/state_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

using nlohmann::json;

namespace bzscr {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JointOutcome, truth, seen, leads_kind, lead)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunState, phase, nu, beta, validation_error, max_iterations,
                                   evaluations, tried, trained, outcomes, tuning, refined, printed)

namespace {

constexpr std::size_t kHashBytes = 16;

std::array<std::uint8_t, kHashBytes> hash_of(const std::uint8_t* bytes, std::size_t size) {
  ContentHash hash;
  hash.add_bytes(bytes, size);
  return hash.digest();
}

// Whatever decides which model comes out, under the names of the command line.
json identity_of(const TrainOptions& o, const Dataset& data) {
  const auto given = [](const std::optional<double>& value) {
    return value ? json(*value) : json("chosen");
  };
  return {{"the version", BZSCR_VERSION},
          {"the embedding", data.embedding_name},
          {"the hash of the data set", data.hash},
          {"--missing", static_cast<int>(o.missing)},
          {"--divergence", o.divergence},
          {"--wordnet", o.wordnet},
          {"--feature-scaling", static_cast<int>(o.scalings.features)},
          {"--embedding-scaling", static_cast<int>(o.scalings.embeddings)},
          {"--solver", o.solver == Solver::kPaper ? "paper" : "refine"},
          {"--method", o.boost.select_samples ? "bzscr" : "boosting"},
          {"--nu", given(o.nu)},
          {"--beta", given(o.beta)},
          {"--ridge", o.boost.ridge},
          {"--initial-share", o.boost.initial_share},
          {"--share-growth", o.boost.share_growth},
          {"--final-share", o.boost.final_share},
          {"--full-share", o.boost.full_share},
          {"--gap", o.boost.gap},
          {"--tolerance", o.boost.tolerance},
          {"--min-iterations", o.boost.min_iterations},
          {"--max-iterations", o.boost.max_iterations},
          {"--early-stopping", o.early_stopping},
          {"--folds", o.folds},
          {"--seed", o.seed},
          {"--calibration", o.calibration}};
}

struct File {
  bool exists = false;
  std::optional<json> content;  // nothing: damaged
};

File read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return {};
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.size() < kHashBytes) return {true, {}};
  const std::size_t size = bytes.size() - kHashBytes;
  if (std::memcmp(hash_of(bytes.data(), size).data(), bytes.data() + size, kHashBytes) != 0)
    return {true, {}};
  File file{true, {}};
  file.content.emplace(
      json::from_cbor(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)));
  return file;
}

void expect_same_run(const std::string& path, const json& found, const json& expected) {
  for (const auto& [name, value] : expected.items()) {
    if (!found.contains(name) || found.at(name) != value)
      throw InputError(path, fmt::format("belongs to another run: {} was {}, and is {} now; "
                                         "expected the same options and data, "
                                         "or no --resume",
                                         name, found.value(name, json()).dump(), value.dump()));
  }
}

}  // namespace

Checkpoint::Checkpoint(const TrainOptions& options, const Dataset& data)
    : file_(options.checkpoint),
      previous_(options.checkpoint + ".previous"),
      every_(options.every),
      identity_(std::make_unique<json>(identity_of(options, data))) {}

Checkpoint::~Checkpoint() = default;

std::optional<RunState> Checkpoint::read() {
  std::vector<std::uint8_t> state;
  if (rank() == 0) state = newest();
  broadcast(state);
  if (state.empty()) return std::nullopt;
  return json::from_cbor(state).get<RunState>();
}

std::vector<std::uint8_t> Checkpoint::newest() const {
  bool damaged = false;
  for (const std::string& path : {file_, previous_}) {
    const File file = read_file(path);
    if (!file.exists) continue;
    if (!file.content) {
      damaged = true;
      fmt::print(stderr, "bzscr-train: {}: damaged, removed\n", path);
      std::remove(path.c_str());  // or the next write would let it take the place of the one before
      continue;
    }
    expect_same_run(path, file.content->at("run"), *identity_);
    fmt::print(stderr, "bzscr-train: going on from {}\n", path);
    return json::to_cbor(file.content->at("state"));
  }
  if (damaged) throw InputError(file_, "no whole checkpoint is left; expected one, or no --resume");
  fmt::print(stderr, "bzscr-train: {}: no checkpoint yet, so this begins at the beginning\n",
             file_);
  return {};
}

bool Checkpoint::due() const {
  return !file_.empty() && rank() == 0 &&
         std::chrono::duration<double>(std::chrono::steady_clock::now() - written_).count() >=
             every_;
}

void Checkpoint::write(const RunState& state) {
  std::vector<std::uint8_t> bytes = json::to_cbor(json{{"run", *identity_}, {"state", state}});
  const auto hash = hash_of(bytes.data(), bytes.size());
  bytes.insert(bytes.end(), hash.begin(), hash.end());
  try {
    std::rename(file_.c_str(), previous_.c_str());  // there may be none
    write_file_atomically(file_, bytes);
  } catch (const InputError& error) {
    fmt::print(stderr, "bzscr-train: checkpoint {}; the training goes on\n", error.what());
  }
  written_ = std::chrono::steady_clock::now();
}

void Checkpoint::remove() {
  if (file_.empty() || rank() != 0) return;
  std::remove(file_.c_str());
  std::remove(previous_.c_str());
}

}  // namespace bzscr
