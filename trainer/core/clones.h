#pragma once

/// BZSCR_CLONES: compile a function once per x86-64 level and pick at load time. The build stays
/// portable and the loop runs at the width of the machine. Elsewhere the baseline (NEON on AArch64)
/// is what there is. Sanitizers run before the loader's choice is possible.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BZSCR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BZSCR_CLONES
#endif
