#include "distributed/processes.h"

#include <mpi.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace bzscr {
namespace {

struct State {
  int rank = 0, count = 1;
  int own_stderr = 2;                 // where this process may tell of its failure
  bool (*stop_asked)() = nullptr;
  bool stop_agreed = false;
  std::vector<double> message;        // kept from one sum to the next
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
  MPI_Comm_rank(MPI_COMM_WORLD, &state.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &state.count);
  if (state.rank != 0) be_silent();
}

void end_processes() {
  std::fflush(stdout);
  MPI_Finalize();
}

void fail_all(const std::string& sentence, int code) {
  if (state.rank != 0) {
    // Where process 0 has failed too, this one does not live to say the same.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ::dup2(state.own_stderr, 2);
    std::fprintf(stderr, "%s (process %d of %d)\n", sentence.c_str(), state.rank, state.count);
  } else {
    std::fprintf(stderr, "%s\n", sentence.c_str());
  }
  std::fflush(stdout);
  std::fflush(stderr);
  int running = 0;
  MPI_Initialized(&running);
  if (running && state.count > 1) MPI_Abort(MPI_COMM_WORLD, code);
  if (running) MPI_Finalize();
  std::exit(code);
}

int process_count() { return state.count; }
int process_rank() { return state.rank; }

Share own_share(Index things) { return {things * state.rank / state.count, things * (state.rank + 1) / state.count}; }

void sum_over_processes(std::initializer_list<Summands> sums) {
  if (state.count == 1) return;
  std::vector<double>& message = state.message;
  message.assign(1, state.stop_asked && state.stop_asked() ? 1 : 0);
  for (const Summands& each : sums) message.insert(message.end(), each.data, each.data + each.size);
  MPI_Allreduce(MPI_IN_PLACE, message.data(), static_cast<int>(message.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double* next = message.data();
  state.stop_agreed = *next++ > 0;
  for (const Summands& each : sums) {
    std::copy_n(next, each.size, each.data);
    next += each.size;
  }
}

void exchange_bytes(void* array, std::size_t element_bytes, Share own) {
  if (state.count == 1) return;
  const int own_bounds[2] = {static_cast<int>(own.first), static_cast<int>(own.last - own.first)};
  std::vector<int> bounds(2 * static_cast<std::size_t>(state.count)), first, size;
  MPI_Allgather(own_bounds, 2, MPI_INT, bounds.data(), 2, MPI_INT, MPI_COMM_WORLD);
  for (std::size_t p = 0; p < bounds.size(); p += 2) {
    first.push_back(bounds[p]);
    size.push_back(bounds[p + 1]);
  }
  MPI_Datatype element;
  MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &element);
  MPI_Type_commit(&element);
  MPI_Allgatherv(MPI_IN_PLACE, 0, element, array, size.data(), first.data(), element, MPI_COMM_WORLD);
  MPI_Type_free(&element);
}

void broadcast(std::vector<std::uint8_t>& bytes) {
  if (state.count == 1) return;
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  bytes.resize(size);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;  // a message's length is an int
  for (std::uint64_t at = 0; at < size; at += kMost)
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(kMost, size - at)), MPI_BYTE, 0, MPI_COMM_WORLD);
}

void watch_for_stop(bool (*asked)()) { state.stop_asked = asked; }
bool stop_agreed() { return state.count == 1 ? state.stop_asked && state.stop_asked() : state.stop_agreed; }

}  // namespace bzscr
