#include "data/formats/npz.h"

#include <bzscr_train/error.hpp>
#include "base/foreign_file.h"
#include "base/scratch_file.h"
#include "base/spelling.h"
#include "data/formats/class_files.h"
#include "data/formats/embedding_files.h"
#include "data/formats/folder_files.h"
#include "data/formats/label_file.h"
#include "data/formats/listing.h"
#include "data/formats/npy_file.h"
#include "data/formats/npy_text.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

namespace bzscr {
namespace {

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};

/// The arrays of an archive, by key.
class NpzFile {
 public:
  explicit NpzFile(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& key) const { return entries_.count(key) != 0; }
  std::vector<std::string> keys() const;
  std::string where(const std::string& key) const { return path_ + ": " + key; }
  NumberArray numbers(const std::string& key) const;
  std::vector<PlacedName> names(const std::string& key) const;
  LabelRows labels(const std::string& key, const ClassRows& classes) const;

 private:
  std::shared_ptr<const MappedFile> unpack(const std::string& key) const;

  std::string path_;
  MappedFile file_;
  std::unique_ptr<zip_t, CloseArchive> archive_;
  std::map<std::string, zip_uint64_t> entries_;  // key -> index in the archive
};

NpzFile::NpzFile(const std::string& path) : path_(path), file_(path) {
  refuse_foreign_file(path, file_.text());
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(file_.data(), file_.size(), 0, &error);
  if (source != nullptr) archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (!archive_) {
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    if (source != nullptr) zip_source_free(source);
    throw InputError(path, fmt::format("is not a valid .npz archive: {}", why));
  }
  zip_error_fini(&error);
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* const raw = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
    const std::filesystem::path name = raw != nullptr ? raw : "";
    if (name.extension() != ".npy") continue;
    const std::string key = std::filesystem::path(name).replace_extension().string();
    if (!entries_.emplace(key, i).second)
      throw InputError(path, fmt::format("holds '{}' twice", key));
  }
}

std::vector<std::string> NpzFile::keys() const {
  std::vector<std::string> keys;
  for (const auto& [key, index] : entries_) keys.push_back(key);
  return keys;
}

std::shared_ptr<const MappedFile> NpzFile::unpack(const std::string& key) const {
  const auto found = entries_.find(key);
  if (found == entries_.end())
    throw InputError(path_, fmt::format("holds no '{}', only {}{}", key, first_of(keys()),
                                        did_you_mean(key, keys())));

  zip_stat_t status;
  zip_stat_init(&status);
  constexpr zip_uint64_t kNeeded = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  if (zip_stat_index(archive_.get(), found->second, 0, &status) != 0 ||
      (status.valid & kNeeded) != kNeeded || status.size == 0)
    throw InputError(where(key), "is not a valid entry of the archive");
  constexpr zip_uint64_t kMostPerByte = 1100;  // limit of deflate
  if (status.comp_size > file_.size() || status.size / kMostPerByte > status.comp_size)
    throw InputError(where(key),
                     fmt::format("claims to unpack from {} to {} bytes, which is impossible",
                                 status.comp_size, status.size));

  const std::unique_ptr<zip_file_t, CloseEntry> entry(
      zip_fopen_index(archive_.get(), found->second, 0));
  if (!entry)
    throw InputError(where(key),
                     fmt::format("cannot be unpacked: {}", zip_strerror(archive_.get())));
  ScratchFile scratch(where(key));
  std::vector<std::uint8_t> buffer(std::size_t{1} << 18);
  zip_uint64_t left = status.size;
  // Reads until the end is reported: only then is the checksum compared.
  for (zip_int64_t got = 1; got > 0;) {
    got = zip_fread(entry.get(), buffer.data(), buffer.size());
    if (got < 0 || static_cast<zip_uint64_t>(got) > left || (got == 0 && left > 0))
      throw InputError(where(key),
                       fmt::format("cannot be unpacked: {}",
                                   got < 0 ? zip_file_strerror(entry.get())
                                           : "its size differs from the one in the archive"));
    scratch.append(buffer.data(), static_cast<std::size_t>(got));
    left -= static_cast<zip_uint64_t>(got);
  }
  return scratch.map();
}

NumberArray NpzFile::numbers(const std::string& key) const {
  const auto file = unpack(key);
  return npy_array(where(key), file->data(), file->size(), file);
}

