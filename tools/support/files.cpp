#include "support/files.h"

#include <bzscr_train/error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>

namespace bzscr::cli {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

bool are_same(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  if (std::filesystem::is_directory(a, error)) return false;  // no file replaces a folder
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto one = std::filesystem::weakly_canonical(a, error);
  return !error && one == std::filesystem::weakly_canonical(b, error) && !error;
}

/// Whether a data set may be read from a file of this name (trainer/data/README.md).
bool is_of_a_dataset(const std::filesystem::path& path) {
  const std::string ending = path.extension().string(), stem = path.stem().string();
  if (ending == ".txt") return stem == "synsets" || stem.find("classes") != std::string::npos;
  return ending == ".npy" || ending == ".csv" || ending == ".tsv" || ending == ".mat";
}

/// The inputs, with the files of those that are folders.
std::vector<std::string> files_of(const std::vector<std::string>& inputs) {
  std::vector<std::string> files = inputs;
  std::error_code error;
  for (const std::string& input : inputs)
    for (const auto& folder :
         {std::filesystem::path(input), std::filesystem::path(input) / "embeddings"})
      if (!input.empty() && std::filesystem::is_directory(folder, error))
        for (const auto& entry : std::filesystem::directory_iterator(folder, error))
          if (is_of_a_dataset(entry.path())) files.push_back(entry.path().string());
  return files;
}

/// Whether a file holds a key of bzscr-pack keygen.
bool is_key(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string begin(16, '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), 16);
  return begin == "bzscr-secret-key" || begin == "bzscr-public-key";
}

[[noreturn]] void fail(const std::string& path) {
  throw InputError(Place{path}, std::strerror(errno), "", ErrorKind::kSystem);
}

}  // namespace

Memory read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr || std::fseek(file.get(), 0, SEEK_END) != 0) fail(path);
  const long size = std::ftell(file.get());
  if (size < 0 || std::fseek(file.get(), 0, SEEK_SET) != 0) fail(path);
  if (size == std::numeric_limits<long>::max())
    throw InputError(path, "expected a file, found a folder");
  Memory bytes(static_cast<std::size_t>(size));
  if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(path);
  return bytes;
}

std::string read_text(const std::string& path) {
  const Memory bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_distinct(const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
  const std::vector<std::string> files = files_of(inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const std::string& input : files)
      if (are_same(input, outputs[i]))
        throw InputError(outputs[i], "is an input of the program; expected another file to write");
    if (is_key(outputs[i]))
      throw InputError(outputs[i],
                       "is a key, which is never overwritten; expected another file to write");
    for (std::size_t j = 0; j < i; ++j)
      if (are_same(outputs[j], outputs[i]))
        throw InputError(outputs[i], "is named for two outputs; expected a file for each");
  }
}

}  // namespace bzscr::cli
