// bzscr-train with several ranks: the results and error messages are those of one rank, and all
// ranks end if one does.
#include "delayed_cable.h"
#include "support/dataset_files.h"
#include "support/json.h"
#include "support/run_program.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <thread>

#include <unistd.h>

namespace bzscr::test {
namespace {

using Arguments = std::vector<std::string>;

const std::string kCaltech = BZSCR_EXAMPLE_DATA "/caltech";

/// mpirun as root, with more ranks than cores, and without busy waiting.
const bool environment_is_set = [] {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"})
    setenv(name, "1", 1);
  setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none",
         1);  // containers do not permit reading the memory of another process
  setenv("OMP_WAIT_POLICY", "passive", 1);
  return true;
}();

Arguments joined(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Finished train(int processes, const Arguments& arguments,
               const std::function<void(int)>& meanwhile = nullptr, const Arguments& mpirun = {}) {
  const Arguments front = joined({"-n", std::to_string(processes)}, mpirun);
  return run_program(MPIRUN, joined(joined(front, {BZSCR_TRAIN_MPI}), arguments), meanwhile);
}

Finished train_alone(const Arguments& arguments) { return run_program(BZSCR_TRAIN, arguments); }

Json json_of(const Finished& run) {
  CAPTURE(run.out);
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  return Json::parse(run.out);
}

void check_same_result(const Json& found, const Json& expected) {
  CHECK(found["nu"] == expected["nu"]);
  CHECK(found["beta"] == expected["beta"]);
  CHECK(found["samples"] == expected["samples"]);
  CHECK(found["objective"].get<double>() ==
        doctest::Approx(expected["objective"].get<double>()).epsilon(1e-6));
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t times = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++times;
  return times;
}

/// Process ids of the ranks that mpirun has started.
std::vector<int> workers_of(int parent) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "stat");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) continue;
    std::istringstream rest(text.substr(name_end + 1));
    std::string status;
    int ppid = 0;
    rest >> status >> ppid;
    if (ppid == parent) found.push_back(std::stoi(pid));
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Waits until `file` exists, then sends `signal` to the last rank.
std::function<void(int)> signal_one(const std::string& file, int signal) {
  return [=](int mpirun) {
    for (int wait = 0; wait < 30000 && !std::filesystem::exists(file); ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::vector<int> workers = workers_of(mpirun);
    if (workers.empty())
      kill(mpirun, SIGKILL);
    else
      kill(workers.back(), signal);
  };
}

const Arguments kRun = {kCaltech, "--embedding", "hypernyms", "--nu",
                        "0.003",  "--beta",      "0.4",       "--quiet"};

TEST_CASE("one process under mpirun writes the bytes of the program without MPI") {
  const TemporaryFolder folder;
  REQUIRE(train_alone(joined(kRun, {"-o", folder / "alone.bzscr"})).exit_code == 0);
  const Finished run = train(1, joined(kRun, {"-o", folder / "one.bzscr"}));
  CAPTURE(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK(read_bytes(folder / "one.bzscr") == read_bytes(folder / "alone.bzscr"));
}

/// The points of the grid that were tried, in order.
std::vector<std::pair<double, double>> places(const Json& run) {
  std::vector<std::pair<double, double>> out;
  for (const Json& point : run["tried"]) out.emplace_back(point["nu"], point["beta"]);
  return out;
}

TEST_CASE("bzscr-train is not linked with MPI, and bzscr-train-mpi is") {
  CHECK(run_program("/usr/bin/ldd", {BZSCR_TRAIN}).out.find("libmpi") == std::string::npos);
  CHECK(run_program("/usr/bin/ldd", {BZSCR_TRAIN_MPI}).out.find("libmpi") != std::string::npos);
}

TEST_CASE(
    "two and three ranks choose the same nu and beta as one and reach the same objective, also "
    "over the loopback network") {
  const TemporaryFolder folder;
  // A gap of 1e-6: with a wider gap the runs may stop at different points within it.
  const Arguments common = {kCaltech, "--embedding",      "hypernyms", "--gap",
                            "1e-6",   "--no-calibration", "--quiet",   "--json"};
  const Arguments chooses_nu = joined(common, {"--beta", "0.4"}),
                  chooses_beta = joined(common, {"--nu", "0.01"});
  check_same_result(json_of(train(2, joined(chooses_nu, {"-o", folder / "two.bzscr"}))),
                    json_of(train_alone(joined(chooses_nu, {"-o", folder / "alone.bzscr"}))));
  const Json expected = json_of(train_alone(joined(chooses_beta, {"-o", folder / "alone.bzscr"})));
  const Json three = json_of(train(
      3, joined(chooses_beta, {"--history", folder / "run.jsonl", "-o", folder / "three.bzscr"}),
      nullptr, {"--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"}));
  check_same_result(three, expected);
  CHECK(places(three) == places(expected));
  const Arguments from_base = joined(common, {"--base", "ridge", "--nu", "0.01", "--beta", "0.4"});
  check_same_result(json_of(train(2, joined(from_base, {"-o", folder / "two.bzscr"}))),
                    json_of(train_alone(joined(from_base, {"-o", folder / "alone.bzscr"}))));
  const std::string history = read_bytes(folder / "run.jsonl");
  CHECK(count(history, "\"phase\":\"settings\"") == 1);
  CHECK(count(history, "\"phase\":\"tuning\"") == three["tried"].size());
  CHECK(read_bytes(folder / "three.bzscr").size() == three["model_bytes"].get<std::size_t>());
}

TEST_CASE(
    "a tuning whose paths are divided among groups of ranks tries and chooses the same points as "
    "one rank") {
  const TemporaryFolder folder;
  const Arguments common = {kCaltech,           "--embedding", "hypernyms",
                            "--no-calibration", "--quiet",     "--json"};
  const Json all = json_of(train_alone(joined(common, {"-o", folder / "alone.bzscr"})));
  const Json two = json_of(
      train(2, joined(common, {"--history", folder / "run.jsonl", "-o", folder / "two.bzscr"})));
  CHECK(places(two) == places(all));
  CHECK(two["nu"] == all["nu"]);
  CHECK(two["beta"] == all["beta"]);
  CHECK(count(read_bytes(folder / "run.jsonl"), "\"phase\":\"tuning\"") == two["tried"].size());
  // Four betas and six ranks: two groups of three.
  const Arguments chooses_beta = joined(common, {"--gap", "1e-6", "--nu", "0.01"});
  const Json six = json_of(train(6, joined(chooses_beta, {"-o", folder / "six.bzscr"})));
  const Json expected = json_of(train_alone(joined(chooses_beta, {"-o", folder / "alone.bzscr"})));
  check_same_result(six, expected);
  CHECK(places(six) == places(expected));
}

TEST_CASE("an interrupted tuning that resumes with another number of ranks makes the same choice") {
  const TemporaryFolder folder;
  const Arguments run = {kCaltech,           "--embedding", "hypernyms",
                         "--no-calibration", "--quiet",     "--json"};
  const Json expected = json_of(train_alone(joined(run, {"-o", folder / "whole.bzscr"})));
  const Arguments kept = joined(
      run, {"--checkpoint", folder / "run.ckpt", "--every", "0", "-o", folder / "model.bzscr"});
  const Finished broken = train(2, kept, signal_one(folder / "run.ckpt.previous", SIGKILL));
  CHECK(broken.exit_code != 0);
  REQUIRE(std::filesystem::exists(folder / "run.ckpt"));
  const Json resumed = json_of(train(3, joined(kept, {"--resume"})));
  CHECK(places(resumed) == places(expected));
  CHECK(resumed["nu"] == expected["nu"]);
  CHECK(resumed["beta"] == expected["beta"]);
}

TEST_CASE("--solver paper selects the same samples with several ranks as with one") {
  const TemporaryFolder folder;
  const Arguments printed = {kCaltech,    "--embedding",
                             "hypernyms", "--nu",
                             "0.01",      "--beta",
                             "0.4",       "--solver",
                             "paper",     "--max-iterations",
                             "12",        "--no-calibration",
                             "--quiet",   "--json"};
  const Json expected = json_of(train_alone(joined(printed, {"-o", folder / "alone.bzscr"})));
  const Json found = json_of(train(3, joined(printed, {"-o", folder / "three.bzscr"})));
  check_same_result(found, expected);
  CHECK(found["iterations"] == expected["iterations"]);
  CHECK(found["weak_models"] == expected["weak_models"]);
}

TEST_CASE(
    "the message of an evaluation has 8 (m + d) k bytes and a constant, for any number of "
    "samples") {
  const TemporaryFolder folder;
  for (const int copies : {48, 192}) {
    const DataFolder data;
    Matrix features(copies * DataFolder::kSamples, DataFolder::kFeatures);
    std::vector<std::int64_t> labels;
    for (int c = 0; c < copies; ++c) {
      features.middleRows(c * DataFolder::kSamples, DataFolder::kSamples) = data.features;
      labels.insert(labels.end(), data.labels.begin(), data.labels.end());
    }
    data.npy("features.npy", features);
    data.npy("labels.npy", labels);
    data.remove("test_seen.npy");
    const Json run = json_of(train(
        2, {data.path(), "--method", "boosting", "--nu", "0.01", "--beta", "0.4", "--own-part", "0",
            "--no-calibration", "--quiet", "--json", "-o", folder / "model.bzscr"}));
    // Upper bound of the number of weak models in use plus those being added.
    const double k = 2.0 * DataFolder::kEmbedding;
    const double most = 8 * (DataFolder::kFeatures + DataFolder::kEmbedding) * k + 8 * 60;
    CHECK(run["processes"] == 2);
    CHECK(run["bytes_communicated"].get<double>() / run["evaluations"].get<double>() <= most);
  }
}

#if defined(__x86_64__)
TEST_CASE("ranks that round differently end with an error message and write no model") {
  const TemporaryFolder folder;
  const auto with_kernels = [&](const std::string& type) {
    return joined(joined({"-n", "1", "-x", "OPENBLAS_CORETYPE=" + type, BZSCR_TRAIN_MPI}, kRun),
                  {"-o", folder / "model.bzscr"});
  };
  const Finished run =
      run_program(MPIRUN, joined(joined(with_kernels("NEHALEM"), {":"}), with_kernels("PRESCOTT")));
  CAPTURE(run.err);
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("the ranks have computed different numbers") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "model.bzscr"));
}
#endif

