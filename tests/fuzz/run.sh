#!/usr/bin/env bash
# Fuzzes each reader for the given number of seconds, starting from corpus/ and from newly written valid files. If a
# check fails, the exit code is 1 and the input is saved in build/fuzz/crashes.
#
#   tests/fuzz/run.sh SECONDS [model|pack|log ...]
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?how many seconds for each}
shift
readers=("$@")
[ ${#readers[@]} -gt 0 ] || readers=(model pack log)
build=build/fuzz/tests/fuzz
mkdir -p build/fuzz/crashes
"$build/fuzz_seeds" build/fuzz/seeds
for reader in "${readers[@]}"; do
  mkdir -p "build/fuzz/found/$reader"  # inputs found by this run; the next run starts from them too
  "$build/${reader}_fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=10 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="build/fuzz/crashes/$reader-" \
    "build/fuzz/found/$reader" "tests/fuzz/corpus/$reader" "build/fuzz/seeds/$reader" 2>&1 |
    sed -n "s/^stat::number_of_executed_units: */$reader: executions /p; /ERROR\|runtime error\|does not hold\|Test unit/p"
done
