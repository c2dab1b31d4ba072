#!/usr/bin/env bash
# Builds and runs all tests, on a fresh clone of a fresh Debian 12: installs what is missing first.
#
#   tests/run.sh            the release build
#   tests/run.sh --asan     the same under the address and undefined-behaviour sanitizers
#   tests/run.sh --tsan     what threads of the runtime share, under the thread sanitizer
#   tests/run.sh --mpi      training by several processes, started by mpirun
#   tests/run.sh --fuzz     what reads bytes from elsewhere, with libFuzzer; `--fuzz 600` for so many seconds each
#   tests/run.sh --cross    the runtime for Raspberry Pi and Cortex-M, under emulation, Debian packages, the fleet
#   tests/run.sh --ci       all of it, but under the address sanitizer only the libraries that read bytes from elsewhere
set -euo pipefail
cd "$(dirname "$0")/.."

test_preset() {  # PRESET [cmake options]
  cmake --preset "$1" -DBZSCR_BUILD_TESTS=ON "${@:2}" >/dev/null  # the quickstart leaves the tests out
  cmake --build --preset "$1" --target tests/all
  ctest --preset "$1" --parallel "$(nproc)"
}

# The release build whole, as it is installed, and with the tests of several processes.
everything() {
  cmake --preset release -DBZSCR_BUILD_TESTS=ON -DBZSCR_MPI=ON >/dev/null
  cmake --build --preset release
  ctest --preset release --parallel "$(nproc)"
  rm -rf build/installed
  cmake --install build/release --prefix "$PWD/build/installed" >/dev/null
  for program in build/installed/bin/*; do "$program" --help >/dev/null; done
}

# The tests that start threads, and no others.
tsan() {
  cmake --preset tsan -DBZSCR_BUILD_TESTS=ON >/dev/null
  cmake --build --preset tsan
  ctest --preset tsan --parallel "$(nproc)"
}

fuzz() {  # SECONDS
  tools/install_dependencies.sh --fuzz
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz
  tests/fuzz/run.sh "$1"
}

# The models that the tests of other machines read are made by this one.
cross() {
  tools/install_dependencies.sh --cross
  cmake --preset release -DBZSCR_BUILD_TESTS=ON >/dev/null
  cmake --build --preset release  # its packages hold what it has built
  for preset in pi-aarch64 pi-armhf cortex-m4 cortex-m7; do
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset"
  done
  # As the processor of a Pi 3, 4 and 5 (the first two lack dot products), of a Pi 2, and two microcontrollers. Store and
  # packs use no kernels, so that one Pi of each word length runs their tests.
  for preset in pi3 pi4 pi5 pi-armhf cortex-m4 cortex-m7; do
    ctest --preset "$preset" --parallel "$(nproc)"
  done
  tests/packages.sh
  examples/fleet/run.sh --cuts 3  # one of its three devices is a Pi's program
}

# Only the trainer and what starts it: the rest is the release build's.
mpi() {
  tools/install_dependencies.sh --mpi
  cmake --preset mpi -DBZSCR_BUILD_TESTS=ON >/dev/null
  cmake --build --preset mpi --target bzscr_mpi_test
  ctest --preset mpi
}

tools/install_dependencies.sh --tests
case "${1:-}" in
  "") test_preset release ;;
  --asan) test_preset asan -DBZSCR_TEST_SOLVER=ON ;;
  --tsan) tsan ;;
  --fuzz) fuzz "${2:-5}" ;;
  --ci)
    fuzz 5
    test_preset asan -DBZSCR_TEST_SOLVER=OFF
    tsan
    tools/install_dependencies.sh --mpi
    everything
    cross
    ;;
  --mpi) mpi ;;
  --cross) cross ;;
  *)
    echo "run.sh: unknown option '$1'; expected --asan, --tsan, --mpi, --fuzz, --cross, --ci or none" >&2
    exit 2
    ;;
esac
