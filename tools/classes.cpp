// bzscr-classes: packs of new classes on the workstation, and the store of a device's classes in
// the field.

#include <bzscr_train/error.hpp>
#include "base/atomic_file.h"
#include "base/spelling.h"
#include "data/formats/class_files.h"
#include "data/formats/npy_file.h"
#include "data/formats/table_file.h"
#include "data/formats/tables.h"
#include "data/vectors/name_vectors.h"
#include "data/vectors/word_vectors.h"
#include "pack_file.h"
#include "support/cli_support.h"
#include "support/command_line.h"

#include <bzscr_rt/bzscr_rt.h>
#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/model_generated.h>
#include <bzscr_store/bzscr_store.h>
#include <bzscr_store/bzscr_store_posix.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace bzscr;
using namespace bzscr::cli;
using nlohmann::ordered_json;

constexpr const char* kIntroduction =
    "New classes in the field. On a workstation: makes packs of class changes, signed. On a "
    "device: keeps its\n"
    "classes in a folder, through power cuts, and takes packs.\n";

constexpr const char* kEpilogue =
    "Workstation:\n"
    "  bzscr-classes keygen shop                                       # shop.key (secret), "
    "shop.pub (for devices)\n"
    "  bzscr-classes pack m.bzscr -o new.bzpack --counter 7 --names new.txt --embeddings new.npy "
    "--key shop.key\n"
    "  bzscr-classes pack m.bzscr -o new.bzpack --counter 7 --names new.txt --vectors "
    "glove.6B.300d.txt\n"
    "  bzscr-classes pack m.bzscr -o next.bzpack --counter 8 --after new.bzpack --remove okapi "
    "--key shop.key\n"
    "  bzscr-classes show new.bzpack\n"
    "Device:\n"
    "  bzscr-classes apply new.bzpack --store /var/lib/shop --model m.bzscr --trust shop.pub "
    "--require-signature\n"
    "  bzscr-classes list    --store /var/lib/shop --model m.bzscr\n"
    "  bzscr-classes add okapi --embedding okapi.npy --store /var/lib/shop --model m.bzscr\n"
    "  bzscr-classes history --store /var/lib/shop --model m.bzscr; bzscr-classes rollback 3 "
    "--store ...\n"
    "A change is on the disk when the command returns, or nothing has changed. Embeddings are raw, "
    "as the trainer\n"
    "was given them. Exit code 2: refused, with the reason on standard error.\n";

struct Options {
  // workstation
  std::string name, pack, output, key, names, embeddings, vectors;
  std::uint64_t counter = 0;
  std::int64_t first_id = -1;
  bool replace_only = false;
  std::vector<std::string> removed, renamed, before;
  // device
  std::string store, model, class_name, new_name, embedding;
  std::vector<std::string> trusted;
  std::uint32_t sequence = 0, capacity = 0, row = 0;
  std::int64_t id = -1;
  bool require_signature = false, allow_older = false, accept_last_good = false;
  bool json = false;
};

[[noreturn]] void fail(const std::string& where, const std::string& why) {
  throw std::runtime_error(where + ": " + why);
}

/// A device's own classes get ids that no pack gives, so that a pack never takes one of them for
/// its own.
constexpr std::uint64_t kFirstOwnId = std::uint64_t{1} << 31;

// The model

/// A model opened by the runtime, with room for more classes than it has.
class OpenedModel {
 public:
  /// \param capacity  0: that many
  OpenedModel(const std::string& path, std::uint32_t capacity, std::uint32_t more = 0)
      : path_(path), file_(read_aligned(path)) {
    bzscr_rt_config config{};
    config.struct_size = sizeof config;
    config.model = file_.bytes.get();
    config.model_bytes = file_.size;
    require(bzscr_rt_arena_bytes(&config, &config.arena_bytes));  // whether it is a model at all
    const auto* classes = contents().classes();
    config.class_capacity =
        (capacity != 0 ? capacity
                       : std::max<std::uint32_t>(2 * classes->size(), classes->size() + 1000)) +
        more;
    config.name_bytes = kNameBytes;
    for (const auto* one : *classes)
      config.name_bytes = std::max(config.name_bytes, one->name()->size() + 1);
    require(bzscr_rt_arena_bytes(&config, &config.arena_bytes));
    arena_ = aligned_memory(config.arena_bytes);
    config.arena = arena_.get();
    require(bzscr_rt_open(&config, &handle_));
    capacity_ = config.class_capacity;
    name_bytes_ = config.name_bytes;
  }

