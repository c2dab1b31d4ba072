#include "kernels.h"

#if defined(BZSCR_RT_X86_KERNELS)
#include <cpuid.h>
#elif defined(BZSCR_RT_ARM_KERNELS)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace bzscr::rt {
namespace {

struct Processor {
  bool avx2 = false;
  bool avx512 = false;
  bool neon = false;
  bool dotprod = false;
};

#if defined(BZSCR_RT_X86_KERNELS)

bool has(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }

// The register states that the operating system saves. Instructions that use others fault.
unsigned saved_states() {
  unsigned low = 0;
  unsigned high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

Processor this_processor() {
  constexpr unsigned kYmm = 0x06;
  constexpr unsigned kZmm = 0xE6;
  Processor processor;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || !has(c, bit_OSXSAVE | bit_F16C)) return processor;
  const unsigned states = saved_states();
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return processor;
  processor.avx2 = has(states, kYmm) && has(b, bit_AVX2);
  processor.avx512 = has(states, kZmm) && processor.avx2 && has(c, bit_AVX512VNNI) &&
                     has(b, bit_AVX512F | bit_AVX512BW | bit_AVX512VL);
  return processor;
}

#elif defined(BZSCR_RT_ARM_KERNELS) && defined(__aarch64__)

Processor this_processor() {
  Processor processor;
  processor.neon = true;
  processor.dotprod = (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
  return processor;
}

#elif defined(BZSCR_RT_ARM_KERNELS)

Processor this_processor() {
  constexpr unsigned long kWanted = HWCAP_NEON | HWCAP_VFPv4;
  Processor processor;
  processor.neon = (getauxval(AT_HWCAP) & kWanted) == kWanted;
  return processor;
}

#else

Processor this_processor() { return {}; }

#endif

bool same(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b)
    if (*a == '\0') return true;
  return false;
}

}  // namespace

bool usable_kernels(size_t index, Kernels* kernels) {
  const Processor processor = this_processor();
  size_t count = 0;
  const auto is_it = [&](bool usable) { return usable && count++ == index; };
#if defined(BZSCR_RT_X86_KERNELS)
  if (is_it(processor.avx512)) return *kernels = avx512_kernels(), true;
  if (is_it(processor.avx2)) return *kernels = avx2_kernels(), true;
#elif defined(BZSCR_RT_ARM_KERNELS)
#if defined(__aarch64__)
  if (is_it(processor.dotprod)) return *kernels = neon_dotprod_kernels(), true;
#endif
  if (is_it(processor.neon)) return *kernels = neon_kernels(), true;
#else
  static_cast<void>(processor);
#endif
  if (is_it(true)) return *kernels = scalar_kernels(), true;
  return false;
}

bool select_kernels(const char* name, Kernels* kernels) {
  for (size_t index = 0; usable_kernels(index, kernels); ++index)
    if (name == nullptr || same(name, kernels->name)) return true;
  return false;
}

}  // namespace bzscr::rt
