#pragma once

#include "data/dataset.h"
#include "export/model_writer.h"

namespace bzscr {

/// The content of a model file that comes from the data set: classes, seen flags, embeddings, the
/// transform, and the data's part of the record. The caller adds the ensemble and the record of its
/// training.
/// \param centre  d for kCentreUnit, else empty
ModelFile describe_model(const Dataset& data, const Partition& partition, FeatureScaling features,
                         EmbeddingScaling embeddings, const Vector& centre);

}  // namespace bzscr
