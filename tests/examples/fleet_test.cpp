// examples/fleet: the device's program by itself, and the whole demonstration.
#include "support/dataset_files.h"
#include "support/model_builder.h"
#include "support/run_program.h"

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace bzscr::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A model of 7 features and 9 classes, and a folder for its device.
class Device {
 public:
  Device() : model(random_model(/*m=*/7, /*d=*/5, /*k=*/3, /*classes=*/9)) {
    const AlignedBytes bytes = serialise(model);
    write_bytes(folder / "model.bzscr",
                {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  std::vector<std::string> command(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"--model", folder / "model.bzscr", "--store",
                                          folder / "store"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  /// What is answered to these bytes on standard input.
  Finished pipe(const std::string& bytes) const {
    write_bytes(folder / "lines", bytes);
    std::vector<std::string> arguments = {"-c", "exec \"$@\" < \"$0\"", folder / "lines",
                                          BZSCR_FLEET_DEVICE};
    for (const std::string& each : command({})) arguments.push_back(each);
    return run_program("/bin/sh", arguments);
  }

  /// The answer's class by plain loops.
  std::string best_of(const std::vector<float>& x) const {
    const auto score = [&](const TestClass& one) {
      return reference_score(model, x, one.phi) - (one.seen ? model.seen_penalty : 0);
    };
    return std::max_element(
               model.classes.begin(), model.classes.end(),
               [&](const TestClass& a, const TestClass& b) { return score(a) < score(b); })
        ->name;
  }

  TemporaryFolder folder;
  TestModel model;
};

std::string text_of(const std::vector<float>& x, const std::string& between) {
  std::ostringstream text;
  text.precision(9);
  for (std::size_t j = 0; j < x.size(); ++j) text << (j == 0 ? "" : between) << x[j];
  return text.str();
}

std::string class_in(const std::string& answer) { return answer.substr(answer.rfind('\t') + 1); }

/// A client of a device's socket.
class Client {
 public:
  explicit Client(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    for (int attempt = 0; attempt < 2000; ++attempt) {  // it may not be there yet
      if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
        return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL("nobody listens at " << path);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& bytes) {
    REQUIRE(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }
  /// As much as fits without waiting; whether all of it did.
  bool offer(const std::string& bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(bytes.size());
  }
  void end() { ::shutdown(socket_, SHUT_WR); }
  std::string line() {
    std::string read;
    for (char c; ::read(socket_, &c, 1) == 1 && c != '\n';) read += c;
    return read;
  }
  std::string rest() {
    std::string read;
    char bytes[4096];
    for (ssize_t size; (size = ::read(socket_, bytes, sizeof bytes)) > 0;)
      read.append(bytes, static_cast<std::size_t>(size));
    return read;
  }

 private:
  int socket_;
};

TEST_CASE("a line is answered by the best class, whatever stands between its numbers") {
  const Device device;
  std::string lines;
  std::vector<std::string> best;
  for (unsigned i = 0; i < 60; ++i) {
    const std::vector<float> x = random_vector(7, i);
    const char* between[] = {" ", ",", "\t", ", ", " \t , "};
    lines += (i % 2 == 0 ? "" : "  ") + text_of(x, between[i % 5]) + (i % 3 == 0 ? "\r\n" : "\n");
    best.push_back(device.best_of(x));
  }
  lines.pop_back();  // the last line need not end
  const Finished run = device.pipe(lines);
  CHECK(run.exit_code == 0);
  CHECK(run.err == "");
  const std::vector<std::string> answers = lines_of(run.out);
  REQUIRE(answers.size() == best.size());
  for (std::size_t i = 0; i < best.size(); ++i) CHECK(class_in(answers[i]) == best[i]);
}

TEST_CASE("a line that is no feature is answered by why, and the next one is scored") {
  const Device device;
  using namespace std::string_literals;
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"", "expected 7 numbers, found 0"},
      {"1 2 3 4 5 6", "expected 7 numbers, found 6"},
      {"1 2 3 4 5 6 7 8", "expected 7 numbers, found 8"},
      {"1 2 3 4 5 6 okapi", "'okapi' is no number"},
      {"1 2 3 4 5 6 7x", "'7x' is no number"},
      {"1 2 3 4 5 6 7\x01\x1b[31m", "'7??[31m' is no number"},
      {"1 2 3 4 5 6 7\0 8"s, "a zero byte"},
      {"1 2 3 4 5 6 nan", "NaN or infinity"},
      {"1 2 3 4 5 6 -1e999", "NaN or infinity"}};
  const std::vector<float> x = random_vector(7, 5);
  for (const auto& [line, why] : refused) {
    CAPTURE(line);
    const std::vector<std::string> answers =
        lines_of(device.pipe(line + "\n" + text_of(x, " ") + "\n").out);
    REQUIRE(answers.size() == 2);
    CHECK(answers[0].substr(0, 6) == "error\t");
    CHECK(answers[0].find(why) != std::string::npos);
    CHECK(class_in(answers[1]) == device.best_of(x));
  }
  const Finished endless = device.pipe(std::string(3'000'000, '1') + "\n" + text_of(x, " ") + "\n");
  CHECK(endless.exit_code == 0);
  CHECK(endless.out == "error\ta line of more than 512 bytes\n");
}

TEST_CASE("control characters in the name of a class do not reach an answer") {
  Device device;
  for (TestClass& one : device.model.classes) one.name = "a\tb\n" + one.name;
  const AlignedBytes bytes = serialise(device.model);
  write_bytes(device.folder / "model.bzscr",
              {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const std::vector<std::string> answers =
      lines_of(device.pipe(text_of(random_vector(7, 1), " ") + "\n").out);
  REQUIRE(answers.size() == 1);
  CHECK(class_in(answers[0]).substr(0, 4) == "a?b?");
}

TEST_CASE("clients of the socket do not wait for one another, and SIGTERM ends it cleanly") {
  const Device device;
  const std::string socket = device.folder / "socket";
  const std::vector<float> x = random_vector(7, 2);
  const std::string line = text_of(x, " ") + "\n";
  const Finished run =
      run_program(BZSCR_FLEET_DEVICE, device.command({"--socket", socket}), [&](int pid) {
        Client slow(socket);  // sends and sends, and never reads
        std::string many;
        for (int i = 0; i < 1000; ++i) many += line;
        while (slow.offer(many)) {}
        Client idle(socket);  // half a line, and no more
        idle.send("1 2 3");
        for (int i = 0; i < 100; ++i) {  // more than are served at once, one after the other
          Client one(socket);
          one.send(line);
          CHECK(class_in(one.line()) == device.best_of(x));
        }
        Client ending(socket);
        ending.send(line + text_of(x, " "));
        ending.end();
        CHECK(lines_of(ending.rest()).size() == 2);
        Client endless(socket);
        endless.offer(std::string(1000, '7'));
        CHECK(endless.rest() == "error\ta line of more than 512 bytes\n");

        const Finished second =
            run_program(BZSCR_FLEET_DEVICE, device.command({"--socket", socket}));
        CHECK(second.exit_code == 2);
        CHECK(second.err == "bzscr-fleet-device: " + socket + ": another device listens there\n");
        ::kill(pid, SIGTERM);
      });
  CHECK(run.exit_code == 0);
  CHECK(run.err == "");
  CHECK_FALSE(fs::exists(socket));
}

TEST_CASE("the socket of a device that died is replaced, another file is not") {
  const Device device;
  const std::string socket = device.folder / "socket";
  const Finished killed =
      run_program(BZSCR_FLEET_DEVICE, device.command({"--socket", socket}), [&](int pid) {
        Client(socket).end();
        ::kill(pid, SIGKILL);
      });
  CHECK(killed.exit_code == 128 + SIGKILL);
  REQUIRE(fs::exists(socket));
  const Finished next =
      run_program(BZSCR_FLEET_DEVICE, device.command({"--socket", socket}), [&](int pid) {
        Client one(socket);
        one.send(text_of(random_vector(7, 3), " ") + "\n");
        CHECK(one.line() != "");
        ::kill(pid, SIGINT);
      });
  CHECK(next.exit_code == 0);
  write_bytes(device.folder / "file", "mine");
  CHECK(run_program(BZSCR_FLEET_DEVICE, device.command({"--socket", device.folder / "file"}))
            .exit_code == 2);
  CHECK(read_bytes(device.folder / "file") == "mine");
}

TEST_CASE("a device without a broker scores all the same, and SIGTERM ends it") {
  const Device device;
  REQUIRE(run_program(BZSCR_PACK, {"keygen", device.folder / "shop"}).exit_code == 0);
  const std::string socket = device.folder / "socket";
  const auto with_broker =
      device.command({"--socket", socket, "--trust", device.folder / "shop.pub", "--broker",
                      "localhost", "--port", "1", "--id", "pi"});
  const Finished run = run_program(BZSCR_FLEET_DEVICE, with_broker, [&](int pid) {
    Client one(socket);
    one.send(text_of(random_vector(7, 3), " ") + "\n");
    CHECK(one.line() != "");
    ::kill(pid, SIGTERM);
  });
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("pi: no connection to localhost:1: ") == 0);
}

TEST_CASE(
    "what bzscr-store changes in the store of a running device is in its answers a moment "
    "later") {
  const Device device;
  REQUIRE(run_program(BZSCR_PACK, {"keygen", device.folder / "shop"}).exit_code == 0);
  const std::string socket = device.folder / "socket";
  const auto command = device.command({"--socket", socket, "--trust", device.folder / "shop.pub",
                                       "--broker", "localhost", "--port", "1", "--id", "pi"});
  const std::vector<float> x = random_vector(7, 4);
  const Finished run = run_program(BZSCR_FLEET_DEVICE, command, [&](int pid) {
    Client one(socket);
    const auto answer = [&] {
      one.send(text_of(x, " ") + "\n");
      return class_in(one.line());
    };
    CHECK(answer() == device.best_of(x));
    const Finished renamed = run_program(
        BZSCR_STORE, {"rename", device.best_of(x), "okapi", "--store", device.folder / "store",
                      "--model", device.folder / "model.bzscr"});
    CHECK(renamed.err == "");
    int attempts = 1000;
    while (answer() != "okapi" && --attempts > 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(attempts > 0);
    ::kill(pid, SIGTERM);
  });
  CHECK(run.exit_code == 0);
  CHECK(run.err.find("pi: another program changed the store\n") != std::string::npos);
}

TEST_CASE("options that cannot be used are told in one line") {
  const Device device;
  REQUIRE(run_program(BZSCR_PACK, {"keygen", device.folder / "shop"}).exit_code == 0);
  const std::string key = device.folder / "shop.pub";
  const auto refused = [&](const std::vector<std::string>& options, const std::string& why) {
    const Finished run = run_program(BZSCR_FLEET_DEVICE, options);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.out == "");
    CHECK(lines_of(run.err).back().find(why) != std::string::npos);
  };
  refused({}, "--model and --store are needed");
  refused({"--modle", "x"}, "see --help");
  refused(device.command({"okapi"}), "'okapi' is no option");
  refused(device.command({"--capacity", "0"}), "--capacity: '0' is no number from 1 to");
  refused(device.command({"--capacity", "3"}), "model.bzscr: ");
  refused(device.command({"--trust", device.folder / "shop.key"}),
          "shop.key: not a bzscr-public-key; expected a line");
  refused(device.command({"--trust", device.folder / "none"}), "none: No such file or directory");
  refused({"--model", key, "--store", device.folder / "store"}, "shop.pub: ");
  refused({"--model", device.folder / "none", "--store", device.folder / "store"},
          "none: cannot be read");
  refused({"--model", device.folder / "model.bzscr", "--store", device.folder / "no/where"},
          "no/where: ");
  refused(device.command({"--socket", device.folder / std::string(200, 'x')}),
          "too long for the name of a socket");
  refused(device.command({"--broker", "localhost", "--id", "pi"}), "--broker needs --trust");
  const auto broker = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--broker", "localhost", "--trust", key});
    return device.command(more);
  };
  refused(broker({}), "--id: '' is not one to 64 letters");
  refused(broker({"--id", "a/b"}), "--id: 'a/b' is not one to 64 letters");
  refused(broker({"--id", "pi", "--prefix", "#"}), "--prefix: '#' is not one to 64 letters");
  refused(broker({"--id", "pi", "--port", "65536"}), "--port: '65536' is no number");
  refused(broker({"--id", "pi", "--cafile", device.folder / "none"}), "none: ");
  refused(broker({"--id", "pi", "--username", "pi", "--password-file", device.folder / "none"}),
          "none: cannot be read");
  const Finished help = run_program(BZSCR_FLEET_DEVICE, {"--help"});
  CHECK(help.exit_code == 0);
  CHECK(help.out.find("--broker HOST") != std::string::npos);
}

#ifdef BZSCR_FLEET
std::string folder_of(const std::string& program) {
  return fs::path(program).parent_path().string();
}

TEST_CASE(
    "a fleet learns a class that was never trained on, and neither forgers nor power cuts change "
    "that") {
  const Finished run = run_program(
      "/usr/bin/env", {"PATH=" + folder_of(BZSCR_TRAIN) + ":" + folder_of(BZSCR_PACK) + ":" +
                           folder_of(BZSCR_FLEET_DEVICE) + ":/usr/sbin:/usr/bin:/bin",
                       BZSCR_FLEET, "--installed", "--cuts", "3"});
  CAPTURE(run.out);
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.out.find("packs tried on each of three devices, 0 accepted") != std::string::npos);
  CHECK(run.out.find("store1: taught '") != std::string::npos);
  CHECK(run.out.find(" after, on all devices") != std::string::npos);
}
#endif

}  // namespace
}  // namespace bzscr::test
