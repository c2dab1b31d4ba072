#include "comm/communicator.h"

#include <bzscr_train/error.hpp>
#include <bzscr_train/mpi.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace bzscr {
namespace {

class MpiCommunicator : public Communicator {
 public:
  explicit MpiCommunicator(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
  }

  int size() const override { return size_; }
  int rank() const override { return rank_; }
  void allreduce(std::initializer_list<Summands> sums) override;
  void expect_agreement(std::initializer_list<Numbers<const double>> numbers) override;
  void allgather_bytes(void* array, std::size_t element_bytes, LocalRange own) override;
  void broadcast(std::vector<std::uint8_t>& bytes, int from) override;
  std::unique_ptr<Communicator> split(int groups) override;
  bool stop_agreed() const override {
    return size_ == 1 ? Communicator::stop_agreed() : stop_agreed_;
  }

 protected:
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  bool stop_agreed_ = false;
  std::uint32_t agreed_ = 0;     // hash of the numbers passed to expect_agreement()
  std::vector<double> message_;  // kept from one sum to the next
};

/// The communicator of all ranks; its destructor ends MPI.
class World : public MpiCommunicator {
 public:
  World() : MpiCommunicator(MPI_COMM_WORLD) {}
  ~World() override { MPI_Finalize(); }
};

/// The communicator of a group of ranks.
class Group : public MpiCommunicator {
 public:
  Group(MPI_Comm comm, std::function<bool()> stop) : MpiCommunicator(comm) {
    stop_ = std::move(stop);
  }
  ~Group() override { MPI_Comm_free(&comm_); }
};

void MpiCommunicator::allreduce(std::initializer_list<Summands> sums) {
  if (size_ == 1) return;
  std::vector<double>& message = message_;
  message = {stop_ && stop_() ? 1.0 : 0.0, static_cast<double>(agreed_)};
  for (const Summands& each : sums) message.insert(message.end(), each.data, each.data + each.size);
  MPI_Allreduce(MPI_IN_PLACE, message.data(), static_cast<int>(message.size()), MPI_DOUBLE, MPI_SUM,
                comm_);
  const double* next = message.data();
  stop_agreed_ = *next++ > 0;
  if (*next++ != static_cast<double>(agreed_) * size_)
    throw InputError(
        "the ranks have computed different numbers, so they would take different steps; "
        "expected the same kind of processor, the same program and the same libraries on all "
        "machines");
  for (const Summands& each : sums) {
    std::copy_n(next, each.size, each.data);
    next += each.size;
  }
}

void MpiCommunicator::expect_agreement(std::initializer_list<Numbers<const double>> numbers) {
  if (size_ == 1) return;
  std::uint64_t hash = agreed_;
  for (const auto& each : numbers) {
    for (Index i = 0; i < each.size; ++i) {
      std::uint64_t bits;
      std::memcpy(&bits, each.data + i, sizeof bits);
      hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
  }
  agreed_ = static_cast<std::uint32_t>(hash);
}

void MpiCommunicator::allgather_bytes(void* array, std::size_t element_bytes, LocalRange own) {
  if (size_ == 1) return;
  const int own_bounds[2] = {static_cast<int>(own.first), static_cast<int>(own.last - own.first)};
  std::vector<int> bounds(2 * static_cast<std::size_t>(size_)), first, count;
  MPI_Allgather(own_bounds, 2, MPI_INT, bounds.data(), 2, MPI_INT, comm_);
  for (std::size_t p = 0; p < bounds.size(); p += 2) {
    first.push_back(bounds[p]);
    count.push_back(bounds[p + 1]);
  }
  MPI_Datatype element;
  MPI_Type_contiguous(static_cast<int>(element_bytes), MPI_BYTE, &element);
  MPI_Type_commit(&element);
  MPI_Allgatherv(MPI_IN_PLACE, 0, element, array, count.data(), first.data(), element, comm_);
  MPI_Type_free(&element);
}

void MpiCommunicator::broadcast(std::vector<std::uint8_t>& bytes, int from) {
  if (size_ == 1) return;
  std::uint64_t size = bytes.size();
  MPI_Bcast(&size, 1, MPI_UINT64_T, from, comm_);
  bytes.resize(size);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 30;  // a message's length is an int
  for (std::uint64_t at = 0; at < size; at += kMost)
    MPI_Bcast(bytes.data() + at, static_cast<int>(std::min(kMost, size - at)), MPI_BYTE, from,
              comm_);
}

std::unique_ptr<Communicator> MpiCommunicator::split(int groups) {
  MPI_Comm group;
  MPI_Comm_split(comm_, rank_ * groups / size_, rank_, &group);
  agreed_ = 0;  // groups will compute different numbers
  return std::make_unique<Group>(group, stop_);
}

}  // namespace

namespace train {

std::shared_ptr<Communicator> start_mpi() {
  // Several threads visit blocks, but only the thread that started the pass calls MPI.
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  return std::make_shared<World>();
}

int mpi_rank(const Communicator& communicator) { return communicator.rank(); }
int mpi_size(const Communicator& communicator) { return communicator.size(); }

void abort_mpi(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // not reached: MPI_Abort() does not return
}

}  // namespace train
}  // namespace bzscr
