#!/usr/bin/env bash
# Copies the program of every line of benchmarks/reference.list, and replaces its test block by one that
# names the files of the reference data.
#
# usage: scripts/reference-programs.sh DATA_FOLDER TARGET_FOLDER
#
# The data is not copied; the programs contain paths to it.
set -euo pipefail
cd "$(dirname "$0")/.."
data=$(cd "$1" && pwd)
target=$2
rm -rf "$target"
mkdir -p "$target"
ln -s "$data" "$target/data"

without_test_blocks='/^-- ==/ { block = 1 } !/^--/ { block = 0 } !block { print }'

while read -r program entry folder cases; do
  [[ -z $program || $program == \#* ]] && continue
  copy=$target/$folder.fut
  {
    echo "-- ==
-- entry: $entry"
    for case in $cases; do
      echo "-- input @ data/$folder/${case%%=*}
-- output @ data/$folder/${case#*=}"
    done
    echo
    awk "$without_test_blocks" "benchmarks/$program"
  } >"$copy"
done <benchmarks/reference.list
