#pragma once

// What the order of operations in the sources, and so "the same bits everywhere", depends on. Every
// file that computes with floats includes this header before any function. Compilers fuse a product
// with a sum if they may; that is switched off here, whatever the flags of the build (Clang obeys
// unless it is given -ffp-contract=fast). Flags that cannot be undone in a source are refused: with
// finite mathematics, for example, NaN would be scored.

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "libbzscr_rt needs a little-endian target: models are read in place"
#endif

#if defined(__FAST_MATH__)
#error "libbzscr_rt cannot be built with -ffast-math or -Ofast: add -fno-fast-math"
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "libbzscr_rt cannot be built with -ffinite-math-only: add -fno-finite-math-only"
#endif

#if defined(__FLT_EVAL_METHOD__) && \
    (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2 || __FLT_EVAL_METHOD__ < 0)
#error "libbzscr_rt needs FLT_EVAL_METHOD 0: for 32-bit x86 add -msse2 -mfpmath=sse"
#endif

#if defined(__clang__)
#pragma clang fp contract(off)
#pragma clang fp reassociate(off)
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-unsafe-math-optimizations", "no-associative-math", \
                     "no-reciprocal-math", "signed-zeros")
#endif
