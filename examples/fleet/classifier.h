// The classes of this device: a model, and a store of what packs have changed of it.
#pragma once

#include <bzscr_rt/bzscr_rt.hpp>
#include <bzscr_store/bzscr_store.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct ClassifierOptions {
  std::string model;                 ///< file
  std::string store;                 ///< folder; made if it is not there
  std::vector<std::string> trusted;  ///< files of public keys, as bzscr-pack keygen writes them
  bool require_signature = true;     ///< refuse packs that none of these keys has signed
  std::uint32_t capacity =
      0;  ///< most classes at any one time; 0: 1000 more than the model has, or twice as many
};

/// What became of a pack.
struct Outcome {
  enum class Result { kTaken, kUnchanged, kRefused };  ///< unchanged: the last pack once more
  Result result;
  std::string reason;  ///< of what is refused, a word: "forged", "stale", "pack-damaged" ...
  std::string text;    ///< a sentence
};

struct Version {
  std::string model_hash;  ///< hexadecimal, as bzscr-inspect prints it
  std::uint64_t counter;   ///< of the last pack; 0: none yet
  std::uint32_t classes;
  std::string kernel;  ///< what scores here: "avx2", "neon" ...
};

/// One thread changes classes (take, refresh) while others score, each with a scratch of its own;
/// version() is the changing thread's. Throws std::runtime_error with a sentence.
class Classifier {
 public:
  explicit Classifier(const ClassifierOptions& options);
  Classifier(const Classifier&) = delete;
  Classifier& operator=(const Classifier&) = delete;

  std::size_t feature_dimension() const { return features_; }
  std::size_t scratch_bytes() const { return scorer_.scratch_bytes(); }

  struct Answer {
    std::uint32_t id;
    float score;
    std::string name;
  };
  /// The best class of x[feature_dimension()].
  Answer score(const std::vector<float>& x, const bzscr::Memory& scratch) const;

  /// Makes a pack's changes, all or none. A change is on the disk when this returns.
  Outcome take(const void* pack, std::size_t bytes);

  /// Takes up what another process (bzscr-store) has changed in the store; whether there was
  /// anything.
  bool refresh();

  Version version() const;

 private:
  bzscr::Memory model_;
  bzscr::Scorer scorer_;
  std::size_t features_;
  std::vector<std::uint8_t> keys_;
  bzscr::Store store_;
};
