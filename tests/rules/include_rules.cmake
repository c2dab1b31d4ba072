# What may depend on what, enforced: scans every #include below SOURCE. DESIGN.md has the same table in
# words, and why each line stands where it stands.
#
#   cmake -DSOURCE=path/to/project -P include_rules.cmake
#
# Each rule is for the files of one folder that match a pattern, and lists what they may include as
# regular expressions of whole names: "OURS" in quotes, <LIBRARIES> in angle brackets, beside the
# language's and the system's own headers. SYSTEM narrows those down where a folder must do without some.
cmake_minimum_required(VERSION 3.22)
if(NOT SOURCE)
  message(FATAL_ERROR "usage: cmake -DSOURCE=path/to/project -P include_rules.cmake")
endif()

# The one public header of the trainer and its errors are everywhere what they are outside.
set(any_system "bzscr_train/error\\.hpp|[a-z_0-9]+(\\.h)?|sys/[a-z_0-9]+\\.h")
# The solver's steps know no files, streams, clocks or options: same input, same output.
set(files_streams_clocks "c?stdio(\\.h)?|[iof]*stream|sstream|filesystem|chrono|c?time(\\.h)?|unistd\\.h|fcntl\\.h|sys/.*|csignal|signal\\.h")
set(schema "bzscr_schema/((class_pack|envelope|model)_generated|format|crc32c)\\.h")
set(envelope_writer "bzscr_schema/envelope_writer\\.h")
set(store_wrapper "bzscr_store/bzscr_store\\.hpp")
set(packs_header "bzscr_pack/bzscr_pack\\.hpp")
set(runtime_header "bzscr_rt/bzscr_rt\\.h")

set(violations)
set(ruled_files)