  const format::Model& contents() const {
    return *format::GetModel(format::GetEnvelope(file_.bytes.get())->payload()->data());
  }
  const std::string& path() const { return path_; }
  const void* bytes() const { return file_.bytes.get(); }
  bzscr_rt* handle() const { return handle_; }
  std::uint32_t capacity() const { return capacity_; }
  std::uint32_t dimension() const { return contents().embedding_dimension(); }

  struct Entry {
    std::uint32_t id;
    std::string name;
    bool seen;
  };
  std::vector<Entry> classes() const {  // of the table as it is now, in rising id
    std::vector<Entry> entries;
    std::string name(name_bytes_, '\0');
    for (std::uint32_t index = 0; index < bzscr_rt_class_count(handle_); ++index) {
      Entry entry{};
      std::int32_t seen = 0;
      require(bzscr_rt_class_id(handle_, index, &entry.id));
      require(bzscr_rt_class_name(handle_, entry.id, name.data(), name.size()));
      require(bzscr_rt_class_seen(handle_, entry.id, &seen));
      entry.name = name.c_str();
      entry.seen = seen != 0;
      entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.id < b.id; });
    return entries;
  }
  std::uint32_t id_of(const std::string& name) const {
    std::uint32_t id = 0;
    if (bzscr_rt_find_name(handle_, name.c_str(), &id) != BZSCR_RT_OK) no_class(name);
    return id;
  }
  /// Fails: the class is wanted, and the table does not have it.
  [[noreturn]] void no_class(const std::string& name) const {
    std::vector<std::string> names;
    for (const Entry& one : classes()) names.push_back(one.name);
    fail(path_, fmt::format("there is no class '{}'{}", name, did_you_mean(name, names)));
  }
  bool has(const std::string& name) const {
    std::uint32_t unused = 0;
    return bzscr_rt_find_name(handle_, name.c_str(), &unused) == BZSCR_RT_OK;
  }
  std::string name_of(std::uint32_t id) const {  // empty: there is no such class
    std::string name(name_bytes_, '\0');
    return bzscr_rt_class_name(handle_, id, name.data(), name.size()) == BZSCR_RT_OK ? name.c_str()
                                                                                     : "";
  }
  std::uint64_t next_id(
      std::uint64_t first) const {  // at least that, and above all others; 2^32 if one has the last
    std::uint64_t next = first;
    for (const Entry& each : classes()) next = std::max(next, std::uint64_t{each.id} + 1);
    return next;
  }

 private:
  static constexpr std::uint32_t kNameBytes = 64;
  void require(bzscr_rt_status status) const {
    if (status != BZSCR_RT_OK) fail(path_, bzscr_rt_status_text(status));
  }

  std::string path_;
  AlignedFile file_;
  std::unique_ptr<std::uint8_t, AlignedFile::Free> arena_;
  bzscr_rt* handle_ = nullptr;
  std::uint32_t capacity_ = 0, name_bytes_ = 0;
};

// Embeddings

struct NamedEmbeddings {
  std::vector<std::string> names;
  Matrix values;
};

NamedEmbeddings read_embeddings(const Options& options, std::uint32_t d) {
  NamedEmbeddings read;
  std::string source = options.embeddings;
  if (!options.vectors.empty()) {
    if (options.names.empty()) fail("--vectors", "needs --names, the file of class names");
    read.names = read_class_names(options.names);
    WordVectorFile file(options.vectors, std::nullopt);
    read.values = find_name_vectors(read.names, file, [](double) {}).vectors.cast<double>();
    source = options.vectors;
  } else if (is_table(options.embeddings)) {
    EmbeddingTable table = read_embedding_table(options.embeddings);
    read.names = names_of(table.names);
    read.values = table.values;
  } else {
    if (options.names.empty())
      fail(options.embeddings,
           "a .npy file needs --names, the file of class names, a line for each row");
    read.names = read_class_names(options.names);
    read.values = NpyFile(options.embeddings).matrix();
    if (read.values.rows() != static_cast<Index>(read.names.size()))
      fail(options.embeddings, fmt::format("{} rows, but {} names in {}", read.values.rows(),
                                           read.names.size(), options.names));
  }
  if (read.values.cols() != static_cast<Index>(d))
    fail(source, fmt::format("embeddings have {} numbers, the model's {}", read.values.cols(), d));
  return read;
}

