"""Tests of the wheel in a system that has only Python; scripts/test-wheel.sh runs them."""

import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy
import warpwise

PROGRAM = """
-- | The sum of products.
entry dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

-- ==
-- entry: main
-- input { [1.0, 2.0] } output { 0.909297 }
entry main [n] (xs: [n]f64) : f64 = f64.maximum (map f64.sin xs)

entry halves [n] (xs: [n]f16) : [n]f16 = map (/ 2) xs
"""


def run(words, **options):
    """Runs a command that must succeed and returns its output."""
    ended = subprocess.run(words, capture_output=True, text=True, **options)
    assert ended.returncode == 0, f"{words}: {ended.stderr}"
    return ended.stdout


def close(a, b):
    return abs(float(a) - float(b)) < 1e-6


def arrays():
    """Tests a program on NumPy arrays, without copies."""
    program = warpwise.compile(PROGRAM, cache=False)
    xs = numpy.linspace(0.0, 1.0, 100_001)
    assert close(program.dot(xs, xs), xs @ xs)
    assert close(program.main(xs), numpy.sin(1.0))
    halves = program.halves(numpy.arange(7, dtype=numpy.float16))
    assert halves.dtype == numpy.float16 and halves.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]


def command(file):
    """Tests the command, as a script and as a module, with worker processes and exit codes."""
    for words in (["warpwise"], [sys.executable, "-m", "warpwise"]):
        assert run([*words, "--version"]).startswith("warpwise ")
        assert close(run([*words, "run", file], input="[1.0, 2.0]").removesuffix("f64\n"), 0.909297)
    assert "1 passed" in run(["warpwise", "test", file]), run(["warpwise", "test", file])
    wrong = subprocess.run(["warpwise", "check", "/no/such.fut"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "/no/such.fut" in wrong.stderr, wrong


def interrupted(folder):
    """Tests that Ctrl-C ends a run as it ends a run of the executable, without a message from Python."""
    endless = pathlib.Path(folder, "endless.fut")
    endless.write_text("entry main (x: i64) = loop x while x >= 0 do (x + 1) % 1000")
    with subprocess.Popen(
        ["warpwise", "run", endless], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdin.write("1")
        process.stdin.close()
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        errors = process.stderr.read()
    assert (process.returncode, errors) == (130, "error: interrupted\n"), (process.returncode, errors)


def built(file):
    """Tests executables and servers, linked without a system linker."""
    run(["warpwise", "build", file, "-o", "alone"])
    assert close(run(["./alone"], input="[1.0, 2.0]").removesuffix("f64\n"), 0.909297)
    run(["warpwise", "build", file, "--portable", "-o", "anywhere"])
    assert run(["./anywhere", "-e", "halves"], input="[1f16, 3f16]") == "[0.5f16, 1.5f16]\n"
    run(["warpwise", "build", file, "--server", "-o", "server"])
    assert run(["./server"], input="types\n").endswith("%%% OK\n")


def library(file):
    """Tests a library for C, loaded by ctypes."""
    run(["warpwise", "build", file, "--library", "-o", "lib"])
    made = ctypes.CDLL("./liblib.so")
    for name in ("context_config_new", "context_new", "new_f64_1d"):
        getattr(made, f"futhark_{name}").restype = ctypes.c_void_p
    config = ctypes.c_void_p(made.futhark_context_config_new())
    context = ctypes.c_void_p(made.futhark_context_new(config))
    data = (ctypes.c_double * 3)(1.0, 2.0, 3.0)
    xs = ctypes.c_void_p(made.futhark_new_f64_1d(context, data, ctypes.c_int64(3)))
    result = ctypes.c_double()
    assert made.futhark_entry_dot(context, ctypes.byref(result), xs, xs) == 0
    assert result.value == 14.0
    made.futhark_free_f64_1d(context, xs)
    made.futhark_context_free(context)
    made.futhark_context_config_free(config)


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "p.fut")
        file.write_text(PROGRAM)
        arrays()
        command(str(file))
        interrupted(folder)
        os.chdir(folder)
        built(str(file))
        library(str(file))


if __name__ == "__main__":
    main()
