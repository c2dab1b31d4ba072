#pragma once

#include "types/linalg.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace bzscr {

/// The processes that train one model together: one, or those that `mpirun -n P` started where the program was built
/// with MPI (preset mpi). All of them take the same steps with the same numbers; only a pass over the samples is shared
/// out, each process visiting a run of blocks (core/reducer.h), and what they came to is put together here.
///
/// one_process.cpp has these functions for one process, mpi.cpp for several; a build holds one of the two. Whatever
/// talks to other processes must be called by all of them alike, in the same order, by one thread of each at a time.

/// Joins the processes that this one was started with; of all but process 0 nothing more is printed. Called once, first
/// thing in main; without the call there is one process.
void start_processes();
/// The end of a run that went well, on all processes.
void end_processes();
/// The end of a run that failed here: tells `sentence` on standard error and ends all processes with `code`. Where all of
/// them failed alike, only process 0 tells.
[[noreturn]] void fail_all(const std::string& sentence, int code);

int process_count();
int process_rank();  ///< from 0; files are written, and people told, by process 0

/// Of things in a row, those that this process takes: [first, last).
struct Share {
  Index first, last;
};
/// Numbers of things differ by one at most between processes.
Share own_share(Index things);

/// Numbers that lie together: of a double, a matrix or a vector.
struct Summands {
  double* data;
  Index size;
  Summands(double& value) : data(&value), size(1) {}
  template <class Derived>
  Summands(Eigen::PlainObjectBase<Derived>& values) : data(values.data()), size(values.size()) {}
};
/// Each number becomes its sum over the processes, with the same bits in all of them, in one message.
void sum_over_processes(std::initializer_list<Summands> sums);

/// Each process has filled elements [own.first, own.last) of an array of plain data, together all of it: now all have all.
void exchange_bytes(void* array, std::size_t element_bytes, Share own);
template <class Array>
void exchange_elements(Array& array, Share own) {
  exchange_bytes(array.data(), sizeof(*array.data()), own);
}

/// All get the bytes that process 0 has.
void broadcast(std::vector<std::uint8_t>& bytes);

/// Sums carry one more number: whether a process was asked to stop. \param asked  tells so of this one
void watch_for_stop(bool (*asked)());
/// Whether any was asked before the last sum: the same answer in all processes.
bool stop_agreed();

}  // namespace bzscr
