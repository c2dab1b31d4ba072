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
set(schema "bzscr_schema/(class_pack|envelope|model)_generated\\.h")
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
      if(name STREQUAL "mpi.h" AND NOT file STREQUAL "trainer/distributed/mpi.cpp")
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
rule(trainer/types ".*" OURS "types/.*" LIBRARIES "Eigen/.*" NEVER "${files_streams_clocks}")
rule(trainer/distributed "mpi\\.cpp" OURS "types/.*|distributed/processes\\.h" LIBRARIES "mpi\\.h")
rule(trainer/distributed ".*" OURS "types/.*|distributed/processes\\.h")
rule(trainer/data ".*" OURS "(types|data)/.*|distributed/processes\\.h" LIBRARIES "Eigen/.*|fmt/.*|(xxhash|zip|zlib|matio)\\.h")
rule(trainer/geometry ".*" OURS "(types|data|geometry)/.*" LIBRARIES "Eigen/.*|fmt/.*")
# What passes cost is measured, and nothing but a benchmark reads it.
rule(trainer/core "tally\\.cpp" OURS "core/tally\\.h")
rule(trainer/core ".*" OURS "(types|core)/.*|distributed/processes\\.h" LIBRARIES "Eigen/.*|omp\\.h" NEVER "${files_streams_clocks}")
rule(trainer/boost ".*" OURS "(types|core|boost)/.*" LIBRARIES "Eigen/.*|fmt/.*" NEVER "${files_streams_clocks}")
rule(trainer/baselines ".*" OURS "(types|core|baselines)/.*" LIBRARIES "Eigen/.*" NEVER "${files_streams_clocks}")
rule(trainer/tuning ".*" OURS "distributed/processes\\.h|(types|data|geometry|core|boost|baselines|tuning)/.*" LIBRARIES "Eigen/.*|omp\\.h|nlohmann/.*"
  NEVER "${files_streams_clocks}")
rule(trainer/export ".*" OURS "(types|data|export)/.*" LIBRARIES "Eigen/.*|fmt/.*|${schema}")
rule(trainer/report ".*" OURS "types/errors\\.h|report/.*" LIBRARIES "fmt/.*|nlohmann/.*")
rule(trainer/cli ".*" OURS "(types|distributed|data|geometry|core|boost|baselines|tuning|export|report|cli)/.*|(cli_support|command_line|progress_bar)\\.h"
  LIBRARIES "Eigen/.*|fmt/.*|nlohmann/.*|omp\\.h")

# The runtime: C headers and placement new. Kernels include nothing whose inline functions others share.
rule(runtime/src/kernels ".*" OURS "kernels\\.h" SYSTEM "(stddef|stdint|string)\\.h"
  LIBRARIES "(immintrin|cpuid|arm_neon|arm_acle)\\.h|sys/auxv\\.h|asm/hwcap\\.h")
rule(runtime/src ".*" OURS "[a-z_0-9]+\\.h|kernels/kernels\\.h|${runtime_header}" SYSTEM "(stddef|stdint|string|float|limits)\\.h|new"
  LIBRARIES "${schema}|flatbuffers/.*" NEVER "(cli_support|command_line)\\.h")
# The store shares the runtime's units; only its signatures need a library, and only its back end for files the system.
rule(runtime/store/src "signature_sodium\\.cpp" OURS "signature\\.h" SYSTEM "(stddef|stdint|string)\\.h" LIBRARIES "sodium\\.h")
rule(runtime/store/src ".*" OURS "[a-z_0-9]+\\.h|bzscr_store/bzscr_store\\.h" SYSTEM "(stddef|stdint|string)\\.h|new"
  LIBRARIES "${schema}" NEVER "(cli_support|command_line)\\.h")
