#include "log.h"

#include "examples.h"

#include <string.h>

namespace bzscr::store {
namespace {

enum EntryKind : uint8_t { kSet = 1, kName = 2, kRemove = 3, kTaught = 4 };

/// A class as a record leaves it. Set: name and embedding; Name: its embedding is what it was, in a
/// snapshot the model's; Remove: neither. Taught: it is as it was, but for what it was taught.
struct Entry {
  static constexpr uint32_t kHeaderBytes = 8;
  uint8_t kind;
  bool seen;
  uint16_t name_length;
  uint32_t id;
  uint32_t body_at;  ///< of the embedding, or of what it was taught, in the bank
  uint32_t words;    ///< of 4 bytes there
};

// Generations count on past 2^32.
bool is_newer(uint32_t generation, uint32_t other) {
  return static_cast<int32_t>(generation - other) > 0;
}

uint32_t in_fours(uint32_t bytes) { return (bytes + 3) & ~3u; }

uint64_t bytes_of(uint32_t name_length, uint32_t words) {
  return uint64_t{Entry::kHeaderBytes} + uint64_t{words} * 4 + in_fours(name_length);
}

/// What a class was taught begins with how many values its sum has, none for a count of 0.
struct TaughtHeader {
  static constexpr uint32_t kWords = 2;
  uint32_t values;
  float count;
};
static_assert(sizeof(TaughtHeader) == TaughtHeader::kWords * 4);

// Of bytes that were synced once.
bzscr_store_status read_status(Read read) {
  return read == Read::kDone   ? BZSCR_STORE_OK
         : read == Read::kTorn ? BZSCR_STORE_DAMAGED
                               : BZSCR_STORE_IO;
}

bzscr_store_status class_status(bzscr_rt_status status) {
  if (status == BZSCR_RT_OK) return BZSCR_STORE_OK;
  return BZSCR_STORE_CLASS + status;
}

// A log that a table with less room cannot take is not at fault; any other complaint means that its
// bytes are.
bzscr_store_status replay_status(bzscr_rt_status status) {
  const bool no_room = status == BZSCR_RT_TABLE_FULL || status == BZSCR_RT_NAME_TOO_LONG;
  if (status == BZSCR_RT_OK || no_room) return class_status(status);
  return BZSCR_STORE_DAMAGED;
}

bool write_header(PayloadWriter& writer, const Entry& entry) {
  uint8_t bytes[Entry::kHeaderBytes] = {entry.kind, static_cast<uint8_t>(entry.seen ? 1 : 0)};
  memcpy(bytes + 2, &entry.name_length, sizeof entry.name_length);
  memcpy(bytes + 4, &entry.id, sizeof entry.id);
  return writer.add(bytes, sizeof bytes);
}

/// \param sum  null: none
bool write_taught(PayloadWriter& writer, uint32_t id, const float* sum, uint32_t k, float count) {
  const TaughtHeader header = {sum != nullptr ? k : 0, count};
  return write_header(writer, Entry{kTaught, false, 0, id, 0, 0}) &&
         writer.add(&header, sizeof header) &&
         (sum == nullptr || writer.add(sum, k * static_cast<uint32_t>(sizeof(float))));
}

bool write_entry(PayloadWriter& writer, const Entry& entry, const char* name, const float* phi,
                 uint32_t d) {
  const uint8_t zeros[4] = {};
  const uint32_t padding = in_fours(entry.name_length) - entry.name_length;
  return write_header(writer, entry) && (phi == nullptr || writer.add(phi, d * sizeof(float))) &&
         (entry.name_length == 0 || writer.add(name, entry.name_length)) &&
         writer.add(zeros, padding);
}

}  // namespace

void State::copy_from(const State& other) {
  classes.copy_from(other.classes);
  bank = other.bank;
  version = other.version;
  generation = other.generation;
  tail = other.tail;
  sequence = other.sequence;
  counter = other.counter;
  unclean = other.unclean;
  damaged = other.damaged;
  last_good = other.last_good;
  other_model = other.other_model;
}

bool State::has_examples() const {
  for (uint32_t i = 0; i < classes.table().count(); ++i)
    if (classes.examples(i) != kNoExamples) return true;
  return false;
}

void Log::start(State& state) const {
  state.classes.start();
  for (uint32_t r = 0; r < model.classes; ++r) {
    const rt::ClassView one = model.class_at(r);
    state.classes.set(one.id, one.name, one.seen,
                      kFromModel);  // the runtime has the same classes in as much room
  }
  state.bank = 1;  // so that the first snapshot goes to the first bank
  state.version = kPlainBank;
  state.generation = 0;
  state.tail = media.first_record();
  state.sequence = 0;
  state.counter = 0;
  state.unclean = state.damaged = state.last_good = state.other_model = false;
}

// Reading

// take(entry) for each, with its name in `name`.
template <class Take>
bzscr_store_status Log::for_each_entry(const State& state, uint32_t at, const RecordHeader& header,
                                       Take take) const {
  const uint32_t bank = state.bank;
  const uint8_t last_kind = state.version >= kTaughtBank ? kTaught : kRemove;
  uint32_t position = media.place(at).payload;
  const uint32_t end = position + header.payload_bytes;
  for (uint32_t i = 0; i < header.changes; ++i) {
    uint8_t bytes[Entry::kHeaderBytes];
    if (end - position < sizeof bytes) return BZSCR_STORE_DAMAGED;
    bzscr_store_status status = read_status(media.read(bank, position, bytes, sizeof bytes));
    if (status != BZSCR_STORE_OK) return status;
    Entry entry{};
    entry.kind = bytes[0];
    entry.seen = bytes[1] != 0;
    memcpy(&entry.name_length, bytes + 2, sizeof entry.name_length);
    memcpy(&entry.id, bytes + 4, sizeof entry.id);
    entry.body_at = position + Entry::kHeaderBytes;
    const bool has_name = entry.kind == kSet || entry.kind == kName;
    if (entry.kind < kSet || entry.kind > last_kind || has_name != (entry.name_length > 0))
      return BZSCR_STORE_DAMAGED;
    if (entry.kind == kSet) entry.words = model.d;
    if (entry.kind == kTaught) {
      TaughtHeader taught;
      if (end - entry.body_at < sizeof taught) return BZSCR_STORE_DAMAGED;
      status = read_status(media.read(bank, entry.body_at, &taught, sizeof taught));
      if (status != BZSCR_STORE_OK) return status;
      if (taught.values > (end - entry.body_at) / 4) return BZSCR_STORE_DAMAGED;
      // Of a class that forgot nothing is kept.
      if (taught.count == 0 && taught.values == 0) entry.body_at = kNoExamples;
      entry.words = TaughtHeader::kWords + taught.values;
    }
    const uint64_t entry_bytes = bytes_of(entry.name_length, entry.words);
    if (end - position < entry_bytes) return BZSCR_STORE_DAMAGED;
    if (entry.name_length >= name_bytes) return BZSCR_STORE_CLASS + BZSCR_RT_NAME_TOO_LONG;
    position += static_cast<uint32_t>(entry_bytes);
    if (entry.name_length > 0)
      status = read_status(
          media.read(bank, position - in_fours(entry.name_length), name, entry.name_length));
    if (status != BZSCR_STORE_OK) return status;
    name[entry.name_length] = '\0';
    if (strlen(name) != entry.name_length) return BZSCR_STORE_DAMAGED;
    status = take(entry);
    if (status != BZSCR_STORE_OK) return status;
  }
  return position == end ? BZSCR_STORE_OK : BZSCR_STORE_DAMAGED;
}

// Names may have changed hands, so whatever differs from the model is taken out before any of it
// comes in.
bzscr_store_status Log::replay_snapshot(uint32_t at, const RecordHeader& header,
                                        State& state) const {
  const bzscr_store_status removed = for_each_entry(state, at, header, [&](const Entry& entry) {
    if (entry.kind == kTaught) return bzscr_store_status{BZSCR_STORE_OK};
    const bool of_model = state.classes.remove(entry.id) == BZSCR_RT_OK;
    return bzscr_store_status{of_model || entry.kind == kSet ? BZSCR_STORE_OK
                                                             : BZSCR_STORE_DAMAGED};
  });
  if (removed != BZSCR_STORE_OK) return removed;
  return for_each_entry(state, at, header, [&](const Entry& entry) {
    if (entry.kind == kRemove) return bzscr_store_status{BZSCR_STORE_OK};
    if (entry.kind == kTaught) return replay_status(state.classes.teach(entry.id, entry.body_at));
    if (state.classes.table().find(entry.id) != rt::kNoClass)
      return bzscr_store_status{BZSCR_STORE_DAMAGED};
    return replay_status(state.classes.set(entry.id, name, entry.seen,
                                           entry.kind == kSet ? entry.body_at : kFromModel));
  });
}

bzscr_store_status Log::replay_changes(uint32_t at, const RecordHeader& header,
                                       State& state) const {
  return for_each_entry(state, at, header, [&](const Entry& entry) {
    switch (entry.kind) {
      case kSet: return replay_status(state.classes.set(entry.id, name, entry.seen, entry.body_at));
      case kTaught: return replay_status(state.classes.teach(entry.id, entry.body_at));
      case kName: return replay_status(state.classes.rename(entry.id, name));
      default: return replay_status(state.classes.remove(entry.id));
    }
  });
}

// Up to and including record *until; null: all.
bzscr_store_status Log::replay(uint32_t bank, const BankHeader& bank_header, const uint32_t* until,
                               State& state) const {
  if (memcmp(bank_header.model_hash, model_hash, kHashBytes) != 0) return BZSCR_STORE_WRONG_MODEL;
  if (bank_header.dimension != model.d) return BZSCR_STORE_WRONG_DIMENSION;
  start(state);
  state.bank = bank;
  state.version = bank_header.version;
  state.generation = bank_header.generation;
  const bool is_known = bank_header.model_check != 0 || bank_header.version >= kTaughtBank;
  state.other_model = is_known && bank_header.model_check != model_check;
  bool weak = false;
  for (bool first = true;; first = false) {
    RecordHeader header;
    Found found;
    if (!media.find_record(bank, state.tail, &header, &found)) return BZSCR_STORE_IO;
    const bool whole = found == Found::kRecord || found == Found::kUnmarked;
    const bool in_order = whole && (first || header.sequence == state.sequence + 1);
    if (found == Found::kNothing && !first) {
      bool blank = false;
      if (!media.is_blank(bank, state.tail, &blank)) return BZSCR_STORE_IO;
      state.unclean = !blank || weak;
      return BZSCR_STORE_OK;
    }
    if (!whole || !in_order) {
      if (first || !accept_last_good) return BZSCR_STORE_DAMAGED;
      state.damaged = state.unclean = true;
      return BZSCR_STORE_OK;
    }
    const bzscr_store_status status = first ? replay_snapshot(state.tail, header, state)
                                            : replay_changes(state.tail, header, state);
    if (status != BZSCR_STORE_OK) return status;
    state.sequence = header.sequence;
    state.counter = header.counter;
    state.tail = static_cast<uint32_t>(media.end_of(state.tail, header.payload_bytes));
    if (until != nullptr && state.sequence == *until) return BZSCR_STORE_OK;
    weak = weak || (found == Found::kUnmarked &&
                    !first);  // as good as any, but to be written anew: power failed near it
  }
}

bzscr_store_status Log::read(State& state) const {
  BankHeader headers[2];
  int found[2];
  for (uint32_t bank = 0; bank < 2; ++bank)
    if (!media.read_bank_header(bank, &headers[bank], &found[bank])) return BZSCR_STORE_IO;
  if (found[0] == 2 || found[1] == 2) return BZSCR_STORE_TOO_NEW;
  if (found[0] == 0 && found[1] == 0) {
    // A first snapshot that was cut off is short. Anything more was a store.
    const uint32_t most = static_cast<uint32_t>(media.end_of(media.first_record(), 0));
    bool blank[2];
    if (!media.is_blank(0, most, &blank[0]) || !media.is_blank(1, most, &blank[1]))
      return BZSCR_STORE_IO;
    return blank[0] && blank[1] ? BZSCR_STORE_NO_STORE : BZSCR_STORE_DAMAGED;
  }
  uint32_t newest = found[0] == 0 ? 1 : 0;
  const bool both = found[0] == 1 && found[1] == 1;
  if (both && is_newer(headers[1].generation, headers[0].generation)) newest = 1;
  bzscr_store_status status = replay(newest, headers[newest], nullptr, state);
  if (status == BZSCR_STORE_DAMAGED && both && accept_last_good) {
    const uint32_t before = 1 - newest;
    status = replay(before, headers[before], nullptr, state);
    // The next snapshot must be newer than the one that was lost.
    state.generation = headers[newest].generation;
    state.damaged = state.unclean = true;
    return status;
  }
  state.last_good = both;
  return status;
}

bzscr_store_status Log::read_until(uint32_t sequence, const State& now, State& state) const {
  BankHeader header;
  int found = 0;
  if (!media.read_bank_header(now.bank, &header, &found)) return BZSCR_STORE_IO;
  if (found != 1) return BZSCR_STORE_DAMAGED;
  const bzscr_store_status status = replay(now.bank, header, &sequence, state);
  if (status == BZSCR_STORE_OK && state.sequence != sequence) return BZSCR_STORE_NO_SUCH_RECORD;
  return status;
}

bzscr_store_status Log::has_changed(const State& state, bool* changed) const {
  *changed = true;
  for (uint32_t bank = 0; bank < 2; ++bank) {
    BankHeader header;
    int found = 0;
    if (!media.read_bank_header(bank, &header, &found)) return BZSCR_STORE_IO;
    const bool ours = bank == state.bank;
    if (ours && !state.damaged && (found != 1 || header.generation != state.generation))
      return BZSCR_STORE_OK;
    if (!ours && found != 0 && is_newer(header.generation, state.generation)) return BZSCR_STORE_OK;
  }
  bool blank = true;
  if (!state.unclean && !media.is_blank(state.bank, state.tail, &blank)) return BZSCR_STORE_IO;
  *changed = !blank;
  return BZSCR_STORE_OK;
}

bzscr_store_status Log::read_embedding(const State& state, uint32_t index, float* into) const {
  const uint32_t place = state.classes.place(index);
  if (place != kFromModel)
    return read_status(
        media.read(state.bank, place, into, model.d * static_cast<uint32_t>(sizeof(float))));
  const rt::ClassView one = model.class_at(model.find(state.classes.table().ids()[index]));
  memcpy(into, one.phi, size_t{model.d} * sizeof(float));
  return BZSCR_STORE_OK;
}

bzscr_store_status Log::read_examples(const State& state, uint32_t index, float* count) const {
  const uint32_t place = state.classes.examples(index);
  TaughtHeader header;
  bzscr_store_status status = read_status(media.read(state.bank, place, &header, sizeof header));
  if (status != BZSCR_STORE_OK) return status;
  if (header.values != model.k || !(header.count > 0)) return BZSCR_STORE_DAMAGED;
  status = read_status(media.read(state.bank, place + static_cast<uint32_t>(sizeof header), sum,
                                  model.k * static_cast<uint32_t>(sizeof(float))));
  if (status != BZSCR_STORE_OK) return status;
  *count = header.count;
  return examples_are_sound(sum, model.k, *count) ? BZSCR_STORE_OK : BZSCR_STORE_DAMAGED;
}

// Writing

uint64_t Log::entry_bytes(const State& state, const Change& change) const {
  if (change.kind == kExamples)
    return bytes_of(0, TaughtHeader::kWords + (change.sum != nullptr ? model.k : 0));
  const rt::ClassTable& table = state.classes.table();
  const uint32_t index = table.find(change.id);
  const size_t length = index == rt::kNoClass ? 0 : strlen(table.name(index));
  const bool set = change.kind != BZSCR_STORE_REMOVE && change.kind != BZSCR_STORE_RENAME;
  return bytes_of(static_cast<uint32_t>(length), set ? model.d : 0);
}

// visit(entry, index) for whatever is not as in the model; index is kNoClass for a class that was
// removed. What a class was taught comes after the class. Stops, and visits no more, once visit
// gives false.
template <class Visit>
void Log::for_each_difference(const State& state, Visit visit) const {
  const rt::ClassTable& table = state.classes.table();
  for (uint32_t r = 0; r < model.classes; ++r) {
    const uint32_t id = model.class_at(r).id;
    if (table.find(id) == rt::kNoClass && !visit(Entry{kRemove, false, 0, id, 0, 0}, rt::kNoClass))
      return;
  }
  for (uint32_t index = 0; index < table.count(); ++index) {
    const uint32_t id = table.ids()[index];
    if (!is_as_in_model(state.classes, index, model)) {
      const bool set = state.classes.place(index) != kFromModel;
      const uint16_t length = static_cast<uint16_t>(strlen(table.name(index)));
      const Entry entry{set ? kSet : kName, table.seen(index), length, id, 0, set ? model.d : 0};
      if (!visit(entry, index)) return;
    }
    if (state.classes.examples(index) == kNoExamples) continue;
    const uint32_t words = TaughtHeader::kWords + model.k;
    if (!visit(Entry{kTaught, false, 0, id, 0, words}, index)) return;
  }
}

uint64_t Log::snapshot_bytes(const State& state) const {
  uint64_t bytes = 0;
  for_each_difference(state, [&](const Entry& entry, uint32_t) {
    bytes += bytes_of(entry.name_length, entry.words);
    return true;
  });
  return bytes;
}

uint32_t Log::differences(const State& state) const {
  uint32_t count = 0;
  for_each_difference(state, [&](const Entry& entry, uint32_t index) {
    // One that differs otherwise too was counted for that.
    if (entry.kind != kTaught || is_as_in_model(state.classes, index, model)) ++count;
    return true;
  });
  return count;
}

// All but what makes it count is on the device before its mark is.
template <class Write>
bool Log::write_record(uint32_t bank, uint32_t at, RecordHeader header, Write write) const {
  PayloadWriter writer(media, bank, media.place(at).payload);
  if (!write(writer) || !writer.end()) return false;
  header.payload_bytes = writer.bytes();
  header.payload_crc = writer.crc();
  return media.write_record_header(bank, at, header) && media.sync() &&
         media.write_mark(bank, at) && media.sync();
}

bzscr_store_status Log::write_snapshot(State& state, uint32_t sequence, bzscr_store_source source,
                                       uint32_t version) const {
  const uint64_t bytes = snapshot_bytes(state);
  if (bytes > media.bank_bytes() ||
      media.end_of(media.first_record(), static_cast<uint32_t>(bytes)) > media.bank_bytes())
    return BZSCR_STORE_FULL;
  if (!media.erase(1 - state.bank))
    return BZSCR_STORE_IO;  // the bank counts for nothing until its header is there
  return fill_bank(state, sequence, source, version);
}

bzscr_store_status Log::write_first(State& state) const {
  start(state);
  for (uint32_t bank = 0; bank < 2; ++bank) {
    bool blank = false;
    if (!media.is_blank(bank, 0, &blank)) return BZSCR_STORE_IO;
    if (!blank) continue;
    state.bank = 1 - bank;
    return fill_bank(state, 0, BZSCR_STORE_FROM_FORMAT, kPlainBank);
  }
  return write_snapshot(state, 0, BZSCR_STORE_FROM_FORMAT);  // over what is left of two attempts
}

// Writes the snapshot in the other bank, which is erased and has room for it.
bzscr_store_status Log::fill_bank(State& state, uint32_t sequence, bzscr_store_source source,
                                  uint32_t version) const {
  const uint32_t bank = 1 - state.bank;
  const uint32_t at = media.first_record();
  RecordHeader header{};
  header.sequence = sequence;
  header.source = source;
  header.counter = state.counter;
  for_each_difference(state, [&](const Entry&, uint32_t) { return ++header.changes, true; });
  if (state.has_examples()) version = kTaughtBank;

  uint32_t bytes = 0;
  bzscr_store_status read = BZSCR_STORE_OK;
  const bool written = write_record(bank, at, header, [&](PayloadWriter& writer) {
    bool ok = true;
    for_each_difference(state, [&](const Entry& entry, uint32_t index) {
      if (entry.kind == kTaught) {
        float count = 0;
        read = read_examples(state, index, &count);
        ok = read == BZSCR_STORE_OK;
        state.classes.move_examples_to(index, writer.position() + Entry::kHeaderBytes);
        return ok = ok && write_taught(writer, entry.id, sum, model.k, count);
      }
      const bool whole = entry.kind == kSet;
      if (whole) read = read_embedding(state, index, phi);
      ok = read == BZSCR_STORE_OK;
      if (whole) state.classes.move_to(index, writer.position() + Entry::kHeaderBytes);
      ok = ok && write_entry(writer, entry,
                             index != rt::kNoClass ? state.classes.table().name(index) : nullptr,
                             whole ? phi : nullptr, model.d);
      return ok;
    });
    bytes = writer.bytes();
    return ok;
  });
  if (read != BZSCR_STORE_OK) return read;
  BankHeader bank_header{version, state.generation + 1, model.d, {}, model_check};
  memcpy(bank_header.model_hash, model_hash, kHashBytes);
  if (!written || !media.write_bank_header(bank, bank_header) || !media.sync())
    return BZSCR_STORE_IO;

  state.last_good = state.generation > 0 && !state.damaged;
  state.bank = bank;
  state.version = version;
  state.generation += 1;
  state.tail = static_cast<uint32_t>(media.end_of(at, bytes));
  state.sequence = sequence;
  state.unclean = state.damaged = state.other_model = false;
  return BZSCR_STORE_OK;
}

bzscr_store_status Log::append(State& state, const Changes& changes, const Origin& origin) const {
  RecordHeader header{};
  header.sequence = state.sequence + 1;
  header.source = origin.source;
  header.changes = changes.count;
  header.counter = origin.counter;
  if (origin.key_id != nullptr) memcpy(header.key_id, origin.key_id, kKeyIdBytes);

  uint32_t bytes = 0;
  const bool written = write_record(state.bank, state.tail, header, [&](PayloadWriter& writer) {
    const rt::ClassTable& table = state.classes.table();
    for (uint32_t i = 0; i < changes.count; ++i) {
      const Change change = changes.at(changes.from, i);
      state.classes.make(change, writer.position() + Entry::kHeaderBytes);
      if (change.kind == kExamples) {
        if (!write_taught(writer, change.id, change.sum, model.k, change.count)) return false;
        continue;
      }
      Entry entry{kRemove, false, 0, change.id, 0, 0};
      const char* new_name = nullptr;
      if (change.kind != BZSCR_STORE_REMOVE) {
        const uint32_t index = table.find(change.id);
        new_name = table.name(index);
        entry.kind = change.kind == BZSCR_STORE_RENAME ? kName : kSet;
        entry.seen = table.seen(index);
        entry.name_length = static_cast<uint16_t>(strlen(new_name));
      }
      if (!write_entry(writer, entry, new_name, entry.kind == kSet ? change.phi : nullptr, model.d))
        return false;
    }
    bytes = writer.bytes();
    return true;
  });
  if (!written) return BZSCR_STORE_IO;
  state.tail = static_cast<uint32_t>(media.end_of(state.tail, bytes));
  state.sequence = header.sequence;
  state.counter = header.counter;
  return BZSCR_STORE_OK;
}

}  // namespace bzscr::store
