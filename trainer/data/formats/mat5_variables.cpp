#include "data/formats/mat_variables.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>
#include <matio.h>

#include <optional>
#include <utility>

namespace bzscr {
namespace {

struct CloseFile {
  void operator()(mat_t* file) const { Mat_Close(file); }
};
struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

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

/// The rows of a char matrix.
std::vector<std::string> rows_of_text(const std::string& where, const matvar_t& text) {
  std::size_t width = 0;
  switch (text.data_type) {
    case MAT_T_UINT16:
    case MAT_T_UTF16: width = 2; break;
    case MAT_T_INT8:
    case MAT_T_UINT8:
    case MAT_T_UTF8: width = 1; break;
    default:
      throw InputError(where, "is text in an unsupported encoding; expected UTF-8 or UTF-16");
  }
  return char_rows(where, text.data, text.nbytes / width, width, text.dims[0], text.dims[1]);
}

/// The text of a cell.
std::string text_of(const std::string& where, const matvar_t* cell) {
  if (cell == nullptr || cell->class_type != MAT_C_CHAR || cell->rank != 2 || cell->dims == nullptr)
    throw InputError(
        where, fmt::format("is {}; expected text", cell == nullptr ? "empty" : kind_of(*cell)));
  if (cell->data == nullptr || cell->dims[0] * cell->dims[1] == 0) return {};
  if (cell->dims[0] != 1)
    throw InputError(where, fmt::format("is text of {} rows; expected one", cell->dims[0]));
  return rows_of_text(where, *cell).front();
}

class Mat5Variables : public MatVariables {
 public:
  Mat5Variables(const std::string& path, std::size_t file_size)
      : file_(Mat_Open(path.c_str(), MAT_ACC_RDONLY)), size_(file_size) {
    if (!file_) throw InputError(path, "seems to be damaged: it cannot be opened");
  }

  std::vector<std::string> names() override {
    std::size_t count = 0;
    char** const names = Mat_GetDir(file_.get(), &count);
    std::vector<std::string> result;
    for (std::size_t i = 0; names != nullptr && i < count; ++i)
      result.emplace_back(names[i] != nullptr ? names[i] : "");
    return result;
  }

  MatNumbers numbers(const std::string& where, const std::string& name) override {
    std::shared_ptr<matvar_t> variable = read(where, name);
    const std::optional<NpyType> type = number_type(variable->class_type);
    if (!type) throw InputError(where, fmt::format("is {}; expected numbers", kind_of(*variable)));
    if (variable->isComplex) throw InputError(where, "is complex; expected real numbers");
    const std::size_t rows = variable->dims[0], columns = variable->dims[1];
    if (variable->nbytes != rows * columns * bytes_of(*type))
      throw InputError(where, "seems to be damaged: its size differs from its dimensions");
    const void* const values = variable->data;
    return {*type, rows, columns, values, std::move(variable)};
  }

  std::vector<std::string> texts(const std::string& where, const std::string& name) override {
    const Variable variable = read(where, name);
    if (variable->class_type == MAT_C_CHAR) return rows_of_text(where, *variable);
    if (variable->class_type != MAT_C_CELL)
      throw InputError(where,
                       fmt::format("is {}; expected a cell array of texts", kind_of(*variable)));
    expect_one_column(where, variable->dims[0], variable->dims[1]);
    const auto* const cells = static_cast<matvar_t* const*>(variable->data);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < variable->dims[0] * variable->dims[1]; ++i)
      result.push_back(text_of(entry_of(where, i), cells[i]));
    return result;
  }

 private:
  /// Reads a variable of rank 2, after checking that the file can hold so many values.
  Variable read(const std::string& where, const std::string& name) {
    Variable variable(Mat_VarReadInfo(file_.get(), name.c_str()));
    const InputError damaged(where, "seems to be damaged: it cannot be read");
    if (!variable || (variable->rank > 0 && variable->dims == nullptr)) throw damaged;
    if (variable->rank != 2)
      throw InputError(where, fmt::format("has {} dimensions; expected 2", variable->rank));
    expect_size(where, variable->dims[0], variable->dims[1], size_);
    if (Mat_VarReadDataAll(file_.get(), variable.get()) != 0 || variable->data == nullptr)
      throw damaged;
    return variable;
  }

  std::unique_ptr<mat_t, CloseFile> file_;
  std::size_t size_;
};

}  // namespace

std::unique_ptr<MatVariables> open_mat5(const std::string& path, std::size_t file_size) {
  return std::make_unique<Mat5Variables>(path, file_size);
}

}  // namespace bzscr
