// bzscr_store.hpp - bzscr_store.h for C++17 programs that may allocate and throw, with a store in a
// folder of a POSIX system. Header only; each call is the C function of the same name, whose manual
// holds. What it adds: it owns the arena and the folder, it checks lengths, and errors name the
// folder and what the system said.
//
//   const bzscr::Memory model = ...;  // the file, 32-byte aligned
//   bzscr::Scorer scorer(model.data(), model.size(), bzscr::store_table(model.data(),
//   model.size())); bzscr::Store store(scorer, model.data(), bzscr::StoreFolder("/var/lib/shop",
//   scorer)); store.add("okapi", phi);
#ifndef BZSCR_STORE_HPP
#define BZSCR_STORE_HPP

#include "bzscr_store/bzscr_store.h"
#include "bzscr_store/bzscr_store_posix.h"

#include <bzscr_rt/bzscr_rt.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bzscr {

/// A status other than BZSCR_STORE_OK, with its text.
class StoreError : public std::runtime_error {
 public:
  explicit StoreError(bzscr_store_status status)
      : StoreError(status, bzscr_store_status_text(status)) {}
  StoreError(bzscr_store_status status, const std::string& text,
             const bzscr_store_refusal& refusal = {UINT32_MAX, 0, 0, 0})
      : std::runtime_error(text), status_(status), refusal_(refusal) {}
  bzscr_store_status status() const { return status_; }
  /// Why a pack or a change was refused.
  const bzscr_store_refusal& refusal() const { return refusal_; }

 private:
  bzscr_store_status status_;
  bzscr_store_refusal refusal_;
};

/// Throws StoreError unless one of these keys, 32 bytes each one after the other, signed a model's
/// file, 32-byte aligned. A Scorer opens signed models like others and does not look at signatures.
inline void require_signed_model(const void* model, std::size_t model_bytes,
                                 const std::vector<std::uint8_t>& keys) {
  constexpr std::size_t kKeyBytes = 32;
  const bzscr_store_status status =
      keys.size() % kKeyBytes != 0
          ? bzscr_store_status{BZSCR_STORE_BAD_ARGUMENT}
          : bzscr_store_verify_model(model, model_bytes, keys.data(),
                                     static_cast<std::uint32_t>(keys.size() / kKeyBytes));
  if (status != BZSCR_STORE_OK) throw StoreError(status);
}

/// Options for the Scorer of a device that keeps classes: room for `capacity` classes, 0: 1000 more
/// than the model has, or twice as many; teachable if the model is. Programs that share a store must
/// open their tables alike.
inline bzscr_rt_config store_table(const void* model, std::size_t model_bytes,
                                   std::uint32_t capacity = 0) {
  const bzscr_rt_info as_trained = Scorer(model, model_bytes).info();
  bzscr_rt_config options{};
  options.class_capacity =
      capacity != 0 ? capacity : std::max(2 * as_trained.classes, as_trained.classes + 1000);
  options.name_bytes = std::max(as_trained.name_bytes, std::uint32_t{64});
  bzscr_rt_config taught = options;
  taught.struct_size = sizeof taught;
  taught.model = model;
  taught.model_bytes = model_bytes;
  taught.teachable = 1;
  std::size_t unused = 0;
  if (bzscr_rt_arena_bytes(&taught, &unused) == BZSCR_RT_OK) options.teachable = 1;
  return options;
}

/// The folder of a store, opened. Move-only.
class StoreFolder {
 public:
  /// Makes the folder if it is not there, and opens its files, of a size that suits the table.
  /// \param read_only  nothing is made or opened for writing
  StoreFolder(const std::string& path, const Scorer& table, bool read_only = false)
      : path_(path), files_(new bzscr_store_posix{{}, -1, {-1, -1}, 0}) {
    const bzscr_rt_info info = table.info();
    const std::uint32_t bank =
        bzscr_store_posix_bank_bytes(info.class_capacity, info.embedding_dimension);
    if (!read_only && bzscr_store_posix_make_folder(path.c_str()) != BZSCR_STORE_OK)
      throw StoreError(BZSCR_STORE_IO, path + ": " + std::strerror(errno));
    const bzscr_store_status status =
        bzscr_store_posix_open(files_.get(), path.c_str(), bank, read_only ? 1 : 0);
    if (status != BZSCR_STORE_OK) throw StoreError(status, text_of(status));
  }

  const bzscr_store_device& device() const { return files_->device; }
  const std::string& path() const { return path_; }
  /// "PATH: the device of the store reported an error (No space left on device)"
  std::string text_of(bzscr_store_status status) const {
    std::string text = path_ + ": " + bzscr_store_status_text(status);
    if (status == BZSCR_STORE_IO && files_->error != 0)
      text += std::string(" (") + std::strerror(files_->error) + ")";
    return text;
  }

