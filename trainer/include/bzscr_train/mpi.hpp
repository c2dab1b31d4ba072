// mpi.hpp - ranks that train one model together, started by mpirun. Only in builds with MPI
// (BZSCR_MPI); a program links libbzscr_train_mpi for it.
#ifndef BZSCR_TRAIN_MPI_HPP
#define BZSCR_TRAIN_MPI_HPP

#include "bzscr_train/bzscr_train.hpp"

#include <memory>
#include <string>

namespace bzscr::train {

/// Calls MPI_Init_thread() and returns the communicator of all ranks, for Context::communicator.
/// The destructor of the communicator calls MPI_Finalize(). Call this once in a process, on its
/// main thread.
std::shared_ptr<Communicator> start_mpi();

int mpi_rank(const Communicator& communicator);  ///< from 0
int mpi_size(const Communicator& communicator);

/// Ends all ranks with the exit code `code` (MPI_Abort), after an error on this rank.
[[noreturn]] void abort_mpi(int code);

}  // namespace bzscr::train

#endif
