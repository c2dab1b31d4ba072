#pragma once

#include "bzscr_store/bzscr_store.h"

#include <bzscr_schema/format.h>

#include <stddef.h>
#include <stdint.h>

/// What stands on the device; README.md has the same in words. Nothing here knows classes.
namespace bzscr::store {

// Versions of the banks; README.md, "On the device".
inline constexpr uint32_t kPlainBank = 1;
inline constexpr uint32_t kTaughtBank = 2;  ///< may hold what classes were taught
using format::kHashBytes;
using format::kKeyIdBytes;
inline constexpr uint32_t kChunk = 1024;  ///< bytes read or programmed at once

/// At the start of a bank, programmed after the snapshot: what makes it valid.
struct BankHeader {
  static constexpr uint32_t kBytes = 48;
  uint32_t version;  ///< kPlainBank or kTaughtBank
  uint32_t generation;
  uint32_t dimension;
  uint8_t model_hash[kHashBytes];
  uint32_t model_check;  ///< checksum of the model's bytes; 0: written before there was one
};

struct RecordHeader {
  static constexpr uint32_t kBytes = 48;
  uint32_t sequence;
  bzscr_store_source source;
  uint32_t changes;
  uint32_t payload_bytes;
  uint32_t payload_crc;
  uint64_t counter;
  uint8_t key_id[kKeyIdBytes];
};

/// Where the parts of a record lie: header, mark, payload, each at a multiple of write_bytes.
struct RecordPlace {
  uint32_t header;
  uint32_t mark;
  uint32_t payload;
};

/// How a read ended.
enum class Read {
  kDone,
  kTorn,   ///< a unit in it is one that power tore, and that the device cannot read
  kFailed  ///< an error of the device
};

/// What stands where a record may begin.
enum class Found {
  kRecord,    ///< whole and marked
  kUnmarked,  ///< whole, but power failed before its mark was
  kNothing,   ///< blank, or cut off
  kDamaged    ///< it was whole once
};

class Media {
 public:
  /// False for a device that cannot be: see bzscr_store_device.
  static bool is_sound(const bzscr_store_device& device);

  /// \param chunk  kChunk bytes of room
  Media(const bzscr_store_device& device, uint8_t* chunk) : device_(&device), chunk_(chunk) {}

  uint32_t bank_bytes() const { return device_->block_bytes * (device_->blocks / 2); }
  uint32_t padded(uint32_t bytes) const {
    return (bytes + device_->write_bytes - 1) & ~(device_->write_bytes - 1);
  }
  uint32_t first_record() const { return padded(BankHeader::kBytes); }
  RecordPlace place(uint32_t at) const;
  /// Where the next record begins after one at `at`; more than bank_bytes() if it does not fit.
  uint64_t end_of(uint32_t at, uint32_t payload_bytes) const;

  // Addresses are within the bank. All others return false for an error of the device.
  Read read(uint32_t bank, uint32_t at, void* bytes, uint32_t size) const;
  bool erase(uint32_t bank) const;
  bool sync() const { return device_->sync(device_->context) == 0; }

  /// *found: 0 no valid header, 1 valid, 2 valid and of a newer format.
  bool read_bank_header(uint32_t bank, BankHeader* header, int* found) const;
  bool write_bank_header(uint32_t bank, const BankHeader& header) const;

  bool find_record(uint32_t bank, uint32_t at, RecordHeader* header, Found* found) const;
  bool is_marked(uint32_t bank, uint32_t at, bool* marked) const;
  bool write_record_header(uint32_t bank, uint32_t at, const RecordHeader& header) const;
  bool write_mark(uint32_t bank, uint32_t at) const;

  /// Whether a bank is as erased from `at` on.
  bool is_blank(uint32_t bank, uint32_t at, bool* blank) const;

  bool lock(bool exclusive) const;
  void unlock() const;

 private:
  friend class PayloadWriter;
  bool program(uint32_t bank, uint32_t at, const void* bytes, uint32_t size) const;
  bool program_padded(uint32_t bank, uint32_t at, const uint8_t* bytes, uint32_t size) const;

  const bzscr_store_device* device_;
  uint8_t* chunk_;
};

/// Programs the bytes of a payload in order, in chunks, and sums them up.
class PayloadWriter {
 public:
  PayloadWriter(const Media& media, uint32_t bank, uint32_t at)
      : media_(media), bank_(bank), at_(at) {}

  uint32_t position() const { return at_ + filled_; }  ///< in the bank, of the next byte
  bool add(const void* bytes, uint32_t size);
  bool end();  ///< programs what is left
  uint32_t crc() const { return crc_; }
  uint32_t bytes() const { return bytes_; }

 private:
  const Media& media_;
  uint32_t bank_;
  uint32_t at_;
  uint32_t filled_ = 0;
  uint32_t crc_ = 0;
  uint32_t bytes_ = 0;
};

}  // namespace bzscr::store