TEST_CASE("more ranks than blocks of samples give the result of one rank") {
  const DataFolder data;
  const TemporaryFolder folder;
  const Arguments run = {data.path(), "--nu", "0.01", "--beta", "0.4", "--quiet", "--json"};
  check_same_result(json_of(train(3, joined(run, {"-o", folder / "three.bzscr"}))),
                    json_of(train_alone(joined(run, {"-o", folder / "alone.bzscr"}))));
}

TEST_CASE("an error on one rank ends all ranks with its message and exit code 2") {
  const DataFolder data;
  Matrix features(3 * 1024, DataFolder::kFeatures);
  std::vector<std::int64_t> labels;
  for (Index i = 0; i < features.rows(); ++i) {
    features.row(i) = data.features.row(i % DataFolder::kSamples);
    labels.push_back(data.labels[static_cast<std::size_t>(i % DataFolder::kSamples)]);
  }
  features(3000, 2) = NAN;
  data.npy("features.npy", features);
  data.npy("labels.npy", labels);
  const Finished run =
      train(3, {data.path(), "--nu", "0.01", "--beta", "0.4", "-o", data / "model.bzscr"});
  CAPTURE(run.err);
  CHECK(run.exit_code == 2);
  CHECK(run.err.find("features.npy: row 3000, column 2 is nan; expected finite values within "
                     "float32 (process 2 of 3)") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(data / "model.bzscr"));
}

