// bzscr_rt.hpp - wrapper of bzscr_rt.h for C++17 programs. Header only. Each method calls the C
// function of the same name; bzscr_rt.h documents it. In addition, the wrapper owns the arena and
// checks the lengths of vectors.
//
// bzscr::Scorer throws bzscr::Error for every status but BZSCR_RT_OK:
//
//   const bzscr::Memory model = ...;  // the file, 32-byte aligned
//   bzscr::Scorer scorer(model.data(), model.size());
//   for (const bzscr_rt_result& each : scorer.top(x, 5))
//     std::cout << scorer.class_name(each.id) << '\n';
//
// bzscr::StatusScorer returns statuses. It needs neither exceptions nor RTTI (-fno-exceptions
// -fno-rtti, as with Arduino and ESP-IDF; Scorer is then not declared), and allocates nothing but
// the arena, when it is opened:
//
//   bzscr::StatusScorer scorer;
//   bzscr_rt_result best[5];
//   std::size_t count = 0;
//   bzscr_rt_status status = scorer.open(model, sizeof model);
//   if (status == BZSCR_RT_OK) status = scorer.top(x, 5, best, &count);
#ifndef BZSCR_RT_HPP
#define BZSCR_RT_HPP

#include "bzscr_rt/bzscr_rt.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#if defined(__cpp_exceptions)
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>
#endif

namespace bzscr {

/// Uninitialised memory for models, arenas and scratch memory, at a multiple of 64 bytes, where
/// every kernel is fastest. Move-only; what was moved from has size 0.
class Memory {
 public:
  static constexpr std::align_val_t kAlignment{64};

#if defined(__cpp_exceptions)
  /// Throws std::bad_alloc.
  explicit Memory(std::size_t size)
      : bytes_(static_cast<unsigned char*>(::operator new(size, kAlignment))), size_(size) {}
#endif
  /// Size 0, and data() null, if there is not so much memory.
  Memory(std::size_t size, std::nothrow_t) noexcept
      : bytes_(static_cast<unsigned char*>(::operator new(size, kAlignment, std::nothrow))),
        size_(bytes_ != nullptr ? size : 0) {}
  Memory() noexcept = default;
  Memory(Memory&& other) noexcept
      : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  unsigned char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(unsigned char* bytes) const { ::operator delete(bytes, kAlignment); }
  };
  std::unique_ptr<unsigned char, Free> bytes_;
  std::size_t size_ = 0;
};

/// An opened model with its arena. Move-only. Before open(), and after it was moved from, every
/// call gives BZSCR_RT_BAD_ARGUMENT. Threads: as in bzscr_rt.h; const calls that overlap each need
/// their own scratch memory, of scratch_bytes(): Memory(scorer.scratch_bytes(), std::nothrow).
///
/// x, phi and sum are m, d and k floats, of any contiguous container or array;
/// BZSCR_RT_BAD_ARGUMENT if their length differs, or if scratch memory is too small.
class StatusScorer {
 public:
  StatusScorer() noexcept = default;
  StatusScorer(StatusScorer&& other) noexcept
      : arena_(std::move(other.arena_)), handle_(std::exchange(other.handle_, nullptr)) {
    take_sizes(other);
  }
  StatusScorer& operator=(StatusScorer&& other) noexcept {
    arena_ = std::move(other.arena_);
    handle_ = std::exchange(other.handle_, nullptr);
    take_sizes(other);
    return *this;
  }

  /// Verifies the model, once, allocates an arena and opens it. Statuses of bzscr_rt_open();
  /// ARENA_TOO_SMALL if there is not so much memory. On failure the scorer is unchanged.
  /// \param model    32-byte aligned; owned by the caller, who keeps it while the scorer exists
  /// \param options  as for bzscr_rt_open(); struct_size, model and arena are filled in here
  bzscr_rt_status open(const void* model, std::size_t model_bytes,
                       bzscr_rt_config options = {}) noexcept {
    bzscr_rt_plan plan{};
    plan.struct_size = sizeof plan;
    options.model = model;
    options.model_bytes = model_bytes;
    return open(&plan, options);
  }

