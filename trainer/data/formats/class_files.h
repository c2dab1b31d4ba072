#pragma once

#include "data/wordnet/synset_id.h"
#include "types/linalg.h"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace bzscr {

/// Names from a text file, one a line: UTF-8, with or without a byte order mark, lines ending in LF
/// or CR LF, the last one maybe not at all. White space around a name is not part of it. Throws
/// InputError naming file and line for a blank line, a name given twice, control characters or
/// other encodings.
std::vector<std::string> read_class_names(const std::string& path);

/// Finds the classes of a data set by their names.
class ClassRows {
 public:
  /// \param class_names  outlive this
  /// \param list         what gives them, for sentences: "classes.txt"
  ClassRows(const std::vector<std::string>& class_names, std::string list);

  /// Throws InputError beginning with `where` for a name that no class has, with the nearest one.
  Index row(const std::string& name, const std::string& where) const;

 private:
  const std::vector<std::string>& class_names_;
  std::string list_;
  std::unordered_map<std::string, Index> rows_;
};

/// Rows, rising, of the classes that a text file of the same form names.
std::vector<Index> read_class_list(const std::string& path, const ClassRows& classes);

/// A name that another kind of file gives, and where.
struct PlacedName {
  std::string name;
  std::string where;   ///< "words.csv:12", "awa.npz: classes, entry 11"
  const char* unit;    ///< "line", "entry"
  std::size_t number;  ///< of it
};

/// Holds names to the rules of a text file's; takes white space around them off.
void check_class_names(std::vector<PlacedName>& names);
std::vector<std::string> names_of(const std::vector<PlacedName>& placed);
/// Rows, rising, of the classes named.
std::vector<Index> class_list(std::vector<PlacedName> names, const ClassRows& classes);

/// What synsets.txt says: a line for each class, in their order, that begins with the id of a noun
/// of WordNet 3.0, "n02129165"; what follows it after a blank is a remark. Throws InputError for
/// anything else. Whether WordNet has such a synset is not asked.
std::vector<SynsetId> read_synset_ids(const std::string& path, std::size_t classes);
/// The same from another kind of file.
std::vector<SynsetId> synset_ids(std::vector<PlacedName> lines, const std::string& where,
                                 std::size_t classes);

}  // namespace bzscr
