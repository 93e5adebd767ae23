"""Programs on devices, and arrays that stay there."""

import os
import subprocess
import sys

import numpy as np
import pytest

import warpwise

TEXT = """
entry twice [n] (xs: [n]f32) : [n]f32 = map (* 2) xs
entry sum [n] (xs: [n]f32) : f32 = f32.sum xs
entry both [n] (xs: [n]f32) : ([n]f32, i64) = (map (+ 1) xs, n)
entry counted [n] (xs: *[n]f32) : *[n]f32 = map (+ 1) xs
"""

INTERRUPTED = """
entry sum [n] (xs: [n]i64) : i64 = i64.sum xs
-- Takes years, in every thread.
entry spin (n: i64) : i64 = i64.sum (map (\\i -> loop x = i for _j < 1000000000000i64 do x * 3 + 1) (iota n))
"""


def opencl():
    if not any(found["device"].startswith("opencl:") for found in warpwise.devices()):
        pytest.skip("there is no OpenCL device")
    return warpwise.compile(TEXT, device="opencl")


def test_devices_are_listed():
    found = warpwise.devices()
    assert found[0] == {"device": "cpu", "name": "the processor"}
    assert all("name" in entry or "missing" in entry for entry in found)


def test_programs_run_there():
    program = opencl()
    assert program.device == "opencl:0"
    assert program.twice(np.arange(4, dtype=np.float32)).tolist() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match="on a device has no threads"):
        program.with_resources(threads=1)


def test_arrays_stay_there():
    program = opencl()
    xs = np.arange(1000, dtype=np.float32)
    before = warpwise.copied_bytes()
    there = program.twice.resident(xs)
    for _ in range(5):
        there = program.twice.resident(there)
    assert program.sum(there) == 64 * xs.sum()
    assert warpwise.copied_bytes() == before
    assert isinstance(there, warpwise.DeviceArray) and there.shape == (1000,) and there.dtype == np.float32
    assert repr(there) == "<float32 array of shape (1000,) on opencl:0>" and there.nbytes == 4000 and len(there) == 1000
    assert np.asarray(there)[3] == there.numpy()[3] == 192
    array, count = program.both.resident(there)
    assert count == 1000 and array.numpy()[0] == 1
    assert program.counted(there)[0] == 1 and there.numpy()[0] == 0, "what is consumed is a copy"


def test_arrays_come_over_where_they_are_needed():
    program, here = opencl(), warpwise.compile(TEXT)
    there = program.twice.resident(np.ones(10, np.float32))
    before = warpwise.copied_bytes()
    assert here.sum(there) == 20 and warpwise.copied_bytes() == before + 40
    with pytest.raises(TypeError, match="expected \\[\\]f64, found float32 array of shape \\(10,\\) on opencl:0"):
        warpwise.compile("entry sum [n] (xs: [n]f64) : f64 = f64.sum xs").sum(there)
    with pytest.raises(ValueError, match="runs on the processor"):
        here.twice.resident(np.ones(3, np.float32))


@pytest.mark.parametrize("before", ["", "program.sum(np.arange(3))"], ids=["nothing", "a call"])
def test_ctrl_c_ends_calls_before_and_after_a_driver_is_loaded(before):
    opencl()
    # Drivers that contain LLVM install their own signal handlers, which restore the previous handlers.
    script = f"""
import os, signal, threading, numpy as np, warpwise
text = {INTERRUPTED!r}
program = warpwise.compile(text)
signal.signal(signal.SIGINT, signal.default_int_handler)
{before}
assert warpwise.compile(text, device="opencl").sum(np.arange(10)) == 45
for delay in 0.1, 0.005, 0.005:
    try:
        threading.Timer(delay, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        program.spin(64)
    except KeyboardInterrupt:
        print("interrupted")
"""
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    ended = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=100)
    assert (ended.returncode, ended.stdout) == (0, "interrupted\n" * 3), ended.stderr
