#include "pack_channel.h"

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>

namespace {

constexpr int kKeepAlive = 30;              // seconds
constexpr std::size_t kPacketFrame = 1024;  // bytes of a message beside its payload, at most
constexpr int kQos = 1;

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  throw std::runtime_error(where + ": " + why);
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) fail(path, "cannot be read, or is empty");
  return line;
}

const char* word_for(Outcome::Result result) {
  switch (result) {
    case Outcome::Result::kTaken: return "taken";
    case Outcome::Result::kUnchanged: return "unchanged";
    default: return "refused";
  }
}

void require(int status, const std::string& what) {
  if (status != MOSQ_ERR_SUCCESS) fail(what, mosquitto_strerror(status));
}

}  // namespace

std::string check_topic_level(const std::string& level) {
  const char* usable = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  if (level.empty() || level.size() > 64 || level.find_first_not_of(usable) != std::string::npos)
    return "'" + level + "' is not one to 64 letters, digits, '.', '_' and '-'";
  return "";
}

PackChannel::PackChannel(const Broker& broker, Classifier& classifier)
    : broker_(broker),
      classifier_(classifier),
      packs_(broker.prefix + "/packs"),
      status_(broker.prefix + "/status/" + broker.id),
      pack_(broker.largest_pack),
      mqtt_(mosquitto_new(broker.id.c_str(), /*clean_session=*/true, this), mosquitto_destroy) {
  if (!mqtt_) fail("MQTT", "cannot be set up");
  mosquitto* mqtt = mqtt_.get();
  require(mosquitto_int_option(mqtt, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5), "MQTT 5");
  if (!broker.ca_file.empty())
    require(mosquitto_tls_set(mqtt, broker.ca_file.c_str(), nullptr, nullptr, nullptr, nullptr),
            broker.ca_file);
  if (!broker.username.empty()) {
    const std::string password =
        broker.password_file.empty() ? "" : first_line(broker.password_file);
    require(mosquitto_username_pw_set(mqtt, broker.username.c_str(),
                                      password.empty() ? nullptr : password.c_str()),
            "--username");
  }
  const std::string gone =
      "{\"device\":\"" + broker.id + "\",\"online\":false}";  // what the broker says when we cannot
  require(mosquitto_will_set(mqtt, status_.c_str(), static_cast<int>(gone.size()), gone.data(),
                             kQos, /*retain=*/true),
          status_);
  mosquitto_connect_v5_callback_set(
      mqtt, [](mosquitto*, void* self, int code, int, const mosquitto_property*) {
        static_cast<PackChannel*>(self)->connected(code);
      });
  mosquitto_message_v5_callback_set(
      mqtt, [](mosquitto*, void* self, const mosquitto_message* message,
               const mosquitto_property*) { static_cast<PackChannel*>(self)->take(*message); });
}

void PackChannel::follow(int stop) {
  using Clock = std::chrono::steady_clock;
  std::mt19937 random(std::random_device{}());
  std::chrono::milliseconds wait{0};
  Clock::time_point next_try = Clock::now();
  pollfd watched[2] = {{stop, POLLIN, 0}, {-1, 0, 0}};
  while ((watched[0].revents & POLLIN) == 0) {
    mosquitto* mqtt = mqtt_.get();
    if (mosquitto_socket(mqtt) < 0 && Clock::now() >= next_try) {
      const int status = connect();
      if (status != MOSQ_ERR_SUCCESS) lost(status);
      // Not all at once when a broker comes back to a fleet: up to a quarter more or less.
      wait =
          std::clamp(2 * wait, std::chrono::milliseconds{1000}, std::chrono::milliseconds{32000});
      next_try = Clock::now() + wait * std::uniform_int_distribution<>(75, 125)(random) / 100;
    }
    if (is_connected_) wait = std::chrono::milliseconds{0};

    watched[1] = {mosquitto_socket(mqtt),
                  static_cast<short>(POLLIN | (mosquitto_want_write(mqtt) ? POLLOUT : 0)), 0};
    ::poll(watched, 2, 1000);
    if (watched[1].fd >= 0) {
      int status = MOSQ_ERR_SUCCESS;
      if ((watched[1].revents & ~POLLOUT) != 0) status = mosquitto_loop_read(mqtt, 1);
      if (status == MOSQ_ERR_SUCCESS && mosquitto_want_write(mqtt))
        status = mosquitto_loop_write(mqtt, 1);
      if (status == MOSQ_ERR_SUCCESS) status = mosquitto_loop_misc(mqtt);
      if (status != MOSQ_ERR_SUCCESS) lost(status);
    }
    if (classifier_.refresh()) {
      std::fprintf(stderr, "%s: another program changed the store\n", broker_.id.c_str());
      report(true);
    }
  }
  if (!is_connected_) return;
  report(false);
  mosquitto_disconnect(mqtt_.get());
  while (mosquitto_want_write(mqtt_.get()) &&
         mosquitto_loop_write(mqtt_.get(), 1) == MOSQ_ERR_SUCCESS) {}
}

