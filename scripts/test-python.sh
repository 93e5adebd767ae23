#!/usr/bin/env bash
# Runs the tests of the Python module, together with commonly used libraries of Python's registry.
#
# usage: [WARPWISE_TESTS=all] scripts/test-python.sh [argument of pytest]...
#
# The module is that of the development build, or the shared object that WARPWISE_NATIVE names. Everything is installed into target/python only.
# WARPWISE_TESTS=all adds large libraries and more examples of each property. PyTorch comes from the distribution: the registry's package contains gigabytes
# of code for devices.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=crates/warpwise-python/tests
venv=target/python/venv package=target/python/package requirements=$tests/requirements.txt
if [[ ${WARPWISE_TESTS:-} == all ]]; then
  venv=target/python/venv-all requirements=$tests/requirements-all.txt
  export PROPERTY_EXAMPLES=${PROPERTY_EXAMPLES:-500}
fi

# Prints all requirements as one file.
wanted() { sed "/^-r /d" "$requirements" && cat "$tests/requirements.txt"; }

if ! wanted | cmp -s - "$venv/requirements.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
  wanted >"$venv/requirements.txt"
fi

native=${WARPWISE_NATIVE:-target/debug/libwarpwise_native.so}
[[ -n ${WARPWISE_NATIVE:-} ]] || cargo build --package warpwise-python --package warpwise-cuda-emulator --quiet
rm -rf "$package"
mkdir -p "$package"
cp -r crates/warpwise-python/python/warpwise "$package/warpwise"
cp "$native" "$package/warpwise/_native.abi3.so"

# The emulated CUDA device is built next to the module.
emulator=$(realpath "$(dirname "$native")")/libwarpwise_cuda_emulator.so
if [[ -z ${WARPWISE_CUDA_EMULATOR:-} && -e $emulator ]]; then export WARPWISE_CUDA_EMULATOR=$emulator; fi

# mypy takes long to read NumPy's types.
export PYTHONPATH=$PWD/$package PYTHONDONTWRITEBYTECODE=1 MYPY_CACHE_DIR=$PWD/target/python/mypy
"$venv/bin/python" -m pytest "$tests" "$@"

[[ ${WARPWISE_TESTS:-} == all ]] || exit 0
if /usr/bin/python3 -c 'import numpy, pytest, torch' 2>/dev/null; then
  /usr/bin/python3 -m pytest "$tests/test_dlpack.py" -p no:cacheprovider -k torch
else
  echo 'SKIPPED: PyTorch (on Debian: apt-get install python3-torch python3-pytest)'
fi
