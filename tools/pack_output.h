#pragma once

#include <bzscr_pack/bzscr_pack.hpp>

#include <string>

/// What bzscr-pack prints.
namespace bzscr::cli {

std::string id_text(const pack::KeyId& id);

/// What is in a pack. \param path  of its file
void print_text(const std::string& path, const pack::Pack& read);
void print_json(const std::string& path, const pack::Pack& read);

/// What packs for a model must say, and who signed it. \param path  of its file
void print_model_text(const std::string& path, const pack::ModelFile& read);
void print_model_json(const std::string& path, const pack::ModelFile& read);

}  // namespace bzscr::cli