# rule(FOLDER pattern OURS regex [LIBRARIES regex] [SYSTEM regex] [NEVER regex])
function(rule folder pattern)
  cmake_parse_arguments(PARSE_ARGV 2 may "" "OURS;LIBRARIES;SYSTEM;NEVER" "")
  if(NOT may_SYSTEM)
    set(may_SYSTEM "${any_system}")
  endif()
  file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/${folder}/*.h ${SOURCE}/${folder}/*.hpp ${SOURCE}/${folder}/*.c ${SOURCE}/${folder}/*.cpp)
  foreach(file IN LISTS files)
    if(NOT file MATCHES "^${folder}/(${pattern})$" OR file IN_LIST ruled_files)
      continue()
    endif()
    list(APPEND ruled_files ${file})
    file(STRINGS ${SOURCE}/${file} lines REGEX "^[ \t]*#[ \t]*include")
    foreach(line IN LISTS lines)
      if(line MATCHES "include[ \t]*\"([^\"]+)\"")
        set(name "${CMAKE_MATCH_1}")
        set(permitted "^(${may_OURS})$")
      elseif(line MATCHES "include[ \t]*<([^>]+)>")
        set(name "${CMAKE_MATCH_1}")
        set(permitted "^(${may_SYSTEM}|${may_LIBRARIES})$")
      else()
        set(name "${line}")
        set(permitted "^$")
      endif()
      # mpi.h looks like a system header, and is one file's business.
      if(name STREQUAL "mpi.h" AND NOT file STREQUAL "trainer/comm/mpi.cpp")
        set(permitted "^$")
      endif()
      if(NOT name MATCHES "${permitted}" OR (may_NEVER AND name MATCHES "^(${may_NEVER})$"))
        list(APPEND violations "${file}: may not include ${name}")
      endif()
    endforeach()
  endforeach()
  set(ruled_files ${ruled_files} PARENT_SCOPE)
  set(violations ${violations} PARENT_SCOPE)
endfunction()

# The trainer, in the order in which data flows through it. What is installed needs the standard library alone.
rule(trainer/include ".*" OURS "bzscr_train/.*")
rule(trainer/base ".*" OURS "base/.*" LIBRARIES "fmt/.*")
rule(trainer/types ".*" OURS "types/.*" LIBRARIES "Eigen/.*" NEVER "${files_streams_clocks}")
rule(trainer/comm "mpi\\.cpp" OURS "types/.*|comm/communicator\\.h" LIBRARIES "mpi\\.h|bzscr_train/mpi\\.hpp")
rule(trainer/comm ".*" OURS "types/.*|comm/communicator\\.h")
rule(trainer/data ".*" OURS "(base|types|data)/.*|comm/communicator\\.h" LIBRARIES "Eigen/.*|fmt/.*|omp\\.h|(xxhash|zip|zlib|matio|hdf5)\\.h")
rule(trainer/geometry ".*" OURS "(base|types|data|geometry)/.*|core/(feature_transform|lapack)\\.h" LIBRARIES "Eigen/.*|fmt/.*")
# What passes cost is measured, and nothing but benchmarks and summaries read it.
rule(trainer/core "counters\\.cpp" OURS "core/counters\\.h")
rule(trainer/core ".*" OURS "(types|core)/.*|comm/communicator\\.h" LIBRARIES "Eigen/.*|omp\\.h" NEVER "${files_streams_clocks}")
rule(trainer/solver ".*" OURS "(types|core|solver)/.*" LIBRARIES "Eigen/.*|fmt/.*" NEVER "${files_streams_clocks}")
rule(trainer/baselines ".*" OURS "(types|core|baselines)/.*" LIBRARIES "Eigen/.*" NEVER "${files_streams_clocks}")
rule(trainer/tuning ".*" OURS "comm/communicator\\.h|(types|data|geometry|core|solver|baselines|tuning)/.*"
  LIBRARIES "Eigen/.*|fmt/.*|nlohmann/.*" NEVER "${files_streams_clocks}")
rule(trainer/export ".*" OURS "(base|types|data|export)/.*" LIBRARIES "Eigen/.*|fmt/.*|${schema}|${envelope_writer}")
rule(trainer/report ".*" OURS "(base|report)/.*" LIBRARIES "fmt/.*|nlohmann/.*")
rule(trainer/pipeline ".*" OURS "(base|types|comm|data|geometry|core|solver|baselines|tuning|export|report|pipeline)/.*"
  LIBRARIES "Eigen/.*|fmt/.*|nlohmann/.*|omp\\.h|bzscr_train/bzscr_train\\.hpp" NEVER "iostream|csignal|signal\\.h")

# The runtime: C headers and placement new. Kernels include nothing whose inline functions others share.
rule(runtime/src/kernels ".*" OURS "(arithmetic|kernels)\\.h" SYSTEM "(stddef|stdint|string)\\.h"
  LIBRARIES "(immintrin|cpuid|arm_neon|arm_acle)\\.h|sys/auxv\\.h|asm/hwcap\\.h")
rule(runtime/src ".*" OURS "[a-z_0-9]+\\.h|kernels/(arithmetic|kernels)\\.h|${runtime_header}" SYSTEM "(stddef|stdint|string|float|limits)\\.h|new"
  LIBRARIES "${schema}|flatbuffers/.*" NEVER "support/.*")
# The store shares the runtime's units; only its signatures need a library, and only its back end for files the system.
rule(runtime/store/src "signature_sodium\\.cpp" OURS "signature\\.h" SYSTEM "(stddef|stdint|string)\\.h" LIBRARIES "sodium\\.h")
rule(runtime/store/src ".*" OURS "[a-z_0-9]+\\.h|bzscr_store/bzscr_store\\.h" SYSTEM "(stddef|stdint|string)\\.h|new"
  LIBRARIES "${schema}" NEVER "support/.*")
rule(runtime/store/posix ".*" OURS "bzscr_store/bzscr_store_posix\\.h" SYSTEM "(errno|fcntl|string|unistd|sys/file|sys/stat)\\.h")
# Programs that may allocate and throw have a wrapper, and packs: no trainer, no Eigen, no fmt.
rule(runtime/store/include ".*\\.hpp" OURS "bzscr_store/bzscr_store(_posix)?\\.h" LIBRARIES "bzscr_rt/bzscr_rt\\.hpp")
rule(runtime/packs/include ".*" OURS "" SYSTEM "[a-z_0-9]+")
rule(runtime/packs/src ".*" OURS "[a-z_0-9]+\\.h|${packs_header}" NEVER "support/.*"
  LIBRARIES "${schema}|${envelope_writer}|sodium\\.h|bzscr_rt/bzscr_rt\\.hpp|bzscr_store/bzscr_store\\.h(pp)?")
rule(runtime/store/include ".*" OURS "" LIBRARIES "${runtime_header}|bzscr_store/bzscr_store\\.h" SYSTEM "none")
rule(runtime/include ".*\\.hpp" OURS "${runtime_header}")  # for programs that may allocate and throw
rule(runtime/include ".*" OURS "${runtime_header}" SYSTEM "(stddef|stdint)\\.h")
rule(runtime/size ".*" OURS "${runtime_header}" LIBRARIES "${runtime_header}")

# Tools are programs over what is installed: parse, call, print. A few helpers of the trainer's lowest folder need no
# trainer. Only developers' benchmarks look behind the public headers.
set(helpers "base/(json|spelling|atomic_file|hexadecimal)\\.h")
set(public "bzscr_train/(bzscr_train|error|mpi)\\.hpp|bzscr_rt/bzscr_rt\\.hp*|bzscr_store/bzscr_store(_posix)?\\.hp*|bzscr_pack/bzscr_pack\\.hpp")
rule(tools/bench ".*" OURS "support/.*|bench/.*|(base|types|comm|data|geometry|core|solver|tuning|export|pipeline)/.*"
  LIBRARIES "${public}|Eigen/.*|benchmark/.*|fmt/.*|xnnpack\\.h|oneapi/dnnl/dnnl\\.hpp|cblas\\.h|omp\\.h")
rule(tools/support ".*" OURS "support/.*|base/.*" LIBRARIES "CLI/.*|fmt/.*|${public}|${schema}")
rule(tools "(pack|store)(_[a-z]+)?\\.(h|cpp)" OURS "support/.*|base/spelling\\.h|(pack|store)_[a-z]+\\.h"
  LIBRARIES "fmt/.*|nlohmann/.*|${store_wrapper}|${packs_header}" NEVER "sodium\\.h")
rule(tools ".*" OURS "(support|bench|train|compare|eval|inspect)/.*|export_[a-z]+\\.h|${helpers}" LIBRARIES "fmt/.*|${public}")

# Examples use what is installed.
rule(examples "train_cpp/.*" LIBRARIES "bzscr_train/bzscr_train\\.hpp")
rule(examples "fleet/.*" OURS "[a-z_0-9]+\\.h"
  LIBRARIES "bzscr_rt/bzscr_rt\\.hpp|${store_wrapper}|${packs_header}|mosquitto\\.h|mqtt_protocol\\.h")
rule(examples ".*" OURS "[a-z_0-9]+\\.h" LIBRARIES "${runtime_header}|bzscr_rt/bzscr_rt\\.hpp")

# A folder without a line above is not free of rules: it has yet to get one.
file(GLOB_RECURSE files RELATIVE ${SOURCE}
  ${SOURCE}/trainer/*.h ${SOURCE}/trainer/*.cpp ${SOURCE}/runtime/*.h ${SOURCE}/runtime/*.hpp ${SOURCE}/runtime/*.c ${SOURCE}/runtime/*.cpp)
list(REMOVE_ITEM files ${ruled_files})
foreach(file IN LISTS files)
  list(APPEND violations "${file}: its folder has no rule in tests/rules/include_rules.cmake")
endforeach()

list(LENGTH ruled_files count)
if(count EQUAL 0)
  message(FATAL_ERROR "${SOURCE} holds no source files")
endif()
if(violations)
  list(JOIN violations "\n" text)
  message(FATAL_ERROR "${text}")
endif()
message(STATUS "${count} files include what they may")