TEST_CASE("an error that all ranks find is reported once, with exit code 2") {
  const TemporaryFolder folder;
  const Finished missing = train(2, {folder / "none", "-o", folder / "model.bzscr"});
  CHECK(missing.exit_code == 2);
  CHECK(count(missing.err, "none: no such folder") == 1);
  const Finished unknown = train(2, {folder / "none", "--nuu", "1", "-o", folder / "model.bzscr"});
  CHECK(unknown.exit_code == 2);
  CHECK(count(unknown.err, "--nuu") == 1);
  const Finished sequential = train(
      2, {kCaltech, "--embedding", "hypernyms", "--method", "sje", "-o", folder / "model.bzscr"});
  CHECK(sequential.exit_code == 2);
  CHECK(count(sequential.err, "method sje runs on one rank only") == 1);
}

TEST_CASE(
    "when one rank is killed, the run ends within seconds and can resume with another number of "
    "ranks") {
  const TemporaryFolder folder;
  const Arguments run = joined(kRun, {"--gap", "1e-6", "--no-calibration", "--json"});
  const Json expected = json_of(train_alone(joined(run, {"-o", folder / "whole.bzscr"})));
  const Arguments kept = joined(
      run, {"--checkpoint", folder / "run.ckpt", "--every", "0", "-o", folder / "model.bzscr"});
  std::chrono::steady_clock::time_point killed;
  const Finished broken = train(2, kept, [&](int mpirun) {
    signal_one(folder / "run.ckpt.previous", SIGKILL)(mpirun);
    killed = std::chrono::steady_clock::now();
  });
  CAPTURE(broken.err);
  CHECK(std::chrono::steady_clock::now() - killed < std::chrono::seconds(20));
  CHECK(broken.exit_code != 0);
  CHECK(broken.err.find("signal 9") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "model.bzscr"));
  REQUIRE(std::filesystem::exists(folder / "run.ckpt"));

  const Finished resumed = train(3, joined(kept, {"--resume"}));
  CHECK(resumed.err.find("resuming from " + (folder / "run.ckpt")) != std::string::npos);
  check_same_result(json_of(resumed), expected);
  CHECK_FALSE(std::filesystem::exists(folder / "run.ckpt"));
}

