#!/usr/bin/env bash
# Measures the Python module beside NumPy, Numba and JAX; writes benchmarks/results/python.md and .json.
#
# usage: scripts/bench-python.sh [argument of benchmarks/python/bench.py]...
#
# The module is that of the release build. Everything is installed into target/python only.
set -euo pipefail
cd "$(dirname "$0")/.."

bench=target/python/bench package=target/python/bench-package
if ! cmp -s benchmarks/python/requirements.txt "$bench/requirements.txt"; then
  rm -rf "$bench"
  python3 -m venv "$bench"
  "$bench/bin/pip" install --quiet --disable-pip-version-check -r benchmarks/python/requirements.txt
  cp benchmarks/python/requirements.txt "$bench/requirements.txt"
fi

cargo build --release --package warpwise-python --quiet
rm -rf "$package"
mkdir -p "$package"
cp -r crates/warpwise-python/python/warpwise "$package/warpwise"
cp target/release/libwarpwise_native.so "$package/warpwise/_native.abi3.so"

PYTHONPATH=$PWD/$package exec "$bench/bin/python" benchmarks/python/bench.py --out benchmarks/results/python.md "$@"
