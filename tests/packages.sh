#!/usr/bin/env bash
# Makes the Debian packages for amd64, arm64 and armhf in build/packages, and tests them: lintian, dpkg -i into a folder
# of their own, and the examples built from there. Expects the presets release, pi-aarch64 and pi-armhf built,
# with the test model of release.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$PWD/build/packages model=$PWD/build/release/tests/runtime/test.bzscr
rm -rf "$packages"

# test_packages PRESET ARCHITECTURE TRIPLET COMPILER [cmake options]
test_packages() {
  local preset=$1 architecture=$2 triplet=$3 compiler=$4 root=$packages/root-$2
  (cd "build/$preset" && cpack -B "$packages" >/dev/null 2>&1)
  local files=("$packages"/*_"$architecture".deb)
  [ ${#files[@]} -ge 2 ] || { echo "packages.sh: expected packages for $architecture" >&2; exit 1; }

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

test_packages release amd64 x86_64-linux-gnu gcc
"$packages/root-amd64/usr/bin/bzscr-inspect" "$model" >/dev/null
toolchains=$PWD/runtime/cmake/toolchains
test_packages pi-aarch64 arm64 aarch64-linux-gnu aarch64-linux-gnu-gcc \
  -DTOOLCHAIN="$toolchains/aarch64-linux-gnu.cmake" "-DEMULATOR=qemu-aarch64;-L;/usr/aarch64-linux-gnu"
test_packages pi-armhf armhf arm-linux-gnueabihf arm-linux-gnueabihf-gcc \
  -DTOOLCHAIN="$toolchains/arm-linux-gnueabihf.cmake" "-DEMULATOR=qemu-arm;-L;/usr/arm-linux-gnueabihf"
