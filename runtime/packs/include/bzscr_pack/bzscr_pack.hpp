// bzscr_pack.hpp - packs of class changes (.bzpack) and the keys that sign packs and models: makes,
// signs, verifies and reads them, and reads embeddings from files. For workstations, and for programs on a
// device that take keys or embeddings from files. C++17; allocates and throws.
//
//   bzscr::pack::Request request;
//   request.model = "m.bzscr";
//   request.counter = 7;
//   request.embeddings = bzscr::pack::read_embeddings("new.npy", "new.txt");
//   const auto key = bzscr::pack::read_secret_key("shop.key");
//   bzscr::pack::write(bzscr::pack::build(request), key, "new.bzpack");
//
// A pack that was written is taken on the device by bzscr_store_apply(). What the files hold byte
// for byte is in schema/FORMAT.md.
#ifndef BZSCR_PACK_HPP
#define BZSCR_PACK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bzscr::pack {

/// A file or an argument is wrong; the text is "WHERE: what was found, what was expected".
class Error : public std::runtime_error {
 public:
  Error(const std::string& where, const std::string& why)
      : std::runtime_error(where + ": " + why) {}
};

/// A file is signed by a key that is not among those given.
class UnknownKey : public Error {
 public:
  UnknownKey(const std::string& where, const std::string& key_id)
      : Error(where, "it is signed by key " + key_id + ", which is none of the trusted keys") {}
};

/// A file holds several embeddings where one is expected.
class SeveralRows : public Error {
 public:
  SeveralRows(const std::string& where, std::size_t rows)
      : Error(where, "holds " + std::to_string(rows) + " embeddings; expected one") {}
};

/// A class is named that the model, or the packs before, do not have.
class NoSuchClass : public Error {
 public:
  NoSuchClass(const std::string& where, std::string missing, std::vector<std::string> present)
      : Error(where, "there is no class '" + missing + "'"),
        name(std::move(missing)),
        classes(std::move(present)) {}
  std::string name;
  std::vector<std::string> classes;
};

// Keys: Ed25519. A key's file is a line: what it is, its id, its bytes in hexadecimal.

using KeyId = std::array<std::uint8_t, 8>;

struct PublicKey {
  std::array<std::uint8_t, 32> bytes;
  KeyId id() const;
};
struct SecretKey {
  std::array<std::uint8_t, 64> bytes;
  PublicKey public_key() const;
};

SecretKey new_key();
/// Writes NAME.key, which only its owner may read, and NAME.pub. Never overwrites a file.
void write_key_pair(const SecretKey& key, const std::string& name);
PublicKey read_public_key(const std::string& path);
SecretKey read_secret_key(const std::string& path);
/// The keys of these files one after the other, as bzscr_store_config.keys takes them.
std::vector<std::uint8_t> read_public_keys(const std::vector<std::string>& paths);

/// Two digits a byte.
std::string hexadecimal(const std::uint8_t* bytes, std::size_t size);

// Embeddings, raw, as the trainer was given them.

struct Embeddings {
  std::string source;              ///< the file, for messages
  std::vector<std::string> names;  ///< empty where the file has none
  std::vector<std::vector<float>> rows;
};

/// .npy (rows of numbers; a vector is one row), or .csv/.tsv with a column 'class'.
/// \param names  text file of class names, a line for each row; required for .npy, else empty
Embeddings read_embeddings(const std::string& path, const std::string& names);

/// One class's embedding: the vector or row `row` of a .npy file, the row of class `name` in a
/// .csv/.tsv file, or all numbers of a text file with spaces, commas or line ends between them.
/// \param row  only for .npy, and required if there are several rows (SeveralRows)
std::vector<float> read_embedding(const std::string& path, const std::string& name,
                                  std::optional<std::uint32_t> row = std::nullopt);

/// Numbers with spaces, commas or line ends between them. \param where  for messages
std::vector<float> parse_numbers(const std::string& text, const std::string& where);

/// Throws unless a class may have this name: UTF-8, not empty, no control characters (line ends are
/// such). \param where  for messages
void check_name(const std::string& name, const std::string& where);

// Packs

