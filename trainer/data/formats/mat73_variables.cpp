#include "data/formats/mat_variables.h"

#include <bzscr_train/error.hpp>

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace bzscr {
namespace {

/// An identifier of the HDF5 library, closed in the destructor.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

[[noreturn]] void refuse_damaged(const std::string& where) {
  throw InputError(where, "seems to be damaged: it cannot be read");
}

Handle checked(const std::string& where, hid_t id, herr_t (*close)(hid_t)) {
  if (id < 0) refuse_damaged(where);
  return {id, close};
}

Handle type_of(const std::string& where, hid_t dataset) {
  return checked(where, H5Dget_type(dataset), H5Tclose);
}

/// A text attribute of one value; empty if there is none. MATLAB ends its text with a null or with
/// its length, and other programs pad it with nulls or blanks.
std::string text_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (attribute < 0) return {};
  const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (type < 0 || space < 0 || H5Tget_class(type) != H5T_STRING ||
      H5Sget_simple_extent_npoints(space) != 1)
    return {};
  std::string text;
  if (H5Tis_variable_str(type) > 0) {
    char* value = nullptr;
    if (H5Aread(attribute, type, &value) < 0 || value == nullptr) return {};
    text = value;
    H5free_memory(value);
  } else {
    constexpr std::size_t kLongest = 4096;
    const std::size_t size = H5Tget_size(type);
    if (size == 0 || size > kLongest) return {};
    text.resize(size);
    if (H5Aread(attribute, type, text.data()) < 0) return {};
    text.resize(std::min(text.find('\0'), text.size()));
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// The class that MATLAB gave the variable: "double", "char", "cell", ...; empty: not stated.
std::string class_of(hid_t object) { return text_attribute(object, "MATLAB_class"); }

void expect_known_filters(const std::string& where, hid_t creation) {
  const int count = H5Pget_nfilters(creation);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &values,
                                               nullptr, 0, nullptr, &config);
    if (filter < 0 || H5Zfilter_avail(filter) <= 0)
      throw InputError(where, fmt::format("is compressed by the HDF5 filter {}; expected deflate "
                                          "(gzip), as MATLAB compresses, or none",
                                          static_cast<int>(filter)));
  }
}

/// Throws InputError unless all values of a dataset are in the file itself: a file from elsewhere
/// could otherwise make any file of this machine part of a data set.
void expect_own_values(const std::string& where, hid_t dataset) {
  const Handle creation = checked(where, H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_external_count(creation) != 0)
    throw InputError(where,
                     "has its values in another file (HDF5 external storage), which is never read; "
                     "expected the values in the file itself");
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout == H5D_VIRTUAL)
    throw InputError(where,
                     "takes its values from other datasets (an HDF5 virtual dataset), which are "
                     "never read; expected the values in the file itself");
  if (layout < 0) refuse_damaged(where);
  expect_known_filters(where, creation);
}

struct Size {
  std::size_t rows, columns;
};

/// The size as MATLAB has it: HDF5 names the dimensions in the reverse order.
Size size_of(const std::string& where, hid_t dataset) {
  if (H5Aexists(dataset, "MATLAB_empty") > 0) return {0, 0};
  const Handle space = checked(where, H5Dget_space(dataset), H5Sclose);
  const H5S_class_t extent = H5Sget_simple_extent_type(space);
  if (extent == H5S_NULL) return {0, 0};
  if (extent == H5S_SCALAR) return {1, 1};
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 0) refuse_damaged(where);
  if (rank > 2) throw InputError(where, fmt::format("has {} dimensions; expected 2", rank));
  std::array<hsize_t, 2> dims{1, 1};
  if (H5Sget_simple_extent_dims(space, dims.data(), nullptr) != rank) refuse_damaged(where);
  return rank == 1 ? Size{dims[0], 1} : Size{dims[1], dims[0]};
}

/// All values, converted to `type`.
template <class T>
std::shared_ptr<std::vector<T>> values_of(const std::string& where, hid_t dataset, hid_t type,
                                          std::size_t count, std::size_t bytes) {
  if (H5Dget_storage_size(dataset) == 0) throw InputError(where, "holds no values");
  auto values = std::make_shared<std::vector<T>>((count * bytes + sizeof(T) - 1) / sizeof(T));
  if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values->data()) < 0)
    refuse_damaged(where);
  return values;
}

struct NumberType {
  NpyType type;
  hid_t native;
};

