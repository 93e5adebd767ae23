#!/usr/bin/env bash
# Runs an eighth of the language's tests and some irregular benchmarks on oclgrind: a simulated
# OpenCL device that finds data races between work-items and accesses outside buffers. Its search for reads
# of uninitialised memory is off: it reports scans, for reasons that are not known yet.
#
# usage: scripts/test-oclgrind.sh [PROGRAM...]
#
# A program with a deliberate race shows that races are found. Without oclgrind the script prints a message and does nothing.
# WARPWISE names a command built elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."

library=
for candidate in /usr/lib/oclgrind /usr/lib64/oclgrind /usr/local/lib/oclgrind /usr/local/lib; do
  if [[ -e $candidate/liboclgrind-rt-icd.so ]]; then library=$candidate/liboclgrind-rt-icd.so; break; fi
done
if [[ -z $library || -n ${WARPWISE_SKIP_OPENCL:-} ]]; then
  echo 'skipped: programs on oclgrind, because it is not installed (Debian package oclgrind) or WARPWISE_SKIP_OPENCL is set'
  exit 0
fi
if [[ -z ${WARPWISE:-} ]]; then
  cargo build --release --quiet -p warpwise-cli
  WARPWISE=target/release/warpwise
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "$library" >"$folder/oclgrind.icd"
# Optimised kernels may contain operations that oclgrind does not simulate, and may lack some of their accesses.
export OCLGRIND_BUILD_OPTIONS=-cl-opt-disable
export OCL_ICD_VENDORS=$folder OCLGRIND_DATA_RACES=1 OCLGRIND_LOG=$folder/log
export XDG_CACHE_HOME=$folder/cache

# Runs a program, and keeps what oclgrind says about it. Oclgrind does not know locks, so that all it says about races in
# kernels which lock bins is left out.
simulate() {
  rm -f "$folder/log"
  "$WARPWISE" test --device opencl --timeout 120 "$1" >"$folder/output" 2>&1 || return
  touch "$folder/log"
  awk -v RS= -v ORS='\n\n' '!(/data race/ && /Kernel: [a-zA-Z0-9_]*_locked_hist\n/)' "$folder/log" >"$folder/complaints"
}

cat >"$folder/race.fut" <<'PROGRAM'
-- ==
-- input { [0i64, 0i64, 0i64] }
entry main [n] (is: [n]i64) : []i32 = scatter (replicate 2 7i32) is (map i32.i64 (iota n))
PROGRAM
simulate "$folder/race.fut" || { cat "$folder/output"; exit 1; }
if ! grep -q 'data race' "$folder/complaints"; then
  echo 'oclgrind does not find the race that is there on purpose'
  exit 1
fi

if (($#)); then
  programs=("$@")
else
  mapfile -t programs < <(scripts/part.sh 3/8 tests/language)
  programs+=(benchmarks/irregular/spmv.fut benchmarks/irregular/ragged.fut benchmarks/irregular/triangle.fut)
fi
failed=0
for program in "${programs[@]}"; do
  if ! simulate "$program"; then
    failed=$((failed + 1))
    printf 'FAILED on oclgrind: %s\n' "$program"
    cat "$folder/output"
  elif [[ -s $folder/complaints ]]; then
    failed=$((failed + 1))
    printf 'oclgrind complains about %s:\n' "$program"
    head -n 20 "$folder/complaints"
  fi
done
printf '%d programs on oclgrind, %d with complaints\n' "${#programs[@]}" "$failed"
((failed == 0))
