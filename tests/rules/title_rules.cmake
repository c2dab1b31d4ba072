# No test's title holds a semicolon: ctest would cut it in two, and the test would never run.
#
#   cmake -DSOURCE=path/to/project -P title_rules.cmake
cmake_minimum_required(VERSION 3.22)
file(GLOB_RECURSE files ${SOURCE}/tests/*_test.cpp)
if(NOT files)
  message(FATAL_ERROR "${SOURCE}/tests: no *_test.cpp")
endif()
foreach(file IN LISTS files)
  file(READ ${file} text)
  string(REGEX MATCH "TEST_CASE[A-Z_]*\\(\"[^\"\n]*;[^\"\n]*\"" found "${text}")
  if(found)
    message(SEND_ERROR "${file}: ${found}: a title may not hold a semicolon")
  endif()
endforeach()
