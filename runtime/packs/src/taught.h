#pragma once

#include <bzscr_rt/bzscr_rt.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bzscr::pack {

/// A class of a device's store, and what it was taught there.
struct TaughtClass {
  std::uint32_t id;
  bool is_stores;  ///< its embedding is the store's, not the model's
  std::vector<float> phi;
  std::vector<float> sum;
  float count;
};

/// \param path  of the model, and its file
/// \param store  a folder, in which nothing is changed
TaughtClass read_taught(const std::string& path, const Memory& model, const std::string& store,
                        const std::string& name);

}  // namespace bzscr::pack
