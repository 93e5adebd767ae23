#!/usr/bin/env bash
# Makes the wheel: one file for every Python from 3.10 on, with LLVM and LLD inside, in target/wheels.
#
# usage: scripts/wheel.sh
#
# The wheel's tag names the oldest glibc that it runs on; auditwheel checks the tag. The wheel must load only libraries that every such
# system has, and stay below the intended size.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/wheel-tools wheels=target/wheels
# Maximum sizes of the wheel and of the module in it, in units of 10^6 bytes.
most_of_wheel=45 most_of_module=90
# Libraries that every system with glibc has.
allowed='linux-vdso.so.1|libc.so.6|libm.so.6|libgcc_s.so.1|/lib64/ld-linux-x86-64.so.2'

fail() { printf 'wheel: %s\n' "$*" >&2; exit 1; }

# Prints the size of a file in units of 10^6 bytes, with one decimal.
size() { awk -v bytes="$(stat -c %s "$1")" 'BEGIN { printf "%.1f", bytes / 1e6 }'; }

# Fails if a file is larger than the given number of units.
must_be_small() {
  awk -v is="$(size "$1")" -v most="$2" 'BEGIN { exit !(is <= most) }' || fail "$1 has $(size "$1") MB, more than $2"
}

rm -rf "$wheels"
"$tools/bin/maturin" build --quiet --release --strip --compression-level 9 --features static-llvm --out "$wheels" \
  --manifest-path crates/warpwise-python/Cargo.toml
wheel=$(echo "$wheels"/warpwise-*.whl)
[[ -f $wheel ]] || fail "there is not one wheel in $wheels"
must_be_small "$wheel" "$most_of_wheel"

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
python3 -m zipfile -e "$wheel" "$unpacked"
module=$unpacked/warpwise/_native.abi3.so
must_be_small "$module" "$most_of_module"

loaded=$(ldd "$module" | awk '{ print $1 }')
if others=$(grep -vxE "$allowed" <<<"$loaded"); then fail "the module loads" $others; fi

# The loader must resolve every symbol at once: a module can be linked although some symbols are missing.
python3 -c 'import ctypes, os, sys; ctypes.PyDLL(sys.argv[1], os.RTLD_NOW)' "$module" || fail "the module cannot be loaded"

tag=${wheel##*-} tag=${tag%.whl}
audited=$("$tools/bin/auditwheel" show "$wheel" | tr '\n' ' ')
said=$(grep -oE '"manylinux_[0-9]+_[0-9]+_x86_64"' <<<"$audited" | tail -n 1 | tr -d '"')
[[ -n $said && ".$tag." == *".$said."* ]] || fail "its tag is $tag, but auditwheel says: $audited"

echo "$wheel: $(size "$wheel") MB, the module in it $(size "$module") MB, which loads" $loaded
