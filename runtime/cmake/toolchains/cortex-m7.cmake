# Cortex-M7: double-precision floats in hardware. Tests run on QEMU's MPS2 board AN500.
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
set(CMAKE_CROSSCOMPILING_EMULATOR
  qemu-system-arm -M mps2-an500 -nographic -semihosting-config enable=on,target=native -kernel)
