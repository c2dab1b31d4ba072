#pragma once

#include "support/model_builder.h"

#include <doctest/doctest.h>

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bzscr::test {

/// Bytes of stack that a thread needs to run a function, including those of the C library's start
/// of a thread. The stack is filled with a pattern before the run.
inline std::size_t stack_used(void* (*run)(void*), void* argument) {
  constexpr std::size_t kStack = std::size_t{1} << 18;
  constexpr std::uint8_t kPaint = 0xA5;
  const AlignedBytes memory(kStack + 4096);
  std::uint8_t* stack =
      memory.data() + (4096 - reinterpret_cast<std::uintptr_t>(memory.data()) % 4096);
  std::memset(stack, kPaint, kStack);
  pthread_attr_t attributes;
  pthread_t thread;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstack(&attributes, stack, kStack) == 0);
  REQUIRE(pthread_create(&thread, &attributes, run, argument) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
  return kStack -
         static_cast<std::size_t>(
             std::find_if(stack, stack + kStack, [](std::uint8_t byte) { return byte != kPaint; }) -
             stack);
}

}  // namespace bzscr::test
