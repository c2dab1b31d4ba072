#include "bzscr_pack/bzscr_pack.hpp"
#include "files.h"
#include "taught.h"

#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/model_generated.h>
#include <sodium.h>
#include <bzscr_rt/bzscr_rt.hpp>
#include <bzscr_store/bzscr_store.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace bzscr::pack {
namespace {

/// A model's classes, to try changes on, and what packs for it must say.
class Model {
 public:
  /// \param more  room for so many classes more
  Model(const std::string& path, std::size_t more)
      : path_(path), file_(read_aligned(path)), scorer_(open(more)) {}

  const std::string& path() const { return path_; }
  Scorer& scorer() { return scorer_; }
  std::uint32_t dimension() const { return scorer_.info().embedding_dimension; }

  std::vector<std::uint8_t> data_hash() const {
    const format::Training* training = contents().training();
    if (training == nullptr || training->data_hash() == nullptr)
      throw Error(path_, "has no hash of its training data, so no pack can be bound to it");
    return {training->data_hash()->begin(), training->data_hash()->end()};
  }
  /// What packs that teach its classes must say.
  std::uint32_t check() const { return format::GetEnvelope(file_.data())->payload_crc32c(); }
  TaughtClass taught(const std::string& store, const std::string& name) const {
    return read_taught(path_, file_, store, name);
  }
  std::string embedding_name() const {
    const format::Training* training = contents().training();
    const bool named = training != nullptr && training->embedding_name() != nullptr;
    return named ? training->embedding_name()->str() : "";
  }

  std::optional<std::uint32_t> find(const std::string& name) const {
    std::uint32_t id = 0;
    if (bzscr_rt_find_name(scorer_.handle(), name.c_str(), &id) != BZSCR_RT_OK) return std::nullopt;
    return id;
  }
  std::uint32_t id_of(const std::string& name) const {
    if (const auto id = find(name)) return *id;
    throw NoSuchClass(path_, name, names());
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < scorer_.class_count(); ++i)
      names.push_back(scorer_.class_name(scorer_.class_id(i)));
    return names;
  }
  std::string name_of(std::uint32_t id) const { return scorer_.class_name(id); }
  bool has_id(std::uint32_t id) const {
    std::uint32_t index = 0;
    return bzscr_rt_find_class(scorer_.handle(), id, &index) == BZSCR_RT_OK;
  }
  /// \param where  for messages
  void check_embedding(const std::vector<float>& phi, const std::string& where) const {
    if (phi.size() != dimension())
      throw Error(where, "the embedding has " + std::to_string(phi.size()) +
                             " numbers, the model's " + std::to_string(dimension()));
    if (std::all_of(phi.begin(), phi.end(), [](float value) { return value == 0; }))
      throw Error(where, "the embedding is all zero; every class needs an embedding");
    if (const bzscr_rt_status status = bzscr_rt_check_embedding(scorer_.handle(), phi.data()))
      throw Error(where, bzscr_rt_status_text(status));
  }
  /// Makes a change as devices will. \param where  for messages
  void make(const Change& change, const std::string& where) {
    bzscr_rt* const table = scorer_.handle();
    const char* name = change.name.empty() ? nullptr : change.name.c_str();
    const bool has_embedding =
        change.kind == ChangeKind::kSet || change.kind == ChangeKind::kReplace;
    if (change.kind == ChangeKind::kTeach) return teach(change, where);
    if (has_embedding) check_embedding(change.phi, where);
    const bzscr_rt_status status =
        has_embedding ? bzscr_rt_set_class(table, change.id, name, change.phi.data())
        : change.kind == ChangeKind::kRename ? bzscr_rt_rename_class(table, change.id, name)
                                             : bzscr_rt_remove_class(table, change.id);
    if (status != BZSCR_RT_OK) throw Error(where, bzscr_rt_status_text(status));
  }

 private:
  void teach(const Change& change, const std::string& where) {
    const bzscr_rt_info info = scorer_.info();
    if (info.teachable == 0) throw Error(path_, "this model cannot be taught");
    if (change.count > 0 && change.sum.size() != info.weak_models)
      throw Error(where, "its examples have " + std::to_string(change.sum.size()) +
                             " numbers, the model's " + std::to_string(info.weak_models));
    const bzscr_rt_status status =
        bzscr_rt_set_examples(scorer_.handle(), change.id, change.sum.data(), change.count);
    if (status != BZSCR_RT_OK) throw Error(where, bzscr_rt_status_text(status));
  }
  const format::Model& contents() const {
    return *format::GetModel(format::GetEnvelope(file_.data())->payload()->data());
  }
  Scorer open(std::size_t more) const try {
    bzscr_rt_config config = store_table(file_.data(), file_.size());  // as devices have it
    config.class_capacity += static_cast<std::uint32_t>(more);
    return Scorer(file_.data(), file_.size(), config);
  } catch (const bzscr::Error& error) {
    throw Error(path_, error.what());
  }