std::vector<float> row_of(const Matrix& values, Index row) {
  std::vector<float> phi;
  for (Index j = 0; j < values.cols(); ++j) phi.push_back(static_cast<float>(values(row, j)));
  return phi;
}

/// One class's embedding: its row in a table, or a row of a .npy file.
std::vector<float> read_embedding(const Options& options, std::uint32_t d) {
  const std::string& path = options.embedding;
  Index row = options.row;
  Matrix values;
  if (is_table(path)) {
    const EmbeddingTable table = read_embedding_table(path);
    const std::vector<std::string> names = names_of(table.names);
    const auto found = std::find(names.begin(), names.end(), options.class_name);
    if (found == names.end()) fail(path, fmt::format("no row of class '{}'", options.class_name));
    row = found - names.begin();
    values = table.values;
  } else {
    values = NpyFile(path).matrix();
  }
  if (row >= values.rows())
    fail(path, fmt::format("row {} is asked for, and there are {}", row, values.rows()));
  if (values.cols() != static_cast<Index>(d))
    fail(path, fmt::format("the embedding has {} numbers, the model's {}", values.cols(), d));
  return row_of(values, row);
}

// Workstation

void run_keygen(const Options& options) {
  const std::string secret = options.name + ".key", open = options.name + ".pub";
  for (const std::string& path : {secret, open})
    if (struct stat status{}; ::stat(path.c_str(), &status) == 0)
      fail(path, "is there already; a key is never overwritten");
  const SecretKey key = new_key();
  const auto write = [](const std::string& path, const std::string& line) {
    write_file_atomically(path, {line.begin(), line.end()});
  };
  const mode_t mask = ::umask(077);  // the secret key is for its owner's eyes
  write(secret, key_line(key));
  ::umask(mask);
  write(open, key_line(key.open()));
  fmt::print("{}: secret, keep it; {}: for devices; key {}\n", secret, open,
             hexadecimal(key.open().id().data(), 8));
}

std::vector<PackChange> changes_for(const Options& options, const OpenedModel& model) {
  std::vector<PackChange> changes;
  for (const std::string& name : options.removed)
    changes.push_back({ChangeKind::kRemove, model.id_of(name), "", {}});
  for (const std::string& pair : options.renamed) {
    const std::size_t at = pair.find('=');
    if (at == std::string::npos) fail("--rename", fmt::format("'{}' is not OLD=NEW", pair));
    changes.push_back(
        {ChangeKind::kRename, model.id_of(pair.substr(0, at)), pair.substr(at + 1), {}});
  }
  if (options.embeddings.empty() && options.vectors.empty()) return changes;
  const NamedEmbeddings read = read_embeddings(options, model.dimension());
  std::uint64_t next =
      options.first_id >= 0 ? static_cast<std::uint64_t>(options.first_id) : model.next_id(0);
  for (std::size_t r = 0; r < read.names.size(); ++r) {
    const std::string& name = read.names[r];
    const bool known = model.has(name);
    if (options.replace_only && !known) model.no_class(name);
    if (!known && next >= kFirstOwnId)
      fail(model.path(), "no id below 2^31 is left for its classes; choose them with --first-id");
    const std::uint32_t id = known ? model.id_of(name) : static_cast<std::uint32_t>(next++);
    if (!known && !model.name_of(id).empty())
      fail("--first-id", fmt::format("id {} is that of class '{}'", id, model.name_of(id)));
    std::vector<float> phi = row_of(read.values, static_cast<Index>(r));
    if (const bzscr_rt_status status = bzscr_rt_check_embedding(model.handle(), phi.data()))
      fail(name, bzscr_rt_status_text(status));
    changes.push_back({options.replace_only ? ChangeKind::kReplace : ChangeKind::kSet, id,
                       options.replace_only ? "" : name, std::move(phi)});
  }
  return changes;
}

