#!/usr/bin/env bash
# Installs what building needs and this Debian 12 lacks. Called by the README's two commands; does nothing, quickly,
# where all of it is there. Needs root or sudo only where something is missing.
#
#   tools/install_dependencies.sh            to build for this machine
#   tools/install_dependencies.sh --tests    to test too
#   tools/install_dependencies.sh --mpi      to train on several machines (preset mpi), and to test that
#   tools/install_dependencies.sh --fleet    to build and run examples/fleet
#   tools/install_dependencies.sh --fuzz     to fuzz what reads bytes from elsewhere
#   tools/install_dependencies.sh --cross    to build for other machines and test by emulators, and to make packages
set -euo pipefail

packages=(
  g++ cmake ninja-build                                    # to build
  libeigen3-dev libopenblas-dev                            # linear algebra
  libflatbuffers-dev flatbuffers-compiler    # the model file
  libsodium-dev                                            # signatures of packs of classes
  libxxhash-dev                                            # the hash of a data set
  libzip-dev                                               # data sets in .npz archives
  libmatio-dev libhdf5-dev                                 # data sets in MATLAB files
  zlib1g-dev                                               # those, and gzipped word vectors
  wordnet-base                                             # the noun hierarchy
  libcli11-dev libfmt-dev nlohmann-json3-dev               # command line and JSON
  libjs-d3                                                 # what draws a report's charts
)
fleet=(
  mosquitto mosquitto-clients libmosquitto-dev             # an MQTT broker, and how to talk to one
  openssl socat jq strace                                  # certificates; sockets, statuses; power cuts
)
case "${1:-}" in
  "") ;;
  --fleet) packages+=("${fleet[@]}") ;;
  --tests)
    packages+=(
      doctest-dev binutils pkg-config
      python3                                                # runs programs from outside
      clang-format                                           # how code is laid out
      strace                                                 # the order of system calls, and their failures
      chromium fonts-dejavu-core                             # looks at reports
      "${fleet[@]}"                                          # examples; jq is for reproduce_paper too
    )
    ;;
  --mpi) packages+=(doctest-dev libopenmpi-dev openmpi-bin iproute2) ;;
  --fuzz)
    packages+=(clang libclang-rt-dev)
    ;;
  --cross)
    packages+=(
      g++-aarch64-linux-gnu g++-arm-linux-gnueabihf          # Raspberry Pi, 64 and 32 bits
      gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib  # Cortex-M
      qemu-user qemu-system-arm                              # to run tests of both
      dpkg-dev lintian help2man                              # Debian packages
    )
    ;;
  *)
    echo "install_dependencies.sh: unknown option '$1'; expected --tests, --mpi, --fleet, --fuzz, --cross or none" >&2
    exit 2
    ;;
esac

# Debian's libsodium for the devices' architectures, into folders that the cross compilers look into.
if [ "${1:-}" = --cross ]; then
  for architecture in arm64 armhf; do
    "$(dirname "$0")/foreign_libraries.sh" $architecture "$(dirname "$0")/../build/sysroot-$architecture" libsodium-dev libsodium23
  done
fi

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]}"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install_dependencies.sh: missing: ${missing[*]}; expected root or sudo to install them" >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get -qq update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y "${missing[@]}" >/dev/null
