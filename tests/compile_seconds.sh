#!/usr/bin/env bash
# Where the compiling goes: seconds and translation units of each folder, from a build folder's .ninja_log. A unit counts
# with the time from its start to its end, so that figures compare only where as many of them ran side by side.
#
#   tests/compile_seconds.sh [BUILD FOLDER] [DEPTH]     default: build/release 1, top folders alone
set -euo pipefail
log=${1:-$(dirname "$0")/../build/release}/.ninja_log
[ -f "$log" ] || { echo "compile_seconds.sh: no file $log; expected a folder that ninja has built in" >&2; exit 2; }
awk -F'\t' -v depth="${2:-1}" '
  /^#/ || $4 !~ /\.(o|obj|gch|pch)$/ { next }
  { taken[$4] = ($2 - $1) / 1000 }  # of a unit that was compiled again, the last
  END {
    for (unit in taken) {
      count = split(unit, part, "/")
      folder = part[1]
      for (i = 2; i <= depth && i < count && part[i] != "CMakeFiles"; ++i) folder = folder "/" part[i]
      seconds[folder] += taken[unit]; units[folder]++
      all += taken[unit]; all_units++
    }
    for (folder in seconds)
      printf "%8.1f s %4d units %3.0f%%  %s\n", seconds[folder], units[folder], 100 * seconds[folder] / all, folder | "sort -rn"
    close("sort -rn")
    printf "%8.1f s %4d units        all\n", all, all_units
  }' "$log"
