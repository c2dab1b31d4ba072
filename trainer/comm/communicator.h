#pragma once

#include "types/execution.h"
#include "types/linalg.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace bzscr {

/// The part [first, last) of a range of items that belongs to one rank.
struct LocalRange {
  Index first, last;
};

/// A view of contiguous numbers: of a double, a matrix or a vector.
template <class Double>
struct Numbers {
  Double* data;
  Index size;
  Numbers(Double& value) : data(&value), size(1) {}
  template <class Array, class = decltype(std::declval<Array&>().derived())>
  Numbers(Array& values) : data(values.data()), size(values.size()) {}
};
using Summands = Numbers<double>;

/// The ranks that train one model: one process, or those that `mpirun -n P` started. The samples
/// are divided among them: in a pass each rank visits a contiguous range of blocks
/// (core/reducer.h), and the collective operations below combine the results. All other computation
/// is replicated.
///
/// All ranks must call the collective operations in the same order, each on one thread at a time.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int size() const = 0;
  virtual int rank() const = 0;  ///< from 0; rank 0 writes files and reports to the user

  /// The items of this rank, divided evenly: the counts of two ranks differ by at most one.
  LocalRange local_range(Index items) const {
    return {items * rank() / size(), items * (rank() + 1) / size()};
  }

  /// Replaces each number by its sum over the ranks, bitwise equal on all of them, in one message.
  /// Throws InputError on at least one rank if the ranks passed different numbers to
  /// expect_agreement().
  virtual void allreduce(std::initializer_list<Summands> sums) = 0;

  /// For numbers that every rank computes redundantly: the next allreduce() checks that they are
  /// bitwise equal on all ranks. Ranks that round differently would take different steps.
  virtual void expect_agreement(std::initializer_list<Numbers<const double>> numbers) = 0;

  /// Allgather: each rank has filled the elements [own.first, own.last) of an array; the ranges of
  /// all ranks cover it. Afterwards every rank holds the complete array.
  virtual void allgather_bytes(void* array, std::size_t element_bytes, LocalRange own) = 0;
  template <class Array>
  void allgather(Array& array, LocalRange own) {
    allgather_bytes(array.data(), sizeof(*array.data()), own);
  }

  /// Replaces `bytes` by those of rank `from`.
  virtual void broadcast(std::vector<std::uint8_t>& bytes, int from = 0) = 0;

  /// Divides the ranks into groups of equal size and returns the communicator of this rank's group.
  /// This communicator must not be used while the group's is in use.
  /// \param groups  a divisor of size(); rank r belongs to group r * groups / size()
  virtual std::unique_ptr<Communicator> split(int groups) = 0;

  /// Sets this rank's stop condition. Each allreduce() also combines the conditions of all ranks.
  virtual void watch_stop(std::function<bool()> stop) { stop_ = std::move(stop); }
  /// Whether the condition of any rank was true at the last allreduce(); the same on all ranks.
  virtual bool stop_agreed() const { return stop_ && stop_(); }

 protected:
  std::function<bool()> stop_;
};

/// The communicator of a single rank.
class SerialCommunicator : public Communicator {
 public:
  int size() const override { return 1; }
  int rank() const override { return 0; }
  void allreduce(std::initializer_list<Summands>) override {}
  void expect_agreement(std::initializer_list<Numbers<const double>>) override {}
  void allgather_bytes(void*, std::size_t, LocalRange) override {}
  void broadcast(std::vector<std::uint8_t>&, int) override {}
  std::unique_ptr<Communicator> split(int groups) override;
};

/// The communicator of an execution; a stateless SerialCommunicator if it has none.
Communicator& communicator_of(const Execution& execution);

}  // namespace bzscr
