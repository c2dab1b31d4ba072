#include "hdf5_files.h"

#include <hdf5.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace bzscr::test {
namespace {

constexpr hsize_t kHeaderBytes = 512;

hid_t checked(hid_t id) {
  if (id < 0) throw std::runtime_error("cannot write an HDF5 file");
  return id;
}

void add_class(hid_t object, const std::string& name, Padding padding) {
  const hid_t type = checked(H5Tcopy(H5T_C_S1)), space = checked(H5Screate(H5S_SCALAR));
  const bool variable = padding == Padding::kVariableLength;
  // A null-terminated text has a byte more than its characters, the others have none to spare.
  const std::size_t size = name.size() + (padding == Padding::kNullTerminated ? 1 : 2);
  H5Tset_size(type, variable ? H5T_VARIABLE : padding == Padding::kNullPadded ? name.size() : size);
  if (padding == Padding::kNullPadded) H5Tset_strpad(type, H5T_STR_NULLPAD);
  if (padding == Padding::kBlankPadded) H5Tset_strpad(type, H5T_STR_SPACEPAD);
  const hid_t attribute =
      checked(H5Acreate2(object, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT));
  std::string fixed = name;
  fixed.resize(size, padding == Padding::kBlankPadded ? ' ' : '\0');
  const char* const text = name.c_str();
  H5Awrite(attribute, type, variable ? static_cast<const void*>(&text) : fixed.data());
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

}  // namespace

Hdf5Writer::Hdf5Writer(const std::string& path) : path_(path) {
  std::remove(path.c_str());
  const hid_t creation = checked(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_userblock(creation, kHeaderBytes);
  file_ = checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT));
  H5Pclose(creation);
}

Hdf5Writer::~Hdf5Writer() {
  H5Fclose(file_);
  std::string header = "MATLAB 7.3 MAT-file";
  header.resize(124, ' ');
  header += std::string("\0\2IM", 4);
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary) << header;
}

void Hdf5Writer::numbers(const std::string& name, const Matrix& values, const std::string& of_class,
                         Padding padding) {
  const std::array<hsize_t, 2> dims{static_cast<hsize_t>(values.cols()),
                                    static_cast<hsize_t>(values.rows())};
  const hid_t space = checked(H5Screate_simple(2, dims.data(), nullptr));
  const hid_t dataset = checked(H5Dcreate2(file_, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT));
  const Matrix by_columns = values.transpose();
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, by_columns.data());
  if (!of_class.empty()) add_class(dataset, of_class, padding);
  H5Dclose(dataset);
  H5Sclose(space);
}

void Hdf5Writer::external_bytes(const std::string& name, const std::string& file, Index count) {
  const std::array<hsize_t, 2> dims{1, static_cast<hsize_t>(count)};
  const hid_t space = checked(H5Screate_simple(2, dims.data(), nullptr));
  const hid_t creation = checked(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_external(creation, file.c_str(), 0, static_cast<hsize_t>(count));
  const hid_t dataset = checked(
      H5Dcreate2(file_, name.c_str(), H5T_STD_U8LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  add_class(dataset, "uint8", Padding::kNullTerminated);
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Sclose(space);
}

void Hdf5Writer::virtual_numbers(const std::string& name, const std::string& file,
                                 const std::string& source, Index count) {
  const std::array<hsize_t, 2> dims{1, static_cast<hsize_t>(count)};
  const hid_t space = checked(H5Screate_simple(2, dims.data(), nullptr));
  const hid_t creation = checked(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_virtual(creation, space, file.c_str(), source.c_str(), space);
  const hid_t dataset = checked(
      H5Dcreate2(file_, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  add_class(dataset, "double", Padding::kNullTerminated);
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Sclose(space);
}

void Hdf5Writer::soft_link(const std::string& name, const std::string& target) {
  checked(H5Lcreate_soft(target.c_str(), file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
}

void Hdf5Writer::external_link(const std::string& name, const std::string& file,
                               const std::string& target) {
  checked(H5Lcreate_external(file.c_str(), target.c_str(), file_, name.c_str(), H5P_DEFAULT,
                             H5P_DEFAULT));
}

}  // namespace bzscr::test