  std::string path_;
  Memory file_;
  Scorer scorer_;
};

/// Throws if a pack holds what classes were taught with another model.
void check_teacher(const std::string& path, const Contents& contents, const Model& model) {
  for (const Change& each : contents.changes)
    if (each.kind == ChangeKind::kTeach && contents.model_check != model.check())
      throw Error(path, "holds what classes were taught with another model than " + model.path());
}

/// Does to the model's classes what a pack did that devices took before.
void replay(const std::string& path, const Contents& contents, std::uint64_t counter,
            Model& model) {
  if (contents.counter >= counter)
    throw Error(path, "its counter is " + std::to_string(contents.counter) +
                          "; that of a later pack must be above, not " + std::to_string(counter));
  check_teacher(path, contents, model);
  for (const Change& each : contents.changes)
    model.make(each, path + ": class " + std::to_string(each.id));
}

/// The changes of a pack, each made to the model's classes as devices will make it.
class Builder {
 public:
  /// \param trained  the names in the model's file
  Builder(const Request& request, Model& model, const std::vector<std::string>& trained,
          std::vector<std::string>* notes)
      : request_(request),
        model_(model),
        trained_(trained.begin(), trained.end()),
        notes_(notes),
        next_id_(request.first_id) {
    for (const std::string& name : model.names()) by_folded_name_.emplace(folded(name), name);
  }

  void remove(const std::string& name) {
    make({ChangeKind::kRemove, known(name), "", {}}, quoted(name));
    gone_.emplace_back(name, "removed");
  }
  void rename(const std::string& old_name, const std::string& new_name) {
    check_name(new_name, "the new name of class '" + old_name + "'");
    const std::string where = quoted(old_name) + " cannot be renamed to '" + new_name + "'";
    if (model_.find(new_name)) throw Error(where, "there is a class of this name");
    const std::uint32_t id = known(old_name);
    note_case(new_name);
    make({ChangeKind::kRename, id, new_name, {}}, where);
    gone_.emplace_back(old_name, "renamed");
  }
  void set(const std::string& name, const std::vector<float>& phi, const std::string& source) {
    const std::string where = source + ": class '" + name + "'";
    check_name(name, source);
    if (!set_.insert(name).second)
      throw Error(where, "has two embeddings; expected each class once");
    const std::optional<std::uint32_t> id = model_.find(name);
    if (request_.replace_only) {
      make({ChangeKind::kReplace, known(name), "", phi}, where);
      return;
    }
    if (id && trained_.count(name) > 0)
      note("class '" + name + "' is in " + model_.path() + " already, and gets another embedding");
    if (!id) note_case(name);
    make({ChangeKind::kSet, id ? *id : new_id(name), name, phi}, where);
  }
  /// The class as the store has it. It keeps its id, unless that is a device's own.
  void teach(const std::string& name) {
    const std::string where = request_.taught_from + ": class '" + name + "'";
    const TaughtClass found = model_.taught(request_.taught_from, name);
    if (!taught_.insert(name).second)
      throw Error(where, "is given twice; expected each class once");
    const std::optional<std::uint32_t> known = model_.find(name);
    const bool is_own = found.id >= kFirstOwnId;
    if (known && !is_own && *known != found.id)
      throw Error(where, "has id " + std::to_string(found.id) + ", and in " + model_.path() +
                             " or the packs before " + std::to_string(*known));
    const std::uint32_t id = known ? *known : is_own ? new_id(name) : found.id;
    const bool is_set = set_.count(name) > 0;  // by this pack
    if (!known || (found.is_stores && !is_set))
      make({ChangeKind::kSet, id, name, found.phi}, where);
    make({ChangeKind::kTeach, id, "", {}, found.sum, found.count}, where);
  }
  std::vector<Change> changes() const { return changes_; }

