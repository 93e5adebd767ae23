#!/usr/bin/env bash
# Measures blocks on Dask: the overhead of a block, workers against threads, and NumPy on Dask; writes benchmarks/results/scale.md.
#
# usage: scripts/bench-scale.sh [argument of benchmarks/python/scale.py]...
#
# The module is that of the release build, or the shared object that WARPWISE_NATIVE names. Everything is installed into target/python only.
set -euo pipefail
cd "$(dirname "$0")/.."

scale=target/python/scale package=target/python/scale-package requirements=benchmarks/python/scale-requirements.txt
if ! cmp -s "$requirements" "$scale/requirements.txt"; then
  rm -rf "$scale"
  python3 -m venv "$scale"
  "$scale/bin/pip" install --quiet --disable-pip-version-check -r "$requirements"
  cp "$requirements" "$scale/requirements.txt"
fi

native=${WARPWISE_NATIVE:-target/release/libwarpwise_native.so}
[[ -n ${WARPWISE_NATIVE:-} ]] || cargo build --release --package warpwise-python --quiet
rm -rf "$package"
mkdir -p "$package"
cp -r crates/warpwise-python/python/warpwise "$package/warpwise"
cp "$native" "$package/warpwise/_native.abi3.so"

PYTHONPATH=$PWD/$package exec "$scale/bin/python" benchmarks/python/scale.py --out benchmarks/results/scale.md "$@"
