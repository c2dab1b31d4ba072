#pragma once

#include <cstddef>

namespace bzscr::test {

/// Number of allocations of this program so far: by operator new and, in a build without
/// sanitizers, by malloc, calloc and realloc. Only programs that link no_alloc.cpp count them.
std::size_t allocations();

}  // namespace bzscr::test