std::vector<PlacedName> NpzFile::names(const std::string& key) const {
  const auto file = unpack(key);
  std::vector<PlacedName> names;
  for (std::string& text : npy_texts(where(key), file->data(), file->size())) {
    const std::size_t number = names.size();
    names.push_back(
        {std::move(text), fmt::format("{}, entry {}", where(key), number), "entry", number});
  }
  return names;
}

LabelRows NpzFile::labels(const std::string& key, const ClassRows& classes) const {
  const auto file = unpack(key);
  return npy_labels(where(key), file->data(), file->size(), file, classes);
}

// Parts

Part<std::vector<Index>> list(const NpzFile& file, const std::string& key,
                              const ClassRows& classes) {
  return {class_list(file.names(key), classes), file.where(key), key};
}

EmbeddingPart embedding(const NpzFile& file, const std::string& name, std::size_t classes) {
  const std::string inside = fmt::format("{}/{}", kEmbeddings, name);
  const NumberArray array = file.numbers(file.has(inside) ? inside : kEmbeddings);
  expect_rows(array, static_cast<Index>(classes), fmt::format("classes has {} names", classes),
              fmt::format("({}, d)", classes));
  return {name, array.where(), array.matrix()};
}

std::vector<std::string> names_of_embeddings(const NpzFile& file) {
  std::vector<std::string> names;
  const std::string folder = std::string(kEmbeddings) + "/";
  for (const std::string& key : file.keys()) {
    if (key.rfind(folder, 0) == 0) names.push_back(key.substr(folder.size()));
    if (key == kEmbeddings && !file.has(folder + kEmbeddings)) names.push_back(key);
  }
  if (names.empty())
    throw InputError(file.path(), fmt::format("holds no '{0}' and no '{0}/NAME', only {1}",
                                              kEmbeddings, first_of(file.keys())));
  return names;
}

}  // namespace

bool is_npz(const std::string& path) { return std::filesystem::path(path).extension() == ".npz"; }

DatasetParts read_npz(const std::string& path, const DatasetOptions& options) {
  const auto file = std::make_shared<const NpzFile>(path);
  DatasetParts parts;
  check_unread(path, file->keys(),
               {{"unseen_classes", {""}},
                {"validation_classes", {""}},
                {"test_seen", {""}},
                {"divergence", {""}},
                {"synsets", {""}}},
               parts.notes);
  std::vector<PlacedName> names = file->names("classes");
  check_class_names(names);
  parts.class_names = at_least_two({names_of(names), file->where("classes"), "classes"});
  const ClassRows rows(parts.class_names.value, "classes");
  const std::size_t C = parts.class_names.value.size();

  if (file->has("unseen_classes")) parts.unseen_classes = list(*file, "unseen_classes", rows);
  for (std::string key = "validation_classes"; file->has(key);
       key = fmt::format("validation_classes{}", parts.validation_folds.size() + 1))
    parts.validation_folds.push_back(list(*file, key, rows));
  note_gaps(path, file->keys(), "validation_classes", "", parts.validation_folds.size(),
            parts.notes);

  LabelRows labels = file->labels("labels", rows);
  const std::string labels_at = file->where("labels"), test_at = file->where("test_seen");
  parts.labels = {class_rows({std::move(labels.rows), labels_at, "labels"}, 0, parts.class_names),
                  labels_at, "labels"};
  parts.labels_by_name = labels.by_name;
  if (file->has("test_seen")) {
    const auto samples = file->numbers("test_seen").integers(WholeNumbers::kRows);
    parts.test_seen = {
        sample_rows({samples, test_at, "test_seen"}, 0, parts.labels.value.size(), "features"),
        test_at, "test_seen"};
  }
  for (const std::string& name : choose_embeddings(path, names_of_embeddings(*file), options))
    parts.embeddings.push_back(embedding(*file, name, C));
  parts.synsets = {{}, file->where("synsets"), "synsets"};
  if (file->has("synsets"))
    parts.synsets.value = synset_ids(file->names("synsets"), parts.synsets.where, C);
  if (file->has("divergence")) parts.divergence = file->numbers("divergence");
  parts.read_features = [file] { return std::vector<NumberArray>{file->numbers("features")}; };
  return parts;
}

}  // namespace bzscr
