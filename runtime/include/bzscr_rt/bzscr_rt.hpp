// bzscr_rt.hpp - wrapper of bzscr_rt.h for C++17 programs that may allocate and throw. Header only.
// Each method calls the C function of the same name; bzscr_rt.h documents it. In addition, the
// wrapper owns the arena, checks the lengths of vectors, and throws bzscr::Error for every status
// but BZSCR_RT_OK.
//
//   const bzscr::Memory model = ...;  // the file, 32-byte aligned
//   bzscr::Scorer scorer(model.data(), model.size());
//   for (const bzscr_rt_result& each : scorer.top(x, 5))
//     std::cout << scorer.class_name(each.id) << '\n';
#ifndef BZSCR_RT_HPP
#define BZSCR_RT_HPP

#include "bzscr_rt/bzscr_rt.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace bzscr {

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

/// Uninitialised memory for models, arenas and scratch memory, at a multiple of 64 bytes, where
/// every kernel is fastest. Move-only. The constructor throws std::bad_alloc.
class Memory {
 public:
  static constexpr std::align_val_t kAlignment{64};

  explicit Memory(std::size_t size)
      : bytes_(static_cast<unsigned char*>(::operator new (size, kAlignment))), size_(size) {}

  unsigned char* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(unsigned char* bytes) const { ::operator delete (bytes, kAlignment); }
  };
  std::unique_ptr<unsigned char, Free> bytes_;
  std::size_t size_;
};

/// A verified model in memory, which can be opened several times without being verified again.
/// Copies refer to the same memory.
class VerifiedModel {
 public:
  /// \param model  32-byte aligned; owned by the caller, who keeps it unchanged while this object
  ///               and scorers made from it exist
  VerifiedModel(const void* model, std::size_t model_bytes) {
    plan_.struct_size = sizeof plan_;
    static_cast<void>(plan(model, model_bytes, {}));
  }

  const void* data() const { return plan_.model; }
  std::size_t size() const { return plan_.model_bytes; }

 private:
  friend class Scorer;
  VerifiedModel() { plan_.struct_size = sizeof plan_; }

  /// Verifies the model if it is not verified yet, and returns the configuration without its arena.
  bzscr_rt_config plan(const void* model, std::size_t model_bytes, bzscr_rt_config options) {
    options.struct_size = sizeof options;
    options.model = model;
    options.model_bytes = model_bytes;
    const bzscr_rt_status status = bzscr_rt_plan_model(&options, &plan_);
    if (status != BZSCR_RT_OK) throw Error(status);
    options.arena_bytes = plan_.arena_bytes;
    return options;
  }

  bzscr_rt_plan plan_{};
};

/// An opened model with its arena. Move-only. Threads: as in bzscr_rt.h; const calls that overlap
/// each need their own scratch memory: Memory(scorer.scratch_bytes()).
class Scorer {
 public:
  /// Verifies the model, once, and opens it.
  /// \param model    32-byte aligned; owned by the caller, who keeps it while the scorer exists
  /// \param options  as for bzscr_rt_open(); struct_size, model and arena are filled in here
  Scorer(const void* model, std::size_t model_bytes, bzscr_rt_config options = {})
      : Scorer(VerifiedModel(), model, model_bytes, options) {}

  /// Opens a verified model.
  explicit Scorer(const VerifiedModel& model, bzscr_rt_config options = {})
      : Scorer(model, model.data(), model.size(), options) {}

  Scorer(Scorer&& other) noexcept = default;
  Scorer& operator=(Scorer&& other) noexcept = default;

  /// For C functions that have no method here.
  bzscr_rt* handle() const { return handle_; }

  bzscr_rt_info info() const {
    bzscr_rt_info info{};
    info.struct_size = sizeof info;
    require(bzscr_rt_describe(handle_, &info));
    return info;
  }

  std::size_t scratch_bytes() const { return bzscr_rt_scratch_bytes(handle_); }

  /// Scores in table order. x: m floats, of any contiguous container or array.
  template <class Floats>
  std::vector<float> score(const Floats& x, const Memory* scratch = nullptr) const {
    // At least one element, so that data() is not null.
    std::vector<float> scores(class_count() > 0 ? class_count() : 1);
    std::size_t count = 0;
    require(bzscr_rt_score(handle_, values(x, features_, "x"), room(scratch), scores.size(),
                           scores.data(), nullptr, &count));
    scores.resize(count);
    return scores;
  }