enum class ChangeKind : std::uint8_t {
  kSet = 1,
  kReplace = 2,
  kRemove = 3,
  kRename = 4,
  kTeach = 5
};
const char* word_for(ChangeKind kind);  ///< "set"

struct Change {
  ChangeKind kind;
  std::uint32_t id;
  std::string name;        ///< empty: none
  std::vector<float> phi;  ///< empty: none
  // Of kTeach: what the class will have been taught, see bzscr_rt_get_examples().
  std::vector<float> sum = {};  ///< empty if count is 0
  float count = 0;              ///< 0: it forgets
};

struct Contents {
  std::vector<std::uint8_t> model_hash;
  std::string embedding_name;
  std::uint32_t dimension = 0;
  std::uint64_t counter = 0;
  std::vector<Change> changes;
  std::string program;            ///< what made the pack: "bzscr-pack 0.1.0"
  std::uint32_t model_check = 0;  ///< with kTeach: checksum of the model; FORMAT.md
};

struct Pack {
  Contents contents;
  bool is_signed = false;
  KeyId key_id{};
};

struct Request {
  std::string model;                ///< file of the model that the devices have
  std::vector<std::string> before;  ///< files of packs that they took before, in the
                                    ///< order of their counters
  std::uint64_t counter = 0;        ///< must be above that of every pack before
  std::string program;
  // Changes are made in this order.
  std::vector<std::string> removed;                          ///< names
  std::vector<std::pair<std::string, std::string>> renamed;  ///< old name, new name
  std::optional<Embeddings> embeddings;                      ///< with names
  /// A device's store that holds examples, in a folder, and names of its classes: these will have
  /// been taught, on all devices, what they were there, instead of what they were before. A class
  /// whose embedding is the store's is set, too.
  std::string taught_from;
  std::vector<std::string> taught;
  bool replace_only = false;              ///< only give classes that are there other embeddings
  std::optional<std::uint32_t> first_id;  ///< of the first new class, the next get the next ones;
                                          ///< below kFirstOwnId of bzscr_store.hpp
};

/// The pack that makes these changes. A known class keeps its id. A new one gets, unless first_id is
/// given, an id from 2^30 to 2^31 that follows from its name: packs that know nothing of one another
/// give different classes different ids (where two names meet in one, devices refuse the second
/// pack), and one class the same. Refuses what devices would refuse.
/// \param notes  may be null; gets a sentence for each new embedding of a known class and for each
///               name that differs from another class's only by case
Contents build(const Request& request, std::vector<std::string>* notes = nullptr);

/// The bytes of a pack's file, signed where there is a key. The same input gives the same bytes.
std::vector<std::uint8_t> serialise(const Contents& contents, const std::optional<SecretKey>& key);

/// Writes the file whole or not at all.
void write(const Contents& contents, const std::optional<SecretKey>& key, const std::string& path);

/// Reads a pack and checks all rules that it alone can keep or break.
/// \param keys  where there are any, one of them must have signed it (UnknownKey); else signatures
///              are not looked at
Pack read(const std::string& path, const std::vector<std::uint8_t>& keys = {});

/// Throws unless the pack is for this model: the same training data, embedding and dimension, and
/// embeddings that the model can use. \param path  of the pack, for messages
void check_fit(const Contents& contents, const std::string& path, const std::string& model);

// Models may be signed like packs. Their contents are the same, signed or not, and the runtime opens
// both; on a device bzscr_store_verify_model() looks at the signature.

struct ModelFile {
  bool is_signed = false;
  KeyId key_id{};
  std::vector<std::uint8_t> data_hash;  ///< that packs for it carry; empty: none
  std::string embedding_name;
  std::uint32_t dimension = 0;
  std::uint32_t classes = 0;
};

/// Whether a file holds a model. Damaged files, and files of other kinds, do not.
bool is_model(const std::string& path);

/// Reads and verifies a model. \param keys  as for read()
ModelFile read_model(const std::string& path, const std::vector<std::uint8_t>& keys = {});

/// The bytes of the model's file with this key's signature, in place of any other.
std::vector<std::uint8_t> sign_model(const std::string& path, const SecretKey& key);

/// Writes a pack's or a model's file whole or not at all.
void write(const std::vector<std::uint8_t>& file, const std::string& path);

}  // namespace bzscr::pack

#endif
