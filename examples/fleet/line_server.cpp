#include "line_server.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t kMostClients = 64;
constexpr std::size_t kPiece =
    4096;  // bytes of a write: a pipe that can be written to takes as many at once
constexpr std::size_t kBytesPerNumber = 64;

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  throw std::runtime_error(where + ": " + why);
}

std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  return text;
}

std::string error_line(const std::string& why) { return "error\t" + why + "\n"; }

struct Client {
  int in, out;
  std::string unread;     ///< a line's beginning
  std::string unwritten;  ///< while there is any, nothing more is read
  bool ended = false;     ///< no more lines
};

// Takes what has come, and answers the lines that are complete. Of the last one the end may take
// the place of '\n'.
void take_lines(Client& client, const Classifier& classifier, const bzscr::Memory& scratch) {
  char bytes[1 << 16];
  const ssize_t size = ::read(client.in, bytes, sizeof bytes);
  if (size < 0) {
    client.ended = errno != EINTR && errno != EAGAIN;
    return;
  }
  client.unread.append(bytes, static_cast<std::size_t>(size));
  if (size == 0) {
    client.ended = true;
    if (!client.unread.empty()) client.unread += '\n';
  }
  std::size_t begin = 0;
  for (std::size_t end; (end = client.unread.find('\n', begin)) != std::string::npos;
       begin = end + 1)
    client.unwritten += answer(classifier, client.unread.substr(begin, end - begin), scratch);
  client.unread.erase(0, begin);
  const std::size_t limit = kBytesPerNumber * (classifier.feature_dimension() + 1);
  if (client.unread.size() > limit) {
    client.unwritten += error_line("a line of more than " + std::to_string(limit) + " bytes");
    client.ended = true;
  }
}

void write_some(Client& client) {
  const ssize_t size =
      ::write(client.out, client.unwritten.data(), std::min(client.unwritten.size(), kPiece));
  if (size >= 0) {
    client.unwritten.erase(0, static_cast<std::size_t>(size));
  } else if (errno != EINTR && errno != EAGAIN) {
    client.unwritten.clear();  // nobody listens
    client.ended = true;
  }
}

int listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) fail(path, "too long for the name of a socket");
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const auto is_bound = [&] { return ::bind(listener, name, sizeof address) == 0; };
  if (!is_bound()) {
    if (errno != EADDRINUSE) fail(path, std::strerror(errno));
    if (::connect(listener, name, sizeof address) == 0) fail(path, "another device listens there");
    struct stat file {};
    if (errno != ECONNREFUSED || ::lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode))
      fail(path, "is there already, and is not the socket of a device");
    ::unlink(path.c_str());  // of one that died
    if (!is_bound()) fail(path, std::strerror(errno));
  }
  if (::listen(listener, 16) != 0) fail(path, std::strerror(errno));
  return listener;
}

}  // namespace

std::string answer(const Classifier& classifier, const std::string& line,
                   const bzscr::Memory& scratch) {
  std::vector<float> x;
  const char* at = line.c_str();
  const auto skip = [&at] { at += std::strspn(at, " \t,\r"); };
  for (skip(); *at != '\0'; skip()) {
    char* end = nullptr;
    x.push_back(std::strtof(at, &end));
    if (end == at || std::strchr(" \t,\r", *end) == nullptr)
      return error_line("'" + printable(std::string(at, std::strcspn(at, " \t,\r"))) +
                        "' is no number");
    at = end;
  }
  if (at != line.c_str() + line.size()) return error_line("a zero byte");
  if (x.size() != classifier.feature_dimension())
    return error_line("expected " + std::to_string(classifier.feature_dimension()) +
                      " numbers, found " + std::to_string(x.size()));
  try {
    const Classifier::Answer best = classifier.score(x, scratch);
    char score[32];
    std::snprintf(score, sizeof score, "%.9g", static_cast<double>(best.score));
    return std::to_string(best.id) + "\t" + score + "\t" + printable(best.name) + "\n";
  } catch (const std::runtime_error& error) {
    return error_line(error.what());
  }
}

LineServer::LineServer(const Classifier& classifier, const std::string& path)
    : classifier_(classifier), path_(path) {
  if (!path.empty()) listener_ = listen_at(path);
}

LineServer::~LineServer() {
  if (listener_ < 0) return;
  ::close(listener_);
  ::unlink(path_.c_str());
}

void LineServer::run() {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  const int signals = ::signalfd(-1, &ending, SFD_CLOEXEC);
  if (signals < 0) fail("signalfd", std::strerror(errno));
  const bzscr::Memory scratch(classifier_.scratch_bytes());
  const bool has_socket = listener_ >= 0;
  std::list<Client> clients;
  if (!has_socket) clients.push_back({STDIN_FILENO, STDOUT_FILENO, "", "", false});

  std::vector<pollfd> watched;
  do {
    watched.assign(
        {{signals, POLLIN, 0}, {clients.size() < kMostClients ? listener_ : -1, POLLIN, 0}});
    for (const Client& client : clients)
      watched.push_back(client.unwritten.empty() ? pollfd{client.in, POLLIN, 0}
                                                 : pollfd{client.out, POLLOUT, 0});
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR)
      fail("poll", std::strerror(errno));

    std::size_t i = 2;
    for (Client& client : clients) {
      if (watched[i++].revents == 0) continue;
      if (client.unwritten.empty()) take_lines(client, classifier_, scratch);
      if (!client.unwritten.empty()) write_some(client);
    }
    clients.remove_if([&](const Client& client) {
      const bool is_gone = client.ended && client.unwritten.empty();
      if (is_gone && has_socket) ::close(client.in);
      return is_gone;
    });
    if (watched[1].revents != 0) {
      const int accepted = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (accepted >= 0) clients.push_back({accepted, accepted, "", "", false});
    }
  } while (watched[0].revents == 0 && (has_socket || !clients.empty()));
  ::close(signals);
}
