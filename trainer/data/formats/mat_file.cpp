#include "data/formats/mat_file.h"

#include <bzscr_train/error.hpp>
#include "base/child_process.h"
#include "base/mapped_file.h"
#include "base/scratch_file.h"
#include "base/spelling.h"
#include "data/formats/listing.h"
#include "data/formats/mat_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

namespace bzscr {
namespace {

/// The header that the child process writes before the values of a matrix.
struct NumbersHeader {
  std::uint64_t type, rows, columns, zero;  // 32 bytes, so that the values are aligned
};

// In the child process

void write_numbers(const MatNumbers& numbers, bool as_float32, ScratchFile& out) {
  const bool rounded = as_float32 && numbers.type != NpyType::kFloat32;
  const std::size_t values = numbers.rows * numbers.columns;
  const NumbersHeader header{static_cast<std::uint64_t>(rounded ? NpyType::kFloat32 : numbers.type),
                             numbers.rows, numbers.columns, 0};
  out.append(&header, sizeof header);
  if (!rounded) return out.append(numbers.values, values * bytes_of(numbers.type));
  with_type(numbers.type, [&](auto zero) {
    using T = decltype(zero);
    const T* const begin = static_cast<const T*>(numbers.values);
    for (std::size_t i = 0; i < values; ++i) {
      const auto value = static_cast<float>(begin[i]);
      out.append(&value, sizeof value);
    }
  });
}

// Texts from the child to the parent process, each preceded by its size

void write_texts(const std::vector<std::string>& texts, ScratchFile& out) {
  for (const std::string& text : texts) {
    const std::uint64_t size = text.size();
    out.append(&size, sizeof size);
    out.append(text.data(), text.size());
  }
}

std::vector<std::string> read_texts(const MappedFile& file) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < file.size();) {
    std::uint64_t size = 0;
    std::memcpy(&size, file.data() + at, sizeof size);
    texts.emplace_back(reinterpret_cast<const char*>(file.data() + at + sizeof size), size);
    at += sizeof size + size;
  }
  return texts;
}

using Work = std::function<void(MatVariables&, ScratchFile&)>;

/// Runs the work in a child process and maps the bytes that it appended.
std::shared_ptr<const MappedFile> leave(const std::string& path, MatVersion version,
                                        std::size_t size, const Work& work) {
  // The libraries may loop forever on a damaged file, and read a valid one at many megabytes per
  // second.
  const unsigned seconds = 10 + static_cast<unsigned>(size >> 19);
  ScratchFile scratch(path);
  run_in_child(path, seconds, [&] {
    const std::unique_ptr<MatVariables> variables =
        version == MatVersion::k5 ? open_mat5(path, size) : open_mat73(path, size);
    work(*variables, scratch);
    scratch.flush();
  });
  return scratch.map();
}

}  // namespace

MatFile::MatFile(const std::string& path) : path_(path) {
  const MappedFile bytes(path);
  size_ = bytes.size();
  version_ = mat_version(path, bytes);
  if (version_ == MatVersion::k5) objects_ = expect_whole_mat5(path, bytes);
  variables_ = read_texts(*leave(path, version_, size_, [&](MatVariables& file, ScratchFile& out) {
    std::vector<std::string> names = file.names();
    for (const auto& [name, of_class] : objects_)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    if (names.empty()) throw InputError(path, "holds no variables");
    write_texts(names, out);
  }));
}

bool MatFile::has(const std::string& variable) const {
  return std::find(variables_.begin(), variables_.end(), variable) != variables_.end();
}

void MatFile::expect(const std::string& variable) const {
  if (!has(variable))
    throw InputError(path_, fmt::format("holds no '{}', only {}{}", variable, first_of(variables_),
                                        did_you_mean(variable, variables_)));
  const auto object = objects_.find(variable);
  if (object != objects_.end())
    throw InputError(where(variable), object_found(variable, object->second));
}

NumberArray MatFile::read_numbers(const std::string& variable, bool as_float32) const {
  expect(variable);
  const auto file = leave(path_, version_, size_, [&](MatVariables& variables, ScratchFile& out) {
    write_numbers(variables.numbers(where(variable), variable), as_float32, out);
  });
  NumbersHeader found;
  std::memcpy(&found, file->data(), sizeof found);
  NpyHeader header;
  header.type = static_cast<NpyType>(found.type);
  header.column_major = true;
  header.shape = {static_cast<Index>(found.rows), static_cast<Index>(found.columns)};
  header.data_bytes = file->size() - sizeof found;
  return {where(variable), std::move(header), file->data() + sizeof found, file};
}

NumberArray MatFile::numbers(const std::string& variable) const {
  return read_numbers(variable, false);
}

NumberArray MatFile::numbers_as_float32(const std::string& variable) const {
  return read_numbers(variable, true);
}

std::vector<PlacedName> MatFile::names(const std::string& variable) const {
  expect(variable);
  const std::string place = where(variable);
  const auto file = leave(path_, version_, size_, [&](MatVariables& variables, ScratchFile& out) {
    write_texts(variables.texts(place, variable), out);
  });
  std::vector<PlacedName> names;
  for (std::string& text : read_texts(*file)) {
    const std::size_t i = names.size();
    names.push_back({std::move(text), entry_of(place, i), "entry", i + 1});
  }
  return names;
}

}  // namespace bzscr