  /// The same with a plan that bzscr_rt_plan_model() filled for options.model, or that holds only
  /// its struct_size.
  bzscr_rt_status open(bzscr_rt_plan* plan, bzscr_rt_config options) noexcept {
    options.struct_size = sizeof options;
    bzscr_rt_status status = bzscr_rt_plan_model(&options, plan);
    if (status != BZSCR_RT_OK) return status;
    StatusScorer opened;
    opened.arena_ = Memory(plan->arena_bytes, std::nothrow);
    if (opened.arena_.data() == nullptr) return BZSCR_RT_ARENA_TOO_SMALL;
    options.arena = opened.arena_.data();
    options.arena_bytes = opened.arena_.size();
    status = bzscr_rt_open_planned(&options, plan, &opened.handle_);
    if (status == BZSCR_RT_OK) status = opened.read_sizes();
    if (status == BZSCR_RT_OK) *this = std::move(opened);
    return status;
  }

  bzscr_rt_status close() noexcept { return bzscr_rt_close(handle_); }

  /// For C functions that have no method here; null before open().
  bzscr_rt* handle() const noexcept { return handle_; }
  std::size_t scratch_bytes() const noexcept { return bzscr_rt_scratch_bytes(handle_); }
  std::size_t feature_dimension() const noexcept { return features_; }
  std::size_t embedding_dimension() const noexcept { return embedding_; }
  std::size_t weak_models() const noexcept { return weak_models_; }
  /// Room for the name of a class, with its terminating zero.
  std::size_t name_bytes() const noexcept { return name_bytes_; }
  std::size_t class_capacity() const noexcept { return class_capacity_; }

  bzscr_rt_status info(bzscr_rt_info* info) const noexcept {
    if (info == nullptr) return BZSCR_RT_BAD_ARGUMENT;
    info->struct_size = sizeof *info;
    return bzscr_rt_describe(handle_, info);
  }

