#!/usr/bin/env bash
# A fleet of three devices on this machine, with a real MQTT broker between. --help tells what it shows.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)

usage() {
  cat <<'TEXT'
Usage: run.sh [--installed] [--cuts N] [--keep DIR]

Trains on the classes of examples/data/caltech that have training samples, starts mosquitto on the loopback and three
devices with that model, and gives them by signed packs the 20 classes that were never trained on. Shows how long that
takes and what it does to accuracy; that forged, stale, foreign, unsigned and damaged packs change nothing; that a device
whose power is cut in an update is exactly as before it or after it, and catches up; that all devices give the same
answers, bit for bit; that what one device is taught by three examples all devices know. Ends with an error if any of that does not hold.

  --installed  bzscr-train, bzscr-pack, bzscr-store and bzscr-fleet-device are in the PATH: build nothing, all devices native.
               Otherwise everything is built, and where aarch64-linux-gnu-g++ and qemu-aarch64 are installed
               (tools/install_dependencies.sh --cross), the third device is built for the Raspberry Pi and emulated
  --cuts N     power cuts at random moments, beside those at each write and sync of an update; default 10
  --keep DIR   work in DIR, which must not be there yet, and leave it
TEXT
}

fail() { echo "run.sh: $1" >&2; exit 1; }
say() { printf '\n== %s\n' "$1"; }

installed= keep= cuts=10
while [ $# -gt 0 ]; do
  case "$1" in
    -h|--help) usage; exit 0 ;;
    --installed) installed=1; shift ;;
    --cuts|--keep)
      [ $# -ge 2 ] || { echo "run.sh: $1 is followed by nothing; expected a value" >&2; exit 2; }
      [ "$1" = --cuts ] && cuts=$2 || keep=$2
      shift 2 ;;
    *) echo "run.sh: unknown argument '$1'; expected --installed, --cuts N or --keep DIR (--help tells more)" >&2; exit 2 ;;
  esac
done
[[ $cuts =~ ^[0-9]+$ ]] || { echo "run.sh: --cuts: '$cuts' is no number" >&2; exit 2; }
if [ -n "$keep" ]; then
  mkdir -p "$(dirname "$keep")" && mkdir "$keep" || exit 2
  work=$(cd "$keep" && pwd)
else
  work=$(mktemp -d)
fi

loose=  # a device that is not among the shell's jobs
clean_up() {
  local status=$? running
  trap '' INT TERM  # to the end
  running=$(jobs -rp)
  disown -a  # the shell shall not report their end
  kill -KILL $running $loose 2>/dev/null || true
  if [ $status -ne 0 ]; then
    for log in "$work"/device*.log; do [ -f "$log" ] && { echo "-- $(basename "$log")" >&2; tail -n 15 "$log" >&2; }; done
  fi
  [ -n "$keep" ] || rm -rf "$work"
}
trap clean_up EXIT

# Programs

