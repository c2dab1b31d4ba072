#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bzscr {

/// Writes a folder atomically, also with regard to power cuts: files are written to a temporary
/// folder beside it, which publish() renames. Without publish() the destructor removes it. Members
/// throw InputError.
class OutputFolder {
 public:
  explicit OutputFolder(const std::string& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Writes a file with the concatenated parts. Folders in its name are created.
  void write(const std::string& name, const std::vector<std::string_view>& parts);
  /// Renames the folder to its final name.
  /// \param replace  an existing folder of that name is replaced and removed
  void publish(bool replace);

 private:
  std::string path_, filling_;
};

/// Throws InputError unless an OutputFolder can be published there: if the path exists and
/// `replace` is not set, or it holds a file for which is_known(name) is false. Call it before long
/// computations.
void expect_free(const std::string& path, bool replace,
                 const std::function<bool(const std::string&)>& is_known);

}  // namespace bzscr
