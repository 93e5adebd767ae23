"""Libraries from `warpwise build --library` are called like compiled programs."""

import dataclasses
import gc
import os
import shutil
import subprocess
import sys
import threading
from collections import namedtuple

import numpy as np
import pyarrow as pa
import pytest

import warpwise
from warpwise import Variant

TEXT = """
-- | The sum of products.
entry dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)
entry next (x: i64) : i64 = x + 1
entry byte (x: u8) : u8 = x
entry half (x: f16) : f16 = x * 2
entry truth (x: bool) : bool = !x
entry at [n] (xs: [n]i32) (i: i64) : i32 = xs[i]
entry first [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = 42
entry same [n] (xs: [n]f64) : ([n]f64, [n]f64) = (xs, xs)
entry columns [n][m] (xs: [n][m]f64) : [m]f64 = map f64.sum (transpose xs)
entry pair (x: i32) : (i32, [2]f32) = (x, [1, 2])
entry odd [n] (xs: [n]i32) : [n]bool = map (\\x -> x % 2 == 1) xs

type point = {x: f32, y: f32}
entry norm (p: point) : f32 = f32.sqrt (p.x * p.x + p.y * p.y)
entry swap (p: point) : point = {x = p.y, y = p.x}
entry points (n: i64) : [n]point = tabulate n (\\i -> {x = f32.i64 i, y = 1})
entry total [n] (ps: [n]point) : f32 = f32.sum (map (\\p -> p.x + p.y) ps)
entry xs [n] (ps: [n]point) : [n]f32 = map (.x) ps
entry shifted [n] (ps: *[n]point) : *[n]point = ps with [0] = {x = 7, y = 7}

type~ shape = #circle f32 | #box f32 f32 | #many ([]f32) | #nothing
entry area (s: shape) : f32 =
  match s
  case #circle r -> 3 * r * r
  case #box w h -> w * h
  case #many xs -> f32.sum xs
  case #nothing -> 0
entry shapes (n: i32) : shape = if n == 0 then #box 2 3 else if n == 1 then #many [1, 2] else #nothing
entry big (n: i64) : [n]i64 = iota n
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Returns the path of the library of `TEXT`."""
    folder = tmp_path_factory.mktemp("library")
    (folder / "probe.fut").write_text(TEXT)
    command = [sys.executable, "-m", "warpwise", "build", "probe.fut", "--library"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "libprobe.so"


@pytest.fixture(scope="module")
def library(built):
    return warpwise.load_library(built, threads=2)


def refused(exception, call, *words):
    with pytest.raises(exception) as caught:
        call()
    for word in words:
        assert word in str(caught.value), str(caught.value)
    return caught.value


def test_scalars_and_arrays(library):
    assert library.dot(np.arange(4.0), np.arange(4.0)) == 14.0
    assert library.dot(ys=[1, 2], xs=(3, 4.5)) == 12
    assert library.next(41) == 42 and library.next(np.int8(41)) == 42
    assert library.byte(255) == 255 and library.half(1.5) == 3 and library.half(1e9) == float("inf")
    assert library.truth(np.bool_(False)) is True and library["truth"](True) is False
    assert library.dot(np.ones(0), np.ones(0)) == 0
    square = np.arange(12.0).reshape(3, 4)
    for given in (square, square.T, square[::-1], square[:, ::2], square.astype(">f8"), np.ones((0, 3))):
        assert library.columns(given).tolist() == given.sum(axis=0).tolist()
    odd = library.odd(np.arange(4, dtype=np.int32))
    assert odd.dtype == bool and odd.tolist() == [False, True, False, True]
    assert library.pair(7)[0] == 7 and library.pair(7)[1].tolist() == [1, 2]
    assert library.dot(pa.array([1.0, 2.0]), pa.chunked_array([[3.0], [4.0]])) == 11


def test_compiled_programs_give_the_same(library):
    program = warpwise.compile(TEXT)
    rng = np.random.default_rng(2)
    xs, ys = rng.normal(size=(2, 10_000))
    assert library.dot(xs, ys) == program.dot(xs, ys)
    assert library.columns(xs.reshape(100, 100)).tobytes() == program.columns(xs.reshape(100, 100)).tobytes()
    assert sorted(library.entries) == sorted(program.entries)
    for name in library.entries:
        assert library[name].parameters == program[name].parameters and library[name].result == program[name].result


def test_results_own_their_memory(library):
    xs = np.arange(5.0)
    one, other = library.same(xs)
    one[0] = 7
    assert xs[0] == 0 and other.tolist() == [0, 1, 2, 3, 4]
    consumed = np.arange(3, dtype=np.int32)
    assert library.first(consumed).tolist() == [42, 1, 2] and consumed[0] == 0
    results = [library.columns(np.full((2, 100), float(number))) for number in range(20)]
    gc.collect()
    assert [result[-1] for result in results] == [2.0 * number for number in range(20)]


def test_records(library):
    Point = namedtuple("Point", "x y")

    @dataclasses.dataclass
    class Place:
        x: float
        y: float

    for point in ({"x": 3, "y": 4}, Point(3, 4), Place(3, 4)):
        assert library.norm(point) == 5
    assert library.swap(Point(1, 2)) == (2, 1) and library.swap({"x": 1, "y": 2}).x == 2
    refused(TypeError, lambda: library.norm({"x": 1}), "`p`", "the field `y`", "missing")
    refused(TypeError, lambda: library.norm({"x": 1, "y": 2, "z": 3}), "'z' is no field")
    refused(TypeError, lambda: library.norm({"x": "a", "y": 2}), "`p.x`", "expected f32, found str")
    refused(TypeError, lambda: library.norm(3), "`p`", "expected point, found int")


def test_arrays_of_records_stay_inside(library):
    points = library.points(4)
    assert points.shape == (4,) and len(points) == 4 and points.type == "[]point" and repr(points) == "<[4]point>"
    assert points[3] == (3, 1) and points[-1].x == 3
    assert library.total(points) == 10
    fields = points.fields
    fields["x"][0] = 100
    library.xs(points)[0] = 100
    assert library.total(points) == 10, "what others see is copied"
    assert library.shifted(points)[0] == (7, 7) and library.total(points) == 10
    ones = np.ones(3, dtype=np.float32)
    assert library.total({"x": ones, "y": ones}) == 6
    assert library.total([{"x": 1, "y": 2}, {"x": 3, "y": 4}]) == 10 and library.total([]) == 0
    table = np.zeros(2, dtype=[("x", "f4"), ("y", "f4")])
    table["x"] = 5
    assert library.total(table) == 10
    assert library.total(pa.table({"y": ones, "x": ones})) == 6
    with pytest.raises(IndexError):
        points[4]
    refused(ValueError, lambda: library.total({"x": ones, "y": ones[:2]}), "`ps`", "sizes")
    refused(TypeError, lambda: library.norm(points), "found []point")


def test_sums(library):
    assert library.area(Variant("circle", 2.0)) == 12 and library.area("#nothing") == 0
    assert library.area(Variant("many", np.ones(5, np.float32))) == 5
    assert library.shapes(0) == Variant("box", 2.0, 3.0) and library.shapes(2) == Variant("nothing")
    assert library.shapes(1).payload[0].tolist() == [1, 2]
    refused(ValueError, lambda: library.area(Variant("ball")), "there is no `#ball`; there are: #box, #circle")
    refused(TypeError, lambda: library.area(Variant("circle", 1, 2)), "carries 1 values, but 2 are given")
    refused(TypeError, lambda: library.area(3), "expected shape, found int")


def test_what_is_wrong(library):
    error = refused(warpwise.RunError, lambda: library.at(np.zeros(3, np.int32), 5), "out of bounds")
    assert error.place == "probe.fut:8:44" and "5" in error.message and error.calls == []
    refused(ValueError, lambda: library.dot(np.ones(3), np.ones(4)), "`ys`", "4")
    refused(MemoryError, lambda: library.big(2**45), "memory")
    refused(TypeError, lambda: library.dot(np.ones(3), np.ones(3, np.float32)), "`ys`", "[]f64", "float32", 'astype("float64")')
    refused(TypeError, lambda: library.dot(np.ones(3), np.ones((3, 1))), "`ys`", "shape (3, 1)")
    refused(TypeError, lambda: library.dot(np.ones(3), None), "`ys`", "found NoneType")
    refused(TypeError, lambda: library.dot([1], [object()]), "`ys`")
    refused(ValueError, lambda: library.dot([1, 2], [1, [2]]), "`ys`", "expected []f64")
    refused(ValueError, lambda: library.dot([1.0, 2.0], pa.array([1.0, None])), "`ys`", "null")
    refused(TypeError, lambda: library.at(np.ones(3, np.int32), 1.0), "`i`", "expected i64, found float")
    refused(TypeError, lambda: library.truth(1), "expected bool, found int")
    refused(OverflowError, lambda: library.byte(256), "256 is no u8 (0 to 255)")
    refused(TypeError, lambda: library.dot(np.ones(3)), "dot() takes 2 arguments (xs, ys), but 1 were given")
    refused(TypeError, lambda: library.byte(y=1), "byte() has no parameter `y`; it has: x")
    refused(TypeError, lambda: library.dot(np.ones(3), xs=np.ones(3)), "two values for `xs`")
    refused(AttributeError, lambda: library.nothing, "no entry point `nothing`; there are: area, at")
    refused(KeyError, lambda: library["nothing"], "no entry point `nothing`")
    assert library.next(1) == 2, "all is well afterwards"


def test_values_of_other_libraries(library, built):
    other = warpwise.load_library(built)
    refused(TypeError, lambda: other.total(library.points(2)), "`ps`", "[]point")
    points = other.points(3)
    del other
    gc.collect()
    assert points[2].x == 2, "values keep their library"


def test_limits_and_missing_files(built, tmp_path):
    small = warpwise.load_library(built, memory_limit=1 << 20)
    refused(MemoryError, lambda: small.big(1 << 20), "memory")
    refused(ValueError, lambda: warpwise.load_library(built, threads=0), "1 to 1024")
    refused(FileNotFoundError, lambda: warpwise.load_library(tmp_path / "libnothing.so"), "nothing.json")
    (tmp_path / "libprobe.json").write_text("{}")
    shutil.copy(built.with_name("probe.json"), tmp_path / "probe.json")
    refused(FileNotFoundError, lambda: warpwise.load_library(tmp_path / "libprobe.so"), "libprobe.so")


def test_signatures_are_shown(library):
    assert library.dot.__doc__ == "dot (xs: []f64) (ys: []f64) : f64" and library.dot.__name__ == "dot"
    assert repr(library.dot) == "<entry point dot (xs: []f64) (ys: []f64) : f64>"
    assert library.first.parameters == [("xs", "*[]i32")] and library.first.result == "[]i32"
    assert "dot" in dir(library) and "entry swap (p: point) : point" in repr(library)


def test_many_threads(library):
    failures = []

    def work(number):
        for _ in range(50):
            xs = np.full(1000, float(number))
            if library.dot(xs, xs) != 1000.0 * number * number:
                failures.append(number)
            try:
                library.at(np.zeros(number, np.int32), 9)
            except warpwise.RunError as error:
                if f"shape [{number}]" not in str(error):
                    failures.append(str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failures == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_the_child_of_a_fork(library):
    assert library.next(1) == 2
    child = os.fork()
    if child == 0:
        os._exit(0 if library.dot(np.ones(10**5), np.ones(10**5)) == 10**5 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_memory_does_not_grow(library):
    import resource

    def calls(count):
        for _ in range(count):
            library.same(np.ones(10_000))
            library.points(1000).fields
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = calls(100)
    assert calls(500) < before + 20_000, "kibibytes"
