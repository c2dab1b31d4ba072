#include "data/formats/folder_files.h"

#include <bzscr_train/error.hpp>
#include "base/foreign_file.h"
#include "base/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace bzscr {
namespace {

namespace fs = std::filesystem;

/// Lower-case letters and digits alone: "unseenclasses" for "Unseen-Classes".
std::string plain(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') result += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) result += c;
  }
  return result;
}

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

bool may_hold_data(const std::string& extension) {
  static constexpr const char* kExtensions[] = {"",     ".txt",  ".csv", ".tsv",    ".npy",
                                                ".npz", ".mat",  ".dat", ".json",   ".pkl",
                                                ".h5",  ".hdf5", ".xls", ".pickle", ".xlsx"};
  return std::find(std::begin(kExtensions), std::end(kExtensions), extension) !=
         std::end(kExtensions);
}

bool is_of(const std::string& name, const KnownPart& part) {
  return std::any_of(part.extensions.begin(), part.extensions.end(),
                     [&](const std::string& extension) { return name == part.stem + extension; });
}

enum class Nearness { kNone, kLoose, kClose };

Nearness nearness(const std::string& stem, const KnownPart& part) {
  const std::string name = plain(stem), known = plain(part.stem);
  if (edits(name, known) <= known.size() / 5 || name + "classes" == known) return Nearness::kClose;
  constexpr std::size_t kShortest = 4;
  const bool begins = name.size() >= kShortest && begins_with(known, name);
  return begins || begins_with(name, known) ? Nearness::kLoose : Nearness::kNone;
}

}  // namespace

std::vector<std::string> file_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!begins_with(name, ".") && !entry.is_directory(error)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void check_unread(const std::string& where, const std::vector<std::string>& names,
                  const std::vector<KnownPart>& parts, std::vector<std::string>& notes) {
  const auto is_read = [&](const std::string& name) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const KnownPart& part) { return is_of(name, part); });
  };
  const auto is_there = [&](const KnownPart& part) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return is_of(name, part); });
  };
  for (const std::string& name : names) {
    if (is_read(name)) continue;
    const bool packed = is_packed_name(name);
    const fs::path path = packed ? fs::path(name).stem() : fs::path(name);
    if (!may_hold_data(path.extension().string())) continue;
    for (const KnownPart& part : parts) {
      if (is_there(part)) continue;
      const Nearness near = nearness(path.stem().string(), part);
      const std::string expected =
          fmt::format("{}{}", part.stem + part.extensions.front(), packed ? ", unpacked" : "");
      if (near == Nearness::kClose)
        throw InputError(where, fmt::format("'{}' is not read; expected the name {}: rename it, or "
                                            "move it away",
                                            name, expected));
      if (near == Nearness::kLoose)
        notes.push_back(fmt::format("{}: '{}' is not read; if it should be, its name is {}", where,
                                    name, expected));
    }
  }
}

void note_gaps(const std::string& where, const std::vector<std::string>& names,
               const std::string& stem, const std::string& extension, std::size_t count,
               std::vector<std::string>& notes) {
  for (const std::string& name : names) {
    if (!begins_with(name, stem) || fs::path(name).extension() != extension) continue;
    const std::string digits = fs::path(name).stem().string().substr(stem.size());
    constexpr std::size_t kMostDigits = 9;
    if (digits.empty() || digits.size() > kMostDigits ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const auto number = static_cast<std::size_t>(std::stoul(digits));
    if (number > count)
      notes.push_back(fmt::format("{}: '{}' is not read, as there is no {}{}{}", where, name, stem,
                                  count + 1, extension));
  }
}

}  // namespace bzscr
