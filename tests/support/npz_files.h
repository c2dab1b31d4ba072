#pragma once

#include "dataset_files.h"

#include <string>
#include <utility>
#include <vector>

/// .npz archives for tests.
namespace bzscr::test {

/// Entries of an archive: the key and the bytes of the .npy file.
using Entries = std::vector<std::pair<std::string, std::string>>;

/// The data set of a DataFolder as numpy.savez would write it.
Entries npz_entries(const DataFolder& folder);

/// A .npy file of strings with dtype '<U' or '|S'.
std::string npy_texts(const std::vector<std::string>& texts, char kind = 'U');

/// Writes an archive, its entries deflated or stored.
void write_npz(const std::string& path, const Entries& entries, bool deflated = true);

}  // namespace bzscr::test
