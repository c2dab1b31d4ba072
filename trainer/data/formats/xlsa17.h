#pragma once

#include "data/dataset_parts.h"

#include <string>

namespace bzscr {

/// Whether a folder holds res101.mat or att_splits.mat, the files of the benchmark of Xian et al.
/// ("xlsa17", the proposed splits).
bool is_xlsa17(const std::string& folder);

/// Reads such a folder. Indices count from 1, and each column is a sample or a class.
///
///   res101.mat         features m x N, labels N x 1
///   att_splits.mat     att d x C; original_att or others d x C, optional; allclasses_names C x 1,
///                      cells or rows of a char matrix; trainval_loc, test_seen_loc (optional),
///                      test_unseen_loc n x 1: each sample in one
///   classes.txt        C names, optional: read without allclasses_names; without both the classes
///                      are named 1 to C, with a note
///   trainclassesI.txt, valclassesI.txt     optional: validation folds, I from 1
///   embeddings/NAME.npy (.csv, .tsv)       optional: more embeddings, C x d
///   synsets.txt                            optional: WordNet ids, C lines
///
/// The unseen classes are those of test_unseen_loc. The default embedding is att, or the only one;
/// other variables of att_splits.mat are embeddings if they are asked for by name. train_loc and
/// val_loc are ignored: in some archives they hold samples of test_seen_loc.
DatasetParts read_xlsa17(const std::string& folder, const DatasetOptions& options);

}  // namespace bzscr