/// Does to the model's classes what a pack did that devices took before.
void make_changes_of(const std::string& path, const PackContents& contents, std::uint64_t counter,
                     const OpenedModel& model) {
  if (contents.counter >= counter)
    fail(path, fmt::format("its counter is {}; that of a later pack must be above, not {}",
                           contents.counter, counter));
  for (const PackChange& each : contents.changes) {
    const char* name = each.name.empty() ? nullptr : each.name.c_str();
    const bool has_embedding = each.kind == ChangeKind::kSet || each.kind == ChangeKind::kReplace;
    if (has_embedding && each.phi.size() != model.dimension())
      fail(path, fmt::format("its embeddings have {} numbers, the model's {}", each.phi.size(),
                             model.dimension()));
    const bzscr_rt_status status =
        has_embedding ? bzscr_rt_set_class(model.handle(), each.id, name, each.phi.data())
        : each.kind == ChangeKind::kRename ? bzscr_rt_rename_class(model.handle(), each.id, name)
                                           : bzscr_rt_remove_class(model.handle(), each.id);
    if (status != BZSCR_RT_OK)
      fail(path, fmt::format("class {}: {}", each.id, bzscr_rt_status_text(status)));
  }
}

void run_pack(const Options& options) {
  expect_writable(options.output);
  std::vector<PackContents> before;
  std::size_t changes_before = 0;
  for (const std::string& path : options.before)
    changes_before += before.emplace_back(read_pack(path).contents).changes.size();
  const OpenedModel model(options.model, 0, static_cast<std::uint32_t>(changes_before));
  for (std::size_t i = 0; i < before.size(); ++i)
    make_changes_of(options.before[i], before[i], options.counter, model);
  const format::Training* training = model.contents().training();
  if (training == nullptr || training->data_hash() == nullptr)
    fail(options.model, "has no hash of its training data, so no pack can be bound to it");
  PackContents contents;
  contents.model_hash.assign(training->data_hash()->begin(), training->data_hash()->end());
  if (training->embedding_name() != nullptr)
    contents.embedding_name = training->embedding_name()->str();
  contents.dimension = model.dimension();
  contents.counter = options.counter;
  contents.program = "bzscr-classes " BZSCR_VERSION;
  contents.changes = changes_for(options, model);
  if (contents.changes.empty())
    fail(options.output, "no change was asked for: --embeddings, --vectors, --remove or --rename");
  std::optional<SecretKey> key;
  if (!options.key.empty()) key = read_secret_key(options.key);
  write_file_atomically(options.output, pack_bytes(contents, key));
  fmt::print("{}: {} changes, counter {}, {}\n", options.output, contents.changes.size(),
             contents.counter,
             key ? "signed by " + hexadecimal(key->open().id().data(), 8) : "not signed");
}

void run_sign(const Options& options) {
  const PackFile pack = read_pack(options.pack);
  const SecretKey key = read_secret_key(options.key);
  const std::string& output = options.output.empty() ? options.pack : options.output;
  write_file_atomically(output, pack_bytes(pack.contents, key));
  fmt::print("{}: signed by {}\n", output, hexadecimal(key.open().id().data(), 8));
}

std::vector<PublicKey> read_keys(const std::vector<std::string>& paths) {
  std::vector<PublicKey> keys;
  for (const std::string& path : paths) keys.push_back(read_public_key(path));
  return keys;
}

void run_verify(const Options& options) {
  const PackFile pack = read_pack(options.pack, read_keys(options.trusted));
  fmt::print("{}: whole, signed by {}\n", options.pack, hexadecimal(pack.key_id.data(), 8));
}

void run_show(const Options& options) {
  const PackFile pack = read_pack(options.pack);
  const PackContents& contents = pack.contents;
  const std::string hash = hexadecimal(contents.model_hash.data(), contents.model_hash.size());
  const std::string key = pack.is_signed ? hexadecimal(pack.key_id.data(), 8) : "";
  if (options.json) {
    ordered_json json{{"file", options.pack},
                      {"signed", pack.is_signed},
                      {"key", key},
                      {"counter", contents.counter},
                      {"model_hash", hash},
                      {"embedding", contents.embedding_name},
                      {"embedding_dimension", contents.dimension},
                      {"program", contents.program}};
    auto& changes = json["changes"] = ordered_json::array();
    for (const PackChange& each : contents.changes)
      changes.push_back({{"kind", word_for(each.kind)}, {"id", each.id}, {"name", each.name}});
    fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: counter {}, {}\nfor models of data {}, embedding {} of {} numbers\n",
             options.pack, contents.counter,
             pack.is_signed ? "signed by " + key + " (not verified here)" : "not signed", hash,
             contents.embedding_name, contents.dimension);
  for (const PackChange& each : contents.changes)
    fmt::print("{:8} {:>10} {}\n", word_for(each.kind), each.id, each.name);
}

