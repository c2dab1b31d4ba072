#include "mat_files.h"

#include <matio.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <stdexcept>

namespace bzscr::test {
namespace {

struct Type {
  const char* name;
  matio_classes of_class;
  matio_types type;
};
constexpr Type kTypes[] = {
    {"f8", MAT_C_DOUBLE, MAT_T_DOUBLE}, {"f4", MAT_C_SINGLE, MAT_T_SINGLE},
    {"i1", MAT_C_INT8, MAT_T_INT8},     {"i2", MAT_C_INT16, MAT_T_INT16},
    {"i4", MAT_C_INT32, MAT_T_INT32},   {"i8", MAT_C_INT64, MAT_T_INT64},
    {"u1", MAT_C_UINT8, MAT_T_UINT8},   {"u2", MAT_C_UINT16, MAT_T_UINT16},
    {"u4", MAT_C_UINT32, MAT_T_UINT32}, {"u8", MAT_C_UINT64, MAT_T_UINT64},
    {"text", MAT_C_CHAR, MAT_T_UTF8},   {"utf16", MAT_C_CHAR, MAT_T_UTF16},
};

const Type& type_of(const std::string& name) {
  for (const Type& type : kTypes)
    if (name == type.name) return type;
  throw std::logic_error("the test does not know the type " + name);
}

template <class T>
std::vector<char> as(const Matrix& values) {
  std::vector<T> column_major;
  for (Index j = 0; j < values.cols(); ++j)
    for (Index i = 0; i < values.rows(); ++i) column_major.push_back(static_cast<T>(values(i, j)));
  const char* const bytes = reinterpret_cast<const char*>(column_major.data());
  return {bytes, bytes + column_major.size() * sizeof(T)};
}

std::vector<char> encoded(const Matrix& values, const std::string& type) {
  if (type == "f8") return as<double>(values);
  if (type == "f4") return as<float>(values);
  if (type == "i1") return as<std::int8_t>(values);
  if (type == "i2") return as<std::int16_t>(values);
  if (type == "i4") return as<std::int32_t>(values);
  if (type == "i8") return as<std::int64_t>(values);
  if (type == "u1") return as<std::uint8_t>(values);
  if (type == "u2") return as<std::uint16_t>(values);
  if (type == "u4") return as<std::uint32_t>(values);
  return as<std::uint64_t>(values);
}

matvar_t* variable(const char* name, const Type& type, std::size_t rows, std::size_t columns,
                   const void* values, int options = 0) {
  std::size_t dims[2] = {rows, columns};
  return Mat_VarCreate(name, type.of_class, type.type, 2, dims, const_cast<void*>(values),
                       options);  // copied
}

matvar_t* text_variable(const char* name, const std::string& text) {
  return variable(name, type_of("text"), 1, text.size(), text.data());
}

void write(mat_t* file, matvar_t* variable, int compression) {
  const int failed = Mat_VarWrite(file, variable, static_cast<matio_compression>(compression));
  Mat_VarFree(variable);
  if (failed != 0) throw std::runtime_error("cannot write a MATLAB file");
}

}  // namespace

void MatWriter::Close::operator()(mat_t* file) const { Mat_Close(file); }

MatWriter::MatWriter(const std::string& path, MatKind kind) : kind_(kind) {
  std::remove(path.c_str());
  file_.reset(Mat_CreateVer(
      path.c_str(), nullptr,
      kind == MatKind::k5 || kind == MatKind::k5Compressed ? MAT_FT_MAT5 : MAT_FT_MAT73));
  if (!file_) throw std::runtime_error("cannot write " + path);
}

int MatWriter::compression() const {
  return kind_ == MatKind::k5Compressed || kind_ == MatKind::k73Compressed ? MAT_COMPRESSION_ZLIB
                                                                           : MAT_COMPRESSION_NONE;
}

MatWriter& MatWriter::numbers(const std::string& name, const Matrix& values,
                              const std::string& type) {
  const std::vector<char> bytes = encoded(values, type);
  write(file_.get(),
        variable(name.c_str(), type_of(type), static_cast<std::size_t>(values.rows()),
                 static_cast<std::size_t>(values.cols()), bytes.data()),
        compression());
  return *this;
}

MatWriter& MatWriter::complex(const std::string& name, const Matrix& values) {
  std::vector<char> bytes = encoded(values, "f8");
  mat_complex_split_t both{bytes.data(), bytes.data()};
  write(file_.get(),
        variable(name.c_str(), type_of("f8"), static_cast<std::size_t>(values.rows()),
                 static_cast<std::size_t>(values.cols()), &both, MAT_F_COMPLEX),
        compression());
  return *this;
}

MatWriter& MatWriter::cube(const std::string& name) {
  double values[8] = {};
  std::size_t dims[3] = {2, 2, 2};
  write(file_.get(), Mat_VarCreate(name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, values, 0),
        compression());
  return *this;
}

MatWriter& MatWriter::text(const std::string& name, const std::string& value) {
  write(file_.get(), text_variable(name.c_str(), value), compression());
  return *this;
}

MatWriter& MatWriter::text_rows(const std::string& name, const std::vector<std::string>& rows,
                                const std::string& type) {
  std::size_t columns = 0;
  for (const std::string& row : rows) columns = std::max(columns, row.size());
  std::string bytes;
  std::u16string units;
  for (std::size_t c = 0; c < columns; ++c)
    for (const std::string& row : rows) {
      bytes += c < row.size() ? row[c] : ' ';
      units += static_cast<unsigned char>(bytes.back());
    }
  const void* const values = type == "text" ? static_cast<const void*>(bytes.data()) : units.data();
  write(file_.get(), variable(name.c_str(), type_of(type), rows.size(), columns, values),
        compression());
  return *this;
}

MatWriter& MatWriter::cells(const std::string& name, const std::vector<std::string>& texts,
                            bool as_row) {
  std::size_t dims[2] = {as_row ? 1 : texts.size(), as_row ? texts.size() : 1};
  matvar_t* const cells = Mat_VarCreate(name.c_str(), MAT_C_CELL, MAT_T_CELL, 2, dims, nullptr, 0);
  for (std::size_t i = 0; i < texts.size(); ++i)
    Mat_VarSetCell(cells, static_cast<int>(i), text_variable(nullptr, texts[i]));
  write(file_.get(), cells, compression());
  return *this;
}

MatWriter& MatWriter::cells_utf16(const std::string& name,
                                  const std::vector<std::u16string>& texts) {
  std::size_t dims[2] = {texts.size(), 1};
  matvar_t* const cells = Mat_VarCreate(name.c_str(), MAT_C_CELL, MAT_T_CELL, 2, dims, nullptr, 0);
  for (std::size_t i = 0; i < texts.size(); ++i)
    Mat_VarSetCell(cells, static_cast<int>(i),
                   variable(nullptr, type_of("utf16"), 1, texts[i].size(), texts[i].data()));
  write(file_.get(), cells, compression());
  return *this;
}

MatWriter& MatWriter::cells_of_numbers(const std::string& name, std::size_t count) {
  std::size_t dims[2] = {count, 1};
  matvar_t* const cells = Mat_VarCreate(name.c_str(), MAT_C_CELL, MAT_T_CELL, 2, dims, nullptr, 0);
  const double value = 1;
  for (std::size_t i = 0; i < count; ++i)
    Mat_VarSetCell(cells, static_cast<int>(i), variable(nullptr, type_of("f8"), 1, 1, &value));
  write(file_.get(), cells, compression());
  return *this;
}

Matrix column(const std::vector<std::int64_t>& values) {
  Matrix column(static_cast<Index>(values.size()), 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    column(static_cast<Index>(i), 0) = static_cast<double>(values[i]);
  return column;
}

}  // namespace bzscr::test
