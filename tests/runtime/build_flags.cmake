# Compiles the runtime's sources with flags of another build that would break what the header promises. Each source
# that computes must be refused with a message that names the flag, and must be accepted with harmless flags.
#
#   cmake -DCXX=g++ -DRUNTIME=runtime -DPROCESSOR=x86_64 -P build_flags.cmake
cmake_minimum_required(VERSION 3.22)
set(sources collapse transform storage scoring kernels/scalar)

# check(EXPECTED flags...): EXPECTED is a regular expression of the message; empty: the flags are accepted
function(check expected)
  foreach(source IN LISTS sources)
    execute_process(
      COMMAND ${CXX} -std=c++17 -fsyntax-only -I${RUNTIME}/include -I${RUNTIME}/src ${ARGN} ${RUNTIME}/src/${source}.cpp
      RESULT_VARIABLE failed ERROR_VARIABLE errors OUTPUT_QUIET)
    if(expected AND (NOT failed OR NOT errors MATCHES "error: [^\n]*${expected}"))
      message(SEND_ERROR "${source}.cpp with ${ARGN}: expected an error that names ${expected}, got: ${errors}")
    elseif(NOT expected AND failed)
      message(SEND_ERROR "${source}.cpp with ${ARGN} is refused: ${errors}")
    endif()
  endforeach()
endfunction()

check("" -O2)
check("" -O3 -ffp-contract=fast)
check("" -Ofast -fno-fast-math)
check("-ffast-math" -O2 -ffast-math)
check("-Ofast" -Ofast)
check("-ffinite-math-only" -O2 -ffinite-math-only)
check("little-endian" -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__)
if(PROCESSOR MATCHES "^(x86_64|AMD64)$")
  check("FLT_EVAL_METHOD 0" -m32 -mfpmath=387 -ffreestanding)  # no C library of 32 bits is needed
endif()