// Device

/// The store's folder, opened over the model.
class OpenedStore {
 public:
  OpenedStore(const Options& options, bool to_change)
      : path_(options.store),
        model_(options.model, options.capacity),
        keys_(joined(read_keys(options.trusted))) {
    if (to_change && bzscr_store_posix_make_folder(path_.c_str()) != BZSCR_STORE_OK)
      fail(path_, std::strerror(errno));
    const std::uint32_t bank = bzscr_store_posix_bank_bytes(model_.capacity(), model_.dimension());
    const bzscr_store_status found =
        bzscr_store_posix_open(&folder_, path_.c_str(), bank, to_change ? 0 : 1);
    if (found != BZSCR_STORE_OK) refuse(found);
    config_.struct_size = sizeof config_;
    config_.device = &folder_.device;
    config_.table = model_.handle();
    config_.model = model_.bytes();
    config_.keys = keys_.data();
    config_.key_count = static_cast<std::uint32_t>(options.trusted.size());
    config_.require_signatures = options.require_signature ? 1 : 0;
    config_.read_only = to_change ? 0 : 1;
    config_.create = to_change ? 1 : 0;
    config_.accept_last_good = options.accept_last_good ? 1 : 0;
    require(bzscr_store_arena_bytes(&config_, &config_.arena_bytes));
    arena_ = aligned_memory(config_.arena_bytes);
    config_.arena = arena_.get();
    require(bzscr_store_open(&config_, &store_));
  }
  ~OpenedStore() { bzscr_store_posix_close(&folder_); }
  OpenedStore(const OpenedStore&) = delete;
  OpenedStore& operator=(const OpenedStore&) = delete;

  bzscr_store* get() const { return store_; }
  const OpenedModel& model() const { return model_; }
  const std::string& path() const { return path_; }

  void require(bzscr_store_status status) const {
    if (status != BZSCR_STORE_OK) refuse(status);
  }
  [[noreturn]] void refuse(bzscr_store_status status) const {
    const std::string why = bzscr_store_status_text(status);
    fail(path_, status == BZSCR_STORE_IO && folder_.error != 0
                    ? fmt::format("{} ({})", why, std::strerror(folder_.error))
                    : why);
  }

  bzscr_store_info info() const {
    bzscr_store_info info{};
    info.struct_size = sizeof info;
    require(bzscr_store_describe(store_, &info));
    return info;
  }
  std::vector<bzscr_store_record> history() const {
    std::uint32_t count = 0;
    require(bzscr_store_history(store_, 0, nullptr, &count));
    std::vector<bzscr_store_record> records(count);
    require(bzscr_store_history(store_, count, records.data(), &count));
    return records;
  }
  bzscr_store_status try_change(const bzscr_store_change& change) {
    return bzscr_store_change_classes(store_, &change, 1, nullptr);
  }
  void change(const bzscr_store_change& change) { require(try_change(change)); }

 private:
  std::string path_;
  OpenedModel model_;
  std::vector<std::uint8_t> keys_;
  bzscr_store_posix folder_{};
  bzscr_store_config config_{};
  std::unique_ptr<std::uint8_t, AlignedFile::Free> arena_;
  bzscr_store* store_ = nullptr;
};

void print_state(const OpenedStore& store, const Options& options, const std::string& done) {
  const bzscr_store_info info = store.info();
  const std::size_t classes = bzscr_rt_class_count(store.model().handle());
  if (options.json) {
    fmt::print("{}\n", ordered_json{{"done", done},
                                    {"sequence", info.sequence},
                                    {"counter", info.counter},
                                    {"classes", classes}}
                           .dump());
  } else {
    fmt::print("{}: {}; record {}, pack counter {}, {} classes\n", store.path(), done,
               info.sequence, info.counter, classes);
  }
}

