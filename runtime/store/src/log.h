#pragma once

#include "directory.h"
#include "media.h"
#include "model_view.h"

namespace bzscr::store {

/// What a store holds at some time, and where on the device.
struct State {
  Directory classes;
  uint32_t bank;
  uint32_t version;  ///< of the bank: kPlainBank or kTaughtBank
  uint32_t generation;
  uint32_t tail;      ///< where the next record goes
  uint32_t sequence;  ///< of the last one
  uint64_t counter;
  bool unclean;      ///< what was cut off stands at the tail: nothing can be programmed there
  bool damaged;      ///< something was lost
  bool last_good;    ///< the other bank is whole too
  bool other_model;  ///< its last snapshot was written with another model of the same data

  void copy_from(const State& other);
  /// Whether any class was taught.
  bool has_examples() const;
  /// Whether what a class is taught now can be appended to the bank. If not, a snapshot comes first.
  bool takes_examples() const { return version >= kTaughtBank && !other_model; }
};

/// What is written beside the changes themselves.
struct Origin {
  bzscr_store_source source;
  uint64_t counter;
  const uint8_t* key_id;  ///< null: none
};

/// Changes one after the other, wherever they come from.
struct Changes {
  Change (*at)(const void* from, uint32_t i);
  const void* from;
  uint32_t count;
  bool may_take_ids;  ///< a set may have the id of a class of another name
};

/// Reads states from the device and writes them. README.md says which bytes, in which order.
class Log {
 public:
  Media media;
  rt::ModelView model;
  uint8_t model_hash[kHashBytes];
  uint32_t model_check;  ///< checksum of the model's bytes
  bool accept_last_good;
  char* name;  ///< room for a name of the table
  uint32_t name_bytes;
  float* phi;  ///< room for an embedding
  float* sum;  ///< room for what a class was taught, k values; only if the table can be taught

  /// Empties a state to what the model says.
  void start(State& state) const;

  /// The state on the device.
  bzscr_store_status read(State& state) const;
  /// The state after a record of the bank in use.
  bzscr_store_status read_until(uint32_t sequence, const State& now, State& state) const;
  /// Whether another process has written since `state` was read.
  bzscr_store_status has_changed(const State& state, bool* changed) const;

  // Bytes of a snapshot's payload, and of the entry of a change after it was made of a state.
  uint64_t snapshot_bytes(const State& state) const;
  uint64_t entry_bytes(const State& state, const Change& change) const;
  /// Classes that are not as in the model.
  uint32_t differences(const State& state) const;

  /// Writes `state` as a snapshot in the other bank, which becomes its own. On failure the state is
  /// worthless.
  /// \param version  of the bank, at least; it is kTaughtBank if a class was taught
  bzscr_store_status write_snapshot(State& state, uint32_t sequence, bzscr_store_source source,
                                    uint32_t version = kPlainBank) const;
  /// The first snapshot, where read() found that there is no store. A bank that is blank is not
  /// erased: power that fails in an erasure may leave anything, which no longer looks like no store.
  bzscr_store_status write_first(State& state) const;
  /// Makes changes that can be made, and appends them to the log: room was seen to. On failure the
  /// state is worthless.
  bzscr_store_status append(State& state, const Changes& changes, const Origin& origin) const;

  /// A class's raw embedding, from the model or from the device: OK, IO, or DAMAGED if it cannot be
  /// read any more.
  bzscr_store_status read_embedding(const State& state, uint32_t index, float* into) const;
  /// What a class was taught, from the device, into `sum` and *count: OK, IO, or DAMAGED also if it
  /// cannot be so.
  bzscr_store_status read_examples(const State& state, uint32_t index, float* count) const;

 private:
  bzscr_store_status replay(uint32_t bank, const BankHeader& header, const uint32_t* until,
                            State& state) const;
  bzscr_store_status replay_snapshot(uint32_t at, const RecordHeader& header, State& state) const;
  bzscr_store_status replay_changes(uint32_t at, const RecordHeader& header, State& state) const;
  template <class Take>
  bzscr_store_status for_each_entry(const State& state, uint32_t at, const RecordHeader& header,
                                    Take take) const;
  bzscr_store_status fill_bank(State& state, uint32_t sequence, bzscr_store_source source,
                               uint32_t version) const;
  template <class Write>
  bool write_record(uint32_t bank, uint32_t at, RecordHeader header, Write write) const;
  template <class Visit>
  void for_each_difference(const State& state, Visit visit) const;
};

}  // namespace bzscr::store
