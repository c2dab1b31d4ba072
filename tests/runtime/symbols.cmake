# What the libraries need and show. cmake -DNM=... -DSTATIC=... -DSHARED=... -P symbols.cmake
#
# The archive may need these of libc (getauxval says what an ARM processor can do), and what the compiler's
# sanitizers put in; everything else that it needs it must define itself. So nothing of the heap, stdio, exceptions or
# libstdc++ can slip in.
set(permitted "^(memcpy|memmove|memset|memcmp|strlen|getauxval|_GLOBAL_OFFSET_TABLE_|__(asan|ubsan|tsan)_.*)$")

function(symbols result library)
  execute_process(COMMAND ${NM} -P ${ARGN} ${library} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  list(FILTER lines EXCLUDE REGEX ":$")  # names of members
  list(TRANSFORM lines REPLACE "[ @].*" "")
  set(${result} ${lines} PARENT_SCOPE)
endfunction()

symbols(needed ${STATIC} --undefined-only)
symbols(defined ${STATIC} --defined-only)
list(REMOVE_ITEM needed ${defined})
list(FILTER needed EXCLUDE REGEX "${permitted}")
if(needed)
  list(REMOVE_DUPLICATES needed)
  message(SEND_ERROR "${STATIC} needs: ${needed}")
endif()

symbols(exported ${SHARED} --dynamic --defined-only)
list(FILTER exported EXCLUDE REGEX "^bzscr_rt_")
if(exported)
  message(SEND_ERROR "${SHARED} also exports: ${exported}")
endif()

# Every function of the header, and no other.
file(READ ${HEADER} header)
string(REGEX MATCHALL "BZSCR_RT_API [a-z_0-9 *]+[ *](bzscr_rt_[a-z_]+)\\(" declarations "${header}")
list(TRANSFORM declarations REPLACE ".*[ *](bzscr_rt_[a-z_]+)\\($" "\\1")
list(SORT declarations)
symbols(exported ${SHARED} --dynamic --defined-only)
list(SORT exported)
if(NOT declarations STREQUAL exported)
  message(SEND_ERROR "the header declares ${declarations}\nand the library exports ${exported}")
endif()