  /// The `length` best classes, best first; fewer where the table has fewer.
  template <class Floats>
  std::vector<bzscr_rt_result> top(const Floats& x, std::size_t length,
                                   const Memory* scratch = nullptr) const {
    std::vector<bzscr_rt_result> results(length);
    std::size_t count = 0;
    require(bzscr_rt_top(handle_, values(x, features_, "x"), room(scratch), length, results.data(),
                         &count));
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
    std::vector<bzscr_rt_result> results(samples * length);
    std::vector<std::size_t> counts(samples);
    std::size_t refused = samples;
    const bzscr_rt_status status = bzscr_rt_top_batch(
        handle_, values(X, samples * features_, "X"), samples, room(scratch),
        scratch != nullptr ? scratch->size() : 0, length, results.data(), counts.data(), &refused);
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
    require(bzscr_rt_recognise(handle_, values(x, features_, "x"), room(scratch), minimum_score,
                               minimum_margin, &best, &accepted));
    if (accepted == 0) return std::nullopt;
    return best;
  }

  std::uint32_t class_count() const { return bzscr_rt_class_count(handle_); }

  std::uint32_t class_id(std::uint32_t index) const {
    std::uint32_t id = 0;
    require(bzscr_rt_class_id(handle_, index, &id));
    return id;
  }

  std::string class_name(std::uint32_t id) const {
    std::string name(name_bytes_, '\0');
    require(bzscr_rt_class_name(handle_, id, name.data(), name.size()));
    return name.c_str();
  }

  bool class_seen(std::uint32_t id) const {
    std::int32_t seen = 0;
    require(bzscr_rt_class_seen(handle_, id, &seen));
    return seen != 0;
  }

  std::uint32_t find_class(std::uint32_t id) const {
    std::uint32_t index = 0;
    require(bzscr_rt_find_class(handle_, id, &index));
    return index;
  }

  std::uint32_t find_name(const std::string& name) const {
    std::uint32_t id = 0;
    require(bzscr_rt_find_name(handle_, name.c_str(), &id));
    return id;
  }

  /// phi: d floats, of any contiguous container or array.
  template <class Floats>
  void set_class(std::uint32_t id, const std::string& name, const Floats& phi) {
    require(bzscr_rt_set_class(handle_, id, name.c_str(), values(phi, embedding_, "phi")));
  }

  /// Replaces the embedding of a class in the table and keeps its name.
  template <class Floats>
  void set_class(std::uint32_t id, const Floats& phi) {
    require(bzscr_rt_set_class(handle_, id, nullptr, values(phi, embedding_, "phi")));
  }

  void rename_class(std::uint32_t id, const std::string& name) {
    require(bzscr_rt_rename_class(handle_, id, name.c_str()));
  }

  void remove_class(std::uint32_t id) { require(bzscr_rt_remove_class(handle_, id)); }

 private:
  Scorer(VerifiedModel verified, const void* model, std::size_t model_bytes,
         bzscr_rt_config options)
      : arena_(0) {
    options = verified.plan(model, model_bytes, options);
    arena_ = Memory(options.arena_bytes);
    options.arena = arena_.data();
    require(bzscr_rt_open_planned(&options, &verified.plan_, &handle_));
    const bzscr_rt_info opened = info();
    features_ = opened.feature_dimension;
    embedding_ = opened.embedding_dimension;
    name_bytes_ = opened.name_bytes;
  }

  static void require(bzscr_rt_status status) {
    if (status != BZSCR_RT_OK) throw Error(status);
  }

  template <class Floats>
  static const float* values(const Floats& floats, std::size_t expected, const char* what) {
    if (std::size(floats) != expected)
      throw Error(BZSCR_RT_BAD_ARGUMENT,
                  std::string(what) + " has " + std::to_string(std::size(floats)) +
                      " values, and the model takes " + std::to_string(expected));
    return std::data(floats);
  }

  void* room(const Memory* scratch) const {
    if (scratch == nullptr) return nullptr;
    if (scratch->size() < scratch_bytes())
      throw Error(BZSCR_RT_BAD_ARGUMENT, "the scratch has " + std::to_string(scratch->size()) +
                                             " bytes, and the model takes " +
                                             std::to_string(scratch_bytes()));
    return scratch->data();
  }

  Memory arena_;
  bzscr_rt* handle_ = nullptr;
  std::size_t features_ = 0;
  std::size_t embedding_ = 0;
  std::size_t name_bytes_ = 0;
};

}  // namespace bzscr

#endif
