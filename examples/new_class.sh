#!/usr/bin/env bash
# Prints an embedding for a class that examples/data/caltech does not have, as a table for bzscr-pack and bzscr-store:
# the mean of the embeddings (hypernyms) of the classes that it is like.
#
#   examples/new_class.sh zebra llama okapi > zebra.csv
set -euo pipefail
[ $# -ge 2 ] || { echo "new_class.sh: expected a name and the classes that it is like: zebra llama okapi" >&2; exit 2; }
data=$(cd "$(dirname "$0")" && pwd)/data/caltech
file=$data/embeddings/hypernyms.npy
header=$((10 + $(od -An -t u2 -j 8 -N 2 "$file")))
columns=$((($(stat -L -c %s "$file") - header) / 4 / $(wc -l <"$data/classes.txt")))
od -An -v -t f4 -w$((4 * columns)) -j "$header" "$file" | paste -d' ' "$data/classes.txt" - | awk -v names="$*" '
  BEGIN { count = split(names, name, " "); for (i = 2; i <= count; ++i) like[name[i]] }
  $1 in like { ++found; for (j = 2; j <= NF; ++j) mean[j] += $j / (count - 1) }
  END {
    if (found != count - 1) { print "new_class.sh: expected names of classes.txt after the first" > "/dev/stderr"; exit 2 }
    printf "class"; for (j = 2; j <= NF; ++j) printf ",h%d", j - 1
    printf "\n%s", name[1]; for (j = 2; j <= NF; ++j) printf ",%.9g", mean[j]
    print ""
  }'