 private:
  std::string quoted(const std::string& name) const {
    return model_.path() + ": class '" + name + "'";
  }
  void make(const Change& change, const std::string& where) {
    model_.make(change, where);
    changes_.push_back(change);
  }
  void note(const std::string& text) {
    if (notes_ != nullptr) notes_->push_back(text);
  }
  static std::string folded(std::string name) {
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return name;
  }
  void note_case(const std::string& name) {
    const auto [other, is_new] = by_folded_name_.emplace(folded(name), name);
    if (!is_new && other->second != name && model_.find(other->second))
      note("class '" + name + "' differs from class '" + other->second + "' only by case");
  }
  std::uint32_t known(const std::string& name) const {
    for (const auto& [gone, how] : gone_)
      if (gone == name && !model_.find(name))
        throw Error(model_.path(), "class '" + name + "' is " + how +
                                       " by this pack already; expected one change of it");
    return model_.id_of(name);
  }
  std::uint32_t new_id(const std::string& name) {
    if (!next_id_) return id_for(name);
    if (*next_id_ >= kFirstOwnId)
      throw Error(model_.path(), "no id below 2^31 is left for its classes; choose the first id");
    const auto id = static_cast<std::uint32_t>((*next_id_)++);
    if (model_.has_id(id))
      throw Error(model_.path(),
                  "id " + std::to_string(id) + " is that of class '" + model_.name_of(id) + "'");
    return id;
  }
  /// The name's hash, from 2^30 to 2^31; where a class has that id, the hash of name and attempt.
  std::uint32_t id_for(const std::string& name) const {
    for (std::uint32_t attempt = 0;; ++attempt) {
      const std::string text = attempt == 0 ? name : name + '\0' + std::to_string(attempt);
      std::array<unsigned char, crypto_hash_sha512_BYTES> hash;
      crypto_hash_sha512(hash.data(), reinterpret_cast<const unsigned char*>(text.data()),
                         text.size());
      std::uint32_t id = 0;
      for (int i = 3; i >= 0; --i) id = id << 8 | hash[static_cast<std::size_t>(i)];
      id = (id & (kHashedIds - 1)) | kHashedIds;
      if (!model_.has_id(id)) return id;
    }
  }

  static constexpr std::uint32_t kHashedIds = std::uint32_t{1} << 30;  ///< the first, and how many

  const Request& request_;
  Model& model_;
  std::set<std::string> trained_;
  std::map<std::string, std::string> by_folded_name_;
  std::vector<std::string>* notes_;
  std::optional<std::uint64_t> next_id_;
  std::vector<Change> changes_;
  std::vector<std::pair<std::string, std::string>> gone_;  ///< name, and how
  std::set<std::string> set_, taught_;
};

}  // namespace

Contents build(const Request& request, std::vector<std::string>* notes) {
  std::vector<Contents> before;
  std::size_t more = request.taught.size();
  if (request.embeddings) more += request.embeddings->names.size();
  for (const std::string& path : request.before) {
    Contents contents = read(path).contents;
    if (!before.empty() && contents.counter <= before.back().counter)
      throw Error(path, "its counter is " + std::to_string(contents.counter) +
                            ", and that of the pack before it " +
                            std::to_string(before.back().counter) +
                            "; expected the packs in the order of their counters");
    more += contents.changes.size();
    before.push_back(std::move(contents));
  }
  Model model(request.model, more);
  const std::vector<std::string> trained = model.names();
  for (std::size_t i = 0; i < before.size(); ++i)
    replay(request.before[i], before[i], request.counter, model);

  Contents contents;
  contents.model_hash = model.data_hash();
  contents.embedding_name = model.embedding_name();
  contents.dimension = model.dimension();
  contents.counter = request.counter;
  contents.program = request.program;
  Builder builder(request, model, trained, notes);
  for (const std::string& name : request.removed) builder.remove(name);
  for (const auto& [old_name, new_name] : request.renamed) builder.rename(old_name, new_name);
  if (request.embeddings) {
    const Embeddings& given = *request.embeddings;
    if (given.names.size() != given.rows.size())
      throw Error(given.source, std::to_string(given.rows.size()) + " rows, but " +
                                    std::to_string(given.names.size()) + " names");
    for (std::size_t r = 0; r < given.names.size(); ++r)
      builder.set(given.names[r], given.rows[r], given.source);
  }
  for (const std::string& name : request.taught) builder.teach(name);
  if (!request.taught.empty()) contents.model_check = model.check();
  contents.changes = builder.changes();
  return contents;
}

void check_fit(const Contents& contents, const std::string& path, const std::string& model_path) {
  const Model model(model_path, 0);
  if (contents.model_hash != model.data_hash())
    throw Error(path, "it is for a model that was trained on other data than " + model_path);
  if (contents.embedding_name != model.embedding_name())
    throw Error(path, "it is for embedding '" + contents.embedding_name + "', and " + model_path +
                          " takes '" + model.embedding_name() + "'");
  check_teacher(path, contents, model);
  for (const Change& each : contents.changes)
    if (!each.phi.empty())
      model.check_embedding(each.phi, path + ": class " + std::to_string(each.id));
}

}  // namespace bzscr::pack