/// The type in which values are read: that of the file, in the byte order of this machine.
NumberType number_type(const std::string& where, hid_t type) {
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT)
    return size <= sizeof(float) ? NumberType{NpyType::kFloat32, H5T_NATIVE_FLOAT}
                                 : NumberType{NpyType::kFloat64, H5T_NATIVE_DOUBLE};
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  switch (size) {
    case 1:
      return is_signed ? NumberType{NpyType::kInt8, H5T_NATIVE_INT8}
                       : NumberType{NpyType::kUint8, H5T_NATIVE_UINT8};
    case 2:
      return is_signed ? NumberType{NpyType::kInt16, H5T_NATIVE_INT16}
                       : NumberType{NpyType::kUint16, H5T_NATIVE_UINT16};
    case 4:
      return is_signed ? NumberType{NpyType::kInt32, H5T_NATIVE_INT32}
                       : NumberType{NpyType::kUint32, H5T_NATIVE_UINT32};
    case 8:
      return is_signed ? NumberType{NpyType::kInt64, H5T_NATIVE_INT64}
                       : NumberType{NpyType::kUint64, H5T_NATIVE_UINT64};
    default:
      throw InputError(where,
                       fmt::format("holds integers of {} bytes; expected 1, 2, 4 or 8", size));
  }
}

/// A variable, or a cell of one.
class Object {
 public:
  Object(std::string where, std::string name, Handle id)
      : where_(std::move(where)),
        name_(std::move(name)),
        id_(std::move(id)),
        class_(class_of(id_)) {
    if (H5Iget_type(id_) == H5I_DATASET) expect_own_values(where_, id_);
  }

  std::string kind() const {
    const H5I_type_t type = H5Iget_type(id_);
    if (type == H5I_GROUP)
      return H5Aexists(id_, "MATLAB_sparse") > 0 ? "a sparse matrix" : "a struct";
    if (type != H5I_DATASET) return "no variable";
    if (class_ == "cell") return "a cell array";
    if (class_ == "char") return "text";
    if (class_ == "struct") return "a struct";
    const Handle stored = type_of(where_, id_);
    switch (H5Tget_class(stored)) {
      case H5T_INTEGER:
      case H5T_FLOAT: return is_object() ? "an object" : "numbers";
      case H5T_STRING: return "text";
      case H5T_REFERENCE: return "a cell array";
      default: return "an object";
    }
  }

  MatNumbers numbers(std::size_t file_size) const {
    refuse_object();
    const bool is_dataset = H5Iget_type(id_) == H5I_DATASET;
    if (is_dataset && H5Tget_class(type_of(where_, id_)) == H5T_COMPOUND)
      throw InputError(where_, "is complex; expected real numbers");
    if (kind() != "numbers")
      throw InputError(where_, fmt::format("is {}; expected numbers", kind()));
    const auto [rows, columns] = size_of(where_, id_);
    expect_size(where_, rows, columns, file_size);
    const NumberType type = number_type(where_, type_of(where_, id_));
    auto values = values_of<double>(where_, id_, type.native, rows * columns, bytes_of(type.type));
    const void* const begin = values->data();
    return {type.type, rows, columns, begin, std::move(values)};
  }

  /// The cells of a cell array of one column or row.
  std::vector<Object> cells(std::size_t file_size) const {
    const auto [rows, columns] = size_of(where_, id_);
    expect_size(where_, rows, columns, file_size);
    expect_one_column(where_, rows, columns);
    if (H5Tequal(type_of(where_, id_), H5T_STD_REF_OBJ) <= 0)
      throw InputError(where_, "is not stored as MATLAB stores a cell array");
    const auto references =
        values_of<hobj_ref_t>(where_, id_, H5T_STD_REF_OBJ, rows * columns, sizeof(hobj_ref_t));
    std::vector<Object> cells;
    for (const hobj_ref_t& reference : *references) {
      const std::string place = entry_of(where_, cells.size());
      cells.emplace_back(
          place, name_,
          checked(place, H5Rdereference2(id_, H5P_DEFAULT, H5R_OBJECT, &reference), H5Oclose));
    }
    return cells;
  }

