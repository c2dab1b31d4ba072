#include "core/tally.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <vector>

namespace bzscr {
namespace {

double clock_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void add(Tally& sum, const Tally& more) {
  sum.flops += more.flops;
  sum.feature_bytes += more.feature_bytes;
  sum.message_bytes += more.message_bytes;
  sum.messages += more.messages;
  sum.product_seconds += more.product_seconds;
  sum.loss_seconds += more.loss_seconds;
  sum.pass_seconds += more.pass_seconds;
  sum.pass_thread_seconds += more.pass_thread_seconds;
  sum.waiting_seconds += more.waiting_seconds;
}

/// Where the threads' own tallies are to be found, and what threads that are gone have left.
struct Threads {
  std::mutex mutex;
  std::vector<const Tally*> running;
  Tally gone;
};
Threads& threads() {
  static Threads& all = *new Threads;  // never destroyed: threads may end after main does
  return all;
}

/// A thread's own tally: only that thread writes it, without a lock.
struct ThreadTally {
  Tally tally;
  ThreadTally() {
    const std::lock_guard<std::mutex> lock(threads().mutex);
    threads().running.push_back(&tally);
  }
  ~ThreadTally() {
    const std::lock_guard<std::mutex> lock(threads().mutex);
    add(threads().gone, tally);
    auto& running = threads().running;
    running.erase(std::find(running.begin(), running.end(), &tally));
  }
};
Tally& mine() {
  thread_local ThreadTally own;
  return own.tally;
}

}  // namespace

Tally operator-(const Tally& now, const Tally& before) {
  return {now.flops - before.flops,
          now.feature_bytes - before.feature_bytes,
          now.message_bytes - before.message_bytes,
          now.messages - before.messages,
          now.product_seconds - before.product_seconds,
          now.loss_seconds - before.loss_seconds,
          now.pass_seconds - before.pass_seconds,
          now.pass_thread_seconds - before.pass_thread_seconds,
          now.waiting_seconds - before.waiting_seconds};
}

Tally tally() {
  const std::lock_guard<std::mutex> lock(threads().mutex);
  Tally sum = threads().gone;
  for (const Tally* each : threads().running) add(sum, *each);
  return sum;
}

void tally_features(std::int64_t bytes) { mine().feature_bytes += bytes; }

void tally_message(std::int64_t bytes) {
  mine().message_bytes += bytes;
  ++mine().messages;
}

Timer::Timer(double Tally::*seconds, std::int64_t flops) : seconds_(seconds), start_(clock_seconds()) { mine().flops += flops; }
Timer::~Timer() { mine().*seconds_ += clock_seconds() - start_; }

}  // namespace bzscr
