#pragma once

#include "dataset_files.h"

#include <string>
#include <utility>
#include <vector>

/// Archives for tests.
namespace bzscr::test {

/// Entries of an archive: key and bytes of the .npy file.
using Entries = std::vector<std::pair<std::string, std::string>>;

/// The small data set of a DataFolder, as numpy.savez would have it.
Entries npz_entries(const DataFolder& folder);

/// A .npy file of texts, '<U' or '|S'.
std::string npy_texts(const std::vector<std::string>& texts, char kind = 'U');

/// Writes an archive, its entries deflated or stored.
void write_npz(const std::string& path, const Entries& entries, bool deflated = true);

}  // namespace bzscr::test
