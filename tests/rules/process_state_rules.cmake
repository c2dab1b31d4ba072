# The library leaves the process alone: nothing under trainer/ prints, exits, touches signals, starts another program or
# sets what the whole process shares, and no message names an option of a program. A Python process must survive it.
#
#   cmake -DSOURCE=path/to/project -P process_state_rules.cmake
cmake_minimum_required(VERSION 3.22)
set(forbidden
  "omp_set_" "openblas_set_" "setenv *\\(" "putenv *\\(" "execv" "sigaction *\\(" "std::signal *\\(" "std::exit *\\("
  "std::cout" "std::cerr" "stderr" "stdout" "[^a-z_f]printf *\\(" "\"--[a-z]")
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/trainer/*.h ${SOURCE}/trainer/*.hpp ${SOURCE}/trainer/*.cpp)
if(NOT files)
  message(FATAL_ERROR "${SOURCE}/trainer holds no source files")
endif()
foreach(file IN LISTS files)
  if(file STREQUAL "trainer/base/child_process.cpp")
    continue()  # its child is a process of its own
  endif()
  file(STRINGS ${SOURCE}/${file} lines)
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "//.*" "" code "${line}")
    foreach(pattern IN LISTS forbidden)
      if(code MATCHES "${pattern}")
        message(SEND_ERROR "${file}: the library may not do this to its process: ${line}")
      endif()
    endforeach()
  endforeach()
endforeach()
