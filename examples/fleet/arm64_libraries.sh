#!/usr/bin/env bash
# Unpacks the libraries of Debian's arm64 that a fleet device links into a folder, for cross builds. apt checks their
# signatures as ever, but this machine's own packages and architectures stay as they are; no root is needed.
#
#   arm64_libraries.sh FOLDER      FOLDER/usr/include, FOLDER/usr/lib/aarch64-linux-gnu
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: arm64_libraries.sh FOLDER" >&2; exit 2; }
packages=(libmosquitto-dev libmosquitto1 libssl3 libsodium-dev libsodium23)
folder=$1
[ -d "$folder" ] && exit 0

new=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$new"' EXIT
mkdir -p "$new/apt/lists/partial" "$new/apt/archives/partial" "$new/root"
: > "$new/apt/status"
apt() {
  apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User="$(id -un)" \
    -o Dir::State="$new/apt" -o Dir::State::status="$new/apt/status" -o Dir::Cache="$new/apt" "$@"
}
apt update
(cd "$new" && apt download "${packages[@]}")
for package in "$new"/*.deb; do dpkg-deb -x "$package" "$new/root"; done
mv "$new/root" "$folder"
