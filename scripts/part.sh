#!/usr/bin/env bash
# Prints one part of the programs in some folders. A program's name decides to which part it belongs, so that new programs do
# not move others to another part.
#
# usage: scripts/part.sh NUMBER/PARTS FOLDER...
set -euo pipefail

number=${1%/*} parts=${1#*/}
shift
find "$@" -name '*.fut' | LC_ALL=C sort | awk -v parts="$parts" -v number="$number" '
  BEGIN { for (code = 32; code < 127; code++) code_of[sprintf("%c", code)] = code }
  {
    sum = 0
    for (i = 1; i <= length($0); i++) sum = (sum * 31 + code_of[substr($0, i, 1)]) % 65521
    if (sum % parts == number % parts) print
  }'