TEST_CASE("an interrupt of one rank stops all ranks, and the best model so far is written") {
  const TemporaryFolder folder;
  const Finished run =
      train(2,
            {kCaltech, "--embedding", "hypernyms", "--nu", "0.03", "--beta", "0.4", "--gap",
             "1e-15", "--max-iterations", "1000000", "--quiet", "--checkpoint", folder / "run.ckpt",
             "--every", "0", "-o", folder / "model.bzscr"},
            signal_one(folder / "run.ckpt.previous", SIGINT));
  CAPTURE(run.err);
  CHECK(run.exit_code == 130);
  CHECK(run.out.find("interrupted; this is the best model so far") != std::string::npos);
  CHECK(std::filesystem::exists(folder / "model.bzscr"));
}

TEST_CASE(
    "--plan with two ranks measures the network, and with one rank states that it is not "
    "measured") {
  const Arguments asked = {kCaltech, "--embedding", "hypernyms", "--plan"};
  const Json one = json_of(train_alone(joined(asked, {"--json"}))),
             two = json_of(train(2, joined(asked, {"--json"})));
  CHECK(one["machine"]["network_measured"] == false);
  CHECK(two["machine"]["network_measured"] == true);
  for (const Json& plan : {one, two}) {
    CHECK(plan["plan"].size() == 11);
    const double numbers =
        plan["weak_models"].get<double>() *
        (plan["features"].get<double>() + plan["embedding_dimension"].get<double>());
    for (const Json& run : plan["plan"]) {
      const double bytes = run["message_bytes"];
      CHECK(bytes == (run["processes"] == 1 ? 0 : 8 * (numbers + 1)));  // 1: the loss
      CHECK(run["seconds"].get<double>() > 0);
      CHECK(run["speedup"].get<double>() <= 1.01 * run["processes"].get<double>());
    }
    CHECK(plan["worth_using"].get<int>() >= 1);
  }
  const Finished table = train_alone(asked);
  CHECK(table.exit_code == 0);
  CHECK(table.out.find("a usual network, not measured (mpirun -n 2 measures yours)") !=
        std::string::npos);
  CHECK(table.out.find("\n     1024  ") != std::string::npos);
}

/// Two simulated machines: network namespaces with a cable between them that delays every frame by
/// `delay`.
class TwoMachines {
 public:
  explicit TwoMachines(std::chrono::nanoseconds delay = {}) : id_(std::to_string(getpid())) {
    const std::string a = "bzscr-a" + id_, b = "bzscr-b" + id_;
    if (!sh("ip netns add " + a + " && ip netns add " + b)) return;
    if (delay.count() > 0) {
      cable_ = std::make_unique<DelayedCable>(a, "bzsa" + id_, b, "bzsb" + id_, delay);
      if (!cable_->made()) return;
    } else if (!sh("ip link add bzsa" + id_ + " netns " + a + " type veth peer name bzsb" + id_ +
                   " netns " + b)) {
      return;
    }
    made_ = sh("true" + up("a", "1") + up("b", "2"));
    // mpirun calls this script instead of ssh to start a process on the other machine; the first
    // argument is the machine.
    write_bytes(agent(),
                "#!/bin/sh\nshift\nexec ip netns exec bzscr-b" + id_ +
                    " unshare --uts sh -c 'hostname bzscr-b && exec sh -c \"$0\"' \"$*\"\n");
    std::filesystem::permissions(agent(), std::filesystem::perms::owner_all);
  }
  ~TwoMachines() {
    sh("ip netns del bzscr-a" + id_);
    sh("ip netns del bzscr-b" + id_);
  }
  bool made() const { return made_; }

