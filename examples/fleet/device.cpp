// bzscr-fleet-device: scores feature vectors while its classes come by MQTT.

#include "classifier.h"
#include "line_server.h"
#include "pack_channel.h"

#include <getopt.h>
#include <mosquitto.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

constexpr const char* kUsage =
    "Usage: bzscr-fleet-device --model FILE --store DIR [--trust FILE.pub]... [--socket PATH "
    "--broker HOST --id ID ...]\n"
    "\n"
    "Scores feature vectors, a line each, and keeps its classes in a store that packs from an MQTT "
    "topic change.\n"
    "\n"
    "  --model FILE          as bzscr-train wrote it\n"
    "  --store DIR           where this device keeps what was changed of its classes; made if it "
    "is not there\n"
    "  --trust FILE.pub      a key that packs may be signed by (bzscr-pack keygen); may be "
    "given several times\n"
    "  --allow-unsigned      take packs without a signature too; who can publish can then change "
    "all classes\n"
    "  --capacity N          most classes at any one time; default 1000 more than the model has, "
    "or twice as many\n"
    "  --socket PATH         a Unix socket to answer at; default: standard input, until its end\n"
    "  --broker HOST         take packs from this MQTT 5 broker; needs --id\n"
    "  --port N              default 1883, with --cafile 8883\n"
    "  --id ID               of this device; no other may have it\n"
    "  --prefix NAME         of the topics NAME/packs and NAME/status/ID; default bzscr\n"
    "  --largest-pack BYTES  default 1048576\n"
    "  --cafile FILE         certificates to trust: speaks TLS\n"
    "  --username NAME       for the broker\n"
    "  --password-file FILE  its first line\n"
    "\n"
    "A line holds the feature's numbers, with spaces, tabs or commas between; its answer is "
    "ID<tab>SCORE<tab>NAME of the\n"
    "best class, or error<tab>WHY. SIGTERM ends the program; so may a power cut, at any time.\n";

struct Options {
  ClassifierOptions classifier;
  std::string socket;
  Broker broker;
  bool has_broker = false;
};

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

long number(const std::string& option, const std::string& text, long least, long most) {
  char* end = nullptr;
  const long value = std::strtol(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || value < least || value > most)
    refuse(option + ": '" + text + "' is no number from " + std::to_string(least) + " to " +
           std::to_string(most));
  return value;
}

Options parse(int argc, char** argv) {
  enum {
    kModel = 1,
    kStore,
    kTrust,
    kUnsigned,
    kCapacity,
    kSocket,
    kBroker,
    kPort,
    kId,
    kPrefix,
    kLargest,
    kCa,
    kUser,
    kPassword,
    kHelp
  };
  const option known[] = {{"model", 1, nullptr, kModel},
                          {"store", 1, nullptr, kStore},
                          {"trust", 1, nullptr, kTrust},
                          {"allow-unsigned", 0, nullptr, kUnsigned},
                          {"capacity", 1, nullptr, kCapacity},
                          {"socket", 1, nullptr, kSocket},
                          {"broker", 1, nullptr, kBroker},
                          {"port", 1, nullptr, kPort},
                          {"id", 1, nullptr, kId},
                          {"prefix", 1, nullptr, kPrefix},
                          {"largest-pack", 1, nullptr, kLargest},
                          {"cafile", 1, nullptr, kCa},
                          {"username", 1, nullptr, kUser},
                          {"password-file", 1, nullptr, kPassword},
                          {"help", 0, nullptr, kHelp},
                          {nullptr, 0, nullptr, 0}};
  Options options;
  Broker& broker = options.broker;
  broker.port = 0;
  for (int chosen; (chosen = ::getopt_long(argc, argv, "h", known, nullptr)) != -1;) {
    const std::string value = optarg != nullptr ? optarg : "";
    switch (chosen) {
      case kModel: options.classifier.model = value; break;
      case kStore: options.classifier.store = value; break;
      case kTrust: options.classifier.trusted.push_back(value); break;
      case kUnsigned: options.classifier.require_signature = false; break;
      case kCapacity:
        options.classifier.capacity =
            static_cast<std::uint32_t>(number("--capacity", value, 1, 1L << 30));
        break;
      case kSocket: options.socket = value; break;
      case kBroker:
        broker.host = value;
        options.has_broker = true;
        break;
      case kPort: broker.port = static_cast<int>(number("--port", value, 1, 65535)); break;
      case kId: broker.id = value; break;
      case kPrefix: broker.prefix = value; break;
      case kLargest:
        broker.largest_pack =
            static_cast<std::size_t>(number("--largest-pack", value, 1, 1L << 27));
        break;
      case kCa: broker.ca_file = value; break;
      case kUser: broker.username = value; break;
      case kPassword: broker.password_file = value; break;
      case 'h':
      case kHelp: std::fputs(kUsage, stdout); std::exit(0);
      default: refuse("see --help");
    }
  }
  if (optind < argc) refuse(std::string("'") + argv[optind] + "' is no option; see --help");
  if (options.classifier.model.empty() || options.classifier.store.empty())
    refuse("--model and --store are needed; see --help");
  if (options.has_broker) {
    if (const std::string why = check_topic_level(broker.id); !why.empty()) refuse("--id: " + why);
    if (const std::string why = check_topic_level(broker.prefix); !why.empty())
      refuse("--prefix: " + why);
    if (broker.port == 0) broker.port = broker.ca_file.empty() ? 1883 : 8883;
    if (options.classifier.trusted.empty() && options.classifier.require_signature)
      refuse("--broker needs --trust, the keys of those who may change classes; see --help");
  }
  return options;
}

void block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int each : {SIGTERM, SIGINT, SIGPIPE}) sigaddset(&signals, each);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

/// Follows the broker in a thread of its own, from birth to death.
class PackThread {
 public:
  explicit PackThread(PackChannel& channel)
      : stop_(::eventfd(0, EFD_CLOEXEC)),
        done_(std::async(std::launch::async,
                         [this, &channel]() noexcept { channel.follow(stop_); })) {}
  ~PackThread() {
    ::eventfd_write(stop_, 1);
    // A broker that does not answer must not keep us; and there is nothing to lose, the store
    // stands any end.
    if (done_.wait_for(std::chrono::seconds(3)) != std::future_status::ready)
      std::_Exit(std::uncaught_exceptions() > 0 ? 2 : 0);
    ::close(stop_);
  }
  PackThread(const PackThread&) = delete;
  PackThread& operator=(const PackThread&) = delete;

 private:
  int stop_;
  std::future<void> done_;
};

void run(const Options& options) {
  Classifier classifier(options.classifier);
  LineServer server(classifier, options.socket);
  std::optional<PackChannel> channel;
  std::optional<PackThread> thread;
  if (options.has_broker) thread.emplace(channel.emplace(options.broker, classifier));
  server.run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = parse(argc, argv);
    block_signals();
    mosquitto_lib_init();
    run(options);
    mosquitto_lib_cleanup();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bzscr-fleet-device: %s\n", error.what());
    return 2;
  }
}
