#include "pack_output.h"

#include "support/tables.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace bzscr::cli {
namespace {

using nlohmann::ordered_json;

std::string hash_text(const std::vector<std::uint8_t>& hash) {
  return pack::hexadecimal(hash.data(), hash.size());
}

std::string signer_text(bool is_signed, const pack::KeyId& key_id) {
  return is_signed ? "signed by key " + id_text(key_id) + " (not verified here)" : "not signed";
}

void print(const ordered_json& json) {
  fmt::print("{}\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace

std::string id_text(const pack::KeyId& id) { return pack::hexadecimal(id.data(), id.size()); }

void print_text(const std::string& path, const pack::Pack& read) {
  const pack::Contents& contents = read.contents;
  fmt::print("{}: counter {}, {}\nfor models of data {}, embedding {} of {} numbers\n", path,
             contents.counter, signer_text(read.is_signed, read.key_id),
             hash_text(contents.model_hash), printable(contents.embedding_name),
             contents.dimension);
  for (const pack::Change& each : contents.changes)
    fmt::print("{:8} {:>10} {}{}\n", word_for(each.kind), each.id, printable(each.name),
               each.kind == pack::ChangeKind::kTeach ? fmt::format("{} examples", each.count) : "");
}

void print_json(const std::string& path, const pack::Pack& read) {
  const pack::Contents& contents = read.contents;
  ordered_json json{{"file", path},
                    {"signed", read.is_signed},
                    {"key", read.is_signed ? id_text(read.key_id) : ""},
                    {"counter", contents.counter},
                    {"model_hash", hash_text(contents.model_hash)},
                    {"embedding", contents.embedding_name},
                    {"embedding_dimension", contents.dimension},
                    {"program", contents.program}};
  auto& changes = json["changes"] = ordered_json::array();
  for (const pack::Change& each : contents.changes) {
    changes.push_back({{"kind", word_for(each.kind)}, {"id", each.id}, {"name", each.name}});
    if (each.kind == pack::ChangeKind::kTeach) changes.back()["examples"] = each.count;
  }
  print(json);
}

void print_model_text(const std::string& path, const pack::ModelFile& read) {
  fmt::print("{}: a model, {}\nof data {}, embedding {} of {} numbers; {} {}\n", path,
             signer_text(read.is_signed, read.key_id),
             read.data_hash.empty() ? "without a hash" : hash_text(read.data_hash),
             printable(read.embedding_name), read.dimension, read.classes,
             read.classes == 1 ? "class" : "classes");
}

void print_model_json(const std::string& path, const pack::ModelFile& read) {
  print({{"file", path},
         {"signed", read.is_signed},
         {"key", read.is_signed ? id_text(read.key_id) : ""},
         {"model_hash", hash_text(read.data_hash)},
         {"embedding", read.embedding_name},
         {"embedding_dimension", read.dimension},
         {"classes", read.classes}});
}

}  // namespace bzscr::cli
