#include "inspect/model_json.h"

#include <optional>
#include <string>
#include <vector>

namespace bzscr::cli {
namespace {

/// Null where there are none.
Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(name);
  return names.empty() ? Json() : list;
}

/// Null where the model cannot be taught.
Json teaching_json(const std::optional<TeachingRule>& rule) {
  if (!rule) return {};
  Json accuracy = Json::array();
  for (const auto& [shots, value] : rule->accuracy)
    accuracy.push_back(Json::object({{"shots", shots}, {"accuracy", value}}));
  return Json::object({{"blend", rule->blend},
                       {"offset", rule->offset},
                       {"length", rule->length},
                       {"accuracy", accuracy}});
}

/// Null where the file has no record.
Json record_json(const std::optional<TrainingRecord>& record) {
  const auto text = [&](std::string TrainingRecord::*field) {
    return record && !((*record).*field).empty() ? Json((*record).*field) : Json();
  };
  const auto value = [&](auto field) { return record ? Json((*record).*field) : Json(); };
  return Json::object({{"method", text(&TrainingRecord::method)},
                       {"solver", text(&TrainingRecord::solver)},
                       {"divergence", text(&TrainingRecord::divergence)},
                       {"nu", value(&TrainingRecord::nu)},
                       {"ridge", value(&TrainingRecord::ridge)},
                       {"base", text(&TrainingRecord::base)},
                       {"beta", value(&TrainingRecord::beta)},
                       {"hyper_parameters", text(&TrainingRecord::hyper_parameters)},
                       {"tuned", value(&TrainingRecord::tuned)},
                       {"objective", value(&TrainingRecord::objective)},
                       {"lower_bound", value(&TrainingRecord::lower_bound)},
                       {"relative_gap", value(&TrainingRecord::relative_gap)},
                       {"final_share", value(&TrainingRecord::final_share)},
                       {"iterations", value(&TrainingRecord::iterations)},
                       {"samples", value(&TrainingRecord::samples)},
                       {"seed", value(&TrainingRecord::seed)},
                       {"validation_error", value(&TrainingRecord::validation_error)},
                       {"validation_harmonic", value(&TrainingRecord::validation_harmonic)},
                       {"data_hash", text(&TrainingRecord::data_hash)},
                       {"program", text(&TrainingRecord::program)}});
}

}  // namespace

Json model_json(const ModelFile& file, const ModelDescription& model, const bzscr_rt_info& info) {
  Json classes = Json::array();
  for (const ModelClass& one : model.classes)
    classes.push_back(Json::object({{"id", one.id}, {"name", one.name}, {"seen", one.seen}}));
  const std::string embedding = model.record().embedding;
  return Json::object({{"file", file.path()},
                       {"file_bytes", file.size()},
                       {"format_version", model.format_version},
                       {"signed", model.is_signed},
                       {"features", model.features},
                       {"feature_scaling", word_of(model.feature_scaling)},
                       {"feature_centring", model.features_centred},
                       {"embedding", embedding.empty() ? Json() : Json(embedding)},
                       {"embedding_dimension", model.embedding_dimension},
                       {"embedding_parts", model.embedding_parts},
                       {"embedding_scaling", word_of(model.embedding_scaling)},
                       {"weak_models", model.weak_models},
                       {"teaching_directions", model.directions},
                       {"score", model.score},
                       {"own_part", model.own_part},
                       {"teaching", teaching_json(model.teaching)},
                       {"classes", model.classes.size()},
                       {"seen_classes", model.seen_classes()},
                       {"unseen_classes", model.classes.size() - model.seen_classes()},
                       {"seen_penalty", model.seen_penalty}})
      .add_all(record_json(model.training))
      .add_all(Json::object({{"class_capacity", info.class_capacity},
                             {"name_bytes", info.name_bytes},
                             {"form", info.form_name},
                             {"storage", info.storage_name},
                             {"kernel", info.kernel_name},
                             {"arena_bytes", info.arena_bytes},
                             {"scratch_bytes", info.scratch_bytes},
                             {"class_list", classes},
                             {"feature_names", names_json(model.record().feature_names)},
                             {"embedding_columns", names_json(model.record().embedding_columns)}}));
}

}  // namespace bzscr::cli