emulator=() third="native too"
# build_device INSTALLED BUILD [cmake options]: the example, as a user builds it from what is installed
build_device() {
  cmake -S "$here" -B "$2" -G Ninja -DCMAKE_PREFIX_PATH="$1" -DCMAKE_BUILD_TYPE=Release "${@:3}" >/dev/null
  cmake --build "$2"
}
build_libraries() {  # BUILD INSTALLED [more targets]
  cmake --build "$1" --target bzscr_rt bzscr_rt_shared bzscr_store bzscr_pack "${@:3}"
  for component in runtime dev; do cmake --install "$1" --prefix "$2" --component $component >/dev/null; done
}
build() {
  say "Build"
  cd "$project"
  tools/install_dependencies.sh --fleet
  cmake --preset release -DBZSCR_BUILD_TESTS=OFF >/dev/null
  build_libraries build/release "$work/installed" bzscr-train bzscr-pack bzscr-store
  build_device "$work/installed" "$work/build"
  export PATH="$work/build:$project/build/release/tools:$PATH"

  if ! command -v aarch64-linux-gnu-g++ >/dev/null || ! command -v qemu-aarch64 >/dev/null; then
    echo "no aarch64-linux-gnu-g++ or no qemu-aarch64: all three devices are native"
    return
  fi
  local arm64=$project/build/fleet-arm64
  tools/foreign_libraries.sh arm64 "$arm64" libmosquitto-dev libmosquitto1 libssl3 libsodium-dev libsodium23
  local include=$arm64/usr/include lib=$arm64/usr/lib/aarch64-linux-gnu
  cmake --preset pi-aarch64 -B build/fleet-pi --no-warn-unused-cli -DBZSCR_BUILD_TESTS=OFF -DBZSCR_STORE_SIGNATURES=ON \
    -DSODIUM_INCLUDE_DIR="$include" -DSODIUM_LIBRARY="$lib/libsodium.so" >/dev/null
  build_libraries build/fleet-pi "$work/installed-pi"
  build_device "$work/installed-pi" "$work/build-pi" -DCMAKE_FIND_ROOT_PATH="$work/installed-pi" \
    -DCMAKE_TOOLCHAIN_FILE="$project/runtime/cmake/toolchains/aarch64-linux-gnu.cmake" \
    -DMOSQUITTO_INCLUDE_DIR="$include" -DMOSQUITTO_LIBRARY="$lib/libmosquitto.so" \
    -DCMAKE_EXE_LINKER_FLAGS="-L$lib -Wl,-rpath-link,$lib"
  emulator=(qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$lib")
  third="a Raspberry Pi's program, emulated by qemu-aarch64"
}
[ -n "$installed" ] || build
for program in bzscr-train bzscr-pack bzscr-store bzscr-fleet-device mosquitto mosquitto_pub mosquitto_sub mosquitto_passwd openssl socat jq strace; do
  PATH="$PATH:/usr/sbin" command -v "$program" >/dev/null || fail "$program is not in the PATH"
done
export PATH="$PATH:/usr/sbin"
cd "$work"

# Data: what is trained on, and what is not. The new classes come in the order of unseen_classes.txt.

data=$project/examples/data/caltech
rows() {  # FILE.npy TYPE BYTES_OF_A_ROW: its rows as text; TYPE as for od
  local header=$((10 + $(od -An -t u2 -j 8 -N 2 "$1")))
  od -An -v -t "$2" -w"$3" -j "$header" "$1"
}

# trained/: a data set of the other classes. test.tsv: CLASS <tab> FEATURE, samples that nobody trains on.
split_samples() {
  mkdir -p trained/embeddings
  rows "$data/test_seen.npy" d4 4 > test_rows
  rows "$data/labels.npy" d4 4 > labels
  rows "$data/features.npy" f4 $((96 * 4)) | paste labels - | awk '
    function columns(file, letter, count,   j) { printf "class" > file; for (j = 1; j <= count; ++j) printf ",%s%d", letter, j > file; print "" > file }
    FILENAME == ARGV[1] { is_new[$1]; next }
    FILENAME == ARGV[2] { name[FNR - 1] = $1; next }
    FILENAME == ARGV[3] { is_test[$1 + 0]; next }
    FNR == 1 { columns("trained/features.csv", "x", NF - 1); print "sample" > "trained/test_seen.csv" }
    {
      class = name[$1]; $1 = class
      if (class in is_new || FNR - 1 in is_test) { line = $0; sub(/^[^ ]* /, class "\t", line); print line > "test.tsv" }
      if (class in is_new) next
      if (FNR - 1 in is_test) print kept > "trained/test_seen.csv"
      ++kept
      gsub(/ /, ","); print > "trained/features.csv"
    }' "$data/unseen_classes.txt" "$data/classes.txt" test_rows -
  rows "$data/embeddings/hypernyms.npy" f4 $((52 * 4)) | paste -d' ' "$data/classes.txt" - | awk '
    FILENAME == ARGV[1] { is_new[$1]; next }
    FNR == 1 { header = "class"; for (j = 1; j < NF; ++j) header = header ",a" j; print header > "new.csv"; print header > "trained/embeddings/hypernyms.csv" }
    { file = $1 in is_new ? "new.csv" : "trained/embeddings/hypernyms.csv"; $1 = $1; gsub(/ /, ","); print > file }' "$data/unseen_classes.txt" -
  cp "$data/validation_classes.txt" trained/
  mapfile -t new < "$data/unseen_classes.txt"
}

say "Train on 74 classes; 20 others stay apart"
split_samples
bzscr-train trained -o model.bzscr --quiet
bzscr-train "$data" --embedding hypernyms --nu 0.1 --beta 0 --no-calibration -o other.bzscr --quiet  # on other data

# pack NUMBER [MODEL [KEY [NAME]]]: the first NUMBER new classes, counter NUMBER. What a topic retains is the last pack
# alone, so each holds all that is new. When no class is left, a trained one gets another name each time.
bzscr-pack keygen shop
bzscr-pack keygen stranger >/dev/null
pack() {
  local count=$(($1 < ${#new[@]} ? $1 : ${#new[@]})) options=()
  head -n $((count + 1)) new.csv > pack.csv
  [ -z "${3-shop.key}" ] || options+=(--key "${3-shop.key}")
  [ "$1" -le ${#new[@]} ] || options+=(--rename "Faces=${4-Faces $1}")
  bzscr-pack pack "${2:-model.bzscr}" -o "$1.bzpack" --counter "$1" --embeddings pack.csv "${options[@]}" >/dev/null
}

# The broker: two listeners, in clear for the demonstration and with TLS and passwords as it ought to be

make_certificates() {
  local key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
  {
    openssl req -x509 "${key[@]}" -keyout ca.key -out ca.crt -days 2 -subj /CN=fleet-ca &&
      openssl req "${key[@]}" -keyout broker.key -out broker.csr -subj /CN=localhost &&
      openssl x509 -req -in broker.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out broker.crt -days 2 \
        -extfile <(echo subjectAltName=DNS:localhost,IP:127.0.0.1)
  } > openssl.log 2>&1 || { cat openssl.log >&2; fail "no certificates"; }
}

start_broker() {
  mosquitto -c broker.conf >broker.log 2>&1 &
  broker=$!
  until grep -q ' running$' broker.log; do
    kill -0 "$broker" 2>/dev/null || return 1
    sleep 0.02
  done
}

find_ports() {
  for ((try = 0; try < 20; ++try)); do
    port=$((20000 + RANDOM % 20000)) tls_port=$((port + 1))
    cat > broker.conf <<CONF
per_listener_settings true
persistence true
persistence_location $work/broker/
user $(id -un)
listener $port 127.0.0.1
allow_anonymous true
listener $tls_port 127.0.0.1
certfile broker.crt
keyfile broker.key
password_file passwords
CONF
    start_broker && return
  done
  cat broker.log >&2
  fail "the broker does not start"
}

publish() { mosquitto_pub -h 127.0.0.1 -p "$port" -V 5 -q 1 -t bzscr/packs "$@"; }

# Devices

declare -A device_pid device_dead
device_command() {  # NUMBER: fills `command`
  command=(bzscr-fleet-device)
  if [ "$1" = 3 ] && [ ${#emulator[@]} -gt 0 ]; then command=("${emulator[@]}" "$work/build-pi/bzscr-fleet-device"); fi
  command+=(--model model.bzscr --store "store$1" --trust shop.pub --socket "device$1.socket" --broker 127.0.0.1 --id "device$1" --largest-pack 65536)
  if [ "$1" = 1 ]; then
    command+=(--port "$tls_port" --cafile ca.crt --username device1 --password-file device1.password)
  else
    command+=(--port "$port")
  fi
}
start_device() {  # NUMBER [PROGRAM BEFORE IT]...
  local number=$1 command
  shift
  device_command "$number"
  "$@" "${command[@]}" </dev/null 2>>"device$number.log" &
  device_pid[$number]=$!
}

stop_device() {  # NUMBER: power off
  [ "${device_pid[$1]}" = "$loose" ] || disown "${device_pid[$1]}"  # the shell shall not report it
  kill -KILL "${device_pid[$1]}" 2>/dev/null || true  # strace may have been first
  loose=
  until_status "$1" '.online == false'  # the broker says it for it
}
last_status() { sed -n "s/^bzscr.status.device$1 //p" statuses | tail -n 1; }
is_online() { [[ $(last_status "$1") == *'"online":true'* ]]; }
reason_of() { last_status "$1" | jq -r .last.reason; }

# until_status NUMBER EXPRESSION: waits until the last word of a device makes the expression (of jq) true
until_status() {
  local last deadline=$((SECONDS + 60))
  while [ $SECONDS -lt $deadline ]; do
    last=$(last_status "$1")
    [ -n "$last" ] && jq -e "$2" <<<"$last" >/dev/null && return
    sleep 0.02
  done
  fail "device $1 did not come to '$2'; its last word: ${last:-none}"
}
table_of() { bzscr-store list --store "store$1" --model model.bzscr --json; }

# score NUMBER: all test samples by a device, to answersNUMBER
score() { cut -f2 test.tsv | socat -t 60 - UNIX-CONNECT:"device$1.socket" > "answers$1"; }

# accuracy ANSWERS COUNT: of seen classes, of the first COUNT new ones, of both
accuracy() {
  paste <(cut -f1 test.tsv) "$1" | awk -F'\t' -v count="$2" '
    NR == FNR { if (FNR <= count) is_new[$1]; all_new[$1]; next }
    $1 in all_new && !($1 in is_new) { next }
    { kind = $1 in is_new ? "new" : "trained"; ++n[kind]; right[kind] += $1 == $4 }
    function share(a, b) { return b > 0 ? sprintf("%3d of %3d (%.3f)", a, b, a / b) : "          -" }
    END { print "trained classes " share(right["trained"], n["trained"]) ", new " share(right["new"], n["new"]) ", all " share(right["trained"] + right["new"], n["trained"] + n["new"]) }
  ' "$data/unseen_classes.txt" -
}
right_of() { paste <(cut -f1 test.tsv) "$1" | awk -F'\t' -v name="$2" '$1 == name && $4 == name { ++k } END { print k + 0 }'; }

# first_score NUMBER NAME LINE: asks a device the same over and over until the answer is the class NAME. Into firstNUMBER:
# when that was, the longest answer before the pack was published, and since.
first_score() {
  local reply begun ended took before=0 since=0
  coproc ASK { socat - UNIX-CONNECT:"device$1.socket"; }
  for ((asked = 0; asked < 20000; ++asked)); do
    begun=${EPOCHREALTIME/./}
    echo "$3" >&"${ASK[1]}"
    read -r -u "${ASK[0]}" reply
    ended=${EPOCHREALTIME/./} took=$((ended - begun))
    if [ -f published ]; then ((took <= since)) || since=$took; else ((asked == 0 || took <= before)) || before=$took; fi
    [ "${reply##*$'\t'}" = "$2" ] && { echo "$ended $before $since" > "first$1"; break; }
    [ "$asked" = 100 ] && : > "asking$1"
    sleep 0.001
  done
  kill "$ASK_PID"
}

make_certificates
echo "only device 1 knows" > device1.password
touch passwords && chmod 600 passwords device1.password
mosquitto_passwd -b passwords device1 "$(cat device1.password)" 2>/dev/null
mkdir broker
find_ports
mosquitto_sub -h 127.0.0.1 -p "$port" -V 5 -q 1 -v -t 'bzscr/status/+' > statuses 2>/dev/null &

say "Three devices: the first over TLS with a password, the third $third"
for number in 1 2 3; do start_device $number; done
for number in 1 2 3; do until_status $number '.online and .counter == 0 and .classes == 74'; done
grep '^bzscr' statuses
# Whoever does not know the broker's authority does not talk to it.
cp ca.crt right.crt && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout wrong.key -out ca.crt -days 2 -subj /CN=other 2>/dev/null
stop_device 1 && start_device 1
for ((try = 0; try < 1000; ++try)); do grep -q "device1: no connection" device1.log && break; sleep 0.02; done
is_online 1 && fail "device 1 does not look at the broker's certificate"
kill -TERM "${device_pid[1]}" && wait "${device_pid[1]}"
cp right.crt ca.crt && start_device 1
until_status 1 .online
for number in 1 2 3; do score $number; done
same_answers() {
  for number in 2 3; do cmp "answers1" "answers$number" || fail "devices 1 and $number answer differently"; done
  echo "all three devices answer the same, bit for bit"
}
same_answers
cp answers1 before

say "A pack with a class that was never trained on: ${new[0]}"
pack 1
# A sample of the class that will be told from all others, as the workstation can tell beforehand.
bzscr-store apply 1.bzpack --store workstation --model model.bzscr --trust shop.pub >/dev/null
cut -f2 test.tsv | bzscr-fleet-device --model model.bzscr --store workstation > expected
sample=$(paste <(cut -f1 test.tsv) expected <(cut -f2 test.tsv) | awk -F'\t' -v name="${new[0]}" '$1 == name && $4 == name && !found++ { print $5 }')
[ -n "$sample" ] || fail "no sample of ${new[0]} is recognised"
for number in 1 2 3; do
  first_score $number "${new[0]}" "$sample" &
  watchers[number]=$!
done
for number in 1 2 3; do while [ ! -f asking$number ]; do kill -0 ${watchers[number]}; sleep 0.02; done; done
: > published
published=${EPOCHREALTIME/./}
publish -r -f 1.bzpack
for number in 1 2 3; do
  wait ${watchers[number]}
  read -r at before since < first$number || fail "device $number never scored ${new[0]}"
  awk -v n=$number -v t=$((at - published)) -v b="$before" -v s="$since" 'BEGIN {
    printf "device %d: %.3f s from publishing to the first score of the new class; the longest answer took %.1f ms meanwhile, %.1f ms before\n", n, t / 1e6, s / 1e3, b / 1e3 }'
  until_status $number '.counter == 1 and .classes == 75 and .taken == 1'
done
for number in 1 2 3; do score $number; done
same_answers
cmp -s answers1 expected || fail "the devices answer differently from the workstation"
echo "before: $(accuracy before 1)"
echo "after:  $(accuracy answers1 1)"
[ "$(right_of before "${new[0]}")" = 0 ] || fail "${new[0]} was known before its pack"
[ "$(right_of answers1 "${new[0]}")" -gt 0 ] || fail "${new[0]} is not recognised"

say "Packs that must be refused, on all devices"
pack 2
publish -r -f 2.bzpack
for number in 1 2 3; do until_status $number '.counter == 2 and .classes == 76'; done
for number in 1 2 3; do table_of $number > table$number; score $number; cp answers$number answers$number.before; done
pack 9 && mv 9.bzpack good.bzpack
# Whoever knows the public key can write a key file with its id, and sign with a secret of their own.
read -r _ id open < shop.pub
read -r _ _ secret < stranger.key
echo "bzscr-secret-key $id ${secret:0:64}$open" > forger.key
tried=0
# refused REASON WHAT FILE: publishes
refused() {
  publish -f "$3"
  tried=$((tried + 1))
  for number in 1 2 3; do
    until_status $number ".refused == $tried"
    [ "$(reason_of $number)" = "$1" ] || fail "device $number refused $2 for '$(reason_of $number)', expected '$1'"
  done
  echo "$2: $1"
}
pack 9 model.bzscr forger.key && refused forged "forged" 9.bzpack
refused stale "older than the last" 1.bzpack
head -c $(($(stat -c %s good.bzpack) / 2)) good.bzpack > cut.bzpack && refused pack-damaged "truncated" cut.bzpack
pack 9 model.bzscr stranger.key && refused unknown-key "signed by a stranger" 9.bzpack
pack 9 model.bzscr "" && refused unsigned "not signed" 9.bzpack
pack 9 other.bzscr && refused wrong-model "for a model of other data" 9.bzpack
head -c 1000 model.bzscr > nonsense && refused pack-damaged "a piece of a model" nonsense
head -c 5000 /dev/urandom > nonsense && refused not-a-pack "noise" nonsense
head -c 65537 /dev/zero > nonsense && refused too-large "more than a device takes" nonsense
flip() {  # FILE BYTE BIT
  local byte
  byte=$(od -An -t u1 -j "$2" -N 1 "$1")
  printf "\\x$(printf %x $((byte ^ (1 << $3))))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
flips=20 size=$(stat -c %s good.bzpack)
for ((i = 0; i < flips; ++i)); do
  cp good.bzpack flipped.bzpack
  flip flipped.bzpack $((i * (size - 1) / (flips - 1))) $((RANDOM % 8))
  publish -f flipped.bzpack
done
tried=$((tried + flips))
for number in 1 2 3; do until_status $number ".refused == $tried"; done
echo "one bit flipped, at $flips places from end to end: refused"
head -c 200000 /dev/zero | publish -s  # the broker does not even deliver what is larger than devices said they take
for number in 1 2 3; do
  table_of $number | cmp - table$number || fail "device $number: a refused pack changed the table"
  score $number
  cmp answers$number answers$number.before || fail "device $number: a refused pack changed answers"
  until_status $number ".refused == $tried and .counter == 2 and .taken == 2"
done
echo "$tried packs tried on each of three devices, 0 accepted; tables and answers are as before"

say "Device 2 loses its power in an update"
counter=2 cut_before=0 cut_after=0
publish_next() {
  counter=$((counter + 1))
  pack $counter
  table_of 1 > before.json
  publish -r -f $counter.bzpack
}
# What device 2's files hold now is the table before the pack or after it; then it starts, and has it.
check_cut() {
  for number in 1 3; do until_status $number ".counter == $counter"; done
  table_of 1 > after.json
  cmp -s before.json after.json && fail "pack $counter changes nothing"
  table_of 2 > cut.json
  if cmp -s cut.json before.json; then cut_before=$((cut_before + 1))
  elif cmp -s cut.json after.json; then cut_after=$((cut_after + 1))
  else fail "device 2 is neither as before pack $counter nor as after it"; fi
  start_device 2
  until_status 2 ".online and .counter == $counter and .refused == 0 and (.last.result | IN(\"taken\", \"unchanged\"))"
  table_of 2 | cmp - after.json || fail "device 2 did not catch up with pack $counter"
}
# At every write and every sync: strace sends the signal as the program enters the call.
start_traced() {  # CALL NUMBER_OF_IT; fails if that came before the device was online
  stop_device 2
  start_device 2 strace -D -f -qq -o strace.log -e trace="$1" -e inject="$1":signal=KILL:when="$2"
  loose=${device_pid[2]}
  disown "$loose"
  until is_online 2; do
    kill -0 "$loose" 2>/dev/null || return 1
    sleep 0.02
  done
}
points=0 starts=0
for call in pwrite64 fdatasync; do
  for ((at = 1; ; ++at)); do
    if ! start_traced $call $at; then  # a store where an update was cut off is made safe first, and that was cut off too
      loose=
      starts=$((starts + 1))
      table_of 2 | cmp - after.json || fail "device 2 lost its table in starting"
      start_device 2
      publish_next  # once it has changed again, nothing remains to be made safe
      for number in 1 2 3; do until_status $number ".online and .counter == $counter"; done
      start_traced $call $at || fail "device 2 does not start"
    fi
    until_status 2 ".online and .counter == $counter"
    publish_next
    until_status 2 ".online == false or .counter == $counter"
    if is_online 2; then break; fi
    loose=
    points=$((points + 1))
    check_cut
  done
done
[ $points -ge 4 ] || fail "an update has $points writes and syncs; expected at least 4"
echo "cut at each of $points writes and syncs: $cut_before times as before, $cut_after times as after, 0 otherwise"
[ $starts = 0 ] || echo "and cut in starting after a cut, $starts times: as after, 0 otherwise"

cut_before=0 cut_after=0
window=$(($(cut -d' ' -f1 first2) - published))  # microseconds that an update took
for ((i = 0; i < cuts; ++i)); do
  counter=$((counter + 1))
  pack $counter
  table_of 1 > before.json
  publish -r -f $counter.bzpack &
  sleep "$(printf 0.%06d $((RANDOM * 32768 % window + RANDOM % 1000 % window)))"
  stop_device 2
  check_cut
done
[ "$cuts" = 0 ] || echo "cut at $cuts random moments: $cut_before times as before, $cut_after times as after, 0 otherwise"

say "The broker goes away and comes back"
kill "$broker"
wait "$broker" || true
start_broker || fail "the broker does not start again"
counter=$((counter < ${#new[@]} ? ${#new[@]} : counter + 1))
pack $counter model.bzscr shop.key Faces
publish -r -f $counter.bzpack
for number in 1 2 3; do until_status $number ".online and .counter == $counter and .classes == 74 + ${#new[@]}"; done
for number in 1 2 3; do score $number; done
same_answers
echo "all ${#new[@]} new classes: $(accuracy answers1 ${#new[@]})"

say "Device 1 is shown three examples of a class"
# Of the new classes the one with the fewest samples recognised; what is shown is not counted below.
shown=$(paste <(cut -f1 test.tsv) answers1 | awk -F'\t' '
  FILENAME == ARGV[1] { is_new[$1]; next }
  $1 in is_new { ++n[$1]; right[$1] += $1 == $4 }
  END { for (class in n) if (n[class] > 6) print right[class] / n[class], class }' "$data/unseen_classes.txt" - | sort -g | head -n 1 | cut -d' ' -f2)
cp answers1 untaught
for at in 1 2 3; do
  awk -F'\t' -v name="$shown" -v at=$at '$1 == name && ++seen == at { print $2 }' test.tsv > shown.txt
  bzscr-store teach "$shown" --features shown.txt --store store1 --model model.bzscr
done
counter=$((counter + 1))
bzscr-pack pack model.bzscr -o taught.bzpack --counter $counter --embeddings new.csv --taught-from store1 --class "$shown" --key shop.key
publish -r -f taught.bzpack
for number in 1 2 3; do until_status $number ".counter == $counter and .taken > 0"; done
for number in 1 2 3; do score $number; done
same_answers
right_of_rest() { paste <(cut -f1 test.tsv) "$1" | awk -F'\t' -v name="$shown" '$1 == name && ++n > 3 && $4 == name { ++k } END { print k + 0 " of " n - 3 }'; }
echo "$shown, samples that were not shown: $(right_of_rest untaught) before, $(right_of_rest answers1) after, on all devices"
[ "$(right_of_rest answers1 | cut -d' ' -f1)" -gt "$(right_of_rest untaught | cut -d' ' -f1)" ] || fail "$shown is not recognised better"
echo "all ${#new[@]} new classes: $(accuracy answers1 ${#new[@]})"

say "The end"
for number in 1 2 3; do
  kill -TERM "${device_pid[$number]}"
  wait "${device_pid[$number]}" || fail "device $number ended with $?"
  until_status $number '.online == false'
  [ ! -e device$number.socket ] || fail "device $number left its socket"
done
echo "all devices end on SIGTERM"
