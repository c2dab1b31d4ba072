#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bzscr {

/// A folder that appears at once and whole, even after a power cut: it is filled beside its place,
/// under another name, then renamed. Without publish() nothing is left of it. Throws InputError.
class OutputFolder {
 public:
  explicit OutputFolder(const std::string& path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// A file of these pieces, one after the other. Folders in its name are made.
  void write(const std::string& name, const std::vector<std::string_view>& pieces);
  /// Gives the folder its name.
  /// \param replace  what has that name is replaced, and removed
  void publish(bool replace);

 private:
  std::string path_, filling_;
};

/// Throws InputError early, before the work, unless a new folder can appear there: something of
/// that name is there already, and `replace` is not set or would lose more than what is_known says
/// of a name inside.
void expect_free(const std::string& path, bool replace,
                 const std::function<bool(const std::string&)>& is_known);

}  // namespace bzscr
