#!/usr/bin/env bash
# Runs test blocks with all kernels on a device: a quarter of the language's tests, all benchmarks and
# examples; with `all`, every program; or the named programs.
#
# usage: scripts/test-device.sh opencl|cuda [all | PROGRAM...]
#
# `opencl` is the first OpenCL device; WARPWISE_SKIP_OPENCL=1 skips it with a message. `cuda` is the emulator of a CUDA
# device (crates/warpwise-cuda-emulator); scripts/gpu.sh is for real ones. WARPWISE names a command built elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."

device=${1:-}
shift || true
case $device in
opencl)
  if [[ -n ${WARPWISE_SKIP_OPENCL:-} ]]; then
    echo 'skipped: programs on an OpenCL device, because WARPWISE_SKIP_OPENCL is set'
    exit 0
  fi
  quarter=0
  ;;
cuda)
  cargo build --quiet -p warpwise-cuda-emulator
  driver=$(mktemp -d)
  trap 'rm -rf "$driver"' EXIT
  ln -s "$PWD/target/debug/libwarpwise_cuda_emulator.so" "$driver/libcuda.so"
  export LD_LIBRARY_PATH=$driver WARPWISE_NVRTC=$driver/libcuda.so
  quarter=2
  ;;
*)
  sed -n 's/^# usage: //p' "$0" >&2
  exit 2
  ;;
esac

if [[ -z ${WARPWISE:-} ]]; then
  cargo build --release --quiet -p warpwise-cli
  WARPWISE=target/release/warpwise
fi

case ${1:-} in
'')
  mapfile -t chosen < <(scripts/part.sh "$quarter/4" tests/language)
  chosen+=(examples benchmarks)
  ;;
all) chosen=(examples benchmarks tests) ;;
*) chosen=("$@") ;;
esac
"$WARPWISE" test --device "$device" "${chosen[@]}"
