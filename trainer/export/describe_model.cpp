#include "export/describe_model.h"

namespace bzscr {

ModelFile describe_model(const Dataset& data, const Partition& partition, FeatureScaling features,
                         EmbeddingScaling embeddings, const Vector& centre) {
  ModelFile model;
  model.feature_scaling = features;
  model.embedding_scaling = embeddings;
  model.embedding_centre = centre;
  model.embedding_parts = data.embedding_parts;
  model.class_embeddings = data.embeddings;
  for (std::size_t c = 0; c < data.class_names.size(); ++c)
    model.classes.push_back({static_cast<std::uint32_t>(c), data.class_names[c], true});
  for (const Index c : partition.unseen) model.classes[static_cast<std::size_t>(c)].seen = false;
  model.record.data_hash = data.hash;
  model.record.embedding_name = data.embedding_name;
  model.record.feature_names = data.feature_names;
  model.record.embedding_columns = data.embedding_columns;
  return model;
}

}  // namespace bzscr
