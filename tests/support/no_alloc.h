#pragma once

#include <cstddef>

namespace bzscr::test {

/// How often this program has asked for memory so far: operator new and, where no sanitizer owns
/// it, malloc and its kin. Linking no_alloc.cpp is what makes it count.
std::size_t allocations();

}  // namespace bzscr::test
