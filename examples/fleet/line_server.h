// Lines in, lines out: feature vectors to be scored, from a Unix socket or from standard input.
//
//   a line      the feature's numbers in decimal, with spaces, tabs or commas between
//   its answer  the best class: ID <tab> SCORE <tab> NAME, or: error <tab> WHY
//
// Answers come in the order of the lines. SCORE has the nine digits that tell any two floats apart.
// Control characters in a name are written as '?'.
#pragma once

#include "classifier.h"

#include <string>

/// Answers one line.
std::string answer(const Classifier& classifier, const std::string& line,
                   const bzscr::Memory& scratch);

/// Serves up to 64 clients at a time, who may be slow: none waits for another. A line that is far
/// longer than a feature is refused, and its client sent away.
class LineServer {
 public:
  /// \param path  of the socket: another device's that still listens is an error, a dead one's is
  /// replaced; empty:
  ///              standard input and output. Throws std::runtime_error with a sentence.
  LineServer(const Classifier& classifier, const std::string& path);
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

  /// Returns on SIGTERM or SIGINT, which the caller has blocked in all threads, and at the end of
  /// standard input.
  void run();

 private:
  const Classifier& classifier_;
  std::string path_;
  int listener_ = -1;
};
