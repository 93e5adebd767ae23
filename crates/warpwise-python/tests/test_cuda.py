"""Tensors on a CUDA device as arguments and results: on the first device, or on the emulated one if there is none."""

import os
import pathlib
import subprocess
import sys

import pytest

import cuda_checks
import warpwise


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Returns the environment in which an interpreter finds a CUDA device."""
    found = dict(os.environ, PYTHONPATH=os.pathsep.join([str(pathlib.Path(__file__).parent), *sys.path]))
    if any(entry["device"] == "cuda:0" and "name" in entry for entry in warpwise.devices()):
        return found
    emulator = os.environ.get("WARPWISE_CUDA_EMULATOR")
    if emulator is None:
        pytest.skip("there is no CUDA device, and WARPWISE_CUDA_EMULATOR does not name the emulator")
    driver = tmp_path_factory.mktemp("driver") / "libcuda.so"
    driver.symlink_to(pathlib.Path(emulator).resolve())
    return dict(found, LD_LIBRARY_PATH=str(driver.parent), WARPWISE_NVRTC=str(driver))


@pytest.mark.parametrize("check", cuda_checks.checks())
def test_on_cuda(check, environment):
    run = [sys.executable, "-c", f"import cuda_checks; cuda_checks.{check}()"]
    ended = subprocess.run(run, env=environment, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
