#pragma once

#include "bzscr_store/bzscr_store.h"
#include "class_table.h"
#include "model_view.h"

namespace bzscr::store {

inline constexpr uint32_t kFromModel = UINT32_MAX;
inline constexpr uint32_t kNoExamples = 0;  ///< a bank's header lies there

/// A change of a device or a pack, as bzscr_store_change, or what a class was taught.
struct Change {
  bzscr_store_kind kind;
  uint32_t id;
  const char* name;
  const float* phi;
  const float* sum;  ///< k values; of kExamples only, and null if count is 0
  float count;
};
inline constexpr bzscr_store_kind kExamples = 100;  ///< a kind that no caller can give

/// Which classes there are, and where each one's embedding lies, in the model or at an address of
/// a bank, and what it was taught, at an address of the bank.
class Directory {
 public:
  void lay_out(uint32_t capacity, uint32_t name_bytes, rt::Arena& arena);
  void copy_from(const Directory& other);
  void start();  ///< empties it

  const rt::ClassTable& table() const { return table_; }
  uint32_t place(uint32_t index) const { return place_[index]; }
  void move_to(uint32_t index, uint32_t place) { place_[index] = place; }
  uint32_t examples(uint32_t index) const { return examples_[index]; }
  void move_examples_to(uint32_t index, uint32_t place) { examples_[index] = place; }

  /// Adds a class, or gives the one that is there another name (null: keeps it) and embedding.
  bzscr_rt_status set(uint32_t id, const char* name, bool seen_if_new, uint32_t place);
  bzscr_rt_status rename(uint32_t id, const char* name);
  bzscr_rt_status remove(uint32_t id);
  bzscr_rt_status teach(uint32_t id, uint32_t place);

  /// Makes a change whose embedding or examples will lie at `place`.
  bzscr_rt_status make(const Change& change, uint32_t place);

 private:
  rt::ClassTable table_;
  uint32_t* place_;
  uint32_t* examples_;
};

/// Whether a class is as the model has it, but for what it was taught.
bool is_as_in_model(const Directory& directory, uint32_t index, const rt::ModelView& model);

}  // namespace bzscr::store