void run_list(const Options& options) {
  const OpenedStore store(options, false);
  ordered_json json = ordered_json::array();
  for (const auto& each : store.model().classes()) {
    std::int32_t own = 0;
    const bzscr_store_status status = bzscr_store_embedding(store.get(), each.id, &own, nullptr);
    if (status == BZSCR_STORE_CLASS + BZSCR_RT_NO_SUCH_CLASS)
      continue;  // removed by another process just now
    store.require(status);
    if (options.json)
      json.push_back({{"id", each.id},
                      {"name", each.name},
                      {"seen", each.seen},
                      {"from", own != 0 ? "store" : "model"}});
    else
      fmt::print("{:>10}  {}{}{}\n", each.id, each.name, each.seen ? "" : "  (unseen)",
                 own != 0 ? "  (from the store)" : "");
  }
  if (options.json)
    fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

void run_add(const Options& options) {
  OpenedStore store(options, true);
  if (store.model().has(options.class_name))
    fail(store.path(),
         fmt::format("there is a class '{}'; replace changes it", options.class_name));
  const std::vector<float> phi = read_embedding(options, store.model().dimension());
  const bool chosen = options.id >= 0;
  std::uint64_t id = 0;
  bzscr_store_status status = BZSCR_STORE_OK;
  do {  // once more where another process took the id meanwhile
    id = chosen ? static_cast<std::uint64_t>(options.id) : store.model().next_id(kFirstOwnId);
    if (id > UINT32_MAX) fail(store.path(), "no id is left above all others; choose one with --id");
    status = store.try_change(
        {BZSCR_STORE_ADD, static_cast<std::uint32_t>(id), options.class_name.c_str(), phi.data()});
  } while (status == BZSCR_STORE_ID_TAKEN && !chosen);
  if (status == BZSCR_STORE_ID_TAKEN) fail(store.path(), fmt::format("id {} is taken", id));
  store.require(status);
  print_state(store, options, fmt::format("added '{}' as {}", options.class_name, id));
}

void run_replace(const Options& options) {
  OpenedStore store(options, true);
  const std::vector<float> phi = read_embedding(options, store.model().dimension());
  store.change({BZSCR_STORE_REPLACE, store.model().id_of(options.class_name), nullptr, phi.data()});
  print_state(store, options, fmt::format("replaced '{}'", options.class_name));
}

void run_remove(const Options& options) {
  OpenedStore store(options, true);
  store.change({BZSCR_STORE_REMOVE, store.model().id_of(options.class_name), nullptr, nullptr});
  print_state(store, options, fmt::format("removed '{}'", options.class_name));
}

void run_rename(const Options& options) {
  OpenedStore store(options, true);
  store.change({BZSCR_STORE_RENAME, store.model().id_of(options.class_name),
                options.new_name.c_str(), nullptr});
  print_state(store, options,
              fmt::format("renamed '{}' to '{}'", options.class_name, options.new_name));
}

void run_apply(const Options& options) {
  const AlignedFile pack = read_aligned(options.pack);
  OpenedStore store(options, true);
  bzscr_store_refusal why{};
  const bzscr_store_status status =
      bzscr_store_apply(store.get(), pack.bytes.get(), pack.size,
                        options.allow_older ? BZSCR_STORE_ALLOW_OLDER : 0, &why);
  if (status == BZSCR_STORE_STALE)
    fail(options.pack,
         fmt::format(
             "its counter is {}, and the last pack's was {}; --allow-older takes it all the same",
             why.pack_counter, why.last_counter));
  if (status > BZSCR_STORE_CLASS)
    fail(options.pack, fmt::format("change {}, class {}: {}", why.change, why.id,
                                   bzscr_store_status_text(status)));
  if (status == BZSCR_STORE_IO || status == BZSCR_STORE_FULL) store.refuse(status);
  if (status != BZSCR_STORE_OK) fail(options.pack, bzscr_store_status_text(status));
  print_state(store, options, "applied " + options.pack);
}

const char* word_for(bzscr_store_source source) {
  switch (source) {
    case BZSCR_STORE_FROM_DEVICE: return "device";
    case BZSCR_STORE_FROM_PACK: return "pack";
    case BZSCR_STORE_FROM_FORMAT: return "new";
    case BZSCR_STORE_FROM_COMPACTION: return "compacted";
    case BZSCR_STORE_FROM_ROLLBACK: return "rolled-back";
    default: return "?";
  }
}

void run_history(const Options& options) {
  const OpenedStore store(options, false);
  ordered_json json = ordered_json::array();
  for (const bzscr_store_record& each : store.history()) {
    const bool is_signed =
        std::any_of(each.key_id, each.key_id + 8, [](std::uint8_t byte) { return byte != 0; });
    const std::string key = is_signed ? hexadecimal(each.key_id, 8) : "";
    if (options.json)
      json.push_back({{"record", each.sequence},
                      {"from", word_for(each.source)},
                      {"changes", each.changes},
                      {"bytes", each.bytes},
                      {"counter", each.counter},
                      {"key", key}});
    else
      fmt::print("{:>8}  {:<11}  {} changes, {} bytes, pack counter {}{}\n", each.sequence,
                 word_for(each.source), each.changes, each.bytes, each.counter,
                 is_signed ? ", key " + key : "");
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
}

void run_rollback(const Options& options) {
  OpenedStore store(options, true);
  store.require(bzscr_store_rollback(store.get(), options.sequence));
  print_state(store, options, fmt::format("back to record {}", options.sequence));
}

void run_compact(const Options& options) {
  OpenedStore store(options, true);
  store.require(bzscr_store_compact(store.get()));
  print_state(store, options, "compacted");
}

void run_check(const Options& options) {
  const OpenedStore store(options, false);
  const bzscr_store_info info = store.info();
  const std::string state = info.damaged != 0   ? "damaged, the last good state was read"
                            : info.unclean != 0 ? "whole; a change was cut off"
                                                : "whole";
  if (options.json)
    fmt::print("{}\n", ordered_json{{"state", state},
                                    {"damaged", info.damaged != 0},
                                    {"unclean", info.unclean != 0},
                                    {"last_good", info.last_good != 0},
                                    {"generation", info.generation},
                                    {"sequence", info.sequence},
                                    {"counter", info.counter},
                                    {"changed", info.changed},
                                    {"bank_bytes", info.bank_bytes},
                                    {"used_bytes", info.used_bytes}}
                           .dump());
  else
    fmt::print(
        "{}: {}; record {}, pack counter {}, {} classes differ from the model, {} of {} bytes "
        "used\n",
        store.path(), state, info.sequence, info.counter, info.changed, info.used_bytes,
        info.bank_bytes);
}

// Command line

using Command = void (*)(const Options&);

CLI::App* command(CLI::App& app, Command& chosen, const char* name, const char* description,
                  Command run) {
  CLI::App* sub = app.add_subcommand(name, description);
  sub->callback([&chosen, run] { chosen = run; });
  return sub;
}

CLI::App* device_command(CLI::App& app, Options& options, Command& chosen, const char* name,
                         const char* description, Command run) {
  CLI::App* sub = command(app, chosen, name, description, run);
  sub->add_option("--store", options.store,
                  "folder of the device's classes; made by the first change")
      ->required()
      ->type_name("DIR");
  sub->add_option("--model", options.model, "model file")->required()->type_name("FILE");
  sub->add_option(
      "--capacity", options.capacity,
      "most classes at any one time; default: 1000 more than the model has, or twice as many");
  sub->add_flag("--accept-last-good", options.accept_last_good,
                "of a damaged store take the last state that is whole");
  sub->add_flag("--json", options.json, "print JSON instead of text");
  return sub;
}

void describe_options(CLI::App& app, Options& options, Command& chosen) {
  app.footer(kEpilogue);
  app.require_subcommand(1);
  app.set_version_flag("--version", "bzscr-classes " BZSCR_VERSION)
      ->description("print the version");

  CLI::App* keygen =
      command(app, chosen, "keygen", "make a pair of keys, NAME.key and NAME.pub", run_keygen);
  keygen->add_option("NAME", options.name)->required();
  CLI::App* pack =
      command(app, chosen, "pack", "make a pack for devices with this model", run_pack);
  pack->add_option("MODEL", options.model, "model file")->required();
  pack->add_option("-o,--output", options.output, "pack to write")
      ->required()
      ->type_name("FILE.bzpack");
  pack->add_option("--counter", options.counter,
                   "must grow from pack to pack; devices refuse what is not newer")
      ->required()
      ->check(CLI::Range(std::uint64_t{1}, UINT64_MAX));
  pack->add_option("--embeddings", options.embeddings,
                   "of the classes: .npy with --names, or .csv/.tsv with a column 'class'")
      ->type_name("FILE");
  pack->add_option("--names", options.names, "text file of class names, one a line")
      ->type_name("FILE");
  pack->add_option("--vectors", options.vectors,
                   "word vectors to make embeddings of the names, as bzscr-embed does")
      ->type_name("FILE")
      ->excludes("--embeddings");
  pack->add_option("--after", options.before,
                   "packs that the devices took before, in order: known names keep their ids, new "
                   "ones get others")
      ->type_name("FILE.bzpack");
  pack->add_option("--first-id", options.first_id,
                   "id of the first new class; default: above all that model and packs before have")
      ->check(CLI::Range(std::int64_t{0}, (std::int64_t{1} << 31) - 1));
  pack->add_flag("--replace", options.replace_only,
                 "only give classes that are there other embeddings");
  pack->add_option("--remove", options.removed, "names of classes of the model, or of packs before")
      ->type_name("NAME");
  pack->add_option("--rename", options.renamed, "of such classes")->type_name("OLD=NEW");
  pack->add_option("--key", options.key, "sign with this secret key")->type_name("FILE.key");
  CLI::App* sign =
      command(app, chosen, "sign", "sign a pack, or sign it anew with another key", run_sign);
  sign->add_option("PACK", options.pack)->required();
  sign->add_option("--key", options.key, "secret key")->required()->type_name("FILE.key");
  sign->add_option("-o,--output", options.output, "default: PACK itself")->type_name("FILE");
  CLI::App* verify =
      command(app, chosen, "verify", "whether one of these keys signed a pack", run_verify);
  verify->add_option("PACK", options.pack)->required();
  verify->add_option("--trust", options.trusted, "public keys")->required()->type_name("FILE.pub");
  CLI::App* show = command(app, chosen, "show", "what is in a pack", run_show);
  show->add_option("PACK", options.pack)->required();
  show->add_flag("--json", options.json, "print JSON instead of text");

  device_command(app, options, chosen, "list", "the device's classes", run_list);
  CLI::App* apply = device_command(app, options, chosen, "apply",
                                   "make the changes of a pack, all or none", run_apply);
  apply->add_option("PACK", options.pack)->required();
  apply
      ->add_option("--trust", options.trusted,
                   "public keys; a signed pack must be signed by one of them")
      ->type_name("FILE.pub");
  apply->add_flag("--require-signature", options.require_signature,
                  "refuse packs that are not signed");
  apply->add_flag("--allow-older", options.allow_older, "take the pack whatever its counter");
  CLI::App* add = device_command(app, options, chosen, "add", "a new class", run_add);
  add->add_option("--id", options.id, "default: from 2^31 up, where no pack's are")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{UINT32_MAX}));
  CLI::App* replace =
      device_command(app, options, chosen, "replace", "another embedding for a class", run_replace);
  CLI::App* remove = device_command(app, options, chosen, "remove", "take a class out", run_remove);
  CLI::App* rename =
      device_command(app, options, chosen, "rename", "another name for a class", run_rename);
  for (CLI::App* each : {add, replace, remove, rename})
    each->add_option("NAME", options.class_name, "of the class")->required();
  rename->add_option("NEW", options.new_name, "its name to be")->required();
  for (CLI::App* each : {add, replace}) {
    each->add_option("--embedding", options.embedding, ".npy, or .csv/.tsv with a column 'class'")
        ->required()
        ->type_name("FILE");
    each->add_option("--row", options.row, "of the .npy, from 0");
  }
  device_command(app, options, chosen, "history",
                 "what changed since the last snapshot, and who changed it", run_history);
  device_command(app, options, chosen, "rollback",
                 "back to the state after a record of the history", run_rollback)
      ->add_option("RECORD", options.sequence)
      ->required();
  device_command(app, options, chosen, "compact", "write the state anew, which ends the history",
                 run_compact);
  device_command(app, options, chosen, "check", "read all of the store", run_check);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  Command chosen = nullptr;
  CLI::App app(kIntroduction, "bzscr-classes");
  describe_options(app, options, chosen);
  if (const std::optional<int> exit_code = parse_command_line(app, argc, argv)) return *exit_code;
  return run_program("bzscr-classes", [&] { chosen(options); });
}
