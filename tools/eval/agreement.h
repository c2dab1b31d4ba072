#pragma once

#include "support/model_file.h"

#include <bzscr_train/bzscr_train.hpp>

#include <string>
#include <vector>

/// Whether a model and a data set belong together. Throw InputError where they do not.
namespace bzscr::cli {

/// How to read a data set for a model: with the embedding and the divergence that the model was
/// trained with, where the user asks for no others.
train::ReadOptions reading_for(const ModelFile& file, const ModelDescription& model,
                               train::ReadOptions asked, bool needs_divergence);

/// Features and embeddings have the lengths, and the divergence is the one, that the model expects.
void expect_agreement(const ModelFile& file, const ModelDescription& model,
                      const train::Dataset& data, const train::ReadOptions& asked,
                      bool needs_divergence);

/// A class that is seen in the data set and not in the model, or the other way round, in a sentence;
/// empty: there is none. The penalty belongs to the classes that the model calls seen.
std::string split_difference(const ModelDescription& model, const train::Dataset& data,
                             const train::Partition& partition);
void expect_same_split(const ModelFile& file, const ModelDescription& model,
                       const train::Dataset& data, const train::Partition& partition);

}  // namespace bzscr::cli
