#include "npz_files.h"

#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

namespace bzscr::test {

Entries npz_entries(const DataFolder& folder) {
  Entries entries;
  for (const char* name : {"features", "labels", "embeddings/words", "test_seen"})
    entries.emplace_back(name, read_bytes(folder / (std::string(name) + ".npy")));
  entries.emplace_back("classes", npy_texts(folder.class_names));
  entries.emplace_back("unseen_classes", npy_texts({"gnu", "hen"}));
  entries.emplace_back("validation_classes", npy_texts({"eel", "fox"}, 'S'));
  return entries;
}

std::string npy_texts(const std::vector<std::string>& texts, char kind) {
  std::size_t width = 1;
  for (const std::string& text : texts) width = std::max(width, text.size());
  std::string data;
  for (const std::string& text : texts)
    for (std::size_t i = 0; i < width; ++i) {
      data += i < text.size() ? text[i] : '\0';  // ASCII: a character is a byte
      if (kind == 'U') data += std::string(3, '\0');
    }
  const std::string descr = (kind == 'U' ? "<U" : "|S") + std::to_string(width);
  return npy_bytes("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(texts.size()) + ",), }\n",
                   data);
}

void write_npz(const std::string& path, const Entries& entries, bool deflated) {
  std::filesystem::remove(path);
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE, nullptr);
  if (archive == nullptr) throw std::runtime_error("cannot write " + path);
  for (const auto& [key, bytes] : entries) {
    zip_source_t* const source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
    const zip_int64_t index =
        zip_file_add(archive, (key + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             deflated ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  if (zip_close(archive) != 0) throw std::runtime_error("cannot write " + path);
}

}  // namespace bzscr::test
