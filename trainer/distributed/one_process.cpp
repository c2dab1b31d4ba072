#include "distributed/processes.h"

#include <cstdio>
#include <cstdlib>

namespace bzscr {
namespace {

bool (*stop_asked)() = nullptr;

}  // namespace

void start_processes() {}
void end_processes() {}

void fail_all(const std::string& sentence, int code) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::exit(code);
}

int process_count() { return 1; }
int process_rank() { return 0; }
ProcessGroups::ProcessGroups(int) : own_(0) {}
ProcessGroups::~ProcessGroups() = default;
Share own_share(Index things) { return {0, things}; }
void sum_over_processes(std::initializer_list<Summands>) {}
void expect_agreement(std::initializer_list<Numbers<const double>>) {}
void exchange_bytes(void*, std::size_t, Share) {}
void broadcast(std::vector<std::uint8_t>&, int) {}
void watch_for_stop(bool (*asked)()) { stop_asked = asked; }
bool stop_agreed() { return stop_asked && stop_asked(); }

}  // namespace bzscr
