#!/usr/bin/env bash
# Makes, for every line of benchmarks/reference.list, a copy of our program whose test block reads the
# reference data: the program's own block is left out and one with the data's files put in.
#
# usage: scripts/reference-programs.sh DATA_FOLDER TARGET_FOLDER
#
# The data stays where it is; only paths to it are written.
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
