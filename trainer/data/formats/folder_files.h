#pragma once

#include <string>
#include <vector>

namespace bzscr {

/// A part of a data set that is read from a file, or key of an archive, of this name.
struct KnownPart {
  std::string stem;                     ///< "test_seen"
  std::vector<std::string> extensions;  ///< ".npy", ".csv"; the first is the usual one; "": a key
};

/// The names of the files of a folder, ascending, without hidden files and folders.
std::vector<std::string> file_names(const std::string& folder);

/// Finds files that are not read because of a slip in their names: unseen_classes.csv, unseen.txt.
/// Without them another model would be trained, silently. Throws InputError for a name that differs
/// from that of a missing part by its extension or a typo, and adds a note for one that is the
/// beginning of such a name or begins with it. Names of parts that are there excuse the others, such
/// as backups. Other names are not mentioned.
/// \param where  the folder or archive
void check_unread(const std::string& where, const std::vector<std::string>& names,
                  const std::vector<KnownPart>& parts, std::vector<std::string>& notes);

/// A note for each file NAME<number>.txt that is not read, as numbers below it are missing.
/// \param count  of files that are read
void note_gaps(const std::string& where, const std::vector<std::string>& names,
               const std::string& stem, const std::string& extension, std::size_t count,
               std::vector<std::string>& notes);

}  // namespace bzscr
