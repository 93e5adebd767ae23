#!/usr/bin/env bash
# Runs the test blocks of all programs in the repository, including those in the manual of the language.
#
# usage: scripts/test-programs.sh [OPTION...]
#
# Options go to `warpwise test`, such as `--threads 1`. Cases tagged `notest` are only timed, not tested.
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

# Extracts the examples of docs/language, each named by its page and line; a block with a name is a file that others import.
manual=$(mktemp -d)
trap 'rm -rf "$manual"' EXIT
awk -v folder="$manual" '
  /^```futhark/ { page = FILENAME; sub(/.*\//, "", page); file = folder "/" ($2 != "" ? $2 : page "-" FNR ".fut"); next }
  /^```/ { close(file); file = "" }
  file != "" { print > file }
' docs/language/*.md

"$WARPWISE" test "$@" "${paths[@]}" "$manual"
