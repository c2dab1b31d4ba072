#!/usr/bin/env bash
# Builds and runs all tests, on a fresh clone of a fresh Debian 12: installs what is missing first.
#
#   tests/run.sh            the release build
#   tests/run.sh --asan     the same under the address and undefined-behaviour sanitizers
#   tests/run.sh --ci       release, and under the sanitizers what reads bytes from elsewhere
set -euo pipefail
cd "$(dirname "$0")/.."

test_preset() {  # PRESET [cmake options]
  cmake --preset "$1" -DBZSCR_BUILD_TESTS=ON "${@:2}" >/dev/null  # the quickstart leaves the tests out
  cmake --build --preset "$1" --target tests/all
  ctest --preset "$1" --parallel "$(nproc)"
}

tools/install_dependencies.sh --tests
case "${1:-}" in
  "") test_preset release ;;
  --asan) test_preset asan -DBZSCR_TEST_SOLVER=ON ;;
  --ci)
    test_preset asan -DBZSCR_TEST_SOLVER=OFF
    test_preset release
    ;;
  *)
    echo "run.sh: unknown option '$1'; expected --asan, --ci or none" >&2
    exit 2
    ;;
esac
