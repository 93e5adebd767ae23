"""Types of the module itself, and stubs of programs, checked by mypy and pyright."""

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import warpwise

PACKAGE = Path(warpwise.__file__).parent

PROGRAM = r"""
-- | The sum of products: "many", \ and """ + '"""' + r""".
entry dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)
entry scale [n] (a: f32) (xs: *[n]f32) : *[n]f32 = map (* a) xs
type point = {x: f32, y: f32}
entry norm (p: point) : f32 = f32.sqrt (p.x * p.x + p.y * p.y)
entry swap (p: point) : point = {x = p.y, y = p.x}
entry points (n: i64) : [n]point = tabulate n (\i -> {x = f32.i64 i, y = 1})
entry total [n] (ps: [n]point) : f32 = f32.sum (map (\p -> p.x + p.y) ps)
type shape = #circle f32 | #box f32 f32 | #nothing
entry area (s: shape) : f32 =
  match s
  case #circle r -> 3 * r * r
  case #box w h -> w * h
  case #nothing -> 0
entry shapes (b: bool) : shape = if b then #box 2 3 else #nothing
entry pair (x: i32) : (i32, [2]f32) = (x, [1, 2])
entry grid [n][m] (xs: [n][m]u8) (self: i64) : [m][n]u8 = map (map (+ u8.i64 self)) (transpose xs)
entry deep (xs: [1][1][1][1]f16) : [1]bool = [xs[0, 0, 0, 0] > 0]
entry anonymous (r: {a: i32, b: (bool, f64)}) : {c: i32} = {c = r.a}
entry f' (x: i32) : i32 = x
entry lambda (x: i32) : i32 = x
entry keyword (class: i32) (y: i32) : i32 = class - y
"""

RIGHT = """\
import typing
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

import prog
import warpwise


@dataclass
class Place:
    x: float
    y: float


warpwise.install_import_hook()
program = typing.cast("prog.Program", warpwise.compile("prog.fut"))
ones = numpy.ones(2)
number: float = program.dot([1, 2], ones) + prog.dot(xs=(1, 2), ys=range(2))
scaled: NDArray[numpy.float32] = prog.scale(2, warpwise.consume(numpy.ones(3, numpy.float32)))
number += prog.norm({"x": 1, "y": 2.0}) + prog.norm(Place(1, 2)) + prog.norm(prog.point(1, 2))
number += prog.swap(prog.point(1, 2)).x + prog.total(prog.points(3)) + prog.total({"x": scaled, "y": scaled})
number += prog.total([{"x": 1, "y": 2}, {"x": 3, "y": 4}])
number += prog.area("#nothing") + prog.area(warpwise.Variant("circle", 1.0))
variant: warpwise.Variant = prog.shapes(numpy.bool_(True))
first, pair = prog.pair(numpy.int32(3))
count: int = first + prog.anonymous({"a": 1, "b": (True, 2.0)}).c + prog.keyword(3, 2)
turned: NDArray[numpy.uint8] = prog.grid([[1, 2]], 3)
truth: NDArray[numpy.bool_] = prog.deep(numpy.ones((1, 1, 1, 1), numpy.float16))
count += program["f'"](3) + len(program.entries)
text: str = warpwise.stubs(prog.program.source)
picture = warpwise.show(turned)
print(number, count)
"""

# Type checkers must reject each line.
WRONG = """\
prog.dot(ones, 1.0)
prog.dot(ones)
prog.dot(ones, "text")
prog.dot(singles, ones)
prog.dot(xs=ones, zs=ones)
prog.scale(1, ones)
prog.grid(ones, 1)
prog.norm({"x": 1})
prog.norm(3)
prog.swap({"x": 1, "y": 2}).z
prog.total([{"x": 1}])
prog.area("#ball")
prog.pair(1.5)
prog.keyword(**{"class": 1, "y": 2})
prog.program.nothing
warpwise.compile("prog.fut", thread=3)
warpwise.compile("prog.fut").profile(3)
"""