  /// scores[length], ids[length] (may be null). A length of class_capacity() is always enough.
  template <class Floats>
  bzscr_rt_status score(const Floats& x, std::size_t length, float* scores, std::uint32_t* ids,
                        std::size_t* count, const Memory* scratch = nullptr) const noexcept {
    if (!fits(x, features_) || !fits(scratch)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_score(handle_, std::data(x), data_of(scratch), length, scores, ids, count);
  }
  template <class Floats>
  bzscr_rt_status top(const Floats& x, std::size_t length, bzscr_rt_result* results,
                      std::size_t* count, const Memory* scratch = nullptr) const noexcept {
    if (!fits(x, features_) || !fits(scratch)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_top(handle_, std::data(x), data_of(scratch), length, results, count);
  }
  /// X: samples x m floats, row-major. results[samples * length], counts[samples]; refused may be
  /// null.
  template <class Floats>
  bzscr_rt_status top_batch(const Floats& X, std::size_t samples, std::size_t length,
                            bzscr_rt_result* results, std::size_t* counts, std::size_t* refused,
                            const Memory* scratch = nullptr) const noexcept {
    if (!fits(X, samples * features_) || !fits(scratch)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_top_batch(handle_, std::data(X), samples, data_of(scratch),
                              scratch != nullptr ? scratch->size() : 0, length, results, counts,
                              refused);
  }
  template <class Floats>
  bzscr_rt_status recognise(const Floats& x, float minimum_score, float minimum_margin,
                            bzscr_rt_result* best, std::int32_t* accepted,
                            const Memory* scratch = nullptr) const noexcept {
    if (!fits(x, features_) || !fits(scratch)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_recognise(handle_, std::data(x), data_of(scratch), minimum_score,
                              minimum_margin, best, accepted);
  }

  /// n; 0 before open().
  std::uint32_t class_count() const noexcept { return bzscr_rt_class_count(handle_); }
  bzscr_rt_status class_id(std::uint32_t index, std::uint32_t* id) const noexcept {
    return bzscr_rt_class_id(handle_, index, id);
  }
  bzscr_rt_status class_name(std::uint32_t id, char* name, std::size_t room) const noexcept {
    return bzscr_rt_class_name(handle_, id, name, room);
  }
  bzscr_rt_status class_seen(std::uint32_t id, std::int32_t* seen) const noexcept {
    return bzscr_rt_class_seen(handle_, id, seen);
  }
  bzscr_rt_status find_class(std::uint32_t id, std::uint32_t* index) const noexcept {
    return bzscr_rt_find_class(handle_, id, index);
  }
  bzscr_rt_status find_name(const char* name, std::uint32_t* id) const noexcept {
    return bzscr_rt_find_name(handle_, name, id);
  }
  template <class Floats>
  bzscr_rt_status check_embedding(const Floats& phi) const noexcept {
    if (!fits(phi, embedding_)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_check_embedding(handle_, std::data(phi));
  }

  /// \param name  null keeps the name of a class in the table
  template <class Floats>
  bzscr_rt_status set_class(std::uint32_t id, const char* name, const Floats& phi) noexcept {
    if (!fits(phi, embedding_)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_set_class(handle_, id, name, std::data(phi));
  }
  /// Without an embedding, see bzscr_rt_set_class().
  bzscr_rt_status set_class(std::uint32_t id, const char* name, std::nullptr_t) noexcept {
    return bzscr_rt_set_class(handle_, id, name, nullptr);
  }
  bzscr_rt_status rename_class(std::uint32_t id, const char* name) noexcept {
    return bzscr_rt_rename_class(handle_, id, name);
  }
  /// \param name  null: the model's
  bzscr_rt_status restore_class(std::uint32_t id, const char* name = nullptr) noexcept {
    return bzscr_rt_restore_class(handle_, id, name);
  }
  bzscr_rt_status remove_class(std::uint32_t id) noexcept {
    return bzscr_rt_remove_class(handle_, id);
  }
  bzscr_rt_status set_seen_penalty(float penalty) noexcept {
    return bzscr_rt_set_seen_penalty(handle_, penalty);
  }

  template <class Floats>
  bzscr_rt_status teach(std::uint32_t id, const Floats& x, float weight = 1) noexcept {
    if (!fits(x, features_)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_teach(handle_, id, std::data(x), weight);
  }
  bzscr_rt_status forget(std::uint32_t id) noexcept { return bzscr_rt_forget(handle_, id); }
  template <class Floats>
  bzscr_rt_status get_examples(std::uint32_t id, Floats& sum, float* count) const noexcept {
    if (!fits(sum, weak_models_)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_get_examples(handle_, id, std::data(sum), count);
  }
  template <class Floats>
  bzscr_rt_status set_examples(std::uint32_t id, const Floats& sum, float count) noexcept {
    if (!fits(sum, weak_models_)) return BZSCR_RT_BAD_ARGUMENT;
    return bzscr_rt_set_examples(handle_, id, std::data(sum), count);
  }

  /// *batch: takes the changes of the batch; this scorer must outlive it.
  bzscr_rt_status begin_changes(StatusScorer* batch) noexcept {
    if (batch == nullptr || batch == this) return BZSCR_RT_BAD_ARGUMENT;
    StatusScorer begun;
    begun.take_sizes(*this);
    const bzscr_rt_status status = bzscr_rt_begin_changes(handle_, &begun.handle_);
    if (status == BZSCR_RT_OK) *batch = std::move(begun);
    return status;
  }
  bzscr_rt_status end_changes() noexcept { return bzscr_rt_end_changes(handle_); }
  bzscr_rt_status cancel_changes() noexcept { return bzscr_rt_cancel_changes(handle_); }

 private:
  void take_sizes(const StatusScorer& other) noexcept {
    features_ = other.features_;
    embedding_ = other.embedding_;
    weak_models_ = other.weak_models_;
    name_bytes_ = other.name_bytes_;
    class_capacity_ = other.class_capacity_;
  }

  bzscr_rt_status read_sizes() noexcept {
    bzscr_rt_info all{};
    const bzscr_rt_status status = info(&all);
    features_ = all.feature_dimension;
    embedding_ = all.embedding_dimension;
    weak_models_ = all.weak_models;
    name_bytes_ = all.name_bytes;
    class_capacity_ = all.class_capacity;
    return status;
  }

  template <class Floats>
  static bool fits(const Floats& floats, std::size_t expected) noexcept {
    return std::size(floats) == expected;
  }
  bool fits(const Memory* scratch) const noexcept {
    return scratch == nullptr || (scratch->size() > 0 && scratch->size() >= scratch_bytes());
  }
  static void* data_of(const Memory* scratch) noexcept {
    return scratch != nullptr ? scratch->data() : nullptr;
  }

  Memory arena_;
  bzscr_rt* handle_ = nullptr;
  std::size_t features_ = 0;
  std::size_t embedding_ = 0;
  std::size_t weak_models_ = 0;
  std::size_t name_bytes_ = 0;
  std::size_t class_capacity_ = 0;
};

#if defined(__cpp_exceptions)

/// Holds a status other than BZSCR_RT_OK; what() is its text or a more specific one.
class Error : public std::runtime_error {
 public:
  explicit Error(bzscr_rt_status status)
      : std::runtime_error(bzscr_rt_status_text(status)), status_(status) {}
  Error(bzscr_rt_status status, const std::string& text)
      : std::runtime_error(text), status_(status) {}
  bzscr_rt_status status() const { return status_; }

 private:
  bzscr_rt_status status_;
};

/// A verified model in memory, which can be opened several times without being verified again.
/// Copies refer to the same memory.
class VerifiedModel {
 public:
  /// \param model  32-byte aligned; owned by the caller, who keeps it unchanged while this object
  ///               and scorers made from it exist
  VerifiedModel(const void* model, std::size_t model_bytes) {
    plan_.struct_size = sizeof plan_;
    bzscr_rt_config config{};
    config.struct_size = sizeof config;
    config.model = model;
    config.model_bytes = model_bytes;
    const bzscr_rt_status status = bzscr_rt_plan_model(&config, &plan_);
    if (status != BZSCR_RT_OK) throw Error(status);
  }

  const void* data() const { return plan_.model; }
  std::size_t size() const { return plan_.model_bytes; }

 private:
  friend class Scorer;
  bzscr_rt_plan plan_{};
};

/// What a class was taught, see bzscr_rt_get_examples().
struct Examples {
  std::vector<float> sum;  ///< k
  float count;
};

/// StatusScorer with exceptions: an opened model with its arena, move-only. Every call of one that
/// was moved from throws BZSCR_RT_BAD_ARGUMENT.
class Scorer {
 public:
  /// Verifies the model, once, and opens it.
  /// \param model    32-byte aligned; owned by the caller, who keeps it while the scorer exists
  /// \param options  as for bzscr_rt_open(); struct_size, model and arena are filled in here
  Scorer(const void* model, std::size_t model_bytes, bzscr_rt_config options = {}) {
    bzscr_rt_plan plan{};
    plan.struct_size = sizeof plan;
    open(plan, model, model_bytes, options);
  }

  /// Opens a verified model.
  explicit Scorer(const VerifiedModel& model, bzscr_rt_config options = {}) {
    open(model.plan_, model.data(), model.size(), options);
  }

  /// The same object, for calls that return a status.
  StatusScorer& status() { return scorer_; }
  const StatusScorer& status() const { return scorer_; }
  /// For C functions that have no method here.
  bzscr_rt* handle() const { return scorer_.handle(); }

  void close() { require(scorer_.close()); }

  bzscr_rt_info info() const {
    bzscr_rt_info info{};
    require(scorer_.info(&info));
    return info;
  }

  std::size_t scratch_bytes() const { return opened().scratch_bytes(); }

  /// The score of every class, in table order, with its id and index: of one state of the table.
  template <class Floats>
  std::vector<bzscr_rt_result> score(const Floats& x, const Memory* scratch = nullptr) const {
    const float* values = values_of(x, scorer_.feature_dimension(), "x");
    void* room = room_of(scratch);
    std::size_t count = class_count();
    std::vector<float> scores;
    std::vector<std::uint32_t> ids;
    bzscr_rt_status status;
    do {  // again, with some more room, if classes were added since they were counted
      scores.resize(std::min(count + count / 8 + 1, scorer_.class_capacity() + 1));
      ids.resize(scores.size());
      status =
          bzscr_rt_score(handle(), values, room, scores.size(), scores.data(), ids.data(), &count);
    } while (status == BZSCR_RT_BAD_ARGUMENT && count > scores.size());
    require(status);
    std::vector<bzscr_rt_result> results(count);
    for (std::size_t r = 0; r < count; ++r)
      results[r] = {ids[r], static_cast<std::uint32_t>(r), scores[r]};
    return results;
  }

  /// The `length` best classes, best first; fewer where the table has fewer.
  template <class Floats>
  std::vector<bzscr_rt_result> top(const Floats& x, std::size_t length,
                                   const Memory* scratch = nullptr) const {
    length = std::min(length, most_results());
    std::vector<bzscr_rt_result> results(length);
    std::size_t count = 0;
    require(bzscr_rt_top(handle(), values_of(x, scorer_.feature_dimension(), "x"), room_of(scratch),
                         length, results.data(), &count));
    results.resize(count);
    return results;
  }

  /// top() for many samples; X: samples x m floats, row-major. If a sample cannot be scored, the
  /// error names the first such sample. With scratch memory of several times scratch_bytes(),
  /// samples share each pass over the classes.
  template <class Floats>
  std::vector<std::vector<bzscr_rt_result>> top_batch(const Floats& X, std::size_t samples,
                                                      std::size_t length,
                                                      const Memory* scratch = nullptr) const {
    length = std::min(length, most_results());
    std::vector<bzscr_rt_result> results(samples * length);
    std::vector<std::size_t> counts(samples);
    std::size_t refused = samples;
    const float* values = values_of(X, samples * scorer_.feature_dimension(), "X");
    const bzscr_rt_status status = bzscr_rt_top_batch(
        handle(), values, samples, room_of(scratch), scratch != nullptr ? scratch->size() : 0,
        length, results.data(), counts.data(), &refused);
    if (status != BZSCR_RT_OK && refused < samples)
      throw Error(status,
                  "sample " + std::to_string(refused) + ": " + bzscr_rt_status_text(status));
    require(status);
    std::vector<std::vector<bzscr_rt_result>> best;
    for (std::size_t i = 0; i < samples; ++i)
      best.emplace_back(results.begin() + static_cast<std::ptrdiff_t>(i * length),
                        results.begin() + static_cast<std::ptrdiff_t>(i * length + counts[i]));
    return best;
  }

  /// The best class, or nothing if its score or its margin over the second best is too low.
  template <class Floats>
  std::optional<bzscr_rt_result> recognise(const Floats& x, float minimum_score,
                                           float minimum_margin,
                                           const Memory* scratch = nullptr) const {
    bzscr_rt_result best{};
    std::int32_t accepted = 0;
    require(bzscr_rt_recognise(handle(), values_of(x, scorer_.feature_dimension(), "x"),
                               room_of(scratch), minimum_score, minimum_margin, &best, &accepted));
    if (accepted == 0) return std::nullopt;
    return best;
  }

  std::uint32_t class_count() const { return opened().class_count(); }

  std::uint32_t class_id(std::uint32_t index) const {
    std::uint32_t id = 0;
    require(scorer_.class_id(index, &id));
    return id;
  }

  std::string class_name(std::uint32_t id) const {
    std::string name(scorer_.name_bytes(), '\0');
    require(scorer_.class_name(id, name.data(), name.size()));
    return name.c_str();
  }

  bool class_seen(std::uint32_t id) const {
    std::int32_t seen = 0;
    require(scorer_.class_seen(id, &seen));
    return seen != 0;
  }

  std::uint32_t find_class(std::uint32_t id) const {
    std::uint32_t index = 0;
    require(scorer_.find_class(id, &index));
    return index;
  }

  std::uint32_t find_name(const std::string& name) const {
    std::uint32_t id = 0;
    require(scorer_.find_name(text_of(name), &id));
    return id;
  }

  /// phi: d floats, of any contiguous container or array. Throws what set_class() would throw.
  template <class Floats>
  void check_embedding(const Floats& phi) const {
    require(bzscr_rt_check_embedding(handle(), embedding_of(phi)));
  }

  template <class Floats>
  void set_class(std::uint32_t id, const std::string& name, const Floats& phi) {
    require(bzscr_rt_set_class(handle(), id, text_of(name), embedding_of(phi)));
  }

  /// Replaces the embedding of a class in the table and keeps its name.
  template <class Floats>
  void set_class(std::uint32_t id, const Floats& phi) {
    require(bzscr_rt_set_class(handle(), id, nullptr, embedding_of(phi)));
  }

  /// Without an embedding, see bzscr_rt_set_class().
  void set_class(std::uint32_t id, const std::string& name, std::nullptr_t) {
    require(scorer_.set_class(id, text_of(name), nullptr));
  }

  void rename_class(std::uint32_t id, const std::string& name) {
    require(scorer_.rename_class(id, text_of(name)));
  }

  /// With the model's name, or with another one.
  void restore_class(std::uint32_t id) { require(scorer_.restore_class(id)); }
  void restore_class(std::uint32_t id, const std::string& name) {
    require(scorer_.restore_class(id, text_of(name)));
  }

  void remove_class(std::uint32_t id) { require(scorer_.remove_class(id)); }

  /// x: m floats, of any contiguous container or array.
  template <class Floats>
  void teach(std::uint32_t id, const Floats& x, float weight = 1) {
    require(bzscr_rt_teach(handle(), id, values_of(x, scorer_.feature_dimension(), "x"), weight));
  }

  void forget(std::uint32_t id) { require(scorer_.forget(id)); }

  Examples get_examples(std::uint32_t id) const {
    Examples examples{std::vector<float>(scorer_.weak_models()), 0};
    require(bzscr_rt_get_examples(handle(), id, examples.sum.data(), &examples.count));
    return examples;
  }

  void set_examples(std::uint32_t id, const Examples& examples) {
    require(bzscr_rt_set_examples(
        handle(), id, values_of(examples.sum, scorer_.weak_models(), "sum"), examples.count));
  }

  void set_seen_penalty(float penalty) { require(scorer_.set_seen_penalty(penalty)); }

  /// Takes the changes of the batch; this scorer must outlive it.
  Scorer begin_changes() {
    Scorer batch;
    require(scorer_.begin_changes(&batch.scorer_));
    return batch;
  }
  void end_changes() { require(scorer_.end_changes()); }
  void cancel_changes() { require(scorer_.cancel_changes()); }

 private:
  Scorer() = default;

  void open(bzscr_rt_plan plan, const void* model, std::size_t model_bytes,
            bzscr_rt_config options) {
    options.model = model;
    options.model_bytes = model_bytes;
    const bzscr_rt_status status = scorer_.open(&plan, options);
    if (status == BZSCR_RT_ARENA_TOO_SMALL) throw std::bad_alloc();  // the arena is the wrapper's
    require(status);
  }

  static void require(bzscr_rt_status status) {
    if (status != BZSCR_RT_OK) throw Error(status);
  }

  // C functions would read a name up to its first zero byte.
  static const char* text_of(const std::string& name) {
    if (name.find('\0') != std::string::npos)
      throw Error(BZSCR_RT_BAD_ARGUMENT, "the class name holds a zero byte");
    return name.c_str();
  }

  std::size_t most_results() const { return std::max<std::size_t>(1, opened().class_capacity()); }

  const StatusScorer& opened() const {
    if (handle() == nullptr) throw Error(BZSCR_RT_BAD_ARGUMENT);
    return scorer_;
  }

  template <class Floats>
  static const float* values_of(const Floats& floats, std::size_t expected, const char* what) {
    if (std::size(floats) != expected)
      throw Error(BZSCR_RT_BAD_ARGUMENT,
                  std::string(what) + " has " + std::to_string(std::size(floats)) +
                      " values, and the model takes " + std::to_string(expected));
    return std::data(floats);
  }

  template <class Floats>
  const float* embedding_of(const Floats& phi) const {
    return values_of(phi, scorer_.embedding_dimension(), "phi");
  }

  void* room_of(const Memory* scratch) const {
    if (scratch == nullptr) return nullptr;
    if (scratch->size() < scratch_bytes())
      throw Error(BZSCR_RT_BAD_ARGUMENT, "the scratch has " + std::to_string(scratch->size()) +
                                             " bytes, and the model takes " +
                                             std::to_string(scratch_bytes()));
    return scratch->data();
  }

  StatusScorer scorer_;
};

#endif

}  // namespace bzscr

#endif
