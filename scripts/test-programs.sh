#!/usr/bin/env bash
# Runs the test blocks of all programs in the repository, then the same programs on the reference data
# in ../shared/bench-data where that folder exists.
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

reference_data=${WARPWISE_REFERENCE_DATA:-../shared/bench-data}
if [[ ! -d $reference_data ]]; then
  echo "SKIPPED: validation against reference data ($reference_data is not there)"
  exit 0
fi
scripts/reference-programs.sh "$reference_data" target/reference
"$warpwise" test "$@" target/reference
