#include "data/formats/mat_file.h"

#include <bzscr_train/error.hpp>
#include "base/child_process.h"
#include "base/mapped_file.h"
#include "base/scratch_file.h"
#include "base/spelling.h"
#include "data/formats/mat5_check.h"
#include "data/formats/npy_text.h"

#include <fmt/format.h>
#include <matio.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace bzscr {
namespace {

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using OpenFile = std::unique_ptr<mat_t, CloseFile>;
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

/// The header that the child process writes before the values of a matrix.
struct NumbersHeader {
  std::uint64_t type, rows, columns, zero;  // 32 bytes, so that the values are aligned
};

// In the child process, which calls libmatio

OpenFile open_file(const std::string& path) {
  OpenFile file(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file) throw InputError(path, "seems to be damaged: it cannot be opened");
  return file;
}

std::optional<NpyType> number_type(matio_classes type) {
  switch (type) {
    case MAT_C_DOUBLE: return NpyType::kFloat64;
    case MAT_C_SINGLE: return NpyType::kFloat32;
    case MAT_C_INT8: return NpyType::kInt8;
    case MAT_C_UINT8: return NpyType::kUint8;
    case MAT_C_INT16: return NpyType::kInt16;
    case MAT_C_UINT16: return NpyType::kUint16;
    case MAT_C_INT32: return NpyType::kInt32;
    case MAT_C_UINT32: return NpyType::kUint32;
    case MAT_C_INT64: return NpyType::kInt64;
    case MAT_C_UINT64: return NpyType::kUint64;
    default: return std::nullopt;
  }
}

const char* kind_of(const matvar_t& variable) {
  switch (variable.class_type) {
    case MAT_C_CELL: return "a cell array";
    case MAT_C_STRUCT: return "a struct";
    case MAT_C_CHAR: return "text";
    case MAT_C_SPARSE: return "a sparse matrix";
    default: return number_type(variable.class_type) ? "numbers" : "an object";
  }
}

/// Reads a variable of rank 2, after checking that the file can hold so many values.
Variable read_variable(mat_t* file, const std::string& where, const char* name,
                       std::size_t file_size) {
  Variable variable(Mat_VarReadInfo(file, name));
  const InputError damaged(where, "seems to be damaged: it cannot be read");
  if (!variable || (variable->rank > 0 && variable->dims == nullptr)) throw damaged;
  if (variable->rank != 2)
    throw InputError(where, fmt::format("has {} dimensions; expected 2", variable->rank));
  const std::size_t rows = variable->dims[0], columns = variable->dims[1];
  if (rows == 0 || columns == 0)
    throw InputError(where, fmt::format("is {} x {}, empty", rows, columns));
  constexpr std::size_t kMostPerByte = 1100;  // limit of deflate
  std::size_t values = 0;
  if (__builtin_mul_overflow(rows, columns, &values) || values / kMostPerByte > file_size)
    throw InputError(where, fmt::format("claims to be {} x {}, more than {} bytes can hold", rows,
                                        columns, file_size));
  if (Mat_VarReadDataAll(file, variable.get()) != 0 || variable->data == nullptr) throw damaged;
  return variable;
}

void write_numbers(const std::string& where, const matvar_t& variable, bool as_float32,
                   ScratchFile& out) {
  const std::optional<NpyType> type = number_type(variable.class_type);
  if (!type) throw InputError(where, fmt::format("is {}; expected numbers", kind_of(variable)));
  if (variable.isComplex) throw InputError(where, "is complex; expected real numbers");
  const std::size_t values = variable.dims[0] * variable.dims[1];
  if (variable.nbytes != values * bytes_of(*type))
    throw InputError(where, "seems to be damaged: its size differs from its dimensions");
  const bool rounded = as_float32 && *type != NpyType::kFloat32;
  const NumbersHeader header{static_cast<std::uint64_t>(rounded ? NpyType::kFloat32 : *type),
                             variable.dims[0], variable.dims[1], 0};
  out.append(&header, sizeof header);
  if (!rounded) return out.append(variable.data, variable.nbytes);
  with_type(*type, [&](auto zero) {
    using T = decltype(zero);
    const T* const begin = static_cast<const T*>(variable.data);
    for (std::size_t i = 0; i < values; ++i) {
      const auto value = static_cast<float>(begin[i]);
      out.append(&value, sizeof value);
    }
  });
}

std::string utf8_of_utf16(const std::string& where, const std::uint16_t* units, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t character = units[i];
    const bool pair = character >= 0xD800 && character < 0xDC00 && i + 1 < count &&
                      units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000;
    if (pair) character = 0x10000 + ((character - 0xD800) << 10) + (units[++i] - 0xDC00u);
    if (!append_utf8(character, text))
      throw InputError(where, "holds an invalid Unicode character");
  }
  return text;
}

