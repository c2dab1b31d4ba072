#!/usr/bin/env bash
# Table 2 of the paper beside what the methods come to on data that you have. --help tells how.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
  cat <<'TEXT'
Usage: reproduce.sh [--awa DATA] [--cub DATA] [-o DIR] [-- OPTIONS OF bzscr-compare]

Prints the figures of Pi, Li and Zhang (IJCAI 2017, Table 2) beside those of bzscr-compare on

  --awa DATA             Animals with Attributes: features of VGG reduced to 512 dimensions by PCA, word2vec
  --awa-embedding NAME   default word2vec
  --cub DATA             CUB-200-2011: features of GoogLeNet (1024), attributes (312)
  --cub-embedding NAME   default att
  -o DIR                 where converted data and results go; default reproduced. Results that are there already of the
                         other data set are printed too

DATA is any data set that bzscr-train reads: a folder of .npy, .csv or .tsv files, an archive .npz, or the folder
of res101.mat and att_splits.mat of the xlsa17 benchmark with embeddings/NAME.npy beside them. Nothing is
written there. Delta is the paper's: paths through WordNet for AWA, unless DATA has a divergence.npy; cosines of
the attributes for CUB. Hyper-parameters are chosen on validation classes: the paper reports the best of a grid.

Needs bzscr-convert and bzscr-compare in the PATH, and jq.
TEXT
}

fail() { echo "reproduce.sh: $1" >&2; exit 2; }

# Which class of AWA is which noun: the names alone have several senses.
write_synsets() {  # FOLDER
  awk -F'\t' -v folder="$1" '
    function plain(name) { gsub(/[+_-]/, " ", name); return tolower(name) }
    FNR == NR { if ($0 !~ /^#/) id[plain($1)] = $2; next }
    !(plain($0) in id) { print "reproduce.sh: " folder "/classes.txt:" FNR ": \"" $0 "\" is no class of AWA; expected its 50 names, a divergence.npy, or a synsets.txt" > "/dev/stderr"; exit 2 }
    { print id[plain($0)] }' "$here/awa_synsets.tsv" "$1/classes.txt" > "$out/synsets.new"
  mv "$out/synsets.new" "$1/synsets.txt"
}

convert() {  # NAME DATA EMBEDDING
  echo "== $1: $2"
  bzscr-convert "$2" "$out/$1" --embedding "$3" --force
}

compare() {  # NAME PAPER'S DATA
  echo "the paper's: $2"
  case " ${options[*]} " in *" --methods"[\ =]*) methods=() ;; *) methods=(--methods bzscr,boosting,sje,ale,nr,cca) ;; esac
  bzscr-compare "$out/$1" --json "${methods[@]}" "${options[@]}" > "$out/$1.json.new"
  mv "$out/$1.json.new" "$out/$1.json"
}

# METHOD<TAB>mean Delta<TAB>error rate, with the names of Table 2. Of SJE and ALE the better form counts, as there.
figures() {  # NAME
  [ -f "$out/$1.json" ] || return 0
  jq -r '
    def paper_name:
      (ascii_downcase | gsub("[^a-z]"; "")) as $word
      | [["bzscr", "BZ-SCR"], ["boosting", "Boosting"], ["sje", "SJE"], ["ale", "ALE"], ["nr", "NR"], ["cca", "CCA"]]
      | map(select(.[0] as $begin | $word | startswith($begin)))[0][1];
    [.methods[] | select((.method | paper_name) and .error_rate != null) | {name: (.method | paper_name), mean_delta, error_rate}]
    | group_by(.name)[] | min_by(.error_rate) | [.name, .mean_delta, .error_rate] | @tsv' "$out/$1.json"
}

table() {
  awk -F'\t' -v awa="$out/awa.figures" -v cub="$out/cub.figures" '
    function read_figures(file, set,   line, part) {
      while ((getline line < file) > 0) { split(line, part, "\t"); delta[set, part[1]] = part[2]; error[set, part[1]] = part[3] }
    }
    function ours(values, set, name,   text) {
      text = (set, name) in values ? sprintf("%.4f", values[set, name]) : "-"
      sub(/^0\./, ".", text)
      return text
    }
    BEGIN {
      read_figures(awa, "awa"); read_figures(cub, "cub")
      print "            AWA                                 CUB"
      print "            mean Delta        error rate        mean Delta        error rate"
      print "            paper    ours     paper    ours     paper    ours     paper    ours"
    }
    /^#/ { next }
    { printf "%-10s  %-8s %-8s %-8s %-8s %-8s %-8s %-8s %s\n", $1, $2, ours(delta, "awa", $1), $3, ours(error, "awa", $1), $4, ours(delta, "cub", $1), $5, ours(error, "cub", $1) }
  ' "$here/table2.tsv"
}

awa= cub= awa_embedding=word2vec cub_embedding=att out=reproduced options=()
while [ $# -gt 0 ]; do
  case "$1" in
    -h|--help) usage; exit 0 ;;
    --) shift; options=("$@"); break ;;
    --awa|--awa-embedding|--cub|--cub-embedding|-o)
      [ $# -ge 2 ] || fail "$1 is followed by nothing; expected a value"
      case "$1" in
        --awa) awa=$2 ;;
        --awa-embedding) awa_embedding=$2 ;;
        --cub) cub=$2 ;;
        --cub-embedding) cub_embedding=$2 ;;
        -o) out=$2 ;;
      esac
      shift 2 ;;
    *) fail "unknown argument '$1'; expected --awa DATA or --cub DATA (--help tells more)" ;;
  esac
done
[ -n "$awa$cub" ] || { usage >&2; exit 2; }
for program in bzscr-convert bzscr-compare jq; do
  command -v "$program" >/dev/null || fail "$program is not in the PATH"
done
mkdir -p "$out"

if [ -n "$awa" ]; then
  convert awa "$awa" "$awa_embedding"
  if [ ! -f "$out/awa/divergence.npy" ]; then
    [ -f "$out/awa/synsets.txt" ] || write_synsets "$out/awa"
    bzscr-convert "$out/awa" "$out/awa" --divergence wordnet --force >/dev/null
  fi
  compare awa "30475 samples, 512 features (VGG, PCA), 40 + 10 classes, word2vec (300)"
fi
if [ -n "$cub" ]; then
  convert cub "$cub" "$cub_embedding"
  [ -f "$out/cub/divergence.npy" ] || bzscr-convert "$out/cub" "$out/cub" --divergence cosine --force >/dev/null
  compare cub "11788 samples, 1024 features (GoogLeNet), 150 + 50 classes, attributes (312)"
fi

figures awa > "$out/awa.figures"
figures cub > "$out/cub.figures"
echo
table | tee "$out/table2.txt"
echo
echo "Figures are comparable where samples, features, classes and embedding are the paper's."
