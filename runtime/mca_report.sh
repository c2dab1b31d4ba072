#!/usr/bin/env bash
# Prints the cycles per multiply-add of the innermost loops of the AArch64 kernels, as llvm-mca models them with all data
# in the first-level cache, and the lower bound: the same arithmetic without loads and dependencies. Needs
# aarch64-linux-gnu-g++ and llvm-mca (Debian: llvm-19).
#
#   runtime/mca_report.sh
set -euo pipefail
cd "$(dirname "$0")"
mca=$(command -v llvm-mca-19 || command -v llvm-mca) || { echo "mca_report.sh: llvm-mca is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes every innermost loop of an assembly file, from a label to a branch back to it, to a file of its own.
split_loops() {  # FILE PREFIX
  awk -v prefix="$2" '
    /^[_a-zA-Z][^ ]*:/ { body = ""; label = "" }
    /^\.L[0-9]+:/ { label = substr($1, 1, length($1) - 1); body = ""; next }
    /^\t\./ || /^\t*\/\// { next }
    {
      if (label != "") body = body $0 "\n"
      if ($1 ~ /^(b\.|b[a-z]+$|cbn?z|tbn?z)/ && label != "" && $NF == label) { print body > (prefix "." ++n); body = ""; label = "" }
    }' "$1"
}

cycles() {  # CPU FILE: cycles per iteration, averaged over 1000
  "$mca" -mtriple=aarch64-linux-gnu -mcpu="$1" -mattr=+dotprod -iterations=1000 "$2" 2>/dev/null |
    awk '/^Total Cycles:/ { print $3 / 1000; exit }'
}

# Multiply-adds per iteration: the number of lanes of the products.
multiply_adds() {
  awk '$1 == "fmul" && $2 ~ /\.4s/ { n += 4 } $1 ~ /^sm(ull|lal)2?$/ { n += 8 } $1 == "sdot" { n += 16 } END { print n + 0 }' "$1"
}

# The arithmetic without loads; each register is written once: 8 times the instructions for one part of a row.
arithmetic_alone() {  # KIND > FILE
  local r
  for r in 0 1 2 3 4 5 6 7; do
    case $1 in
      float) printf '\tfmul v%d.4s, v30.4s, v31.4s\n\tfadd v%d.4s, v29.4s, v28.4s\n' "$r" $((r + 8)) ;;
      int8) printf '\tsmull v%d.8h, v30.8b, v31.8b\n\tsmlal2 v%d.8h, v30.16b, v31.16b\n\tsadalp v%d.4s, v29.8h\n' "$r" $((r + 8)) $((r + 16)) ;;
      dot) printf '\tsdot v%d.4s, v30.16b, v31.16b\n' "$r" ;;
    esac
  done
}

report() {  # KERNEL KIND CPUS...
  local kernel=$1 kind=$2 cpu loop alone=$work/alone.$2
  arithmetic_alone "$kind" >"$alone"
  for cpu in "${@:3}"; do
    for loop in "$work/$kernel".[0-9]*; do
      case $kind in
        float) grep -q fmul "$loop" && ! grep -q fcvtl "$loop" || continue ;;
        int8) grep -q smull "$loop" || continue ;;
        dot) grep -q sdot "$loop" || continue ;;
      esac
      awk -v kernel="$kernel" -v kind="$kind" -v cpu="$cpu" -v cycles="$(cycles "$cpu" "$loop")" -v n="$(multiply_adds "$loop")" \
        -v alone="$(cycles "$cpu" "$alone")" -v most="$(multiply_adds "$alone")" -v instructions="$(grep -c . "$loop")" 'BEGIN {
          if (n < 32) exit  # the loop over the rest of a row
          printf "%-13s %-6s %-12s %4d multiply-adds, %3d instructions, %6.1f cycles: %.3f per multiply-add, lower bound %.3f: %3.0f%%\n",
            kernel, kind, cpu, n, instructions, cycles, cycles / n, alone / most, 100 * (alone / most) / (cycles / n) }'
    done
  done
}

compile() {  # KERNEL [flags]
  aarch64-linux-gnu-g++ -std=c++17 -O3 -fno-exceptions -fno-rtti -ffp-contract=off -fno-math-errno "${@:2}" -S "src/kernels/$1.cpp" -o "$work/$1.s"
  split_loops "$work/$1.s" "$work/$1"
}

compile neon
compile neon_dotprod -march=armv8.2-a+dotprod
report neon float cortex-a53 cortex-a72 neoverse-n1
report neon int8 cortex-a53 cortex-a72 neoverse-n1
report neon_dotprod dot neoverse-n1
