#!/usr/bin/env bash
# Makes the Debian packages for amd64, arm64 and armhf in build/packages, and tests them: lintian, dpkg -i into a folder
# of their own, the examples built from there, and the installed bzscr-pack and bzscr-store, under emulation where they
# are for another machine. Expects the presets release, pi-aarch64 and pi-armhf built, with the test model of release.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$PWD/build/packages model=$PWD/build/release/tests/runtime/test.bzscr
rm -rf "$packages"
mkdir -p "$packages"

# test_packages PRESET ARCHITECTURE TRIPLET COMPILER [cmake options]
test_packages() {
  local preset=$1 architecture=$2 triplet=$3 compiler=$4 root=$packages/root-$2
  (cd "build/$preset" && cpack -B "$packages" >"$packages/cpack.log" 2>&1) || { cat "$packages/cpack.log" >&2; exit 1; }
  local files=("$packages"/*_"$architecture".deb)
  [ ${#files[@]} -ge 3 ] || { echo "packages.sh: expected packages for $architecture" >&2; exit 1; }

  # The first upload to Debian's archive would close a bug; this is none.
  lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "${files[@]}"

  mkdir -p "$root/var/lib/dpkg"/{info,updates,triggers}
  touch "$root/var/lib/dpkg"/{status,available}
  # The folder holds nothing else, so what packages depend on is missing there, and so is ldconfig.
  dpkg --root="$root" --log=/dev/null --force-not-root --force-architecture --force-depends --no-triggers -i "${files[@]}" >/dev/null 2>&1 ||
    { echo "packages.sh: dpkg cannot install ${files[*]}" >&2; exit 1; }

  cmake -DSOURCE="$PWD" -DPREFIX="$root/usr" -DFOLDER="$packages/examples-$architecture" -DMODEL="$model" \
    -DLIBDIR="lib/$triplet" -DCC="$compiler" "${@:5}" -P tests/runtime/install.cmake
  echo "packages for $architecture: $(cd "$packages" && ls -- *_"$architecture".deb | tr '\n' ' ')"
}

# test_store ARCHITECTURE [emulator]: the README's device commands, by the installed bzscr-store, on a pack that the
# installed bzscr-pack of amd64 has made.
test_store() {
  local folder=$packages/store-$1 program=$packages/root-$1/usr/bin/bzscr-store
  local store=("${@:2}" "$program") on=(--store "$packages/store-$1/classes" --model "$model")
  mkdir -p "$folder"
  "${store[@]}" apply "$packages/new.bzpack" "${on[@]}" --trust "$packages/shop.pub" --require-signature
  refused() {
    local said
    if said=$("${store[@]}" "${@:2}" 2>&1); then echo "packages.sh: $1 was not refused" >&2; exit 1; fi
    grep -q "$1" <<<"$said" || { echo "packages.sh: expected '$1', found: $said" >&2; exit 1; }
  }
  refused "does not know" apply "$packages/forged.bzpack" "${on[@]}" --trust "$packages/shop.pub" --require-signature
  refused "does not know" apply "$packages/forged.bzpack" "${on[@]}" --trust "$packages/shop.pub"  # keys alone suffice
  refused "does not know" check --store "$packages/store-$1/classes" --model "$packages/signed.bzscr" --model-key "$packages/stranger.pub"
  "${store[@]}" check --store "$packages/store-$1/classes" --model "$packages/signed.bzscr" --model-key "$packages/shop.pub"
  refused "is not signed" apply "$packages/unsigned.bzpack" "${on[@]}" --trust "$packages/shop.pub" --require-signature
  "${store[@]}" add gnu --embedding "$packages/one.txt" "${on[@]}"
  "${store[@]}" replace gnu --numbers "$(cat "$packages/one.txt")" "${on[@]}"
  "${store[@]}" rename gnu wildebeest "${on[@]}"
  "${store[@]}" remove "class 0" "${on[@]}"
  "${store[@]}" compact "${on[@]}"
  "${store[@]}" remove "class 1" "${on[@]}"
  "${store[@]}" rollback 5 "${on[@]}"
  "${store[@]}" check "${on[@]}"
  "${store[@]}" history "${on[@]}" >"$folder/history"
  "${store[@]}" list --json "${on[@]}" >"$folder/list"
  grep -q okapi "$folder/list" && grep -q wildebeest "$folder/list" && grep -q '"class 1"' "$folder/list" ||
    { echo "packages.sh: expected okapi, wildebeest and class 1, found: $(cat "$folder/list")" >&2; exit 1; }
  cmp "$folder/list" "$packages/store-amd64/list"  # every architecture keeps the same classes
  [ -s "$packages/root-$1/usr/share/man/man1/bzscr-store.1.gz" ]
  if readelf -d "$program" | grep -iE 'NEEDED.*(openblas|matio|zip|bzscr)|RUNPATH|RPATH'; then
    echo "packages.sh: bzscr-store for $1 links what a device does not have" >&2; exit 1
  fi
}

test_packages release amd64 x86_64-linux-gnu gcc
"$packages/root-amd64/usr/bin/bzscr-inspect" "$model" >/dev/null
make_pack() { "$packages/root-amd64/usr/bin/bzscr-pack" "$@"; }
d=$("$packages/root-amd64/usr/bin/bzscr-inspect" "$model" --json | sed -n 's/.*"embedding_dimension": *\([0-9]*\).*/\1/p')
numbers=$(seq -s, "$d")
echo "$numbers" >"$packages/one.txt"
{ echo "class,$(seq -s, -f a%g "$d")"; echo "okapi,$numbers"; } >"$packages/new.csv"
for key in shop stranger; do make_pack keygen "$packages/$key" >/dev/null; done
for pack in "new --key $packages/shop.key" "forged --key $packages/stranger.key" unsigned; do
  # shellcheck disable=SC2086
  set -- $pack
  make_pack pack "$model" -o "$packages/$1.bzpack" --counter 7 --embeddings "$packages/new.csv" "${@:2}" >/dev/null
done
make_pack verify "$packages/new.bzpack" --trust "$packages/shop.pub" --model "$model"
make_pack sign "$model" --key "$packages/shop.key" -o "$packages/signed.bzscr"
test_store amd64

toolchains=$PWD/runtime/cmake/toolchains
test_packages pi-aarch64 arm64 aarch64-linux-gnu aarch64-linux-gnu-gcc \
  -DTOOLCHAIN="$toolchains/aarch64-linux-gnu.cmake" "-DEMULATOR=qemu-aarch64;-L;/usr/aarch64-linux-gnu"
test_store arm64 qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$PWD/build/sysroot-arm64/usr/lib/aarch64-linux-gnu"
test_packages pi-armhf armhf arm-linux-gnueabihf arm-linux-gnueabihf-gcc \
  -DTOOLCHAIN="$toolchains/arm-linux-gnueabihf.cmake" "-DEMULATOR=qemu-arm;-L;/usr/arm-linux-gnueabihf"
test_store armhf qemu-arm -L /usr/arm-linux-gnueabihf -E LD_LIBRARY_PATH="$PWD/build/sysroot-armhf/usr/lib/arm-linux-gnueabihf"