rule(runtime/store/posix ".*" OURS "bzscr_store/bzscr_store_posix\\.h" SYSTEM "(errno|fcntl|string|unistd|sys/file|sys/stat)\\.h")
rule(runtime/store/include ".*" OURS "" LIBRARIES "${runtime_header}|bzscr_store/bzscr_store\\.h" SYSTEM "none")
rule(runtime/include ".*\\.hpp" OURS "${runtime_header}")  # for programs that may allocate and throw
rule(runtime/include ".*" OURS "${runtime_header}" SYSTEM "(stddef|stdint)\\.h")
rule(runtime/size ".*" OURS "${runtime_header}" LIBRARIES "${runtime_header}")

# Tools score through the public header. Reading data sets, and how results are counted, are the trainer's.
rule(tools "eval\\.cpp" OURS "(cli_support|command_line)\\.h|(types|data|geometry|core)/.*"
  LIBRARIES "fmt/.*|nlohmann/.*|omp\\.h|${schema}|${runtime_header}")
rule(tools "export\\.cpp" OURS "(cli_support|command_line)\\.h|data/output_file\\.h" LIBRARIES "fmt/.*|${runtime_header}")
rule(tools "convert\\.cpp" OURS "(cli_support|command_line)\\.h|(types|data|geometry)/.*" LIBRARIES "fmt/.*|${runtime_header}")
rule(tools "embed\\.cpp" OURS "(cli_support|command_line|progress_bar)\\.h|(types|data)/.*" LIBRARIES "fmt/.*|nlohmann/.*")
rule(tools "(classes|pack_file)\\.(h|cpp)" OURS "(cli_support|command_line|pack_file)\\.h|(types|data)/.*|export/envelope_writer\\.h"
  LIBRARIES "fmt/.*|nlohmann/.*|sodium\\.h|${schema}|${runtime_header}|bzscr_store/bzscr_store(_posix)?\\.h")
rule(tools "bench_store\\.cpp" OURS "(cli_support|command_line)\\.h|export/model_writer\\.h"
  LIBRARIES "fmt/.*|${runtime_header}|bzscr_store/bzscr_store(_posix)?\\.h")
rule(tools "compare\\.cpp" OURS "(cli_support|command_line|progress_bar)\\.h|(types|data|geometry|core|boost|baselines|tuning|export)/.*|cli/libraries\\.h"
  LIBRARIES "fmt/.*|nlohmann/.*|omp\\.h")
rule(tools "report\\.cpp" OURS "(cli_support|command_line)\\.h|types/errors\\.h|data/output_file\\.h|report/.*" LIBRARIES "fmt/.*")
rule(tools "bench_train\\.cpp" OURS "(cli_support|command_line)\\.h|(types|data|geometry|core|boost|tuning)/.*|cli/libraries\\.h"
  LIBRARIES "fmt/.*|nlohmann/.*|omp\\.h")
rule(tools "bench_(runtime|peers|memory)\\.(h|cpp)" OURS "bench_(peers|memory)\\.h|export/model_writer\\.h|cli/libraries\\.h"
  LIBRARIES "Eigen/.*|benchmark/.*|xnnpack\\.h|oneapi/dnnl/dnnl\\.hpp|cblas\\.h|omp\\.h|${runtime_header}")
rule(tools "bench\\.cpp" OURS "(cli_support|command_line|bench_memory)\\.h" LIBRARIES "fmt/.*|nlohmann/.*|${runtime_header}")
rule(tools "bench_(pieces|eigen)\\.(h|cpp)" OURS "bench_eigen\\.h|(types|core)/.*|cli/libraries\\.h" LIBRARIES "Eigen/.*|benchmark/.*")
rule(tools "(cli_support|command_line|progress_bar)\\.(h|cpp)" OURS "(cli_support|command_line|progress_bar)\\.h|data/nearest_name\\.h" LIBRARIES "CLI/.*|fmt/.*")
rule(tools ".*" OURS "(cli_support|command_line)\\.h" LIBRARIES "fmt/.*|nlohmann/.*|${schema}|${runtime_header}")

# Examples use what is installed.
rule(examples "fleet/.*" OURS "[a-z_0-9]+\\.h"
  LIBRARIES "bzscr_rt/bzscr_rt\\.hpp|bzscr_store/bzscr_store_posix\\.h|mosquitto\\.h|mqtt_protocol\\.h")
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
