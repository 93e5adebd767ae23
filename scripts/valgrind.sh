#!/usr/bin/env bash
# Runs the tests of the run time's memory under valgrind: blocks, vectors that are blocks, arenas, copies, and the calls of C.
# Miri and the sanitizers (scripts/sanitize.sh) need a nightly compiler; valgrind finds reads and writes outside blocks, and leaks, with any compiler.
set -euo pipefail
cd "$(dirname "$0")/.."

binary() {
  cargo test --package "$1" --lib --no-run --message-format=json 2>/dev/null |
    sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
}

check() {
  local program
  program=$(binary "$1")
  shift
  valgrind --quiet --error-exitcode=99 --leak-check=full \
    --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    "$program" --test-threads=1 --quiet "$@"
}

check warpwise-runtime array:: arena:: memory:: copy:: --skip random
check warpwise-standalone
