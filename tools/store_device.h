#pragma once

#include "support/cli_support.h"

#include <bzscr_pack/bzscr_pack.hpp>
#include <bzscr_store/bzscr_store.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bzscr::cli {

struct StoreOptions {
  std::string store, model;          ///< folder; file
  std::uint32_t capacity = 0;        ///< 0: as store_table() has it
  std::vector<std::string> trusted;  ///< files of public keys
  bool require_signature = false, accept_last_good = false;
  bool json = false;  ///< print JSON instead of text
};

/// The model of a device, and its store opened over it. Throws pack::Error or StoreError.
class Device {
 public:
  /// \param options    outlive this
  /// \param to_change  if not, nothing is opened for writing
  explicit Device(const StoreOptions& options, bool to_change = true);

  Store& store() { return store_; }
  const Scorer& scorer() const { return scorer_; }

  bool has_class(const std::string& name) const;
  std::uint32_t class_id(
      const std::string& name) const;  ///< names the nearest one if it is missing

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
  Store store_;
};

}  // namespace bzscr::cli
