#include "pack_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bzscr::cli {
namespace {

std::string hash_text(const pack::Contents& contents) {
  return pack::hexadecimal(contents.model_hash.data(), contents.model_hash.size());
}

}  // namespace

std::string id_text(const pack::KeyId& id) { return pack::hexadecimal(id.data(), id.size()); }

void print_text(const std::string& path, const pack::Pack& read) {
  const pack::Contents& contents = read.contents;
  fmt::print(
      "{}: counter {}, {}\nfor models of data {}, embedding {} of {} numbers\n", path,
      contents.counter,
      read.is_signed ? "signed by " + id_text(read.key_id) + " (not verified here)" : "not signed",
      hash_text(contents), contents.embedding_name, contents.dimension);
  for (const pack::Change& each : contents.changes)
    fmt::print("{:8} {:>10} {}\n", word_for(each.kind), each.id, each.name);
}

void print_json(const std::string& path, const pack::Pack& read) {
  using nlohmann::ordered_json;
  const pack::Contents& contents = read.contents;
  ordered_json json{{"file", path},
                    {"signed", read.is_signed},
                    {"key", read.is_signed ? id_text(read.key_id) : ""},
                    {"counter", contents.counter},
                    {"model_hash", hash_text(contents)},
                    {"embedding", contents.embedding_name},
                    {"embedding_dimension", contents.dimension},
                    {"program", contents.program}};
  auto& changes = json["changes"] = ordered_json::array();
  for (const pack::Change& each : contents.changes)
    changes.push_back({{"kind", word_for(each.kind)}, {"id", each.id}, {"name", each.name}});
  fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace bzscr::cli
