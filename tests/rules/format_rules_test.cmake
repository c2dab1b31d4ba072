# The check itself: cmake -DRULES=... -DCLANG_FORMAT=... -DSTYLE=... -DFOLDER=... -P format_rules_test.cmake
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${FOLDER})
file(COPY ${STYLE} DESTINATION ${FOLDER})

# check(TEXT RESULT): RESULT is 0 where a file of that text passes
function(check text result)
  file(WRITE ${FOLDER}/trainer/core/one.cpp "${text}")
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${FOLDER} -DCLANG_FORMAT=${CLANG_FORMAT} -P ${RULES}
    RESULT_VARIABLE code ERROR_VARIABLE errors)
  set(${result} ${code} PARENT_SCOPE)
  set(errors "${errors}" PARENT_SCOPE)
endfunction()

check("int one() { return 1; }\n" good)
if(good)
  message(FATAL_ERROR "a file that is laid out well fails: ${errors}")
endif()
check("int   one(){return 1;}\n" bad)
if(NOT bad OR NOT errors MATCHES "one.cpp:1")
  message(FATAL_ERROR "a file that is laid out badly passes, or is not named: ${errors}")
endif()
file(REMOVE_RECURSE ${FOLDER}/trainer)
execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${FOLDER} -DCLANG_FORMAT=${CLANG_FORMAT} -P ${RULES}
  RESULT_VARIABLE nothing ERROR_QUIET)
if(NOT nothing)
  message(FATAL_ERROR "a folder without code passes")
endif()
