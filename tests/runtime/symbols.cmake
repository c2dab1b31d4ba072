# Checks the symbols that the libraries need and export.
#
#   cmake -DNM=... -DSTATIC=... -DSHARED=... -DHEADER=... -DMAP=... -P symbols.cmake
#
# Without SHARED it checks the store's archive, which may also need the runtime's functions, strcmp and memchr.
#
# The archive may need only these functions of libc (getauxval to identify the processor), those of the compiler's
# sanitizers, and the compiler's helpers for 64-bit division and atomics on ARM. So it cannot use the heap, stdio,
# exceptions or libstdc++.
set(permitted "^(memcpy|memmove|memset|memcmp|strlen|getauxval|_GLOBAL_OFFSET_TABLE_|__(asan|ubsan|tsan|aeabi|aarch64)_.*)$")

function(symbols result library)
  execute_process(COMMAND ${NM} -P ${ARGN} ${library} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${text}")
  list(FILTER lines EXCLUDE REGEX ":$")  # names of members
  list(TRANSFORM lines REPLACE "[ @].*" "")
  set(${result} ${lines} PARENT_SCOPE)
endfunction()

if(NOT SHARED)
  string(REPLACE "^(" "^(bzscr_rt_[a-z_]+|strcmp|memchr|" permitted "${permitted}")
endif()
symbols(needed ${STATIC} --undefined-only)
symbols(defined ${STATIC} --defined-only)
list(REMOVE_ITEM needed ${defined})
list(FILTER needed EXCLUDE REGEX "${permitted}")
if(needed)
  list(REMOVE_DUPLICATES needed)
  message(SEND_ERROR "${STATIC} needs: ${needed}")
endif()

if(NOT SHARED)
  return()
endif()

# The functions declared in the header, listed in the linker's map and exported by the library must be the same.
file(READ ${HEADER} header)
string(REGEX MATCHALL "BZSCR_RT_API [a-z_0-9 *]+[ *](bzscr_rt_[a-z_0-9]+)\\(" declared "${header}")
list(TRANSFORM declared REPLACE ".*[ *](bzscr_rt_[a-z_0-9]+)\\($" "\\1")
file(STRINGS ${MAP} listed REGEX "^    bzscr_rt_")
list(TRANSFORM listed REPLACE "[ ;]" "")
symbols(exported ${SHARED} --dynamic --defined-only)
list(FILTER exported EXCLUDE REGEX "^BZSCR_RT_[0-9.]+$")  # names of versions
foreach(list declared listed exported)
  list(SORT ${list})
endforeach()
if(NOT declared STREQUAL listed OR NOT declared STREQUAL exported)
  message(SEND_ERROR "the header declares ${declared}\n${MAP} lists ${listed}\n${SHARED} exports ${exported}")
endif()
