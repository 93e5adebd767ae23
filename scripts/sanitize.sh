#!/usr/bin/env bash
# The unsafe parts under Miri and AddressSanitizer, where a nightly compiler is installed; without one nothing is checked, and that is said.
#
# usage: scripts/sanitize.sh [miri|address]...      both if none is named
#
# Miri runs what needs neither files of the system nor compiled kernels, and not too many elements: blocks of memory, arrays, arenas,
# copies of single vectors. AddressSanitizer sees all of the run time, the calls of C, host programs with all their values, and programs
# embedded in Rust: the checked memory is that of the host and of foreign functions, since compiled kernels carry no checks of their own.
set -euo pipefail
cd "$(dirname "$0")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
checks=("$@")
((${#checks[@]})) || checks=(miri address)

if ! cargo +nightly --version >/dev/null 2>&1; then
  echo "SKIPPED: no nightly compiler (with rustup: rustup toolchain install nightly --component miri,rust-src)"
  exit 0
fi

# Folders of their own: other flags and another compiler would have everything compiled again and again.
under_miri() {
  if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo 'SKIPPED: no Miri (rustup component add miri rust-src --toolchain nightly)'
    return
  fi
  local flags='-Zmiri-disable-isolation -Zmiri-ignore-leaks'
  # Leaks are valgrind's: what statics hold counts for Miri. Skipped: more memory, or more elements, than Miri manages.
  MIRIFLAGS=$flags CARGO_TARGET_DIR=target/miri \
    cargo +nightly miri test --quiet --package warpwise-runtime --lib -- \
    array:: arena:: memory::block memory::pool::tests::a_ copy::strided copy::vector copy::transpose::tests pool::tests::a_panic
}

under_address_sanitizer() {
  export RUSTFLAGS='-Zsanitizer=address -Cdebuginfo=line-tables-only' CARGO_TARGET_DIR=target/address
  # Memory that other tests hold on to until the process ends is no error; a thread's stack for signals is changed by drivers, too.
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
