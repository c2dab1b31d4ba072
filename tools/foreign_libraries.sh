#!/usr/bin/env bash
# Unpacks Debian packages of another architecture into a folder, for cross builds. apt checks their signatures as ever,
# but with a state of its own: this machine's packages and architectures stay as they are, and no root is needed.
#
#   tools/foreign_libraries.sh ARCHITECTURE FOLDER PACKAGE...     FOLDER/usr/include, FOLDER/usr/lib/TRIPLET
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: foreign_libraries.sh ARCHITECTURE FOLDER PACKAGE..." >&2; exit 2; }
architecture=$1 folder=$(realpath -m "$2")
packages=("${@:3}")
[ "$(cat "$folder/packages" 2>/dev/null)" != "${packages[*]}" ] || exit 0

mkdir -p "$(dirname "$folder")"
new=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/apt/lists/partial" "$new/apt/archives/partial" "$new/root"
: > "$new/apt/status"
apt() {
  apt-get -qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" \
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none \
    -o Dir::State="$new/apt" -o Dir::State::status="$new/apt/status" -o Dir::Cache="$new/apt" "$@"
}
# Not every source has, or has in order, the index of every architecture. One whose index failed is left out; what
# matters is that the packages are there, which the next line finds out.
apt update >"$new/log" 2>&1 || true
(cd "$new" && apt download "${packages[@]}" >>"$new/log" 2>&1) ||
  { cat "$new/log" >&2; echo "foreign_libraries.sh: apt cannot get ${packages[*]} for $architecture" >&2; exit 1; }
for package in "$new"/*.deb; do dpkg-deb -x "$package" "$new/root"; done
echo "${packages[*]}" > "$new/root/packages"
rm -rf "$folder"
mv "$new/root" "$folder"
