#include "data/formats/label_file.h"

#include "base/mapped_file.h"
#include "data/formats/npy_file.h"
#include "data/formats/npy_text.h"
#include "data/formats/table_file.h"
#include "data/formats/tables.h"

#include <fmt/format.h>

#include <utility>

namespace bzscr {

LabelRows npy_labels(const std::string& where, const std::uint8_t* bytes, std::size_t size,
                     std::shared_ptr<const void> owner, const ClassRows& classes) {
  if (!is_npy_text(where, bytes, size))
    return {npy_array(where, bytes, size, std::move(owner)).integers(WholeNumbers::kLabels), false};
  LabelRows labels{{}, true};
  for (const std::string& text : npy_texts(where, bytes, size))
    labels.rows.push_back(classes.row(std::string(trimmed(text)),
                                      fmt::format("{}, row {}", where, labels.rows.size())));
  return labels;
}

LabelRows read_label_file(const std::string& path, const ClassRows& classes) {
  if (is_table(path)) return read_label_table(path, classes);
  const auto file = std::make_shared<const MappedFile>(path);
  return npy_labels(path, file->data(), file->size(), file, classes);
}

}  // namespace bzscr
