#!/usr/bin/env bash
# Runs the benchmark programs on the reference data in ../shared/bench-data (or $WARPWISE_REFERENCE_DATA) and
# compares all results, at full size. Without such a folder it prints a message and succeeds.
#
# usage: scripts/bench-check.sh [OPTION...]
#
# Options go to `warpwise test`, such as `--threads 1`.
set -euo pipefail
cd "$(dirname "$0")/.."

reference_data=${WARPWISE_REFERENCE_DATA:-../shared/bench-data}
if [[ ! -d $reference_data ]]; then
  echo "SKIPPED: validation against reference data ($reference_data is not there)"
  exit 0
fi
cargo build --release --quiet -p warpwise-cli
scripts/reference-programs.sh "$reference_data" target/reference
target/release/warpwise test "$@" target/reference
