#include "support/model_file.h"

#include <bzscr_train/error.hpp>
#include "base/foreign_file.h"
#include "base/hexadecimal.h"
#include "support/files.h"

#include <bzscr_schema/envelope_generated.h>
#include <bzscr_schema/model_generated.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace bzscr::cli {
namespace {

std::string text_of(const flatbuffers::String* text) { return text != nullptr ? text->str() : ""; }

std::optional<double> measured(double value) {
  return value >= 0 ? std::optional(value) : std::nullopt;
}

/// The lines of a text; none if it is absent.
std::vector<std::string> lines_of(const flatbuffers::String* text) {
  std::vector<std::string> lines;
  const std::string all = text_of(text);
  for (std::size_t begin = 0, end; begin < all.size(); begin = end + 1) {
    end = std::min(all.find('\n', begin), all.size());
    lines.push_back(all.substr(begin, end - begin));
  }
  return lines;
}

TrainingRecord record_of(const format::Training& from) {
  TrainingRecord record;
  record.program = text_of(from.program());
  if (from.data_hash() != nullptr)
    record.data_hash = hexadecimal(from.data_hash()->data(), from.data_hash()->size());
  record.embedding = text_of(from.embedding_name());
  record.divergence = text_of(from.divergence());
  record.method = text_of(from.method());
  record.solver = text_of(from.solver());
  record.hyper_parameters = text_of(from.hyper_parameters());
  record.nu = from.nu();
  record.beta = from.beta();
  record.ridge = from.ridge();
  record.base = text_of(from.base());
  record.objective = from.objective();
  record.lower_bound = from.lower_bound();
  record.relative_gap = from.relative_gap();
  record.final_share = from.final_share();
  record.iterations = from.iterations();
  record.samples = from.samples();
  record.seed = from.seed();
  record.tuned = from.tuned();
  record.feature_names = lines_of(from.feature_names());
  record.embedding_columns = lines_of(from.embedding_columns());
  record.validation_error = measured(from.validation_error());
  record.validation_harmonic = measured(from.validation_harmonic());
  return record;
}

std::optional<TeachingRule> rule_of(const format::Teaching* from) {
  if (from == nullptr) return std::nullopt;
  TeachingRule rule{from->blend(), from->offset(), from->length(), {}};
  if (from->accuracy() != nullptr && from->shots() != nullptr)
    for (flatbuffers::uoffset_t n = 0; n < from->accuracy()->size(); ++n)
      rule.accuracy.emplace_back(from->shots()->Get(n), from->accuracy()->Get(n));
  return rule;
}

const char* word_of(format::ScoreForm form) {
  switch (form) {
    case format::ScoreForm::Half: return "half";
    case format::ScoreForm::Cosine: return "cosine";
    default: return "plain";
  }
}

bzscr_rt_scaling scaling_of(format::FeatureScaling scaling) {
  switch (scaling) {
    case format::FeatureScaling::Unit: return BZSCR_RT_SCALING_UNIT;
    case format::FeatureScaling::Standard: return BZSCR_RT_SCALING_STANDARD;
    default: return BZSCR_RT_SCALING_NONE;
  }
}

// By place in the list; the command line has checked that the word is there.
std::int32_t place_of(const std::string& word, const std::vector<std::string>& words) {
  return static_cast<std::int32_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

VerifiedModel verify(const std::string& path, const Memory& bytes) try {
  return {bytes.data(), bytes.size()};
} catch (const Error& error) {
  refuse_foreign_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  throw InputError(path, error.what());
}

}  // namespace

const std::vector<std::string>& storage_words() {
  static const std::vector<std::string> words = {"float32", "int8", "float16"};
  return words;
}

const std::vector<std::string>& form_words() {
  static const std::vector<std::string> words = {"auto", "prototypes", "factors", "dense"};
  return words;
}

bzscr_rt_storage storage_of(const std::string& word) { return place_of(word, storage_words()); }
bzscr_rt_form form_of(const std::string& word) { return place_of(word, form_words()); }

const char* word_of(bzscr_rt_scaling scaling) {
  switch (scaling) {
    case BZSCR_RT_SCALING_UNIT: return "unit";
    case BZSCR_RT_SCALING_CENTRE_UNIT: return "centre-unit";
    case BZSCR_RT_SCALING_STANDARD: return "standard";
    default: return "none";
  }
}

std::size_t ModelDescription::seen_classes() const {
  return static_cast<std::size_t>(std::count_if(classes.begin(), classes.end(),
                                                [](const ModelClass& one) { return one.seen; }));
}

std::size_t ModelDescription::longest_name() const {
  std::size_t longest = 0;
  for (const ModelClass& one : classes) longest = std::max(longest, one.name.size());
  return longest;
}

ModelFile::ModelFile(const std::string& path)
    : path_(path), bytes_(read_file(path)), verified_(verify(path, bytes_)) {}

ModelDescription ModelFile::describe() const {
  const format::Envelope& envelope = *format::GetEnvelope(data());  // verified: may be read
  const format::Model& model = *format::GetModel(envelope.payload()->data());
  const format::Transform& transform = *model.transform();
  ModelDescription description;
  description.format_version = envelope.format_version();
  description.is_signed = envelope.signature() != nullptr;
  description.features = model.feature_dimension();
  description.embedding_dimension = model.embedding_dimension();
  description.weak_models = model.weak_models();
  description.embedding_parts = {model.embedding_dimension()};
  if (const auto* parts = transform.embedding_parts())
    description.embedding_parts.assign(parts->begin(), parts->end());
  description.feature_scaling = scaling_of(transform.feature_scaling());
  description.embedding_scaling = static_cast<bzscr_rt_scaling>(transform.embedding_scaling());
  description.seen_penalty = model.seen_penalty();
  description.score = word_of(model.score());
  description.own_part = model.own() != nullptr && model.own()->size() > 0;
  description.features_centred = model.feature_offsets() != nullptr;
  description.directions =
      static_cast<std::uint32_t>(std::count(model.w()->begin(), model.w()->end(), 0.0f));
  description.weak_models -= description.directions;
  description.teaching = rule_of(model.teaching());
  for (const format::Class* one : *model.classes())
    description.classes.push_back({one->id(), one->name()->str(), one->seen()});
  if (model.training() != nullptr) description.training = record_of(*model.training());
  return description;
}

std::vector<float> ModelFile::class_embedding(std::size_t place) const {
  const format::Model& model = *format::GetModel(format::GetEnvelope(data())->payload()->data());
  const std::size_t d = model.embedding_dimension();
  const float* const first = model.class_embeddings()->data() + place * d;
  return {first, first + d};
}

Scorer ModelFile::open(const bzscr_rt_config& options) const try {
  return Scorer(verified_, options);
} catch (const Error& error) {
  if (error.status() == BZSCR_RT_TABLE_FULL)
    throw InputError(path_, fmt::format("{}: {} in the model, and room for {}", error.what(),
                                        describe().classes.size(), options.class_capacity));
  throw InputError(path_, error.what());
} catch (const std::bad_alloc&) {
  throw InputError(Place{path_}, "so many classes need a larger arena than there is memory for", "",
                   ErrorKind::kSystem);
}

}  // namespace bzscr::cli
