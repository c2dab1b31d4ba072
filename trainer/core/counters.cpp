#include "core/counters.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <vector>

namespace bzscr {
namespace {

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void add(Counters& sum, const Counters& more) {
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
  std::vector<const Counters*> running;
  Counters gone;
};
Threads& threads() {
  static Threads& all = *new Threads;  // never destroyed: threads may end after main does
  return all;
}

/// A thread's own tally: only that thread writes it, without a lock.
struct ThreadCounters {
  Counters counters;
  ThreadCounters() {
    const std::lock_guard<std::mutex> lock(threads().mutex);
    threads().running.push_back(&counters);
  }
  ~ThreadCounters() {
    const std::lock_guard<std::mutex> lock(threads().mutex);
    add(threads().gone, counters);
    auto& running = threads().running;
    running.erase(std::find(running.begin(), running.end(), &counters));
  }
};
Counters& mine() {
  thread_local ThreadCounters own;
  return own.counters;
}

}  // namespace

Counters operator-(const Counters& now, const Counters& before) {
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

Counters counters() {
  const std::lock_guard<std::mutex> lock(threads().mutex);
  Counters sum = threads().gone;
  for (const Counters* each : threads().running) add(sum, *each);
  return sum;
}

void count_features(std::int64_t bytes) { mine().feature_bytes += bytes; }

void count_message(std::int64_t bytes) {
  mine().message_bytes += bytes;
  ++mine().messages;
}

Timer::Timer(double Counters::*seconds, std::int64_t flops)
    : seconds_(seconds), start_(clock_seconds()) {
  mine().flops += flops;
}
Timer::~Timer() { mine().*seconds_ += clock_seconds() - start_; }

}  // namespace bzscr
