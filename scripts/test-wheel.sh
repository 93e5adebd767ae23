#!/usr/bin/env bash
# Tests the wheel on minimal Debian systems that have Python, but no compiler, no LLVM and no network.
#
# usage: scripts/test-wheel.sh
#
# `scripts/wheel.sh` must have made the wheel. Debian 12 has the oldest supported glibc, the other release a newer Python. debootstrap makes the systems
# under target/bare, once. This needs root: without root or debootstrap the script prints a message and tests nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

bare=target/bare
mirror=${WARPWISE_DEBIAN:-http://deb.debian.org/debian}
# Releases of Debian.
systems=(bookworm forky)

say() { printf 'test-wheel: %s\n' "$*"; }

wheel=$(echo target/wheels/warpwise-*.whl)
[[ -f $wheel ]] || { say "there is no wheel; scripts/wheel.sh makes it"; exit 1; }
((EUID == 0)) || { say "skipped: only root makes and enters other systems"; exit 0; }
command -v debootstrap >/dev/null || { say "skipped: debootstrap is not there (on Debian: apt-get install debootstrap)"; exit 0; }

# Makes a minimal system with Python and pip.
make_system() {
  [[ ! -e $bare/$1.made ]] || return 0
  say "making a minimal system of Debian's $1"
  rm -rf "${bare:?}/$1"
  mkdir -p "$bare"
  local keys=()
  [[ -e /usr/share/keyrings/debian-archive-keyring.gpg ]] || keys=(--no-check-gpg)
  # debootstrap's script for the unstable release works for all releases.
  debootstrap --variant=minbase "${keys[@]}" --include=python3,python3-pip \
    "$1" "$bare/$1" "$mirror" /usr/share/debootstrap/scripts/sid >"$bare/$1.log" 2>&1 ||
    { tail -n 5 "$bare/$1.log"; exit 1; }
  touch "$bare/$1.made"
}

# Runs a command in a system, without network.
inside() {
  local system=$1
  shift
  unshare --net --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root "$@"' \
    "$PWD/$bare/$system" "$@"
}

# Tests the wheel in a system.
test_in() {
  local system=$1 version tool
  for tool in cc gcc clang ld as ar objcopy llc; do
    ! inside "$system" sh -c "command -v $tool" >/dev/null || { say "$system has $tool: it is not bare"; exit 1; }
  done
  version=$(inside "$system" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  rm -rf "$bare/$system/wheel" && mkdir "$bare/$system/wheel"
  cp "$wheel" scripts/test-wheel.py "$bare/$system/wheel/"
  python3 -m pip download --quiet --disable-pip-version-check --only-binary=:all: --python-version "$version" \
    --dest "$bare/$system/wheel" 'numpy>=1.26'
  inside "$system" python3 -m pip install --quiet --disable-pip-version-check --no-index --find-links /wheel \
    --root-user-action ignore --break-system-packages --force-reinstall warpwise
  inside "$system" python3 /wheel/test-wheel.py
  say "$system with Python $version: passed"
}

for system in "${systems[@]}"; do
  make_system "$system"
  test_in "$system"
done
