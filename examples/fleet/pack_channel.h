// Packs of classes from an MQTT topic, and word back of what became of them.
//
//   PREFIX/packs            packs, as bzscr-pack writes them; publish them retained
//   PREFIX/status/ID        what device ID has, retained: a JSON object, see README.md
#pragma once

#include "classifier.h"

#include <cstddef>
#include <memory>
#include <string>

struct mosquitto;
struct mosquitto_message;

struct Broker {
  std::string host = "localhost";
  int port = 1883;
  std::string ca_file;        ///< certificates to trust; TLS where there is one
  std::string username;       ///< empty: none
  std::string password_file;  ///< its first line is the password
  std::string prefix = "bzscr";
  std::string id;                                   ///< of this device, and of no other
  std::size_t largest_pack = std::size_t{1} << 20;  ///< bytes
};

/// Empty if usable as an id or a level of a topic: letters, digits, '.', '_' and '-'; otherwise a
/// sentence.
std::string check_topic_level(const std::string& level);

/// The broker's topic, followed. What a broker sends is not trusted: it is a pack that the store
/// takes, or it changes nothing.
class PackChannel {
 public:
  /// Throws std::runtime_error where the options cannot be used. Both are kept by the caller.
  PackChannel(const Broker& broker, Classifier& classifier);

  /// Until `stop`, a descriptor, can be read. Connects again whenever the connection is lost, after
  /// 1 s, 2 s ... 32 s. At least once a second it also takes up what other processes have changed
  /// in the store.
  void follow(int stop);

 private:
  int connect();
  void connected(int code);
  void lost(int status);
  void take(const mosquitto_message& message);
  void report(bool online);

  const Broker& broker_;
  Classifier& classifier_;
  std::string packs_, status_;  ///< topics
  bzscr::Memory pack_;
  std::unique_ptr<mosquitto, void (*)(mosquitto*)> mqtt_;
  bool was_tried_ = false, is_connected_ = false;
  unsigned taken_ = 0, refused_ = 0;  ///< since this program began
  std::string last_;                  ///< what became of the last pack, as a part of the report
};
