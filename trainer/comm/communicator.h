#pragma once

#include "types/linalg.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace bzscr {

/// The processes that train one model together: one, or those that `mpirun -n P` started where the
/// program was built with MPI (preset mpi). All of them take the same steps with the same numbers;
/// only a pass over the samples is shared out, each process visiting a run of blocks
/// (core/reducer.h), and what they came to is put together here.
///
/// one_process.cpp has these functions for one process, mpi.cpp for several; a build holds one of
/// the two. Whatever talks to other processes must be called by all of them alike, in the same
/// order, by one thread of each at a time.

/// Joins the processes that this one was started with; of all but process 0 nothing more is
/// printed. Called once, first thing in main; without the call there is one process.
void start_processes();
/// The end of a run that went well, on all processes.
void end_processes();
/// The end of a run that failed here: tells `sentence` on standard error and ends all processes
/// with `code`. Where all of them failed alike, only process 0 tells.
[[noreturn]] void abort_all(const std::string& sentence, int code);

int rank_count();
int rank();  ///< from 0; files are written, and people told, by process 0

/// While one lives, the processes work in groups of equal size, each as if there were no others:
/// counts, ranks, shares and sums are those of the group. Made and ended by all processes alike.
class RankGroups {
 public:
  /// \param count  a divisor of rank_count()
  explicit RankGroups(int count);
  ~RankGroups();
  RankGroups(const RankGroups&) = delete;
  RankGroups& operator=(const RankGroups&) = delete;

  int own() const {
    return own_;
  }  ///< this process's group, from 0: processes own * size up to (own + 1) * size

 private:
  int own_;
};

/// Of things in a row, those that this process takes: [first, last).
struct LocalRange {
  Index first, last;
};
/// Numbers of things differ by one at most between processes.
LocalRange local_range(Index things);

/// Numbers that lie together: of a double, a matrix or a vector.
template <class Double>
struct Numbers {
  Double* data;
  Index size;
  Numbers(Double& value) : data(&value), size(1) {}
  template <class Array, class = decltype(std::declval<Array&>().derived())>
  Numbers(Array& values) : data(values.data()), size(values.size()) {}
};
using Summands = Numbers<double>;
/// Each number becomes its sum over the processes, with the same bits in all of them, in one
/// message.
void allreduce_sum(std::initializer_list<Summands> sums);

/// Of numbers that every process has come to by itself: the next sum throws InputError in some
/// process where they are not the same in all, to the bit. Processes that round differently would
/// take different steps.
void expect_agreement(std::initializer_list<Numbers<const double>> numbers);

/// Each process has filled elements [own.first, own.last) of an array of plain data, together all
/// of it: now all have all.
void allgather_bytes(void* array, std::size_t element_bytes, LocalRange own);
template <class Array>
void allgather(Array& array, LocalRange own) {
  allgather_bytes(array.data(), sizeof(*array.data()), own);
}

/// All get the bytes that process `from` has.
void broadcast(std::vector<std::uint8_t>& bytes, int from = 0);

/// Sums carry one more number: whether a process was asked to stop.
/// \param asked  tells so of this one
void watch_for_stop(bool (*asked)());
/// Whether any was asked before the last sum: the same answer in all processes.
bool stop_agreed();

}  // namespace bzscr