 private:
  struct Close {
    void operator()(bzscr_store_posix* files) const {
      bzscr_store_posix_close(files);
      delete files;
    }
  };
  std::string path_;
  std::unique_ptr<bzscr_store_posix, Close> files_;  // on the heap: it points to itself
};

/// Classes of ids from here up are a device's own.
inline constexpr std::uint64_t kFirstOwnId = std::uint64_t{1} << 31;

/// A store over the table of a Scorer, which it changes; scorer and model are the caller's, until
/// the store is gone. Move-only; calls of one that was moved from throw BAD_ARGUMENT. Threads: as in
/// bzscr_store.h.
class Store {
 public:
  /// \param model    the bytes that the scorer was opened with, or a copy of them; null: the
  ///                 scorer's. Another model is OTHER_MODEL
  /// \param options  as for bzscr_store_open(), except for struct_size, device, table, model and
  ///                 arena, which are filled in
  Store(Scorer& scorer, const void* model, const bzscr_store_device& device,
        bzscr_store_config options = {})
      : arena_(0) {
    open(scorer, model, device, options);
  }
  Store(Scorer& scorer, const void* model, StoreFolder folder, bzscr_store_config options = {})
      : folder_(std::make_unique<StoreFolder>(std::move(folder))), arena_(0) {
    open(scorer, model, folder_->device(), options);
  }
  Store(Store&& other) noexcept
      : folder_(std::move(other.folder_)),
        arena_(std::move(other.arena_)),
        handle_(std::exchange(other.handle_, nullptr)),
        table_(std::exchange(other.table_, nullptr)),
        dimension_(other.dimension_),
        features_(other.features_) {}
  Store& operator=(Store&& other) noexcept {
    folder_ = std::move(other.folder_);
    arena_ = std::move(other.arena_);
    handle_ = std::exchange(other.handle_, nullptr);
    table_ = std::exchange(other.table_, nullptr);
    dimension_ = other.dimension_;
    features_ = other.features_;
    return *this;
  }

  /// For C functions that have no method here.
  bzscr_store* handle() const { return handle_; }

  /// A pack of any alignment. Throws StoreError; its text is about the pack, unless it is IO or
  /// FULL.
  void apply(const void* pack, std::size_t pack_bytes, std::uint32_t flags = 0) {
    Memory aligned(pack_bytes);
    if (pack_bytes > 0) std::memcpy(aligned.data(), pack, pack_bytes);
    bzscr_store_refusal refusal{};
    const bzscr_store_status status =
        bzscr_store_apply(handle_, aligned.data(), pack_bytes, flags, &refusal);
    if (status == BZSCR_STORE_IO || status == BZSCR_STORE_FULL) require(status);
    if (status != BZSCR_STORE_OK) throw StoreError(status, refusal_text(status, refusal), refusal);
  }

  /// All or none.
  void change(const std::vector<bzscr_store_change>& changes) {
    bzscr_store_refusal refusal{};
    require(bzscr_store_change_classes(handle_, changes.data(),
                                       static_cast<std::uint32_t>(changes.size()), &refusal),
            refusal);
  }
  /// Adds a class under an id of the device's own, which it returns: from 2^31 up no pack gives
  /// one. phi: d floats, raw, of any contiguous container or array.
  template <class Floats>
  std::uint32_t add(const std::string& name, const Floats& phi) {
    for (std::uint64_t taken_before = 0;;) {
      const std::uint32_t id = free_id();
      const bzscr_store_change change = {BZSCR_STORE_ADD, id, text_of(name), values(phi)};
      bzscr_store_refusal refusal{};
      const bzscr_store_status status = bzscr_store_change_classes(handle_, &change, 1, &refusal);
      if (status == BZSCR_STORE_ID_TAKEN && id != taken_before) {  // by another process, meanwhile
        taken_before = id;
        continue;
      }
      require(status, refusal);
      return id;
    }
  }
  template <class Floats>
  void add(std::uint32_t id, const std::string& name, const Floats& phi) {
    change({{BZSCR_STORE_ADD, id, text_of(name), values(phi)}});
  }
  template <class Floats>
  void replace(std::uint32_t id, const Floats& phi) {
    change({{BZSCR_STORE_REPLACE, id, nullptr, values(phi)}});
  }
  void remove(std::uint32_t id) { change({{BZSCR_STORE_REMOVE, id, nullptr, nullptr}}); }
  void rename(std::uint32_t id, const std::string& name) {
    change({{BZSCR_STORE_RENAME, id, text_of(name), nullptr}});
  }
  /// x: m floats, raw.
  template <class Floats>
  void teach(std::uint32_t id, const Floats& x, float weight = 1) {
    if (std::size(x) != features_)
      throw StoreError(BZSCR_STORE_BAD_ARGUMENT, "the sample has " + std::to_string(std::size(x)) +
                                                     " features, the model's " +
                                                     std::to_string(features_));
    require(bzscr_store_teach(handle_, id, std::data(x), weight));
  }
  void forget(std::uint32_t id) { require(bzscr_store_forget(handle_, id)); }

