#include "bzscr_store/bzscr_store.h"

#include "arena.h"
#include "log.h"
#include "pack.h"
#include "schema.h"
#include "setup.h"
#include "signature.h"
#include "table.h"

#include <bzscr_schema/class_pack_generated.h>

#include <string.h>
#include <new>

using namespace bzscr::store;
namespace rt = bzscr::rt;
namespace format = bzscr::format;

/// What lies at the start of the arena. `next` is where a state is tried before it becomes `now`.
struct bzscr_store {
  Log log;
  bzscr_rt* table;
  const format::Training* training;  ///< may be null
  Keys keys;
  bool read_only;
  bool teachable;  ///< the table
  float* sum;      ///< k values, of what a class is to be taught
  bool broken;     ///< the table is between two states: only opening anew helps
  State now;
  State next;
};

namespace {

// Takes all that a store needs, its own bytes first; measuring or placing.
bzscr_store* lay_out(const bzscr_store_config& config, const bzscr_rt_info& info, rt::Arena& arena,
                     bzscr_store* store) {
  bzscr_store* place = arena.take<bzscr_store>(1);
  uint8_t* chunk = arena.take<uint8_t>(kChunk);
  store->log.media = Media(*config.device, chunk);
  store->log.name_bytes = info.name_bytes;
  store->log.name = arena.take<char>(uint64_t{info.name_bytes} + 1);
  store->log.phi = arena.take<float>(info.embedding_dimension);
  store->log.sum = arena.take<float>(info.teachable != 0 ? info.weak_models : 0);
  store->sum = arena.take<float>(info.teachable != 0 ? info.weak_models : 0);
  store->now.classes.lay_out(info.class_capacity, info.name_bytes, arena);
  store->next.classes.lay_out(info.class_capacity, info.name_bytes, arena);
  return place;
}

bzscr_store blank_store(const bzscr_store_config& config) {
  return {{Media(*config.device, nullptr), {}, {}, 0, false, nullptr, 0, nullptr, nullptr},
          nullptr,
          nullptr,
          {},
          false,
          false,
          nullptr,
          false,
          {},
          {}};
}

bzscr_store_status measure(const Setup& setup, size_t* arena_bytes) {
  rt::Arena arena;
  bzscr_store store = blank_store(setup.config);
  lay_out(setup.config, setup.info, arena, &store);
  if (arena.overflowed()) return BZSCR_STORE_BAD_ARGUMENT;
  *arena_bytes = arena.used();
  return BZSCR_STORE_OK;
}

bzscr_store_status place_store(const Setup& setup, bzscr_store** store) {
  const bzscr_store_config* config = &setup.config;
  // Whoever gives keys relies on them: packs must not be taken unseen.
  const bool must_verify = config->require_signatures != 0 || config->key_count > 0;
  if (must_verify && !can_verify()) return BZSCR_STORE_NO_SIGNATURES;
  // Shapes and classes are those of the table's model, whatever was given.
  const void* file = bzscr_rt_model(config->table);
  if (config->model != nullptr && !is_same_model(config->model, file))
    return BZSCR_STORE_OTHER_MODEL;
  size_t needed = 0;
  const bzscr_store_status status = measure(setup, &needed);
  if (status != BZSCR_STORE_OK) return status;
  if (config->arena == nullptr || !rt::is_aligned(config->arena) || config->arena_bytes < needed)
    return BZSCR_STORE_ARENA_TOO_SMALL;
  rt::Arena arena(config->arena);
  bzscr_store laid_out = blank_store(*config);
  void* place = lay_out(*config, setup.info, arena, &laid_out);
  bzscr_store* placed = new (place) bzscr_store(laid_out);

  const format::Envelope& envelope = *format::GetEnvelope(file);
  const format::Model& model = *format::GetModel(envelope.payload()->data());
  placed->log.model_check = envelope.payload_crc32c();
  placed->log.model = rt::view_model(model);
  placed->training = model.training();
  const auto* hash = placed->training != nullptr ? placed->training->data_hash() : nullptr;
  if (hash != nullptr) memcpy(placed->log.model_hash, hash->data(), kHashBytes);
  placed->log.accept_last_good = config->accept_last_good != 0;
  placed->table = config->table;
  placed->keys = {config->keys, config->key_count, config->require_signatures != 0, !can_verify()};
  placed->read_only = config->read_only != 0;
  placed->teachable = setup.info.teachable != 0;
  *store = placed;
  return BZSCR_STORE_OK;
}

/// Holds the device's lock, where it has one.
class Locked {
 public:
  Locked(const Media& media, bool exclusive) : media_(media), held_(media.lock(exclusive)) {}
  ~Locked() {
    if (held_) media_.unlock();
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  explicit operator bool() const { return held_; }

 private:
  const Media& media_;
  bool held_;
};

// The state in `next` becomes that of table and store, for all who read the table at once.
bzscr_store_status adopt_next(bzscr_store& store, Batch& batch, bool same_bank) {
  const bzscr_store_status status =
      bring_table_to(batch.changes(), store.log, store.now, store.next, same_bank);
  if (status != BZSCR_STORE_OK) {
    store.broken = true;
    return status;
  }
  batch.end();
  store.now.copy_from(store.next);
  return BZSCR_STORE_OK;
}

// Whether the table can be taught what the classes of a state were, by this model.
bzscr_store_status check_examples(const bzscr_store& store, const State& state) {
  if (!state.has_examples()) return BZSCR_STORE_OK;
  if (!store.teachable) return BZSCR_STORE_NOT_TEACHABLE;
  return state.other_model ? BZSCR_STORE_EXAMPLES_OF_OTHER_MODEL : BZSCR_STORE_OK;
}

// The state on the device, into `next`. A record that a killed process wrote may stand in a cache
// alone: it must not be seen, and then be lost with power.
bzscr_store_status read_next(bzscr_store& store) {
  const bzscr_store_status status = store.log.read(store.next);
  const bool unsafe = status == BZSCR_STORE_OK && store.next.unclean && !store.read_only;
  if (unsafe && !store.log.media.sync()) return BZSCR_STORE_IO;
  return status == BZSCR_STORE_OK ? check_examples(store, store.next) : status;
}

bzscr_store_status catch_up(bzscr_store& store, bool* changed) {
  *changed = false;
  bzscr_store_status status = store.log.has_changed(store.now, changed);
  if (status != BZSCR_STORE_OK || !*changed) return status;
  status = read_next(store);
  if (status != BZSCR_STORE_OK) return status;
  const bool same_bank =
      store.next.generation == store.now.generation && store.next.bank == store.now.bank;
  Batch batch(store.table);
  return batch.status() == BZSCR_STORE_OK ? adopt_next(store, batch, same_bank) : batch.status();
}

// Before whatever looks at the state or changes it, under the lock: what others wrote.
bzscr_store_status begin(bzscr_store& store, const Locked& lock) {
  bool changed;
  if (!lock || store.broken) return BZSCR_STORE_IO;
  return catch_up(store, &changed);
}

bzscr_store_status compact(bzscr_store& store, uint32_t version = kPlainBank) {
  store.next.copy_from(store.now);
  const bzscr_store_status status = store.log.write_snapshot(store.next, store.now.sequence,
                                                             BZSCR_STORE_FROM_COMPACTION, version);
  if (status == BZSCR_STORE_OK) store.now.copy_from(store.next);  // the same classes, elsewhere
  return status;
}

// Whether a change would take the id of a class that another wrote.
bool takes_id(const Change& change, const rt::ClassTable& table, bool may_take) {
  const uint32_t index = table.find(change.id);
  if (index == rt::kNoClass) return false;
  return change.kind == BZSCR_STORE_ADD ||
         (change.kind == BZSCR_STORE_SET && !may_take && change.name != nullptr &&
          strcmp(change.name, table.name(index)) != 0);
}

/// What a record of changes needs.
struct Needs {
  uint64_t bytes;
  bool examples;  ///< a bank that takes them
};

// Tries the changes on `next`.
bzscr_store_status check_changes(bzscr_store& store, const Changes& changes, Needs* needs,
                                 bzscr_store_refusal& refusal) {
  State& next = store.next;
  next.copy_from(store.now);
  *needs = {0, false};
  for (uint32_t i = 0; i < changes.count; ++i) {
    const Change change = changes.at(changes.from, i);
    const bool with_embedding = change.kind == BZSCR_STORE_ADD || change.kind == BZSCR_STORE_SET ||
                                change.kind == BZSCR_STORE_REPLACE;
    if (takes_id(change, next.classes.table(), changes.may_take_ids)) {
      refusal.change = i;
      refusal.id = change.id;
      return BZSCR_STORE_ID_TAKEN;
    }
    bzscr_rt_status status = BZSCR_RT_OK;
    if ((with_embedding && change.phi == nullptr) ||
        (change.kind == BZSCR_STORE_RENAME && change.name == nullptr))
      status = BZSCR_RT_BAD_ARGUMENT;
    if (status == BZSCR_RT_OK && with_embedding)
      status = bzscr_rt_check_embedding(store.table, change.phi);
    if (status == BZSCR_RT_OK) status = next.classes.make(change, 0);
    if (status != BZSCR_RT_OK) {
      refusal.change = i;
      refusal.id = change.id;
      return BZSCR_STORE_CLASS + status;
    }
    needs->bytes += store.log.entry_bytes(next, change);
    needs->examples = needs->examples || change.kind == kExamples;
  }
  return BZSCR_STORE_OK;
}

bzscr_store_status make_room(bzscr_store& store, const Needs& needs) {
  const Media& media = store.log.media;
  const uint64_t bank = media.bank_bytes();
  if (needs.bytes > bank) return BZSCR_STORE_FULL;
  const uint32_t record = static_cast<uint32_t>(needs.bytes);
  const bool suits = !store.now.unclean && (!needs.examples || store.now.takes_examples());
  if (suits && media.end_of(store.now.tail, record) <= bank) return BZSCR_STORE_OK;
  const uint64_t snapshot = store.log.snapshot_bytes(store.now);
  if (snapshot > bank) return BZSCR_STORE_FULL;
  const uint64_t tail = media.end_of(media.first_record(), static_cast<uint32_t>(snapshot));
  if (tail > bank || media.end_of(static_cast<uint32_t>(tail), record) > bank)
    return BZSCR_STORE_FULL;
  return compact(store, needs.examples ? kTaughtBank : kPlainBank);
}

bzscr_store_status make_changes(bzscr_store& store, const Changes& changes, const Origin& origin,
                                bzscr_store_refusal& refusal) {
  Needs needs{};
  bzscr_store_status status = check_changes(store, changes, &needs, refusal);
  Batch batch(store.table);  // begun before anything is written: it may be refused
  if (status == BZSCR_STORE_OK) status = batch.status();
  if (status == BZSCR_STORE_OK) status = make_room(store, needs);
  if (status != BZSCR_STORE_OK) return status;

  store.next.copy_from(store.now);
  status = store.log.append(store.next, changes, origin);
  if (status != BZSCR_STORE_OK) {
    store.now.unclean = true;
    return status;
  }
  return adopt_next(store, batch, /*same_bank=*/true);
}

// A change of the device itself.
Change change_in(const void* list, uint32_t i) {
  const bzscr_store_change& from = static_cast<const bzscr_store_change*>(list)[i];
  const bool known = from.kind <= BZSCR_STORE_ADD;  // others are ours
  return {known ? from.kind : 0, from.id, from.name, from.phi, nullptr, 0};
}

// What a class will have been taught with one sample more: into store.sum and *count. The table is
// as it was.
bzscr_store_status add_example(bzscr_store& store, uint32_t id, const float* x, float weight,
                               float* count) {
  Batch batch(store.table);
  if (batch.status() != BZSCR_STORE_OK) return batch.status();
  bzscr_rt* table = batch.changes();
  float before = 0;
  bzscr_rt_status status = bzscr_rt_get_examples(table, id, store.log.sum, &before);
  if (status == BZSCR_RT_OK) status = bzscr_rt_teach(table, id, x, weight);
  if (status != BZSCR_RT_OK) return BZSCR_STORE_CLASS + status;
  bzscr_rt_get_examples(table, id, store.sum, count);
  bzscr_rt_set_examples(table, id, store.log.sum, before);  // for a table that is not shared
  return BZSCR_STORE_OK;
}

// Replaces what a class was taught: the one change of a record.
bzscr_store_status write_examples(bzscr_store& store, uint32_t id, const float* sum, float count) {
  const Change change = {kExamples, id, nullptr, nullptr, sum, count};
  const Changes changes = {
      [](const void* from, uint32_t) { return *static_cast<const Change*>(from); }, &change, 1,
      /*may_take_ids=*/false};
  bzscr_store_refusal unused;
  return make_changes(store, changes, {BZSCR_STORE_FROM_DEVICE, store.now.counter, nullptr},
                      unused);
}

// So that what is refused for a reason of its own names no change.
bzscr_store_refusal& cleared(bzscr_store_refusal& refusal) {
  return refusal = {UINT32_MAX, 0, 0, 0};
}

bzscr_store_status may_change(const bzscr_store* store) {
  if (store == nullptr) return BZSCR_STORE_BAD_ARGUMENT;
  return store->read_only ? BZSCR_STORE_READ_ONLY : BZSCR_STORE_OK;
}

// Whether the pack is for this model and newer than the last one.
bzscr_store_status check_fit(const bzscr_store& store, const Pack& pack, uint32_t flags,
                             bzscr_store_refusal& refusal) {
  const format::ClassPack& contents = *pack.contents;
  const auto* hash = store.training != nullptr ? store.training->data_hash() : nullptr;
  if (hash == nullptr || memcmp(hash->data(), contents.model_hash()->data(), kHashBytes) != 0)
    return BZSCR_STORE_WRONG_MODEL;
  const auto* name = store.training->embedding_name();
  const uint32_t length = name != nullptr ? name->size() : 0;
  if (length != contents.embedding_name()->size() ||
      (length > 0 && memcmp(name->data(), contents.embedding_name()->data(), length) != 0))
    return BZSCR_STORE_WRONG_EMBEDDING;
  if (contents.embedding_dimension() != store.log.model.d) return BZSCR_STORE_WRONG_DIMENSION;
  if (teaches(contents)) {
    if (contents.model_check() != store.log.model_check) return BZSCR_STORE_EXAMPLES_OF_OTHER_MODEL;
    if (!examples_have(contents, store.log.model.k)) return BZSCR_STORE_PACK_DAMAGED;
    if (!store.teachable) return BZSCR_STORE_NOT_TEACHABLE;
  }
  refusal.pack_counter = contents.counter();
  refusal.last_counter = store.now.counter;
  const bool newer = contents.counter() > store.now.counter;
  return newer || (flags & BZSCR_STORE_ALLOW_OLDER) != 0 ? BZSCR_STORE_OK : BZSCR_STORE_STALE;
}

}  // namespace

int32_t bzscr_store_checks_signatures(void) { return can_verify() ? 1 : 0; }

bzscr_store_status bzscr_store_arena_bytes(const bzscr_store_config* config, size_t* arena_bytes) {
  Setup setup;
  if (arena_bytes == nullptr || !read_setup(config, &setup)) return BZSCR_STORE_BAD_ARGUMENT;
  return measure(setup, arena_bytes);
}

bzscr_store_status bzscr_store_format(const bzscr_store_config* config) {
  Setup setup;
  bzscr_store* store = nullptr;
  if (!read_setup(config, &setup)) return BZSCR_STORE_BAD_ARGUMENT;
  const bzscr_store_status status = place_store(setup, &store);
  if (status != BZSCR_STORE_OK) return status;
  if (store->read_only) return BZSCR_STORE_READ_ONLY;
  const Media& media = store->log.media;
  const Locked lock(media, true);
  if (!lock || !media.erase(0) || !media.erase(1) || !media.sync()) return BZSCR_STORE_IO;
  return store->log.write_first(store->next);
}

bzscr_store_status bzscr_store_open(const bzscr_store_config* config, bzscr_store** store) {
  Setup setup;
  bzscr_store* placed = nullptr;
  if (store == nullptr || !read_setup(config, &setup)) return BZSCR_STORE_BAD_ARGUMENT;
  bzscr_store_status status = place_store(setup, &placed);
  if (status != BZSCR_STORE_OK) return status;
  const bool create = setup.config.create != 0 && !placed->read_only;
  const Locked lock(placed->log.media, create);
  if (!lock) return BZSCR_STORE_IO;
  placed->log.start(placed->now);
  status = read_next(*placed);
  if (status == BZSCR_STORE_NO_STORE && create) status = placed->log.write_first(placed->next);
  Batch batch(placed->table);
  if (status == BZSCR_STORE_OK) status = batch.status();
  if (status == BZSCR_STORE_OK) status = adopt_next(*placed, batch, /*same_bank=*/false);
  if (status == BZSCR_STORE_OK) *store = placed;
  return status;
}

bzscr_store_status bzscr_store_verify_pack(const void* bytes, size_t size, const uint8_t* keys,
                                           uint32_t key_count) {
  if (bytes == nullptr || (keys == nullptr && key_count > 0)) return BZSCR_STORE_BAD_ARGUMENT;
  if (key_count > 0 && !can_verify()) return BZSCR_STORE_NO_SIGNATURES;
  Pack pack;
  return open_pack(bytes, size, {keys, key_count, key_count > 0, key_count == 0}, &pack);
}

bzscr_store_status bzscr_store_verify_model(const void* bytes, size_t size, const uint8_t* keys,
                                            uint32_t key_count) {
  if (bytes == nullptr || keys == nullptr || key_count == 0) return BZSCR_STORE_BAD_ARGUMENT;
  if (!can_verify()) return BZSCR_STORE_NO_SIGNATURES;
  return verify_signed_model(bytes, size, {keys, key_count, /*required=*/true, /*ignored=*/false});
}

bzscr_store_status bzscr_store_apply(bzscr_store* store, const void* bytes, size_t size,
                                     uint32_t flags, bzscr_store_refusal* why) {
  bzscr_store_refusal unused;
  bzscr_store_refusal& refusal = cleared(why != nullptr ? *why : unused);
  bzscr_store_status status = may_change(store);
  if (status != BZSCR_STORE_OK) return status;
  constexpr uint32_t kFlags = BZSCR_STORE_ALLOW_OLDER | BZSCR_STORE_REPLACE_CLASSES;
  if (bytes == nullptr || (flags & ~kFlags) != 0) return BZSCR_STORE_BAD_ARGUMENT;
  Pack pack;
  status = open_pack(bytes, size, store->keys, &pack);
  if (status != BZSCR_STORE_OK) return status;

  const Locked lock(store->log.media, true);
  status = begin(*store, lock);
  if (status == BZSCR_STORE_OK) status = check_fit(*store, pack, flags, refusal);
  if (status != BZSCR_STORE_OK) return status;
  const Changes changes = {
      [](const void* from, uint32_t i) { return change_at(*static_cast<const Pack*>(from), i); },
      &pack, pack.contents->changes()->size(), (flags & BZSCR_STORE_REPLACE_CLASSES) != 0};
  return make_changes(*store, changes,
                      {BZSCR_STORE_FROM_PACK, pack.contents->counter(), pack.key_id}, refusal);
}

bzscr_store_status bzscr_store_change_classes(bzscr_store* store, const bzscr_store_change* list,
                                              uint32_t count, bzscr_store_refusal* why) {
  bzscr_store_refusal unused;
  bzscr_store_refusal& refusal = cleared(why != nullptr ? *why : unused);
  bzscr_store_status status = may_change(store);
  if (status != BZSCR_STORE_OK) return status;
  if (list == nullptr || count == 0) return BZSCR_STORE_BAD_ARGUMENT;
  const Locked lock(store->log.media, true);
  status = begin(*store, lock);
  if (status != BZSCR_STORE_OK) return status;
  const Changes changes = {change_in, list, count, /*may_take_ids=*/true};
  return make_changes(*store, changes, {BZSCR_STORE_FROM_DEVICE, store->now.counter, nullptr},
                      refusal);
}

bzscr_store_status bzscr_store_teach(bzscr_store* store, uint32_t id, const float* x,
                                     float weight) {
  bzscr_store_status status = may_change(store);
  if (status != BZSCR_STORE_OK) return status;
  if (!store->teachable) return BZSCR_STORE_NOT_TEACHABLE;
  if (x == nullptr) return BZSCR_STORE_BAD_ARGUMENT;
  const Locked lock(store->log.media, true);
  status = begin(*store, lock);
  float count = 0;
  if (status == BZSCR_STORE_OK) status = add_example(*store, id, x, weight, &count);
  return status == BZSCR_STORE_OK ? write_examples(*store, id, store->sum, count) : status;
}

bzscr_store_status bzscr_store_forget(bzscr_store* store, uint32_t id) {
  bzscr_store_status status = may_change(store);
  if (status != BZSCR_STORE_OK) return status;
  if (!store->teachable) return BZSCR_STORE_NOT_TEACHABLE;
  const Locked lock(store->log.media, true);
  status = begin(*store, lock);
  if (status != BZSCR_STORE_OK) return status;
  const uint32_t index = store->now.classes.table().find(id);
  if (index == rt::kNoClass) return BZSCR_STORE_CLASS + BZSCR_RT_NO_SUCH_CLASS;
  const bool nothing = store->now.classes.examples(index) == kNoExamples;
  return nothing ? BZSCR_STORE_OK : write_examples(*store, id, nullptr, 0);
}

bzscr_store_status bzscr_store_refresh(bzscr_store* store, int32_t* changed) {
  if (store == nullptr) return BZSCR_STORE_BAD_ARGUMENT;
  const Locked lock(store->log.media, false);
  if (!lock || store->broken) return BZSCR_STORE_IO;
  bool any = false;
  const bzscr_store_status status = catch_up(*store, &any);
  if (changed != nullptr) *changed = any ? 1 : 0;
  return status;
}

bzscr_store_status bzscr_store_rollback(bzscr_store* store, uint32_t sequence) {
  bzscr_store_status status = may_change(store);
  if (status != BZSCR_STORE_OK) return status;
  const Locked lock(store->log.media, true);
  status = begin(*store, lock);
  if (status != BZSCR_STORE_OK) return status;
  if (sequence > store->now.sequence) return BZSCR_STORE_NO_SUCH_RECORD;
  State& next = store->next;
  status = store->log.read_until(sequence, store->now, next);
  if (status == BZSCR_STORE_OK) status = check_examples(*store, next);
  if (status != BZSCR_STORE_OK) return status;
  next.counter = store->now.counter;
  next.generation = store->now.generation;
  Batch batch(store->table);
  if (batch.status() != BZSCR_STORE_OK) return batch.status();
  status = store->log.write_snapshot(next, store->now.sequence + 1, BZSCR_STORE_FROM_ROLLBACK);
  return status == BZSCR_STORE_OK ? adopt_next(*store, batch, /*same_bank=*/false) : status;
}

bzscr_store_status bzscr_store_compact(bzscr_store* store) {
  bzscr_store_status status = may_change(store);
  if (status != BZSCR_STORE_OK) return status;
  const Locked lock(store->log.media, true);
  status = begin(*store, lock);
  return status == BZSCR_STORE_OK ? compact(*store) : status;
}

bzscr_store_status bzscr_store_describe(const bzscr_store* store, bzscr_store_info* info) {
  if (store == nullptr || info == nullptr || !is_info_size(info->struct_size))
    return BZSCR_STORE_BAD_ARGUMENT;
  const State& now = store->now;
  bzscr_store_info found{};
  found.struct_size = info->struct_size;
  found.generation = now.generation;
  found.sequence = now.sequence;
  found.counter = now.counter;
  found.changed = store->log.differences(now);
  found.bank_bytes = store->log.media.bank_bytes();
  found.used_bytes = now.tail;
  found.damaged = now.damaged ? 1 : 0;
  found.unclean = now.unclean ? 1 : 0;
  found.last_good = now.last_good ? 1 : 0;
  memcpy(found.model_hash, store->log.model_hash, kHashBytes);
  found.other_model = now.other_model ? 1 : 0;
  memcpy(info, &found, info->struct_size);
  return BZSCR_STORE_OK;
}

bzscr_store_status bzscr_store_history(bzscr_store* store, uint32_t length,
                                       bzscr_store_record* records, uint32_t* count) {
  if (store == nullptr || count == nullptr || (records == nullptr && length > 0))
    return BZSCR_STORE_BAD_ARGUMENT;
  const Media& media = store->log.media;
  const Locked lock(media, false);
  const bzscr_store_status status = begin(*store, lock);
  if (status != BZSCR_STORE_OK) return status;
  uint32_t found_records = 0;
  for (uint32_t at = media.first_record(); at < store->now.tail;) {
    RecordHeader header;
    Found found;
    if (!media.find_record(store->now.bank, at, &header, &found)) return BZSCR_STORE_IO;
    if (found == Found::kNothing || found == Found::kDamaged) return BZSCR_STORE_DAMAGED;
    const uint32_t end = static_cast<uint32_t>(media.end_of(at, header.payload_bytes));
    if (found_records < length) {
      bzscr_store_record& record = records[found_records];
      record = {header.sequence, header.source, header.changes, end - at, header.counter, {}};
      memcpy(record.key_id, header.key_id, sizeof record.key_id);
    }
    ++found_records;
    at = end;
  }
  *count = found_records;
  return BZSCR_STORE_OK;
}

bzscr_store_status bzscr_store_embedding(bzscr_store* store, uint32_t id, int32_t* own,
                                         float* phi) {
  if (store == nullptr || own == nullptr) return BZSCR_STORE_BAD_ARGUMENT;
  const Locked lock(store->log.media, false);
  const bzscr_store_status status = begin(*store, lock);
  if (status != BZSCR_STORE_OK) return status;
  const uint32_t index = store->now.classes.table().find(id);
  if (index == rt::kNoClass) return BZSCR_STORE_CLASS + BZSCR_RT_NO_SUCH_CLASS;
  *own = store->now.classes.place(index) != kFromModel ? 1 : 0;
  if (phi == nullptr) return BZSCR_STORE_OK;
  return store->log.read_embedding(store->now, index, phi);
}