std::string text_of(const std::string& where, const matvar_t* cell) {
  if (cell == nullptr || cell->class_type != MAT_C_CHAR || cell->rank != 2 || cell->dims == nullptr)
    throw InputError(
        where, fmt::format("is {}; expected text", cell == nullptr ? "empty" : kind_of(*cell)));
  if (cell->data == nullptr || cell->dims[0] * cell->dims[1] == 0) return {};
  if (cell->dims[0] != 1)
    throw InputError(where, fmt::format("is text of {} rows; expected one", cell->dims[0]));
  switch (cell->data_type) {
    case MAT_T_UINT16:
    case MAT_T_UTF16:
      return utf8_of_utf16(where, static_cast<const std::uint16_t*>(cell->data), cell->nbytes / 2);
    case MAT_T_INT8:
    case MAT_T_UINT8:
    case MAT_T_UTF8: return {static_cast<const char*>(cell->data), cell->nbytes};
    default:
      throw InputError(where, "is text in an unsupported encoding; expected UTF-8 or UTF-16");
  }
}

// Texts from the child to the parent process, each preceded by its size

void write_text(const std::string& text, ScratchFile& out) {
  const std::uint64_t size = text.size();
  out.append(&size, sizeof size);
  out.append(text.data(), text.size());
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

std::string entry(const std::string& where, std::size_t i) {
  return fmt::format("{}, entry {}", where, i + 1);
}

/// Runs work(scratch) in a child process and maps the bytes that it appended.
template <class Work>
std::shared_ptr<const MappedFile> leave(const std::string& path, unsigned seconds, Work work) {
  ScratchFile scratch(path);
  run_in_child(path, seconds, [&] {
    work(scratch);
    scratch.flush();
  });
  return scratch.map();
}

NumberArray read_numbers(const std::string& path, const std::string& where, const std::string& name,
                         std::size_t size, unsigned seconds, bool as_float32) {
  const auto file = leave(path, seconds, [&](ScratchFile& out) {
    const OpenFile open = open_file(path);
    write_numbers(where, *read_variable(open.get(), where, name.c_str(), size), as_float32, out);
  });
  NumbersHeader found;
  std::memcpy(&found, file->data(), sizeof found);
  NpyHeader header;
  header.type = static_cast<NpyType>(found.type);
  header.column_major = true;
  header.shape = {static_cast<Index>(found.rows), static_cast<Index>(found.columns)};
  header.data_bytes = file->size() - sizeof found;
  return {where, std::move(header), file->data() + sizeof found, file};
}

}  // namespace

MatFile::MatFile(const std::string& path) : path_(path) {
  const MappedFile bytes(path);
  size_ = bytes.size();
  if (mat_version(path, bytes) == MatVersion::k5) expect_whole_mat5(path, bytes);
  variables_ = read_texts(*leave(path, seconds(), [&](ScratchFile& out) {
    const OpenFile file = open_file(path);
    std::size_t count = 0;
    char** const names = Mat_GetDir(file.get(), &count);
    if (names == nullptr || count == 0) throw InputError(path, "holds no variables");
    for (std::size_t i = 0; i < count; ++i) write_text(names[i] != nullptr ? names[i] : "", out);
  }));
}

/// Time limit of the child process. libmatio may loop forever on a damaged file, and reads a valid
/// one at many megabytes per second.
unsigned MatFile::seconds() const { return 10 + static_cast<unsigned>(size_ >> 19); }

bool MatFile::has(const std::string& variable) const {
  return std::find(variables_.begin(), variables_.end(), variable) != variables_.end();
}

void MatFile::expect(const std::string& variable) const {
  if (!has(variable))
    throw InputError(path_,
                     fmt::format("holds no '{}', only {}{}", variable, fmt::join(variables_, ", "),
                                 did_you_mean(variable, variables_)));
}

NumberArray MatFile::numbers(const std::string& variable) const {
  expect(variable);
  return read_numbers(path_, where(variable), variable, size_, seconds(), false);
}

NumberArray MatFile::numbers_as_float32(const std::string& variable) const {
  expect(variable);
  return read_numbers(path_, where(variable), variable, size_, seconds(), true);
}

std::vector<PlacedName> MatFile::names(const std::string& variable) const {
  expect(variable);
  const std::string place = where(variable);
  const auto file = leave(path_, seconds(), [&](ScratchFile& out) {
    const OpenFile open = open_file(path_);
    const Variable cells = read_variable(open.get(), place, variable.c_str(), size_);
    if (cells->class_type != MAT_C_CELL)
      throw InputError(place,
                       fmt::format("is {}; expected a cell array of texts", kind_of(*cells)));
    if (cells->dims[0] != 1 && cells->dims[1] != 1)
      throw InputError(
          place, fmt::format("is {} x {}; expected one column", cells->dims[0], cells->dims[1]));
    const auto* const each = static_cast<matvar_t* const*>(cells->data);
    for (std::size_t i = 0; i < cells->dims[0] * cells->dims[1]; ++i)
      write_text(text_of(entry(place, i), each[i]), out);
  });
  std::vector<PlacedName> names;
  for (std::string& text : read_texts(*file)) {
    const std::size_t i = names.size();
    names.push_back({std::move(text), entry(place, i), "entry", i + 1});
  }
  return names;
}

}  // namespace bzscr
