#!/usr/bin/env bash
# Runs all tests, those that fail fastest first: formatting, lints, documentation, Rust tests, programs.
set -euo pipefail
cd "$(dirname "$0")/.."

# NVIDIA's kernel compiler, if scripts/setup.sh could install it.
if [[ -z ${WARPWISE_NVRTC:-} ]]; then
  for library in "$PWD"/target/nvrtc/nvidia/*/lib/libnvrtc.so.[0-9]*; do
    [[ ! -e $library ]] || export WARPWISE_NVRTC=$library
  done
fi

# Random tests use fixed seeds here, so that the result of a change does not depend on luck; `make test-all` uses new seeds.
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-1}

step() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

step 'formatting'
cargo fmt --all --check

step 'lints'
cargo clippy --workspace --all-targets --quiet -- -D warnings

step 'the embedding without features'
cargo check --package warpwise --lib --no-default-features --quiet

step 'documentation'
RUSTDOCFLAGS='-D warnings -A rustdoc::private-intra-doc-links' cargo doc --workspace --no-deps --document-private-items --quiet

step 'unit, file and command line tests'
# Without `--tests` the examples of the embedding would be linked, too: tests include their text and run it.
if cargo nextest --version >/dev/null 2>&1; then
  cargo nextest run --workspace --tests --no-fail-fast --status-level fail
else
  cargo test --workspace --quiet --no-fail-fast --tests
fi

step 'examples in the documentation'
# Crates without examples say `doctest = false`, so that rustdoc does not search them.
hidden=$(grep -l '^doctest = false' crates/*/Cargo.toml | while read -r manifest; do
  find "${manifest%/Cargo.toml}/src" -name '*.rs' -exec awk '
    FNR == 1 { is_open = 0 }
    !/^ *\/\/[\/!] *```/ { next }
    is_open { is_open = 0; next }
    { is_open = 1; sub(/.*```/, "") }
    /^(rust.*|no_run.*|should_panic.*|compile_fail.*|ignore.*|edition.*)?$/ { print FILENAME ":" FNR }' {} +
done)
if [[ -n $hidden ]]; then
  printf 'examples in crates with `doctest = false`:\n%s\n' "$hidden"
  exit 1
fi
cargo test --workspace --quiet --doc

step 'the Python module'
# Built with the same options as the tests, so that nothing is compiled twice.
cargo build --workspace --lib --tests --quiet
WARPWISE_NATIVE=target/debug/libwarpwise_native.so scripts/test-python.sh

# This command was just built for the command-line tests: its assertions are on, and nothing is compiled twice.
export WARPWISE=target/debug/warpwise

step 'programs'
scripts/test-programs.sh --heap

step 'programs on an OpenCL device'
scripts/test-device.sh opencl

step 'programs on an emulated CUDA device'
scripts/test-device.sh cuda

step 'programs on oclgrind'
scripts/test-oclgrind.sh
