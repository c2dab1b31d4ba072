# The common part of both Cortex-M toolchain files: newlib, no operating system, semihosting for the output of tests.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # a program would need a linker script
include(${CMAKE_CURRENT_LIST_DIR}/host_programs.cmake)
