# Installs the runtime, moves the folder, and builds the examples with it: in C with find_package and with pkg-config,
# in C++ with find_package, and as a part of a project that adds this one. All must print the same result for a model.
#
#   cmake -DBUILD=... -DSOURCE=... -DFOLDER=... -DMODEL=... -DLIBDIR=lib -DCC=gcc [-DTOOLCHAIN=...] [-DEMULATOR=...]
#         -P install.cmake
# With -DPREFIX=folder instead of BUILD, it uses the runtime that is installed there.
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE out RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${out}")
  endif()
endfunction()

# Stores the output of a built example in RESULT.
function(answer_of program result)
  execute_process(COMMAND ${EMULATOR} ${program} ${MODEL} INPUT_FILE ${FOLDER}/x.txt OUTPUT_VARIABLE out ERROR_VARIABLE error
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${program}: ${failed}: ${error}")
  endif()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${FOLDER})
if(PREFIX)
  set(prefix "${PREFIX}")
else()
  foreach(component runtime dev)
    run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/first --component ${component})
  endforeach()
  file(RENAME ${FOLDER}/first "${FOLDER}/moved here")
  set(prefix "${FOLDER}/moved here")
endif()
file(WRITE ${FOLDER}/x.txt "1 -2 0.5 0 3 1 1 -1 2 0 0 4 -3 1 0.25 2 -1\n")

foreach(example score_c score_cpp)
  run(${CMAKE_COMMAND} -S ${SOURCE}/examples/${example} -B ${FOLDER}/${example} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_FIND_ROOT_PATH=${prefix} -DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN} -DCMAKE_BUILD_TYPE=Release)
  run(${CMAKE_COMMAND} --build ${FOLDER}/${example})
  answer_of(${FOLDER}/${example}/score ${example})
endforeach()

set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
execute_process(COMMAND pkg-config --cflags --libs bzscr_rt OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags UNIX_COMMAND "${flags}")
run(${CC} -std=c11 ${SOURCE}/examples/score_c/score.c ${flags} "-Wl,-rpath,${prefix}/${LIBDIR}" -o ${FOLDER}/score_pkg_config)
answer_of(${FOLDER}/score_pkg_config pkg_config)

if(NOT TOOLCHAIN)
  # A program of the store, with its libraries from pkg-config.
  file(WRITE ${FOLDER}/store.c "#include <bzscr_store/bzscr_store_posix.h>\n#include <stdio.h>\n"
    "int main(void) { return puts(bzscr_store_status_text(bzscr_store_open(NULL, NULL))) < 0; }\n")
  execute_process(COMMAND pkg-config --cflags --libs bzscr_store OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CC} -std=c11 ${FOLDER}/store.c ${flags} "-Wl,-rpath,${prefix}/${LIBDIR}" -o ${FOLDER}/store)
  run(${FOLDER}/store)

  # A project that adds this one gets the libraries for devices, under the same name, and nothing else.
  file(WRITE ${FOLDER}/part/CMakeLists.txt "cmake_minimum_required(VERSION 3.22)\nproject(part C)\n"
    "add_subdirectory(\"${SOURCE}\" bzscr EXCLUDE_FROM_ALL)\n"
    "if(TARGET bzscr_data OR TARGET bzscr-inspect OR BZSCR_BUILD_TESTS)\n  message(FATAL_ERROR \"too much\")\nendif()\n"
    "add_executable(score \"${SOURCE}/examples/score_c/score.c\")\ntarget_link_libraries(score bzscr_rt::bzscr_rt)\n")
  run(${CMAKE_COMMAND} -S ${FOLDER}/part -B ${FOLDER}/part/build -DCMAKE_BUILD_TYPE=Release)
  run(${CMAKE_COMMAND} --build ${FOLDER}/part/build --target score -j 2)
  answer_of(${FOLDER}/part/build/score part)
  if(NOT part STREQUAL score_c)
    message(FATAL_ERROR "as a part of another project: ${part}")
  endif()
endif()

if(NOT score_c MATCHES "^[0-9.-]+ class [0-9]\n" OR NOT score_cpp STREQUAL score_c OR NOT pkg_config STREQUAL score_c)
  message(FATAL_ERROR "the outputs differ:\n${score_c}\n${score_cpp}\n${pkg_config}")
endif()