  /// The rows of a char matrix; a single empty one for an empty text.
  std::vector<std::string> rows_of_text(std::size_t file_size) const {
    refuse_object();
    const bool is_text =
        class_ == "char" || class_ == "canonical empty";  // the latter has no values
    if (!is_text || H5Iget_type(id_) != H5I_DATASET)
      throw InputError(where_, fmt::format("is {}; expected text", kind()));
    const auto [rows, columns] = size_of(where_, id_);
    if (rows == 0 || columns == 0) return {std::string()};
    expect_size(where_, rows, columns, file_size);
    const Handle stored = type_of(where_, id_);
    if (H5Tget_class(stored) != H5T_INTEGER)
      throw InputError(where_, "is text in an unsupported encoding; expected UTF-8 or UTF-16");
    const std::size_t count = rows * columns, width = H5Tget_size(stored);
    const hid_t native = width == 1   ? H5T_NATIVE_UINT8
                         : width == 2 ? H5T_NATIVE_UINT16
                                      : H5T_NATIVE_UINT32;
    const std::size_t bytes = width <= 2 ? width : 4;
    const auto units = values_of<std::uint8_t>(where_, id_, native, count, bytes);
    return char_rows(where_, units->data(), count, bytes, rows, columns);
  }

  const std::string& where() const { return where_; }

 private:
  /// Whether the class is none that is stored as a plain array.
  bool is_object() const {
    static constexpr const char* kPlain[] = {
        "",      "double", "single", "logical", "int8", "uint8", "int16",  "uint16",
        "int32", "uint32", "int64",  "uint64",  "char", "cell",  "struct", "canonical empty"};
    return std::find(std::begin(kPlain), std::end(kPlain), class_) == std::end(kPlain);
  }
  void refuse_object() const {
    if (is_object() && H5Iget_type(id_) == H5I_DATASET)
      throw InputError(where_, object_found(name_, class_));
  }

  std::string where_, name_;
  Handle id_;
  std::string class_;
};

class Mat73Variables : public MatVariables {
 public:
  Mat73Variables(const std::string& path, std::size_t file_size)
      : path_(path), file_(open(path)), size_(file_size) {}

  std::vector<std::string> names() override {
    H5G_info_t group;
    if (H5Gget_info(file_, &group) < 0) refuse_damaged(path_);
    std::vector<std::string> names;
    for (hsize_t i = 0; i < group.nlinks; ++i) {
      constexpr std::size_t kLongest = 4096;
      std::array<char, kLongest> name{};
      if (H5Lget_name_by_idx(file_, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(),
                             H5P_DEFAULT) < 0)
        refuse_damaged(path_);
      if (name[0] != '#') names.emplace_back(name.data());  // "#refs#": the cells of cell arrays
    }
    return names;
  }

  MatNumbers numbers(const std::string& where, const std::string& name) override {
    return variable(where, name).numbers(size_);
  }

  std::vector<std::string> texts(const std::string& where, const std::string& name) override {
    const Object all = variable(where, name);
    const std::string kind = all.kind();
    if (kind != "a cell array" && kind != "text" && kind != "an object")
      throw InputError(where, fmt::format("is {}; expected a cell array of texts", kind));
    if (kind != "a cell array") return all.rows_of_text(size_);
    std::vector<std::string> texts;
    for (const Object& cell : all.cells(size_)) {
      std::vector<std::string> rows = cell.rows_of_text(size_);
      if (rows.size() != 1)
        throw InputError(cell.where(),
                         fmt::format("is text of {} rows; expected one", rows.size()));
      texts.push_back(std::move(rows.front()));
    }
    return texts;
  }

 private:
  static Handle open(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);  // no filters from files that the environment names
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) throw InputError(path, "seems to be damaged: it cannot be opened");
    return {file, H5Fclose};
  }

  Object variable(const std::string& where, const std::string& name) const {
    H5L_info_t link;
    if (H5Lget_info(file_, name.c_str(), &link, H5P_DEFAULT) < 0) refuse_damaged(where);
    if (link.type != H5L_TYPE_HARD)
      throw InputError(where,
                       fmt::format("is a link to {} (HDF5 {} link), which is never followed; "
                                   "expected the values in the file itself",
                                   link.type == H5L_TYPE_SOFT ? "another name" : "another file",
                                   link.type == H5L_TYPE_SOFT ? "soft" : "external"));
    return {where, name, checked(where, H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose)};
  }

  std::string path_;
  Handle file_;
  std::size_t size_;
};

}  // namespace

std::unique_ptr<MatVariables> open_mat73(const std::string& path, std::size_t file_size) {
  return std::make_unique<Mat73Variables>(path, file_size);
}

}  // namespace bzscr
