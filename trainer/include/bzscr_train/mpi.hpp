// mpi.hpp - ranks that train one model together, started by mpirun. Only in builds with MPI
// (BZSCR_MPI); a program links libbzscr_train_mpi for it.
#ifndef BZSCR_TRAIN_MPI_HPP
#define BZSCR_TRAIN_MPI_HPP

#include "bzscr_train/bzscr_train.hpp"

#include <memory>
#include <string>

namespace bzscr::train {

/// Joins the ranks that this process was started with: Context::communicator for as long as it lives;
/// its end is MPI_Finalize(). Once in a process, by its main thread.
std::shared_ptr<Communicator> start_mpi();

int mpi_rank(const Communicator& communicator);  ///< from 0
int mpi_size(const Communicator& communicator);

/// The end of a run that failed on this rank: ends all ranks with `code` (MPI_Abort).
[[noreturn]] void abort_mpi(int code);

}  // namespace bzscr::train

#endif
