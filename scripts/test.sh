#!/usr/bin/env bash
# All tests, in the order in which they are quick to fail: formatting, lints, documentation, Rust tests, programs.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

step 'formatting'
cargo fmt --all --check

step 'lints'
cargo clippy --workspace --all-targets --quiet -- -D warnings

step 'each feature of the embedding alone'
for features in '' cpu opencl cuda ndarray export; do
  cargo check --package warpwise --lib --no-default-features --features "$features" --quiet
done

step 'documentation'
RUSTDOCFLAGS='-D warnings -A rustdoc::private-intra-doc-links' cargo doc --workspace --no-deps --document-private-items --quiet

step 'unit, file and command line tests'
if cargo nextest --version >/dev/null 2>&1; then
  cargo nextest run --workspace --no-fail-fast --status-level fail
else
  cargo test --workspace --quiet --no-fail-fast --lib --bins --tests
fi

step 'examples in the documentation'
cargo test --workspace --quiet --doc

# The command that the tests of the command line have just built: its assertions are on, and nothing is compiled twice.
export WARPWISE=target/debug/warpwise

step 'programs'
scripts/test-programs.sh --heap

step 'programs on an OpenCL device'
scripts/test-device.sh

step 'programs on oclgrind'
scripts/test-oclgrind.sh
