#include "device.h"

#include "support/dataset_files.h"

#include <doctest/doctest.h>

#include <cmath>

#include <algorithm>

namespace bzscr::test {
namespace {

AlignedBytes aligned(const std::string& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

Matrix rows_of(const flatbuffers::Vector<float>& values, Index rows) {
  return Eigen::Map<const MatrixF>(values.data(), rows,
                                   rows == 0 ? 0 : static_cast<Index>(values.size()) / rows)
      .cast<double>();
}

}  // namespace

Device::Device(const std::string& path, bzscr_rt_form form, std::uint32_t room_for_more)
    : file_(aligned(read_bytes(path))) {
  bzscr_rt_config config{};
  config.struct_size = sizeof config;
  config.model = file_.data();
  config.model_bytes = file_.size();
  config.form = form;
  config.class_capacity =
      static_cast<std::uint32_t>(ModelContents(path).ids.size()) + room_for_more;
  REQUIRE(bzscr_rt_arena_bytes(&config, &config.arena_bytes) == BZSCR_RT_OK);
  arena_ = AlignedBytes(config.arena_bytes);
  config.arena = arena_.data();
  REQUIRE(bzscr_rt_open(&config, &handle_) == BZSCR_RT_OK);
}

std::vector<float> Device::scores(const VectorF& x) const {
  std::vector<float> scores(bzscr_rt_class_count(handle_));
  std::size_t count = 0;
  REQUIRE(bzscr_rt_score(handle_, x.data(), nullptr, scores.size(), scores.data(), nullptr,
                         &count) == BZSCR_RT_OK);
  return scores;
}

std::vector<std::uint32_t> Device::ids() const {
  std::vector<std::uint32_t> ids(bzscr_rt_class_count(handle_));
  for (std::uint32_t index = 0; index < ids.size(); ++index)
    REQUIRE(bzscr_rt_class_id(handle_, index, &ids[index]) == BZSCR_RT_OK);
  return ids;
}

void Device::set_class(std::uint32_t id, const char* name, const VectorF& phi) {
  REQUIRE(bzscr_rt_set_class(handle_, id, name, phi.data()) == BZSCR_RT_OK);
}

void Device::remove_class(std::uint32_t id) {
  REQUIRE(bzscr_rt_remove_class(handle_, id) == BZSCR_RT_OK);
}

bzscr_rt_info Device::info() const {
  bzscr_rt_info info{};
  info.struct_size = sizeof info;
  REQUIRE(bzscr_rt_describe(handle_, &info) == BZSCR_RT_OK);
  return info;
}

ModelContents::ModelContents(const std::string& path) {
  const AlignedBytes file = aligned(read_bytes(path));
  const auto* envelope = format::GetEnvelope(file.data());
  REQUIRE(envelope->kind() == format::Kind::Model);
  const auto* model = flatbuffers::GetRoot<format::Model>(envelope->payload()->data());
  const auto k = static_cast<Index>(model->weak_models());
  U = rows_of(*model->u(), k);
  V = rows_of(*model->v(), k);
  w = rows_of(*model->w(), k);
  const auto* transform = model->transform();
  unit_features = transform->feature_scaling() != format::FeatureScaling::None;
  if (transform->feature_mean()) {
    mean = rows_of(*transform->feature_mean(), 1).row(0).transpose();
    factor = rows_of(*transform->feature_factor(), 1).row(0).transpose();
  }
  offsets = Vector::Zero(k);
  if (model->feature_offsets()) offsets = rows_of(*model->feature_offsets(), 1).row(0).transpose();
  exponent = static_cast<double>(model->score()) / 2;
  unit_embeddings = transform->embedding_scaling() != format::EmbeddingScaling::None;
  if (transform->embedding_centre())
    centre = rows_of(*transform->embedding_centre(), 1).row(0).transpose();
  for (const auto* one : *model->classes()) {
    ids.push_back(one->id());
    names.push_back(one->name()->str());
    seen.push_back(one->seen());
  }
  embeddings = rows_of(*model->class_embeddings(), static_cast<Index>(ids.size()));
  if (const auto* lengths = transform->embedding_parts())
    parts.assign(lengths->begin(), lengths->end());
  else
    parts = {embeddings.cols()};
  if (model->own()) own = rows_of(*model->own(), std::count(seen.begin(), seen.end(), true));
  seen_penalty = static_cast<double>(model->seen_penalty());
}

Vector ModelContents::own_of(std::size_t place) const {
  if (own.size() == 0 || !seen[place]) return {};
  return own.row(std::count(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(place), true))
      .transpose();
}

double ModelContents::score(const Vector& x, const Vector& phi, const Vector& of_class) const {
  Vector feature = mean.size() ? Vector((x - mean).cwiseProduct(factor)) : x;
  if (unit_features) feature.normalize();
  Vector embedding = centre.size() ? Vector(phi - centre) : phi;
  Index begin = 0;
  for (const Index length : parts) {
    if (unit_embeddings)
      embedding.segment(begin, length) /= embedding.segment(begin, length).norm();
    begin += length;
  }
  Vector row(w.size());
  for (Index j = 0; j < w.size(); ++j)
    row[j] = w[j] * (V.row(j).dot(embedding) + (of_class.size() ? of_class[j] : 0));
  row /= std::pow(row.norm(), exponent);
  double score = 0;
  for (Index j = 0; j < w.size(); ++j) score += (U.row(j).dot(feature) - offsets[j]) * row[j];
  return score;
}

}  // namespace bzscr::test
