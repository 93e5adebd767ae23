#!/usr/bin/env bash
# The tests of the Python module, with the libraries of Python's registry that people use it with.
#
# usage: scripts/test-python.sh [argument of pytest]...
#
# The module is that of the development build, or the shared object that WARPWISE_NATIVE names. Nothing is installed but into target/python.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=target/python/venv package=target/python/package requirements=crates/warpwise-python/tests/requirements.txt

if ! cmp -s "$requirements" "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
  cp "$requirements" "$venv/requirements.txt"
fi

native=${WARPWISE_NATIVE:-target/debug/libwarpwise_native.so}
[[ -n ${WARPWISE_NATIVE:-} ]] || cargo build --package warpwise-python --quiet
rm -rf "$package"
mkdir -p "$package"
cp -r crates/warpwise-python/python/warpwise "$package/warpwise"
cp "$native" "$package/warpwise/_native.abi3.so"

# The types of NumPy take mypy long to read.
export PYTHONPATH=$PWD/$package PYTHONDONTWRITEBYTECODE=1 MYPY_CACHE_DIR=$PWD/target/python/mypy
exec "$venv/bin/python" -m pytest crates/warpwise-python/tests "$@"
