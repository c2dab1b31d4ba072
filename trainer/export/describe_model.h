#pragma once

#include "data/dataset.h"
#include "export/model_writer.h"

namespace bzscr {

/// What a model file takes from the data set: classes, which of them are seen, their embeddings,
/// the transform, and what the record says of the data. The ensemble and how it was trained are
/// left to whoever trained it.
/// \param centre  as the embeddings' scaling asks for: d, or empty
ModelFile describe_model(const Dataset& data, const Partition& partition, FeatureScaling features,
                         EmbeddingScaling embeddings, const Vector& centre);

}  // namespace bzscr
