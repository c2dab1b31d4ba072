#pragma once

#include "data/wordnet/synset_id.h"
#include "types/linalg.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace bzscr {

/// Names from a text file, one per line: UTF-8, with or without a byte order mark, lines ending in
/// LF or CR LF, which the last line may lack. White space around a name is removed. Throws
/// InputError with file and line for a blank line, a name given twice, control characters or other
/// encodings.
std::vector<std::string> read_class_names(const std::string& path);

/// Finds the classes of a data set by their names.
class ClassRows {
 public:
  /// \param class_names  must outlive this object
  /// \param list         the source of the names, for messages: "classes.txt"
  ClassRows(const std::vector<std::string>& class_names, std::string list);

  /// The row of a class. Throws InputError with `where` for an unknown name, with the nearest one.
  Index row(const std::string& name, const std::string& where) const;

 private:
  const std::vector<std::string>& class_names_;
  std::string list_;
  std::unordered_map<std::string, Index> rows_;
};

/// Ascending rows of the classes that a text file of the same form lists.
std::vector<Index> read_class_list(const std::string& path, const ClassRows& classes);

/// A name from another kind of file, with its place.
struct PlacedName {
  std::string name;
  std::string where;   ///< "words.csv:12", "awa.npz: classes, entry 11"
  const char* unit;    ///< "line", "entry"
  std::size_t number;  ///< of the line or entry
};

/// Checks names by the rules of read_class_names(), and removes white space around them.
void check_class_names(std::vector<PlacedName>& names);
std::vector<std::string> names_of(const std::vector<PlacedName>& placed);
/// Ascending rows of the named classes.
std::vector<Index> class_list(std::vector<PlacedName> names, const ClassRows& classes);

/// Reads synsets.txt: one line per class, in their order, that begins with the id of a noun of
/// WordNet 3.0, "n02129165"; text after a blank is a comment. Throws InputError for anything else.
/// Does not check that WordNet has the synset.
std::vector<SynsetId> read_synset_ids(const std::string& path, std::size_t classes);
/// The same from another kind of file.
std::vector<SynsetId> synset_ids(std::vector<PlacedName> lines, const std::string& where,
                                 std::size_t classes);

}  // namespace bzscr
