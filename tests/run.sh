#!/usr/bin/env bash
# Builds and runs all tests, on a fresh clone of a fresh Debian 12: installs what is missing first.
#
#   tests/run.sh            the release build
#   tests/run.sh --asan     the same under the address and undefined-behaviour sanitizers
#   tests/run.sh --all      both: what CI runs
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
  "") presets=(release) ;;
  --asan) presets=(asan) ;;
  --all) presets=(asan release) ;;
  *) echo "run.sh: unknown option '$1'; expected --asan, --all or none" >&2; exit 2 ;;
esac

tools/install_dependencies.sh
for preset in "${presets[@]}"; do
  cmake --preset "$preset" -DBZSCR_BUILD_TESTS=ON >/dev/null  # the quickstart leaves them out
  cmake --build --preset "$preset"
  ctest --preset "$preset" --parallel "$(nproc)"
done
