# 64-bit Raspberry Pi OS and any other Linux on ARMv8-A: Pi 3, 4, 5, Zero 2. The compiler's baseline has no
# dot products and no float16 arithmetic: files that use them are compiled with their own flags and selected at run
# time.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Tests run under QEMU; the environment variable QEMU_CPU selects the processor (see the test presets).
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
# Libraries of Debian arm64: tools/install_dependencies.sh --cross unpacks them there.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${CMAKE_CURRENT_LIST_DIR}/../../../build/sysroot-arm64)
include(${CMAKE_CURRENT_LIST_DIR}/host_programs.cmake)
