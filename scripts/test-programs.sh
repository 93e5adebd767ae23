#!/usr/bin/env bash
# Runs the test blocks of all programs in the repository.
#
# usage: scripts/test-programs.sh [OPTION...]
#
# Options go to `warpwise test`, such as `--threads 1`. Cases tagged `notest` are there to be timed, not tested.
# WARPWISE names a command built elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -z ${WARPWISE:-} ]]; then
  cargo build --release --quiet -p warpwise-cli
  WARPWISE=target/release/warpwise
fi

paths=()
for folder in examples benchmarks tests; do
  [[ -d $folder ]] && paths+=("$folder")
done
"$WARPWISE" test "$@" "${paths[@]}"
