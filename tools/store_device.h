#pragma once

#include "store_memory.h"
#include "support/cli_support.h"

#include <bzscr_pack/bzscr_pack.hpp>
#include <bzscr_store/bzscr_store.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bzscr::cli {

struct StoreOptions {
  std::string store, model;             ///< folder; file
  std::uint32_t capacity = 0;           ///< 0: as store_table() has it
  std::vector<std::string> trusted;     ///< files of public keys, for packs
  std::vector<std::string> model_keys;  ///< files of public keys; if any, one signed the model
  bool require_signature = false, accept_last_good = false;
  bool json = false;  ///< print JSON instead of text
};

/// The error's text, and the option that helps where the table is too small.
std::string text_of(const StoreError& error);

/// Whether the folder holds anything of a store.
bool has_store(const StoreOptions& options);

/// The model of a device, and its store opened over it. Throws pack::Error or StoreError.
class Device {
 public:
  enum class For {
    kReading,  ///< nothing is opened for writing
    kChange,   ///< a store that is not there is made
    kTrial     ///< a new store in memory: nothing is on the disk
  };
  /// \param options  outlive this
  Device(const StoreOptions& options, For use);

  Store& store() { return store_; }
  const Scorer& scorer() const { return scorer_; }

  bool has_id(std::uint32_t id) const;
  /// The weights of the samples that a class was taught, in all.
  float examples(std::uint32_t id) const;
  bool has_class(const std::string& name) const;
  std::uint32_t class_id(
      const std::string& name) const;  ///< names the nearest one if it is missing

  /// Applies a pack; what was done, with the classes that were replaced by others.
  /// \param path     of the pack
  /// \param replace  whether it may have ids of classes of other names
  std::string apply(const std::string& path, bool allow_older, bool replace);

  /// \param done  what was done: "removed 'okapi'"
  void print_state(const std::string& done) const;
  void print_classes() const;
  void print_history() const;
  void print_check() const;

 private:
  const StoreOptions& options_;
  AlignedFile file_;
  Scorer scorer_;
  std::vector<std::uint8_t> keys_;
  MemoryDevice memory_;
  Store store_;
};

}  // namespace bzscr::cli
