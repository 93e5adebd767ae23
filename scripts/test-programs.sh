#!/usr/bin/env bash
# Runs the test blocks of all programs in the repository.
#
# usage: scripts/test-programs.sh [OPTION...]
#
# Options go to `warpwise test`, such as `--threads 1`. Cases tagged `notest` are there to be timed, not tested.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --release --quiet -p warpwise-cli
warpwise=target/release/warpwise

paths=()
for folder in examples benchmarks tests; do
  [[ -d $folder ]] && paths+=("$folder")
done
"$warpwise" test "$@" "${paths[@]}"
