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

/// Of things in a row, those that a rank takes: [first, last).
struct LocalRange {
  Index first, last;
};

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

/// The ranks that train one model together: one process, or those that `mpirun -n P` started. All of
/// them take the same steps with the same numbers; only a pass over the samples is shared out, each
/// rank visiting a run of blocks (core/reducer.h), and the results are put together here.
///
/// Collective calls must be made by all ranks alike, in the same order, by one thread of each at a
/// time.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int size() const = 0;
  virtual int rank() const = 0;  ///< from 0; rank 0 writes files and tells the user

  /// Numbers of things differ by one at most between ranks.
  LocalRange local_range(Index things) const {
    return {things * rank() / size(), things * (rank() + 1) / size()};
  }

  /// Each number becomes its sum over the ranks, with the same bits in all of them, in one message.
  /// Throws InputError in some rank where expect_agreement() was told of different numbers.
  virtual void allreduce(std::initializer_list<Summands> sums) = 0;

  /// Of numbers that every rank has computed by itself: the next allreduce() checks that they are the
  /// same in all, to the bit. Ranks that round differently would take different steps.
  virtual void expect_agreement(std::initializer_list<Numbers<const double>> numbers) = 0;

  /// Each rank has filled elements [own.first, own.last) of an array, together all of it: now all
  /// have all.
  virtual void allgather_bytes(void* array, std::size_t element_bytes, LocalRange own) = 0;
  template <class Array>
  void allgather(Array& array, LocalRange own) {
    allgather_bytes(array.data(), sizeof(*array.data()), own);
  }

  /// All get the bytes that rank `from` has.
  virtual void broadcast(std::vector<std::uint8_t>& bytes, int from = 0) = 0;

  /// The ranks in groups of equal size: this rank's group, in which ranks and sums are those of the
  /// group. While it is in use this communicator is not.
  /// \param groups  a divisor of size(); rank r is of group r * groups / size()
  virtual std::unique_ptr<Communicator> split(int groups) = 0;

  /// Asked of this rank; sums carry whether any rank was asked to stop.
  virtual void watch_stop(std::function<bool()> stop) { stop_ = std::move(stop); }
  /// Whether any was asked before the last sum: the same answer in all ranks.
  virtual bool stop_agreed() const { return stop_ && stop_(); }

 protected:
  std::function<bool()> stop_;
};

/// One process alone.
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

/// That of an execution; a serial one without state where it has none.
Communicator& communicator_of(const Execution& execution);

}  // namespace bzscr
