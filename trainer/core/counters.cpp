#include "core/counters.h"

#include <chrono>

namespace bzscr {
namespace {

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
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

void CostCounters::add_seconds(double Counters::*member, double seconds, std::int64_t flops) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sum_.*member += seconds;
  sum_.flops += flops;
}

void CostCounters::add_features(std::int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sum_.feature_bytes += bytes;
}

void CostCounters::add_message(std::int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sum_.message_bytes += bytes;
  ++sum_.messages;
}

Counters CostCounters::read() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sum_;
}

Timer::Timer(CostCounters* counters, double Counters::*seconds, std::int64_t flops)
    : counters_(counters), seconds_(seconds), flops_(flops) {
  if (counters_ != nullptr) start_ = clock_seconds();
}

Timer::~Timer() {
  if (counters_ != nullptr) counters_->add_seconds(seconds_, clock_seconds() - start_, flops_);
}

}  // namespace bzscr
