#include "comm/communicator.h"

#include <cstdio>
#include <cstdlib>

namespace bzscr {
namespace {

bool (*stop_asked)() = nullptr;

}  // namespace

void start_processes() {}
void end_processes() {}

void abort_all(const std::string& sentence, int code) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  std::exit(code);
}

int rank_count() { return 1; }
int rank() { return 0; }
RankGroups::RankGroups(int) : own_(0) {}
RankGroups::~RankGroups() = default;
LocalRange local_range(Index things) { return {0, things}; }
void allreduce_sum(std::initializer_list<Summands>) {}
void expect_agreement(std::initializer_list<Numbers<const double>>) {}
void allgather_bytes(void*, std::size_t, LocalRange) {}
void broadcast(std::vector<std::uint8_t>&, int) {}
void watch_for_stop(bool (*asked)()) { stop_asked = asked; }
bool stop_agreed() { return stop_asked && stop_asked(); }

}  // namespace bzscr
