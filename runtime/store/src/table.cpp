#include "table.h"

#include <string.h>

namespace bzscr::store {
namespace {

// A class whose name goes round in a circle with others' is taken out, and put back with the rest.
bzscr_rt_status make_way(bzscr_rt* table, uint32_t id, const char* name) {
  const bzscr_rt_status status = bzscr_rt_rename_class(table, id, name);
  return status == BZSCR_RT_DUPLICATE_NAME ? bzscr_rt_remove_class(table, id) : status;
}

}  // namespace

Batch::Batch(bzscr_rt* table)
    : table_(table), changes_(nullptr), begun_(bzscr_rt_begin_changes(table, &changes_)) {}

Batch::~Batch() {
  if (begun_ != BZSCR_RT_OK || changes_ == nullptr) return;
  if (bzscr_rt_cancel_changes(table_) != BZSCR_RT_OK) bzscr_rt_end_changes(table_);
}

bzscr_store_status Batch::status() const {
  if (begun_ == BZSCR_RT_OK) return BZSCR_STORE_OK;
  return BZSCR_STORE_CLASS + begun_;
}

void Batch::end() {
  bzscr_rt_end_changes(table_);
  changes_ = nullptr;
}

bzscr_store_status bring_table_to(bzscr_rt* table, const Log& log, const State& now,
                                  const State& next, bool same_bank) {
  const rt::ClassTable& before = now.classes.table();
  const rt::ClassTable& after = next.classes.table();
  for (uint32_t i = 0; i < before.count(); ++i) {
    const uint32_t index = after.find(before.ids()[i]);
    if (index != rt::kNoClass && after.seen(index) == before.seen(i)) continue;
    bzscr_rt_remove_class(table, before.ids()[i]);
  }
  for (uint32_t i = 0; i < before.count(); ++i) {
    const uint32_t id = before.ids()[i];
    const uint32_t index = after.find(id);
    uint32_t unused;
    if (index == rt::kNoClass || strcmp(after.name(index), before.name(i)) == 0) continue;
    if (bzscr_rt_find_class(table, id, &unused) != BZSCR_RT_OK) continue;
    const bzscr_rt_status status = make_way(table, id, after.name(index));
    if (status != BZSCR_RT_OK) return BZSCR_STORE_CLASS + status;
  }
  for (uint32_t i = 0; i < after.count(); ++i) {
    const uint32_t id = after.ids()[i];
    const uint32_t old = before.find(id);
    const uint32_t place = next.classes.place(i);
    uint32_t unused;
    const bool there = bzscr_rt_find_class(table, id, &unused) == BZSCR_RT_OK;
    const bool kept = there && old != rt::kNoClass;
    const uint32_t taught = next.classes.examples(i);
    const bool same_examples = (kept ? now.classes.examples(old) : kNoExamples) == taught &&
                               (taught == kNoExamples || (kept && same_bank));
    bzscr_rt_status status = BZSCR_RT_OK;
    if (kept && now.classes.place(old) == place && (same_bank || place == kFromModel)) {
      // its embedding is the same
    } else if (place == kFromModel) {
      status = bzscr_rt_restore_class(table, id, after.name(i));
    } else {
      const bzscr_store_status read = log.read_embedding(next, i, log.phi);
      if (read != BZSCR_STORE_OK) return read;
      if (!there && after.seen(i))
        bzscr_rt_restore_class(table, id, after.name(i));  // or it would come in as unseen
      status = bzscr_rt_set_class(table, id, after.name(i), log.phi);
    }
    if (status == BZSCR_RT_NOT_FINITE || status == BZSCR_RT_ZERO_INPUT ||
        status == BZSCR_RT_OUT_OF_RANGE)
      return BZSCR_STORE_DAMAGED;  // never written so
    if (status != BZSCR_RT_OK) return BZSCR_STORE_CLASS + status;
    if (same_examples) continue;
    float count = 0;
    if (taught != kNoExamples) {
      const bzscr_store_status read = log.read_examples(next, i, &count);
      if (read != BZSCR_STORE_OK) return read;
    }
    status = bzscr_rt_set_examples(table, id, log.sum, count);
    if (status != BZSCR_RT_OK) return BZSCR_STORE_CLASS + status;
  }
  return BZSCR_STORE_OK;
}

}  // namespace bzscr::store