int PackChannel::connect() {
  if (was_tried_) return mosquitto_reconnect(mqtt_.get());
  was_tried_ = true;
  // The broker shall not even send what is larger. libmosquitto keeps this for later connections.
  mosquitto_property* properties = nullptr;
  mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE,
                               static_cast<std::uint32_t>(broker_.largest_pack + kPacketFrame));
  const int status = mosquitto_connect_bind_v5(mqtt_.get(), broker_.host.c_str(), broker_.port,
                                               kKeepAlive, nullptr, properties);
  mosquitto_property_free_all(&properties);
  return status;
}

void PackChannel::connected(int code) {
  is_connected_ = code == 0;
  if (!is_connected_) {
    std::fprintf(stderr, "%s: the broker refuses: %s\n", broker_.id.c_str(),
                 mosquitto_reason_string(code));
    return;
  }
  std::fprintf(stderr, "%s: connected to %s:%d\n", broker_.id.c_str(), broker_.host.c_str(),
               broker_.port);
  mosquitto_subscribe(mqtt_.get(), nullptr, packs_.c_str(), kQos);
  report(true);
}

void PackChannel::lost(int status) {
  const std::string why =
      status == MOSQ_ERR_ERRNO ? std::strerror(errno) : mosquitto_strerror(status);
  std::fprintf(stderr, "%s: no connection to %s:%d: %s\n", broker_.id.c_str(), broker_.host.c_str(),
               broker_.port, why.c_str());
  is_connected_ = false;
}

void PackChannel::take(const mosquitto_message& message) {
  if (packs_ != message.topic || message.payloadlen <= 0)
    return;  // an empty one: the retained pack was taken back
  const auto bytes = static_cast<std::size_t>(message.payloadlen);
  Outcome outcome;
  if (bytes > pack_.size()) {
    outcome = {Outcome::Result::kRefused, "too-large",
               std::to_string(bytes) + " bytes, and at most " + std::to_string(pack_.size()) +
                   " are taken"};
  } else {
    std::memcpy(pack_.data(), message.payload, bytes);  // to where it is aligned
    outcome = classifier_.take(pack_.data(), bytes);
  }
  if (outcome.result == Outcome::Result::kTaken) ++taken_;
  if (outcome.result == Outcome::Result::kRefused) ++refused_;
  last_ = ",\"last\":{\"result\":\"" + std::string(word_for(outcome.result)) +
          "\",\"bytes\":" + std::to_string(bytes) +
          (outcome.reason.empty() ? "" : ",\"reason\":\"" + outcome.reason + "\"") +
          ",\"text\":\"" + outcome.text + "\"}";
  std::fprintf(stderr, "%s: a pack of %zu bytes is %s%s%s: %s\n", broker_.id.c_str(), bytes,
               word_for(outcome.result), outcome.reason.empty() ? "" : ", ", outcome.reason.c_str(),
               outcome.text.c_str());
  report(true);
}

// Nothing in it needs escaping: ids are checked, the rest is ours.
void PackChannel::report(bool online) {
  const Version version = classifier_.version();
  const std::string status =
      "{\"device\":\"" + broker_.id + "\",\"online\":" + (online ? "true" : "false") +
      ",\"library\":\"" + bzscr_rt_version() + "\",\"kernel\":\"" + version.kernel +
      "\",\"model\":\"" + version.model_hash + "\",\"counter\":" + std::to_string(version.counter) +
      ",\"classes\":" + std::to_string(version.classes) + ",\"taken\":" + std::to_string(taken_) +
      ",\"refused\":" + std::to_string(refused_) + last_ + "}";
  mosquitto_publish(mqtt_.get(), nullptr, status_.c_str(), static_cast<int>(status.size()),
                    status.data(), kQos, /*retain=*/true);
}
