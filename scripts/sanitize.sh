#!/usr/bin/env bash
# Tests the unsafe parts under Miri and AddressSanitizer. Without a nightly compiler it checks nothing and prints a message.
#
# usage: scripts/sanitize.sh [miri|address]...      both if none is named
#
# Miri runs the tests that need neither system files nor compiled kernels, and few elements: blocks of memory, arrays, arenas,
# copies of single vectors. AddressSanitizer covers the whole run time, the calls of C, host programs with all their values, and programs
# embedded in Rust. It checks the memory of the host and of foreign functions; compiled kernels are not instrumented.
set -euo pipefail
cd "$(dirname "$0")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
checks=("$@")
((${#checks[@]})) || checks=(miri address)

if ! cargo +nightly --version >/dev/null 2>&1; then
  echo "SKIPPED: no nightly compiler (with rustup: rustup toolchain install nightly --component miri,rust-src)"
  exit 0
fi

# Separate target folders, since other flags and another compiler would recompile everything each time.
under_miri() {
  if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo 'SKIPPED: no Miri (rustup component add miri rust-src --toolchain nightly)'
    return
  fi
  local flags='-Zmiri-disable-isolation -Zmiri-ignore-leaks'
  # valgrind checks for leaks, since Miri also reports memory held by statics. Skipped: tests with more memory or elements than Miri manages.
  MIRIFLAGS=$flags CARGO_TARGET_DIR=target/miri \
    cargo +nightly miri test --quiet --package warpwise-runtime --lib -- \
    array:: arena:: memory::block memory::pool::tests::a_ copy::strided copy::vector copy::transpose::tests pool::tests::a_panic
}

under_address_sanitizer() {
  export RUSTFLAGS='-Zsanitizer=address -Cdebuginfo=line-tables-only' CARGO_TARGET_DIR=target/address
  # Memory that tests hold until the process ends is not an error. Drivers, too, change a thread's signal stack.
  export ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0
  cargo +nightly test --quiet --target "$host" --package warpwise-runtime --package warpwise-standalone --lib
  cargo +nightly test --quiet --target "$host" --package warpwise --test embedded
  cargo +nightly test --quiet --target "$host" --package warpwise-mexpr --lib --test host
  cargo +nightly test --quiet --target "$host" --package warpwise-driver --test host_native
}

for check in "${checks[@]}"; do
  case $check in
    miri) under_miri ;;
    address) under_address_sanitizer ;;
    *) echo 'usage: scripts/sanitize.sh [miri|address]...'; exit 2 ;;
  esac
done
