#include "base/atomic_file.h"
#include "base/spelling.h"
#include "data/formats/class_files.h"
#include "data/formats/npy_file.h"
#include "data/vectors/name_vectors.h"
#include "pipeline/context.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace bzscr::train {
namespace {

std::optional<VectorFormat> vector_format(const std::string& word) {
  if (word.empty()) return std::nullopt;
  std::vector<std::string> known;
  for (const VectorFormat each :
       {VectorFormat::kGlove, VectorFormat::kWord2vecText, VectorFormat::kWord2vecBinary}) {
    known.push_back(name_of(each));
    if (word == known.back()) return each;
  }
  throw InputError(Place{"", -1, -1, "", "format"}, fmt::format("is '{}'", word),
                   fmt::format("{}{}", fmt::join(known, ", "), did_you_mean(word, known)));
}

}  // namespace

NameEmbeddings embed_names(const std::string& names, const std::string& vectors,
                           const std::string& format, const Context& context) {
  NameEmbeddings result;
  result.names = read_class_names(names);
  WordVectorFile file(vectors, vector_format(format));
  NameVectors found = find_name_vectors(result.names, file, [&](double fraction) {
    if (context.stop && context.stop())
      throw InputError(Place{vectors}, "interrupted before all of it was read", "",
                       ErrorKind::kInterrupted);
    events_of(context).progress(fraction);
  });
  result.dimension = file.dimension();
  result.vectors.assign(found.vectors.data(), found.vectors.data() + found.vectors.size());
  result.used = std::move(found.used);
  result.format = name_of(file.format());
  result.words = file.words();
  result.note = file.note();
  return result;
}

void write_npy(const std::string& path, const float* values, std::int64_t rows,
               std::int64_t columns) {
  write_file_atomically(path, npy_bytes(Eigen::Map<const MatrixF>(values, rows, columns)));
}

}  // namespace bzscr::train
