# Cortex-M4F: single-precision floats in hardware, no caches. Tests run on QEMU's MPS2 board AN386.
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR
  qemu-system-arm -M mps2-an386 -nographic -semihosting-config enable=on,target=native -kernel)
