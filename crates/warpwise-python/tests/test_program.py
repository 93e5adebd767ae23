"""The attributes of a program, and its compilation."""

import gc
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import warpwise

TEXT = """
entry mvm [n][m] (a: [n][m]f32) (x: [m]f32) : [n]f32 = map (\\row -> f32.sum (map2 (*) row x)) a
"""


def test_files_and_their_imports(tmp_path):
    (tmp_path / "lib.fut").write_text("def three = 3i32")
    (tmp_path / "main.fut").write_text('import "lib"\nentry main (x: i32) = x * three')
    for path in (tmp_path / "main.fut", str(tmp_path / "main.fut")):
        program = warpwise.compile(path)
        assert program.main(5) == 15 and program.source == str(path)
    text = 'import "lib"\nentry main (x: i32) = x + three'
    assert warpwise.compile(text, folder=tmp_path).main(5) == 8
    with pytest.raises(warpwise.CompileError, match="nowhere: cannot read"):
        warpwise.compile(text, folder=tmp_path / "nowhere")


def test_the_cache(tmp_path):
    folder = tmp_path / "cache"
    assert not warpwise.compile(TEXT, cache=folder).cached
    assert warpwise.compile(TEXT, cache=folder).cached
    assert not warpwise.compile(TEXT, cache=folder, strict_fp=True).cached
    assert not warpwise.compile(TEXT, cache=False).cached


def test_core_ir_is_shown():
    program = warpwise.compile(TEXT)
    assert "screma" in program.ir(after="") and "segred" in program.ir(after="schedule") and "alloc" in program.ir()
    with pytest.raises(ValueError, match="there is no pass `nothing`; there are: .*fuse"):
        program.ir(after="nothing")


def test_the_profile_is_a_table():
    import pandas

    program = warpwise.compile(TEXT)
    program.start_profile()
    for _ in range(3):
        program.mvm(np.ones((100, 100), np.float32), np.ones(100, np.float32))
    table = pandas.DataFrame(program.profile())
    assert set(table.columns) == {"what", "place", "times", "bytes", "seconds"}
    assert table.times.max() == 3 and table.seconds.sum() > 0 and table.place.str.startswith("<text>:2").any()
    program.start_profile()
    assert program.profile() == []
    program.mvm(np.ones((100, 100), np.float32), np.ones(100, np.float32))
    table = pandas.DataFrame(program.profile())
    assert table.times.max() == 1 and 0 < table.seconds.sum() < 10


def test_options():
    text = "entry third (x: f32) (y: f32) (z: f32) : f32 = x * y + z"
    a, b, c = np.float32(1 + 2**-12), np.float32(1 - 2**-12), np.float32(-1)
    assert warpwise.compile(text, strict_fp=True).third(a, b, c) == float(np.float32(np.float32(a * b) + c))
    assert warpwise.compile(text).third(a, b, c) == -(2.0**-24)
    with pytest.raises(ValueError, match="exclude each other"):
        warpwise.compile(text, strict_fp=True, fast_math=True)
    tuned = warpwise.compile("entry f : i64 = #[param(size)] 32", tuning={"size": 7})
    assert tuned.f() == 7


def test_warnings_are_text():
    assert warpwise.compile(TEXT).warnings == ""
    assert "is not used" in warpwise.compile("entry f (x: i32) = let y = 3 in x").warnings


def test_programs_without_entry_points_and_awkward_names():
    assert warpwise.compile("def f x = x + 1").entries == []
    program = warpwise.compile("entry f' (x': i32) (_: i32) : i32 = x'\nentry lambda (class: i32) : i32 = class\nentry profile (x: i32) = x")
    assert program["f'"](4, 5) == 4 and program["f'"](**{"x'": 4, "argument2": 5}) == 4
    assert program["lambda"](**{"class": 3}) == 3 and program["profile"](1) == 1
    assert str(__import__("inspect").signature(program["lambda"])) == "(argument1: 'i32') -> 'i32'"
    assert program["lambda"](argument1=3) == 3 and program["f'"](4, argument2=5) == 4
    with pytest.raises(TypeError, match="two values for `argument1`"):
        program["f'"](4, argument1=5)
    with pytest.raises(TypeError, match="two values for"):
        program["f'"](**{"x'": 4, "argument1": 5})


def test_programs_are_collections_of_entry_points():
    program = warpwise.compile("entry f (x: i32) : i32 = x\nentry g (x: i32) : i32 = x")
    assert list(program) == ["f", "g"] and len(program) == 2
    assert "f" in program and "h" not in program and 3 not in program
    assert [program[name](1) for name in program] == [1, 1]


def test_programs_come_and_go():
    def resident():
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    xs = np.ones(1000, np.float32)
    def round():
        program = warpwise.compile(TEXT)
        assert program.mvm(np.ones((3, 1000), np.float32), xs)[0] == 1000

    for _ in range(20):
        round()
    before = resident()
    for _ in range(200):
        round()
    assert resident() < before + (8 << 20)


def test_exceptions_are_picklable_and_ordinary():
    import pickle

    with pytest.raises(warpwise.CompileError) as caught:
        warpwise.compile("entry f = y")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.diagnostics == caught.value.diagnostics


def test_the_module_without_numpy_says_so(tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('hidden')")
    text = """
        import warpwise
        p = warpwise.compile("entry f (x: i64) : i64 = x + 1\\nentry g (x: i64) : [1]i64 = [x]")
        print(p.f(1))
        try:
            p.g(1)
        except ImportError as error:
            print(error)
        """
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    assert ended.stdout == "2\nhidden\n", ended.stderr


def test_everything_public_has_a_docstring():
    for name in warpwise.__all__:
        thing = getattr(warpwise, name)
        assert name == "EntryPoint" or thing.__doc__, name
        for member in vars(thing) if isinstance(thing, type) else ():
            if not member.startswith("_"):
                assert getattr(getattr(thing, member), "__doc__", "x"), f"{name}.{member}"
    assert Path(warpwise.__file__).exists()
