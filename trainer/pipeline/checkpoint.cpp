#include "pipeline/checkpoint.h"

#include <bzscr_train/error.hpp>
#include "base/atomic_file.h"
#include "comm/communicator.h"
#include "data/content_hash.h"
#include "tuning/state_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

using nlohmann::json;

namespace bzscr {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JointOutcome, truth, seen, leads_kind, lead)

}  // namespace bzscr

namespace bzscr::train {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Trial, parameters, validation_error, weak_models, evaluations)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FoldOutcomes, joint, taught)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Resumption, tuning, refined, printed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunState, phase, parameters, tuned, validation_error,
                                   max_iterations, evaluations, tried, trained, outcomes, current)

namespace {

constexpr std::size_t kHashBytes = 16;

std::array<std::uint8_t, kHashBytes> hash_of(const std::uint8_t* bytes, std::size_t size) {
  ContentHash hash;
  hash.add_bytes(bytes, size);
  return hash.digest();
}

// All values that determine the trained model.
json identity_of(const Settings& settings, const Dataset& data) {
  const auto given = [](const std::optional<double>& value) {
    return value ? json(*value) : json("chosen");
  };
  const FitOptions& o = settings.asked;
  const Dataset::Content& content = data.content();
  return {{"the version", BZSCR_VERSION},
          {"the embedding", data.embedding()},
          {"the hash of the data set", data.hash()},
          {"missing", content.missing},
          {"divergence", content.asked_divergence},
          {"wordnet", content.wordnet},
          {"feature_scaling", o.feature_scaling},
          {"embedding_scaling", o.embedding_scaling},
          {"solver", o.solver},
          {"method", o.method},
          {"nu", given(o.nu)},
          {"beta", given(o.beta)},
          {"ridge", settings.boost.ridge},
          {"base", settings.boost.base},
          {"score", name_of(settings.boost.score)},
          {"own_part", settings.scalings.own_part},
          {"teaching_directions", o.teaching_directions},
          {"feature_centring", settings.scalings.centre_features},
          {"initial_share", o.initial_share},
          {"share_growth", o.share_growth},
          {"final_share", o.final_share},
          {"full_share", o.full_share},
          {"gap", o.gap},
          {"tolerance", o.tolerance},
          {"min_iterations", o.min_iterations},
          {"max_iterations", o.max_iterations},
          {"early_stopping", o.early_stopping},
          {"folds", o.folds},
          {"seed", o.seed},
          {"calibration", o.calibration}};
}

struct File {
  bool exists = false;
  std::optional<json> content;  // empty: damaged
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

/// Whether a file begins as a checkpoint does: as CBOR of an object of two members, "run" first.
/// Only such files are replaced or removed.
bool is_checkpoint(const std::string& path) {
  constexpr std::string_view kBegin = "\xa2\x63run";
  std::string begin(kBegin.size(), '\0');
  std::ifstream(path, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kBegin;
}

void expect_checkpoint_or_nothing(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error)) && !is_checkpoint(path))
    throw InputError(path, "is not a checkpoint of a training; expected one, or no file yet");
}

void expect_same_run(const std::string& path, const json& found, const json& expected) {
  for (const auto& [name, value] : expected.items()) {
    if (!found.contains(name) || found.at(name) != value)
      throw InputError(path, fmt::format("belongs to another run: {} was {}, and is {} now; "
                                         "expected the same options and data, "
                                         "or a run that does not resume",
                                         name, found.value(name, json()).dump(), value.dump()));
  }
}

}  // namespace

Checkpoint::Checkpoint(const Settings& settings, const Dataset& data, Communicator& communicator,
                       Note note)
    : file_(settings.asked.checkpoint),
      previous_(settings.asked.checkpoint + ".previous"),
      every_(settings.asked.checkpoint_seconds),
      communicator_(communicator),
      note_(std::move(note)),
      identity_(std::make_unique<json>(identity_of(settings, data))) {
  if (file_.empty() || communicator_.rank() != 0) return;
  expect_writable(file_);
  for (const std::string& path : {file_, previous_}) {
    expect_checkpoint_or_nothing(path);
    if (!settings.asked.resume && is_checkpoint(path))
      throw InputError(
          path,
          "is the checkpoint of a run that did not finish; expected the option resume, to "
          "go on from it, or no such file");
  }
}

Checkpoint::~Checkpoint() = default;

std::optional<RunState> Checkpoint::read() {
  std::vector<std::uint8_t> state;
  if (communicator_.rank() == 0) state = newest();
  communicator_.broadcast(state);
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
      note_(path + ": damaged, removed");
      std::remove(path.c_str());  // otherwise the next write would rename it over `previous_`
      continue;
    }
    expect_same_run(path, file.content->at("run"), *identity_);
    note_("resuming from " + path);
    return json::to_cbor(file.content->at("state"));
  }
  if (damaged)
    throw InputError(file_,
                     "all checkpoint files are damaged; expected an intact one, or a run that does "
                     "not resume");
  note_(file_ + ": no checkpoint yet, so training starts from the beginning");
  return {};
}

bool Checkpoint::due() const {
  return !file_.empty() && communicator_.rank() == 0 &&
         std::chrono::duration<double>(std::chrono::steady_clock::now() - written_).count() >=
             every_;
}

void Checkpoint::write(const RunState& state) {
  std::vector<std::uint8_t> bytes = json::to_cbor(json{{"run", *identity_}, {"state", state}});
  const auto hash = hash_of(bytes.data(), bytes.size());
  bytes.insert(bytes.end(), hash.begin(), hash.end());
  try {
    std::rename(file_.c_str(), previous_.c_str());  // fails if there is none yet
    write_file_atomically(file_, bytes);
  } catch (const InputError& error) {
    note_(fmt::format("checkpoint {}; training continues", error.what()));
  }
  written_ = std::chrono::steady_clock::now();
}

void remove_checkpoint(const std::string& path) {
  for (const std::string& file : {path, path + ".previous"})
    if (is_checkpoint(file)) std::remove(file.c_str());
}

}  // namespace bzscr::train
