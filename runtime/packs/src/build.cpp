#include "bzscr_pack/bzscr_pack.hpp"
#include "files.h"

#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/model_generated.h>
#include <bzscr_rt/bzscr_rt.hpp>
#include <bzscr_store/bzscr_store.hpp>

#include <algorithm>

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
    std::vector<std::string> names;
    for (const std::uint32_t id : ids()) names.push_back(scorer_.class_name(id));
    throw NoSuchClass(path_, name, names);
  }
  std::string name_of(std::uint32_t id) const { return scorer_.class_name(id); }
  bool has_id(std::uint32_t id) const {
    std::uint32_t index = 0;
    return bzscr_rt_find_class(scorer_.handle(), id, &index) == BZSCR_RT_OK;
  }
  std::uint64_t next_id() const {  // above all; 2^32 if one has the last
    std::uint64_t next = 0;
    for (const std::uint32_t id : ids()) next = std::max(next, std::uint64_t{id} + 1);
    return next;
  }
  /// \param where  for messages
  void check_embedding(const std::vector<float>& phi, const std::string& where) const {
    if (phi.size() != dimension())
      throw Error(where, "the embedding has " + std::to_string(phi.size()) +
                             " numbers, the model's " + std::to_string(dimension()));
    if (const bzscr_rt_status status = bzscr_rt_check_embedding(scorer_.handle(), phi.data()))
      throw Error(where, bzscr_rt_status_text(status));
  }

 private:
  const format::Model& contents() const {
    return *format::GetModel(format::GetEnvelope(file_.data())->payload()->data());
  }
  std::vector<std::uint32_t> ids() const {
    std::vector<std::uint32_t> ids;
    for (std::uint32_t i = 0; i < scorer_.class_count(); ++i) ids.push_back(scorer_.class_id(i));
    return ids;
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

/// Does to the model's classes what a pack did that devices took before.
void replay(const std::string& path, const Contents& contents, std::uint64_t counter,
            Model& model) {
  if (contents.counter >= counter)
    throw Error(path, "its counter is " + std::to_string(contents.counter) +
                          "; that of a later pack must be above, not " + std::to_string(counter));
  bzscr_rt* const table = model.scorer().handle();
  for (const Change& each : contents.changes) {
    const char* name = each.name.empty() ? nullptr : each.name.c_str();
    const std::string where = path + ": class " + std::to_string(each.id);
    const bool has_embedding = each.kind == ChangeKind::kSet || each.kind == ChangeKind::kReplace;
    if (has_embedding) model.check_embedding(each.phi, where);
    const bzscr_rt_status status =
        has_embedding ? bzscr_rt_set_class(table, each.id, name, each.phi.data())
        : each.kind == ChangeKind::kRename ? bzscr_rt_rename_class(table, each.id, name)
                                           : bzscr_rt_remove_class(table, each.id);
    if (status != BZSCR_RT_OK) throw Error(where, bzscr_rt_status_text(status));
  }
}

void append_embeddings(const Request& request, const Model& model, std::vector<Change>& changes) {
  const Embeddings& given = *request.embeddings;
  std::uint64_t next = request.first_id ? *request.first_id : model.next_id();
  for (std::size_t r = 0; r < given.names.size(); ++r) {
    const std::string& name = given.names[r];
    const std::optional<std::uint32_t> known = model.find(name);
    if (request.replace_only && !known) model.id_of(name);  // throws
    if (!known && next >= kFirstOwnId)
      throw Error(model.path(), "no id below 2^31 is left for its classes; choose the first id");
    const std::uint32_t id = known ? *known : static_cast<std::uint32_t>(next++);
    if (!known && model.has_id(id))
      throw Error(model.path(),
                  "id " + std::to_string(id) + " is that of class '" + model.name_of(id) + "'");
    model.check_embedding(given.rows[r], given.source + ": class '" + name + "'");
    changes.push_back({request.replace_only ? ChangeKind::kReplace : ChangeKind::kSet, id,
                       request.replace_only ? "" : name, given.rows[r]});
  }
}

}  // namespace

Contents build(const Request& request) {
  std::vector<Contents> before;
  std::size_t changes_before = 0;
  for (const std::string& path : request.before)
    changes_before += before.emplace_back(read(path).contents).changes.size();
  Model model(request.model, changes_before);
  for (std::size_t i = 0; i < before.size(); ++i)
    replay(request.before[i], before[i], request.counter, model);

  Contents contents;
  contents.model_hash = model.data_hash();
  contents.embedding_name = model.embedding_name();
  contents.dimension = model.dimension();
  contents.counter = request.counter;
  contents.program = request.program;
  for (const std::string& name : request.removed)
    contents.changes.push_back({ChangeKind::kRemove, model.id_of(name), "", {}});
  for (const auto& [old_name, new_name] : request.renamed)
    contents.changes.push_back({ChangeKind::kRename, model.id_of(old_name), new_name, {}});
  if (request.embeddings) append_embeddings(request, model, contents.changes);
  return contents;
}

void check_fit(const Contents& contents, const std::string& path, const std::string& model_path) {
  const Model model(model_path, 0);
  if (contents.model_hash != model.data_hash())
    throw Error(path, "it is for a model that was trained on other data than " + model_path);
  if (contents.embedding_name != model.embedding_name())
    throw Error(path, "it is for embedding '" + contents.embedding_name + "', and " + model_path +
                          " takes '" + model.embedding_name() + "'");
  for (const Change& each : contents.changes)
    if (!each.phi.empty())
      model.check_embedding(each.phi, path + ": class " + std::to_string(each.id));
}

}  // namespace bzscr::pack
