#!/usr/bin/env bash
# Runs test blocks with all kernels on the first OpenCL device: every fourth program of the language's tests, all
# benchmarks and examples; with `all`, every program.
#
# usage: scripts/test-device.sh [all]
#
# WARPWISE_SKIP_OPENCL=1 skips everything, and says so. WARPWISE names a command built elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ -n ${WARPWISE_SKIP_OPENCL:-} ]]; then
  echo 'skipped: programs on an OpenCL device, because WARPWISE_SKIP_OPENCL is set'
  exit 0
fi

if [[ -z ${WARPWISE:-} ]]; then
  cargo build --release --quiet -p warpwise-cli
  WARPWISE=target/release/warpwise
fi

paths=(examples benchmarks)
if [[ ${1:-} == all ]]; then
  paths+=(tests)
else
  mapfile -t quarter < <(find tests/language -name '*.fut' | LC_ALL=C sort | awk 'NR % 4 == 0')
  paths+=("${quarter[@]}")
fi
"$WARPWISE" test --device opencl "${paths[@]}"
