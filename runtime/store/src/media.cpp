#include "media.h"

#include <bzscr_schema/crc32c.h>

#include <string.h>

namespace bzscr::store {
namespace {

using format::crc32c;

constexpr uint32_t kBankMagic = 0x42535A42;    // "BZSB"
constexpr uint32_t kRecordMagic = 0x52535A42;  // "BZSR"
constexpr uint32_t kMark = 0x4B4F5A42;         // "BZOK"

// Numbers are stored as they lie in memory: the host is little-endian.
template <class T>
void put(uint8_t* bytes, uint32_t at, const T& value) {
  memcpy(bytes + at, &value, sizeof value);
}
template <class T>
T get(const uint8_t* bytes, uint32_t at) {
  T value;
  memcpy(&value, bytes + at, sizeof value);
  return value;
}

}  // namespace

bool Media::is_sound(const bzscr_store_device& device) {
  const uint64_t bytes = uint64_t{device.block_bytes} * device.blocks;
  const uint32_t unit = device.write_bytes;
  return device.read != nullptr && device.program != nullptr && device.erase != nullptr &&
         device.sync != nullptr && unit >= 1 && unit <= 256 && (unit & (unit - 1)) == 0 &&
         device.block_bytes % unit == 0 && device.blocks >= 2 && device.blocks % 2 == 0 &&
         bytes < (uint64_t{1} << 31) && bytes / 2 >= 4 * 256 &&
         (device.lock == nullptr) == (device.unlock == nullptr);
}

RecordPlace Media::place(uint32_t at) const {
  const uint32_t mark = at + padded(RecordHeader::kBytes);
  return {at, mark, mark + padded(sizeof kMark)};
}

uint64_t Media::end_of(uint32_t at, uint32_t payload_bytes) const {
  const uint64_t unit = device_->write_bytes;
  return uint64_t{place(at).payload} + (uint64_t{payload_bytes} + unit - 1) / unit * unit;
}

Read Media::read(uint32_t bank, uint32_t at, void* bytes, uint32_t size) const {
  const int32_t status = device_->read(device_->context, bank * bank_bytes() + at, bytes, size);
  if (status == 0) return Read::kDone;
  return status == BZSCR_STORE_READ_TORN ? Read::kTorn : Read::kFailed;
}

bool Media::program(uint32_t bank, uint32_t at, const void* bytes, uint32_t size) const {
  return device_->program(device_->context, bank * bank_bytes() + at, bytes, size) == 0;
}

// Up to 256 bytes, with what an erased byte holds after them.
bool Media::program_padded(uint32_t bank, uint32_t at, const uint8_t* bytes, uint32_t size) const {
  uint8_t unit[256];
  memset(unit, device_->erase_value, sizeof unit);
  memcpy(unit, bytes, size);
  return program(bank, at, unit, padded(size));
}

bool Media::erase(uint32_t bank) const {
  const uint32_t blocks = device_->blocks / 2;
  for (uint32_t block = 0; block < blocks; ++block)
    if (device_->erase(device_->context, bank * blocks + block) != 0) return false;
  return true;
}

bool Media::read_bank_header(uint32_t bank, BankHeader* header, int* found) const {
  uint8_t bytes[BankHeader::kBytes];
  const Read header_read = read(bank, 0, bytes, sizeof bytes);
  *found = 0;
  if (header_read != Read::kDone) return header_read == Read::kTorn;
  if (get<uint32_t>(bytes, 0) != kBankMagic || get<uint32_t>(bytes, 44) != crc32c(0, bytes, 44))
    return true;
  header->version = get<uint32_t>(bytes, 4);
  header->generation = get<uint32_t>(bytes, 8);
  header->dimension = get<uint32_t>(bytes, 12);
  memcpy(header->model_hash, bytes + 16, kHashBytes);
  header->model_check = get<uint32_t>(bytes, 36);
  // Written for other units, the records would not be where they are looked for.
  const bool readable = header->version >= kPlainBank && header->version <= kTaughtBank &&
                        get<uint32_t>(bytes, 32) == device_->write_bytes;
  *found = readable ? 1 : 2;
  return true;
}

bool Media::write_bank_header(uint32_t bank, const BankHeader& header) const {
  uint8_t bytes[BankHeader::kBytes] = {};
  put(bytes, 0, kBankMagic);
  put(bytes, 4, header.version);
  put(bytes, 8, header.generation);
  put(bytes, 12, header.dimension);
  memcpy(bytes + 16, header.model_hash, kHashBytes);
  put(bytes, 32, device_->write_bytes);
  put(bytes, 36, header.model_check);
  put(bytes, 44, crc32c(0, bytes, 44));
  return program_padded(bank, 0, bytes, sizeof bytes);
}

bool Media::is_marked(uint32_t bank, uint32_t at, bool* marked) const {
  *marked = false;
  if (end_of(at, 0) > bank_bytes()) return true;
  uint32_t mark = 0;
  const Read mark_read = read(bank, place(at).mark, &mark, sizeof mark);
  *marked = mark_read == Read::kDone && mark == kMark;
  return mark_read != Read::kFailed;
}

bool Media::find_record(uint32_t bank, uint32_t at, RecordHeader* header, Found* found) const {
  *found = Found::kNothing;
  bool marked = false;
  if (end_of(at, 0) > bank_bytes()) return true;
  uint8_t bytes[RecordHeader::kBytes];
  const Read header_read = read(bank, at, bytes, sizeof bytes);
  if (header_read == Read::kFailed || !is_marked(bank, at, &marked)) return false;
  if (marked) *found = Found::kDamaged;  // unless it proves whole

  if (header_read == Read::kTorn) return true;
  if (get<uint32_t>(bytes, 0) != kRecordMagic || get<uint32_t>(bytes, 44) != crc32c(0, bytes, 44))
    return true;
  header->sequence = get<uint32_t>(bytes, 4);
  header->source = static_cast<bzscr_store_source>(get<uint32_t>(bytes, 8));
  header->changes = get<uint32_t>(bytes, 12);
  header->payload_bytes = get<uint32_t>(bytes, 16);
  header->payload_crc = get<uint32_t>(bytes, 20);
  header->counter = get<uint64_t>(bytes, 24);
  memcpy(header->key_id, bytes + 32, kKeyIdBytes);
  if (end_of(at, header->payload_bytes) > bank_bytes()) return true;

  uint32_t crc = 0;
  const uint32_t start = place(at).payload;
  for (uint32_t done = 0; done < header->payload_bytes;) {
    const uint32_t left = header->payload_bytes - done;
    const uint32_t size = left < kChunk ? left : kChunk;
    const Read payload_read = read(bank, start + done, chunk_, size);
    if (payload_read != Read::kDone) return payload_read == Read::kTorn;
    crc = crc32c(crc, chunk_, size);
    done += size;
  }
  if (crc == header->payload_crc) *found = marked ? Found::kRecord : Found::kUnmarked;
  return true;
}

bool Media::write_record_header(uint32_t bank, uint32_t at, const RecordHeader& header) const {
  uint8_t bytes[RecordHeader::kBytes] = {};
  put(bytes, 0, kRecordMagic);
  put(bytes, 4, header.sequence);
  put(bytes, 8, static_cast<uint32_t>(header.source));
  put(bytes, 12, header.changes);
  put(bytes, 16, header.payload_bytes);
  put(bytes, 20, header.payload_crc);
  put(bytes, 24, header.counter);
  memcpy(bytes + 32, header.key_id, kKeyIdBytes);
  put(bytes, 44, crc32c(0, bytes, 44));
  return program_padded(bank, at, bytes, sizeof bytes);
}

bool Media::write_mark(uint32_t bank, uint32_t at) const {
  uint8_t bytes[sizeof kMark];
  put(bytes, 0, kMark);
  return program_padded(bank, place(at).mark, bytes, sizeof bytes);
}

bool Media::is_blank(uint32_t bank, uint32_t at, bool* blank) const {
  uint32_t end = bank_bytes();
  if (device_->used != nullptr && device_->used(device_->context, bank, &end) != 0) return false;
  if (end > bank_bytes()) end = bank_bytes();
  *blank = false;
  while (at < end) {
    const uint32_t size = end - at < kChunk ? end - at : kChunk;
    const Read chunk_read = read(bank, at, chunk_, size);
    if (chunk_read != Read::kDone) return chunk_read == Read::kTorn;
    for (uint32_t i = 0; i < size; ++i)
      if (chunk_[i] != device_->erase_value) return true;
    at += size;
  }
  *blank = true;
  return true;
}

bool Media::lock(bool exclusive) const {
  return device_->lock == nullptr || device_->lock(device_->context, exclusive ? 1 : 0) == 0;
}

void Media::unlock() const {
  if (device_->unlock != nullptr) device_->unlock(device_->context);
}

bool PayloadWriter::add(const void* bytes, uint32_t size) {
  const uint8_t* from = static_cast<const uint8_t*>(bytes);
  crc_ = crc32c(crc_, bytes, size);
  bytes_ += size;
  while (size > 0) {
    const uint32_t room = kChunk - filled_;
    const uint32_t part = size < room ? size : room;
    memcpy(media_.chunk_ + filled_, from, part);
    from += part;
    size -= part;
    filled_ += part;
    if (filled_ < kChunk) break;
    if (!media_.program(bank_, at_, media_.chunk_, kChunk)) return false;
    at_ += kChunk;
    filled_ = 0;
  }
  return true;
}

bool PayloadWriter::end() {
  if (filled_ == 0) return true;
  const uint32_t size = media_.padded(filled_);
  memset(media_.chunk_ + filled_, media_.device_->erase_value, size - filled_);
  if (!media_.program(bank_, at_, media_.chunk_, size)) return false;
  at_ += size;
  filled_ = 0;
  return true;
}

}  // namespace bzscr::store
