#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bzscr {

/// A library's product of one query with all classes, and nothing else.
struct ThirdParty {
  std::string name;
  std::function<void()> product;
};

/// scores[C] = P x for P[C][m], x[m], all 64-byte aligned, one thread; whichever libraries were
/// found. Those that pack P keep a copy.
std::vector<ThirdParty> third_party_products(const float* P, const float* x, float* scores,
                                             std::size_t C, std::size_t m);

/// What XNNPACK does to take in one class more: makes the operator anew. Does nothing without
/// XNNPACK.
void recreate_xnnpack(const float* P, std::size_t C, std::size_t m);

}  // namespace bzscr
