#pragma once

/// BZSCR_CLONES compiles a function once per x86-64 level; the loader selects one (ifunc). The
/// build is portable and the loop uses the vector width of the machine. On other processors the
/// function is compiled once, for the baseline (NEON on AArch64); with sanitizers too, as their
/// instrumentation runs before the loader can select.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BZSCR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BZSCR_CLONES
#endif
