#include "comm/communicator.h"

#include "bzscr_train/error.hpp"

#include <mpi.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace bzscr {
namespace {

/// Processes that work together.
struct Together {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, count = 1;
  Together() = default;
  explicit Together(MPI_Comm of) : comm(of) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &count);
  }
};

struct State {
  Together all, now;   // now: this process's group, or all
  int own_stderr = 2;  // where this process may tell of its failure
  bool (*stop_asked)() = nullptr;
  bool stop_agreed = false;
  std::uint32_t agreed = 0;     // a hash of the numbers that all processes should have come to
  std::vector<double> message;  // kept from one sum to the next
};
State state;

/// Process 0 speaks for all.
void be_silent() {
  state.own_stderr = ::dup(2);
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, 1);
  ::dup2(nowhere, 2);
  ::close(nowhere);
}

}  // namespace

void start_processes() {
  // Threads visit blocks, but only the one that began the pass talks to other processes.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  state.all = state.now = Together(MPI_COMM_WORLD);
  if (state.all.rank != 0) be_silent();
}

void end_processes() {
  std::fflush(stdout);
  MPI_Finalize();
}

void abort_all(const std::string& sentence, int code) {
  if (state.all.rank != 0) {
    // Where process 0 has failed too, this one does not live to say the same.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ::dup2(state.own_stderr, 2);
    std::fprintf(stderr, "%s (process %d of %d)\n", sentence.c_str(), state.all.rank,
                 state.all.count);
  } else {
    std::fprintf(stderr, "%s\n", sentence.c_str());
  }
  std::fflush(stdout);
  std::fflush(stderr);
  int running = 0;
  MPI_Initialized(&running);
  if (running && state.all.count > 1) MPI_Abort(MPI_COMM_WORLD, code);
  if (running) MPI_Finalize();
  std::exit(code);
}

int rank_count() { return state.now.count; }
int rank() { return state.now.rank; }

RankGroups::RankGroups(int count) : own_(state.all.rank * count / state.all.count) {
  if (count == 1) return;
  MPI_Comm group;
  MPI_Comm_split(MPI_COMM_WORLD, own_, state.all.rank, &group);
  state.now = Together(group);
  state.agreed = 0;
}

RankGroups::~RankGroups() {
  if (state.now.comm == state.all.comm) return;
  MPI_Comm_free(&state.now.comm);
  state.now = state.all;
  state.agreed = 0;  // groups have come to different numbers
}

LocalRange local_range(Index things) {
  return {things * state.now.rank / state.now.count,
          things * (state.now.rank + 1) / state.now.count};
}

void allreduce_sum(std::initializer_list<Summands> sums) {
  if (state.now.count == 1) return;
  std::vector<double>& message = state.message;
  message = {state.stop_asked && state.stop_asked() ? 1.0 : 0.0, static_cast<double>(state.agreed)};
  for (const Summands& each : sums) message.insert(message.end(), each.data, each.data + each.size);
  MPI_Allreduce(MPI_IN_PLACE, message.data(), static_cast<int>(message.size()), MPI_DOUBLE, MPI_SUM,
                state.now.comm);
  const double* next = message.data();
  state.stop_agreed = *next++ > 0;
  if (*next++ != static_cast<double>(state.agreed) * state.now.count)
    throw InputError(
        "the processes have come to different numbers, so their steps would part; expected "
        "processors of one kind, and "
        "the same program and libraries on all machines");
  for (const Summands& each : sums) {
    std::copy_n(next, each.size, each.data);
    next += each.size;
  }
}

void expect_agreement(std::initializer_list<Numbers<const double>> numbers) {
  if (state.now.count == 1) return;
  std::uint64_t hash = state.agreed;
  for (const auto& each : numbers) {
    for (Index i = 0; i < each.size; ++i) {
      std::uint64_t bits;
      std::memcpy(&bits, each.data + i, sizeof bits);
      hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
  }
  state.agreed = static_cast<std::uint32_t>(hash);
}

void allgather_bytes(void* array, std::size_t element_bytes, LocalRange own) {
  if (state.now.count == 1) return;
  const int own_bounds[2] = {static_cast<int>(own.first), static_cast<int>(own.last - own.first)};
  std::vector<int> bounds(2 * static_cast<std::size_t>(state.now.count)), first, size;
  MPI_Allgather(own_bounds, 2, MPI_INT, bounds.data(), 2, MPI_INT, state.now.comm);
  for (std::size_t p = 0; p < bounds.size(); p += 2) {
    first.push_back(bounds[p]);
    size.push_back(bounds[p + 1]);
  }
  MPI_Datatype element;
  MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &element);
  MPI_Type_commit(&element);
  MPI_Allgatherv(MPI_IN_PLACE, 0, element, array, size.data(), first.data(), element,
                 state.now.comm);
  MPI_Type_free(&element);
}

void broadcast(std::vector<std::uint8_t>& bytes, int from) {
  if (state.now.count == 1) return;
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, from, state.now.comm);
  bytes.resize(size);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;  // a message's length is an int
  for (std::uint64_t at = 0; at < size; at += kMost)
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(kMost, size - at)), MPI_BYTE, from,
              state.now.comm);
}

void watch_for_stop(bool (*asked)()) { state.stop_asked = asked; }
bool stop_agreed() {
  return state.now.count == 1 ? state.stop_asked && state.stop_asked() : state.stop_agreed;
}

}  // namespace bzscr
