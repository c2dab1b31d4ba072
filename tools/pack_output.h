#pragma once

#include <bzscr_pack/bzscr_pack.hpp>

#include <string>

/// What bzscr-pack prints.
namespace bzscr::cli {

std::string id_text(const pack::KeyId& id);

/// What is in a pack. \param path  of its file
void print_text(const std::string& path, const pack::Pack& read);
void print_json(const std::string& path, const pack::Pack& read);

}  // namespace bzscr::cli