  /// Takes up what another process has changed; whether there was anything.
  bool refresh() {
    std::int32_t changed = 0;
    require(bzscr_store_refresh(handle_, &changed));
    return changed != 0;
  }
  void rollback(std::uint32_t sequence) { require(bzscr_store_rollback(handle_, sequence)); }
  void compact() { require(bzscr_store_compact(handle_)); }

  bzscr_store_info info() const {
    bzscr_store_info info{};
    info.struct_size = sizeof info;
    require(bzscr_store_describe(handle_, &info));
    return info;
  }
  std::vector<bzscr_store_record> history() const {
    std::uint32_t count = 0;
    std::vector<bzscr_store_record> records;
    do {  // once more where another process has written meanwhile
      records.resize(count);
      require(bzscr_store_history(handle_, count, records.data(), &count));
    } while (count > records.size());
    records.resize(count);
    return records;
  }
  /// Whether the class's embedding is the store's; else it is the model's.
  bool owns(std::uint32_t id) const {
    std::int32_t own = 0;
    require(bzscr_store_embedding(handle_, id, &own, nullptr));
    return own != 0;
  }
  /// Raw.
  std::vector<float> embedding(std::uint32_t id) const {
    std::int32_t own = 0;
    std::vector<float> phi(dimension_);
    require(bzscr_store_embedding(handle_, id, &own, phi.data()));
    return phi;
  }

 private:
  void open(Scorer& scorer, const void* model, const bzscr_store_device& device,
            bzscr_store_config options) {
    options.struct_size = sizeof options;
    options.device = &device;
    options.table = scorer.handle();
    options.model = model;
    require(bzscr_store_arena_bytes(&options, &options.arena_bytes));
    arena_ = Memory(options.arena_bytes);
    options.arena = arena_.data();
    require(bzscr_store_open(&options, &handle_));
    table_ = scorer.handle();
    dimension_ = scorer.info().embedding_dimension;
    features_ = scorer.info().feature_dimension;
  }

  static std::string refusal_text(bzscr_store_status status, const bzscr_store_refusal& refusal) {
    std::string text = bzscr_store_status_text(status);
    if (status == BZSCR_STORE_STALE)
      text += ": its counter is " + std::to_string(refusal.pack_counter) +
              ", and the last pack's was " + std::to_string(refusal.last_counter);
    if (refusal.change == UINT32_MAX) return text;
    return "change " + std::to_string(refusal.change) + ", class " + std::to_string(refusal.id) +
           ": " + text;
  }

  void require(bzscr_store_status status,
               const bzscr_store_refusal& refusal = {UINT32_MAX, 0, 0, 0}) const {
    if (status == BZSCR_STORE_OK) return;
    throw StoreError(status,
                     folder_ != nullptr ? folder_->text_of(status)
                                        : std::string(bzscr_store_status_text(status)),
                     refusal);
  }

  /// Above all ids of the table, or between them where the last one is taken.
  std::uint32_t free_id() const {
    std::uint64_t id = kFirstOwnId;
    std::uint32_t taken = 0;
    if (bzscr_rt_find_class(table_, 0, &taken) == BZSCR_RT_CLOSED)
      throw StoreError(BZSCR_STORE_CLASS + BZSCR_RT_CLOSED);
    for (std::uint32_t i = 0; i < bzscr_rt_class_count(table_); ++i)
      if (bzscr_rt_class_id(table_, i, &taken) == BZSCR_RT_OK)
        id = std::max(id, std::uint64_t{taken} + 1);
    if (id <= UINT32_MAX) return static_cast<std::uint32_t>(id);
    std::uint32_t gap = kFirstOwnId;
    while (bzscr_rt_find_class(table_, gap, &taken) == BZSCR_RT_OK) ++gap;
    return gap;
  }

  /// The C functions would take a part for the whole.
  static const char* text_of(const std::string& name) {
    if (name.find('\0') != std::string::npos)
      throw StoreError(BZSCR_STORE_BAD_ARGUMENT, "the class name holds a zero byte");
    return name.c_str();
  }

  template <class Floats>
  const float* values(const Floats& phi) const {
    if (std::size(phi) != dimension_)
      throw StoreError(BZSCR_STORE_BAD_ARGUMENT,
                       "the embedding has " + std::to_string(std::size(phi)) +
                           " numbers, the model's " + std::to_string(dimension_));
    return std::data(phi);
  }

  std::unique_ptr<StoreFolder> folder_;  // on the heap: the store keeps its device's address
  Memory arena_;
  bzscr_store* handle_ = nullptr;
  bzscr_rt* table_ = nullptr;
  std::size_t dimension_ = 0;
  std::size_t features_ = 0;
};

}  // namespace bzscr

#endif
