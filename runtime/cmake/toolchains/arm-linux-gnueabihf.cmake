# 32-bit Debian and any other Linux on ARMv7-A with hard floats: Pi 2, 3, 4, Zero 2 on a 32-bit system. The
# compiler's baseline is VFPv3-D16, as in Debian: files that use NEON are compiled with their own flags and selected at
# run time.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(CMAKE_C_COMPILER arm-linux-gnueabihf-gcc)
set(CMAKE_CXX_COMPILER arm-linux-gnueabihf-g++)

set(CMAKE_CROSSCOMPILING_EMULATOR qemu-arm -L /usr/arm-linux-gnueabihf)
# Libraries of Debian armhf: tools/install_dependencies.sh --cross unpacks them there.
set(CMAKE_FIND_ROOT_PATH /usr/arm-linux-gnueabihf ${CMAKE_CURRENT_LIST_DIR}/../../../build/sysroot-armhf)
include(${CMAKE_CURRENT_LIST_DIR}/host_programs.cmake)