def module_run(folder, *words, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), str(folder)])}
    return subprocess.run([sys.executable, "-m", *map(str, words)], cwd=folder, env=environment, capture_output=True, text=True, timeout=240, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Makes a folder with a program, its stub, and two modules that use it: one correctly, one wrongly."""
    folder = tmp_path_factory.mktemp("typed")
    (folder / "prog.fut").write_text(PROGRAM)
    done = module_run(folder, "warpwise", "stubs", "prog.fut")
    assert done.returncode == 0, done.stderr
    (folder / "prog.pyi").write_text(done.stdout)
    (folder / "right.py").write_text(RIGHT)
    (folder / "wrong.py").write_text("import numpy\nimport prog\nimport warpwise\nones, singles = numpy.ones(3), numpy.ones(3, numpy.float32)\n" + WRONG)
    return folder


def wrong_lines():
    return set(range(5, 5 + len(WRONG.splitlines())))


def test_the_module_is_typed(tmp_path):
    done = module_run(tmp_path, "mypy", "--strict", "-p", "warpwise")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (PACKAGE / "py.typed").exists()


def test_the_native_module_is_as_its_types_say(tmp_path):
    # The method is in the class's slot for attributes, where stubtest cannot see it.
    (tmp_path / "allowed").write_text("warpwise._native.Program.__getattr__\n")
    done = module_run(tmp_path, "mypy.stubtest", "--allowlist", "allowed", "warpwise")
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_checks_calls(folder):
    done = module_run(folder, "mypy", "--strict", "right.py", "prog.pyi", "wrong.py")
    found = re.findall(r"^(\S+?):(\d+): error", done.stdout, re.MULTILINE)
    assert {file for file, _ in found} == {"wrong.py"}, done.stdout + done.stderr
    assert {int(line) for _, line in found} == wrong_lines(), done.stdout


def test_pyright_checks_calls(folder):
    try:
        done = module_run(folder, "pyright", "--version")
    except subprocess.TimeoutExpired:
        pytest.skip("pyright cannot be got or started here")
    if done.returncode != 0:
        pytest.skip(f"pyright does not run here: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    done = module_run(folder, "pyright", "--pythonpath", sys.executable, "--outputjson", "right.py", "prog.pyi", "wrong.py")
    found = [entry for entry in json.loads(done.stdout)["generalDiagnostics"] if entry["severity"] == "error"]
    assert {Path(entry["file"]).name for entry in found} == {"wrong.py"}, done.stdout
    assert {entry["range"]["start"]["line"] + 1 for entry in found} == wrong_lines(), done.stdout


def test_what_types_say_is_so(folder):
    done = subprocess.run(
        [sys.executable, "-c", "import warpwise; warpwise.install_import_hook(); import right"],
        cwd=folder, env={**os.environ, "PYTHONPATH": f"{PACKAGE.parent}{os.pathsep}{folder}"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == str(3 + 1 + 1 + 3 + 15)


def test_stubs_of_all_sources(folder):
    program = warpwise.compile(folder / "prog.fut")
    written = (folder / "prog.pyi").read_text()
    assert warpwise.stubs(program).partition("\n")[2] == written.partition("\n")[2] == warpwise.stubs(folder / "prog.fut").partition("\n")[2]
    assert "class Program(Compiled, Protocol)" in warpwise.stubs("entry f (x: i32) = x + 1")
    assert "    ...\n\nprogram: Program" in warpwise.stubs("def f (x: i32) = x + 1"), "no entry point"
    with pytest.raises(warpwise.CompileError):
        warpwise.stubs("entry f = y")


def test_the_command_says_what_is_wrong(tmp_path):
    (tmp_path / "bad.fut").write_text("entry f = y\n")
    done = module_run(tmp_path, "warpwise", "stubs", "bad.fut")
    assert done.returncode == 2 and "bad.fut:1:11" in done.stderr and not done.stdout
    done = module_run(tmp_path, "warpwise", "stubs")
    assert done.returncode == 2 and "usage: warpwise stubs" in done.stderr
    assert "\n  stubs " in module_run(tmp_path, "warpwise", "--help").stdout


def test_programs_are_imported(tmp_path, monkeypatch):
    (tmp_path / "imported_program.fut").write_text("type point = {x: f32, y: f32}\nentry norm (p: point) : f32 = p.x + p.y\nentry lambda = 3i32\n")
    (tmp_path / "wrong_program.fut").write_text("entry f = y\n")
    (tmp_path / "hidden_program.fut").write_text("entry f = y\n")
    (tmp_path / "hidden_program.py").write_text("number = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", sys.meta_path[:])
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("imported_program")
    warpwise.install_import_hook(threads=1)
    warpwise.install_import_hook(threads=2)
    module = importlib.import_module("imported_program")
    assert module.norm(module.point(1, 2)) == 3 and module.program.threads == 2
    assert type(module.program.norm.__call__({"x": 1, "y": 2})) is float
    assert module.__file__ == str(tmp_path / "imported_program.fut")
    with pytest.raises(warpwise.CompileError):
        importlib.import_module("wrong_program")
    assert importlib.import_module("hidden_program").number == 3, "a module goes first"
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("no_program_at_all")
    for name in ("imported_program", "hidden_program"):
        sys.modules.pop(name)


def test_records_have_classes():
    program = warpwise.compile("type point = {x: f32, y: f32}\nentry swap (p: point) : point = {x = p.y, y = p.x}")
    point = program.records["point"]
    assert program.swap(point(1, 2)) == point(2, 1) and type(program.swap(point(1, 2))) is point


def test_the_import_is_quick_and_takes_nothing_along():
    probe = "import sys, warpwise; print(sorted({'numpy', 'IPython', 'inspect', 'typing', 'zlib'} & set(sys.modules)), dir(warpwise).count('show'))"
    done = subprocess.run([sys.executable, "-c", probe], env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)}, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["[]", "1"], done.stderr
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        warpwise.nothing


def test_types_of_one_name_have_classes_of_their_own():
    program = warpwise.compile(
        "module a = {type t = {x: i32}}\nmodule b = {type t = {y: f32}}\ntype list = {z: i32}\n"
        "entry f (p: a.t) : b.t = {y = f32.i32 p.x}\nentry g (l: list) : list = l\nentry h (r: {x: bool}) : {x: bool} = r"
    )
    text = warpwise.stubs(program)
    for field in ("x: int", "y: float", "z: int", "x: bool"):
        assert text.count(f'`."""\n\n    {field}\n') == 1, text
    names = re.findall(r"^class (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names)) and "list" not in names
    assert program.f({"x": 2}).y == 2 and program.g({"z": 3}).z == 3