  /// Runs bzscr-train with one rank on each machine.
  Finished train(const Arguments& arguments,
                 const std::function<void(int)>& meanwhile = nullptr) const {
    const std::string network = "10.77.0.0/24";
    const Arguments mpirun = {"netns",    "exec",  "bzscr-a" + id_,
                              MPIRUN,     "--mca", "plm_rsh_agent",
                              agent(),    "--mca", "btl",
                              "tcp,self", "--mca", "oob_tcp_if_include",
                              network,    "--mca", "btl_tcp_if_include",
                              network,    "-host", "localhost:1,10.77.0.2:1",
                              "-n",       "2",     BZSCR_TRAIN_MPI};
    return run_program(ip_, joined(mpirun, arguments), meanwhile);
  }

 private:
  static bool sh(const std::string& command) {
    return run_program("/bin/sh", {"-c", command}).exit_code == 0;
  }
  std::string up(const std::string& side, const std::string& number) const {
    const std::string in = "ip -n bzscr-" + side + id_, device = "bzs" + side + id_;
    return " && " + in + " addr add 10.77.0." + number + "/24 dev " + device + " && " + in +
           " link set lo up && " + in + " link set " + device + " up";
  }
  std::string agent() const { return folder_ / "agent"; }

  TemporaryFolder folder_;
  std::unique_ptr<DelayedCable> cable_;
  std::string id_, ip_ = std::filesystem::exists("/usr/sbin/ip") ? "/usr/sbin/ip" : "/sbin/ip";
  bool made_ = false;
};

constexpr const char* kNoNamespaces =
    "skipped: network namespaces cannot be made here (they need root and CAP_NET_ADMIN)";

TEST_CASE("two ranks in two network namespaces reach the objective of one") {
  const TwoMachines machines;
  if (!machines.made()) {
    MESSAGE(kNoNamespaces);
    return;
  }
  const TemporaryFolder folder;
  // A gap of 1e-6, as above: two ranks add in another order, and stop elsewhere within a wider gap.
  const Arguments run = joined(kRun, {"--gap", "1e-6", "--no-calibration", "--json"});
  const Json expected = json_of(train_alone(joined(run, {"-o", folder / "alone.bzscr"})));
  const Json found = json_of(machines.train(joined(run, {"-o", folder / "two.bzscr"})));
  check_same_result(found, expected);
  CHECK(found["processes"] == 2);
}

TEST_CASE("the communication time of --plan is at least the delay of the network") {
  // An allreduce takes at least the delay of the cable. The difference between plan and run depends
  // on the load of the machine, so it is only printed.
  for (const auto delay : {std::chrono::milliseconds(1), std::chrono::milliseconds(5)}) {
    const TwoMachines machines(delay);
    if (!machines.made()) {
      MESSAGE(kNoNamespaces);
      return;
    }
    const double seconds = std::chrono::duration<double>(delay).count();
    const TemporaryFolder folder;
    const Json planned = json_of(machines.train(
        {kCaltech, "--embedding", "hypernyms", "--threads", "1", "--plan", "--json"}))["plan"][1];
    const Json run = json_of(
        machines.train(joined(kRun, {"--method", "boosting", "--no-calibration", "--threads", "1",
                                     "--json", "-o", folder / "two.bzscr"})));
    CHECK(planned["communication_seconds"].get<double>() >= seconds);
    CHECK(run["seconds_communicating"].get<double>() >= seconds * run["evaluations"].get<double>());
    MESSAGE("delay " << 1e3 * seconds << " ms: planned "
                     << 1e3 * planned["communication_seconds"].get<double>()
                     << " ms of communication an evaluation, the run took "
                     << 1e3 * run["seconds_communicating"].get<double>() /
                            run["evaluations"].get<double>());
  }
}

}  // namespace
}  // namespace bzscr::test
