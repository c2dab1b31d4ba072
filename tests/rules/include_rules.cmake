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

set(any_system "[a-z_0-9]+(\\.h)?|sys/[a-z_0-9]+\\.h")
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

# The trainer, in the order in which data flows through it.
rule(trainer/base ".*" OURS "base/.*" LIBRARIES "fmt/.*")
rule(trainer/types ".*" OURS "types/.*" LIBRARIES "Eigen/.*" NEVER "${files_streams_clocks}")
rule(trainer/comm "mpi\\.cpp" OURS "(base|types)/.*|comm/communicator\\.h" LIBRARIES "mpi\\.h")
rule(trainer/comm ".*" OURS "(base|types)/.*|comm/communicator\\.h")
rule(trainer/data ".*" OURS "(base|types|data)/.*|comm/communicator\\.h" LIBRARIES "Eigen/.*|fmt/.*|(xxhash|zip|zlib|matio)\\.h")
rule(trainer/geometry ".*" OURS "(base|types|data|geometry)/.*" LIBRARIES "Eigen/.*|fmt/.*")
# What passes cost is measured, and nothing but a benchmark reads it.
rule(trainer/core "counters\\.cpp" OURS "core/counters\\.h")
rule(trainer/core ".*" OURS "(types|core)/.*|comm/communicator\\.h" LIBRARIES "Eigen/.*|omp\\.h" NEVER "${files_streams_clocks}")
rule(trainer/solver ".*" OURS "(types|core|solver)/.*" LIBRARIES "Eigen/.*|fmt/.*" NEVER "${files_streams_clocks}")
rule(trainer/baselines ".*" OURS "(types|core|baselines)/.*" LIBRARIES "Eigen/.*" NEVER "${files_streams_clocks}")
rule(trainer/tuning ".*" OURS "comm/communicator\\.h|base/error\\.h|(types|data|geometry|core|solver|baselines|tuning)/.*"
  LIBRARIES "Eigen/.*|omp\\.h|nlohmann/.*" NEVER "${files_streams_clocks}")
rule(trainer/export ".*" OURS "(base|types|data|export)/.*" LIBRARIES "Eigen/.*|fmt/.*|${schema}|${envelope_writer}")
rule(trainer/report ".*" OURS "base/error\\.h|report/.*" LIBRARIES "fmt/.*|nlohmann/.*")
rule(trainer/cli ".*" OURS "(base|types|comm|data|geometry|core|solver|baselines|tuning|export|report|cli)/.*|support/.*"
  LIBRARIES "Eigen/.*|fmt/.*|nlohmann/.*|omp\\.h")

# The runtime: C headers and placement new. Kernels include nothing whose inline functions others share.
rule(runtime/src/kernels ".*" OURS "kernels\\.h" SYSTEM "(stddef|stdint|string)\\.h"
  LIBRARIES "(immintrin|cpuid|arm_neon|arm_acle)\\.h|sys/auxv\\.h|asm/hwcap\\.h")
rule(runtime/src ".*" OURS "[a-z_0-9]+\\.h|kernels/kernels\\.h|${runtime_header}" SYSTEM "(stddef|stdint|string|float|limits)\\.h|new"
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

# Tools score through the public header. Reading data sets, and how results are counted, are the trainer's.
rule(tools "eval\\.cpp" OURS "support/.*|(base|types|data|geometry|core)/.*"
  LIBRARIES "fmt/.*|nlohmann/.*|omp\\.h|${schema}|${runtime_header}")
rule(tools "export\\.cpp" OURS "support/.*|base/.*" LIBRARIES "fmt/.*|${runtime_header}")
rule(tools "convert\\.cpp" OURS "support/.*|(base|types|data|geometry)/.*" LIBRARIES "fmt/.*|${runtime_header}")
rule(tools "embed\\.cpp" OURS "support/.*|(base|types|data)/.*" LIBRARIES "fmt/.*|nlohmann/.*")
rule(tools "(pack|store)(_[a-z]+)?\\.(h|cpp)" OURS "support/.*|base/spelling\\.h|(pack|store)_[a-z]+\\.h"
  LIBRARIES "fmt/.*|nlohmann/.*|${store_wrapper}|${packs_header}" NEVER "sodium\\.h")
rule(tools "compare\\.cpp" OURS "support/.*|(base|types|data|geometry|core|solver|baselines|tuning|export)/.*|cli/libraries\\.h"
  LIBRARIES "fmt/.*|nlohmann/.*|omp\\.h")
rule(tools "report\\.cpp" OURS "support/.*|base/.*|report/.*" LIBRARIES "fmt/.*")
rule(tools/bench "store\\.cpp" OURS "support/.*|export/model_writer\\.h"
  LIBRARIES "fmt/.*|${runtime_header}|bzscr_store/bzscr_store(_posix)?\\.h")
rule(tools/bench "train\\.cpp" OURS "support/.*|(base|types|data|geometry|core|solver|tuning)/.*|cli/libraries\\.h"
  LIBRARIES "fmt/.*|nlohmann/.*|omp\\.h")
rule(tools/bench "(runtime|third_party|memory_speed)\\.(h|cpp)" OURS "bench/.*|export/model_writer\\.h|cli/libraries\\.h"
  LIBRARIES "Eigen/.*|benchmark/.*|xnnpack\\.h|oneapi/dnnl/dnnl\\.hpp|cblas\\.h|omp\\.h|${runtime_header}")
rule(tools/bench "(kernels|eigen_kernels)\\.(h|cpp)" OURS "bench/.*|(base|types|core)/.*|cli/libraries\\.h" LIBRARIES "Eigen/.*|benchmark/.*")
rule(tools "bench\\.cpp" OURS "support/.*|bench/memory_speed\\.h" LIBRARIES "fmt/.*|nlohmann/.*|${runtime_header}")
rule(tools/support ".*" OURS "support/.*|base/.*" LIBRARIES "CLI/.*|fmt/.*")
rule(tools ".*" OURS "support/.*" LIBRARIES "fmt/.*|nlohmann/.*|${schema}|${runtime_header}")

# Examples use what is installed.
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
