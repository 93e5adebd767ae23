"""Calls of entry points: what goes in, what comes out, what is copied."""

import array
import ctypes
import dataclasses
import gc
import inspect
import weakref
from collections import namedtuple

import numpy as np
import pytest

import warpwise

PROGRAM = warpwise.compile(
    """
-- | The sum of products.
entry dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

entry next (x: i64) : i64 = x + 1
entry scale [n] (a: f32) (xs: [n]f32) : [n]f32 = map (* a) xs
entry counted [n] (xs: *[n]i32) : *[n]i32 = map (+ 1) xs
entry first [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = 42
entry same [n] (xs: [n]f64) : [n]f64 = xs
entry at [n] (xs: [n]i32) (i: i64) : i32 = xs[i]
entry pair (x: i32) : (i32, [2]f32) = (x, [1, 2])
entry columns [n][m] (xs: [n][m]f64) : [m]f64 = map f64.sum (transpose xs)

type point = {x: f32, y: f32}
entry norm (p: point) : f32 = f32.sqrt (p.x * p.x + p.y * p.y)
entry swap (p: point) : point = {x = p.y, y = p.x}
entry points (n: i64) : [n]point = tabulate n (\\i -> {x = f32.i64 i, y = 1})
entry total [n] (ps: [n]point) : f32 = f32.sum (map (\\p -> p.x + p.y) ps)

type shape = #circle f32 | #box f32 f32 | #nothing
entry area (s: shape) : f32 =
  match s
  case #circle r -> 3 * r * r
  case #box w h -> w * h
  case #nothing -> 0
entry shapes (b: bool) : shape = if b then #box 2 3 else #nothing
"""
)


def test_scalars_and_arrays():
    assert PROGRAM.dot(np.arange(4.0), np.arange(4.0)) == 14.0
    assert PROGRAM.next(41) == 42
    assert PROGRAM.next(x=np.int8(41)) == 42
    assert PROGRAM.pair(7)[0] == 7
    scaled = PROGRAM.scale(2, np.arange(5, dtype=np.float32))
    assert scaled.dtype == np.float32 and scaled.tolist() == [0, 2, 4, 6, 8]
    assert PROGRAM.columns(np.ones((3, 4))).tolist() == [3.0] * 4


def test_contiguous_arrays_and_results_are_not_copied():
    xs = np.ones(100_000, dtype=np.float32)
    xs.flags.writeable = False
    before = warpwise.copied_bytes()
    out = PROGRAM.scale(3.0, xs)
    assert warpwise.copied_bytes() == before
    assert out.sum() == 300_000 and out.flags.writeable and out.base is not None


def test_other_arrays_are_copied_and_counted():
    square = np.arange(12.0).reshape(3, 4)
    for given in (square.T, square[::-1], square[:, ::2], square.astype(">f8"), np.asfortranarray(square)):
        before = warpwise.copied_bytes()
        assert PROGRAM.columns(given).tolist() == given.sum(axis=0).tolist()
        assert warpwise.copied_bytes() == before + given.nbytes


def test_results_that_are_arguments_are_copies():
    xs = np.arange(3.0)
    same = PROGRAM.same(xs)
    same[0] = 7
    assert xs[0] == 0 and same.tolist() == [7, 1, 2]


def test_what_is_consumed_is_copied_unless_it_is_given_away():
    xs = np.arange(5, dtype=np.int32)
    before = warpwise.copied_bytes()
    assert PROGRAM.first(xs).tolist() == [42, 1, 2, 3, 4]
    assert xs[0] == 0 and warpwise.copied_bytes() == before + xs.nbytes
    before = warpwise.copied_bytes()
    out = PROGRAM.first(warpwise.consume(xs))
    assert out.tolist() == [42, 1, 2, 3, 4]
    assert xs[0] == 42 and np.shares_memory(out, xs), "in place"
    assert warpwise.copied_bytes() == before
    xs.flags.writeable = False
    assert PROGRAM.counted(warpwise.consume(xs)).tolist() == [43, 2, 3, 4, 5] and xs[0] == 42


def test_arrays_that_are_given_away_and_share_memory_are_copied():
    program = warpwise.compile(
        "entry shifted [n] (xs: *[n]i64) (ys: [n]i64) : *[n]i64 = loop xs for i < n - 1 do xs with [i + 1] = xs[i] + ys[i]\n"
        "entry both [n] (xs: *[n]i64) (ys: *[n]i64) : (*[n]i64, *[n]i64) = (xs with [0] = 1, ys with [0] = 2)"
    )
    expected = program.shifted([1, 2, 3, 4], [1, 2, 3, 4])
    xs = np.array([1, 2, 3, 4])
    before = warpwise.copied_bytes()
    assert program.shifted(warpwise.consume(xs), xs).tolist() == expected.tolist()
    assert xs.tolist() == [1, 2, 3, 4] and warpwise.copied_bytes() == before + xs.nbytes
    longer = np.array([0, 1, 2, 3, 4])
    expected = program.shifted([1, 2, 3, 4], [0, 1, 2, 3])
    assert program.shifted(warpwise.consume(longer[1:]), longer[:-1]).tolist() == expected.tolist()
    for given in (warpwise.consume(xs), xs):
        first, second = program.both(warpwise.consume(xs), given)
        assert first.tolist() == [1, 2, 3, 4] and second.tolist() == [2, 2, 3, 4]
    apart = np.array([1, 2, 3, 4, 5, 6, 7, 8])
    before = warpwise.copied_bytes()
    program.shifted(warpwise.consume(apart[:4]), apart[4:])
    assert warpwise.copied_bytes() == before, "neighbours do not share memory"
    assert PROGRAM.first(warpwise.consume(np.zeros(1, np.int32))).tolist() == [42]


def test_a_loop_that_gives_its_results_away():
    xs = np.zeros(10, np.int32)
    start = xs
    for _ in range(200_000):
        xs = PROGRAM.first(warpwise.consume(xs))
    assert np.shares_memory(start, xs)
    for kept in (start, xs):
        depth = 0
        while (kept := getattr(kept, "base", None)) is not None:
            depth += 1
        assert depth < 4


def test_giving_away_what_is_not_consumed_changes_nothing():
    xs = np.arange(3.0)
    same = PROGRAM.same(warpwise.consume(xs))
    same[0] = 7
    assert xs.tolist() == [0, 1, 2] and same.tolist() == [7, 1, 2]
    assert PROGRAM.next(warpwise.consume(41)) == 42


def test_records():
    Point = namedtuple("Point", "x y")

    @dataclasses.dataclass
    class Place:
        x: float
        y: float

    for point in ({"x": 3, "y": 4}, Point(3, 4), Place(3, 4)):
        assert PROGRAM.norm(point) == 5
    assert PROGRAM.swap(Point(1, 2)) == (2, 1)
    assert PROGRAM.swap({"x": 1, "y": 2}).x == 2


def test_arrays_of_records():
    points = PROGRAM.points(4)
    assert points.shape == (4,) and len(points) == 4 and points.type == "[]point"
    assert points[3] == (3, 1) and points[-1].x == 3
    assert points.fields["x"].tolist() == [0, 1, 2, 3]
    assert PROGRAM.total(points) == 10
    ones = np.ones(3, dtype=np.float32)
    assert PROGRAM.total({"x": ones, "y": ones}) == 6
    assert PROGRAM.total([{"x": 1, "y": 2}, {"x": 3, "y": 4}]) == 10
    table = np.zeros(2, dtype=[("x", "f4"), ("y", "f4")])
    table["x"] = 5
    assert PROGRAM.total(table) == 10
    with pytest.raises(IndexError):
        points[4]
    assert points["x"].tolist() == [0, 1, 2, 3]
    with pytest.raises(KeyError, match="have no field `z`; they have: x, y"):
        points["z"]
    with pytest.raises(TypeError, match="an index is an int.* and not a slice; slice the arrays in `.fields`"):
        points[1:]
    with pytest.raises(TypeError, match="not a float"):
        points[1.5]
    table = np.asarray(points)
    assert table.dtype == [("x", "f4"), ("y", "f4")] and table.tolist() == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert PROGRAM.total(table) == 10 and np.asarray(PROGRAM.points(0)).shape == (0,)
    with pytest.raises(ValueError, match="sizes"):
        PROGRAM.total({"x": ones, "y": ones[:2]})


def test_arrays_of_other_elements_become_numpys():
    program = warpwise.compile(
        "entry pairs (n: i64) : [n](i32, f64) = tabulate n (\\i -> (i32.i64 i, 0.5))\n"
        "entry summed [n] (ps: [n](i32, f64)) : f64 = f64.sum (map (\\(i, x) -> f64.i32 i + x) ps)\n"
        "type row = {name: i64, values: [2]f64}\n"
        "entry rows (n: i64) : [n]row = tabulate n (\\i -> {name = i, values = [1, 2]})\n"
        "type shape = #circle f32 | #nothing\n"
        "entry shapes (n: i64) : [n]shape = replicate n (#circle 1)"
    )
    pairs = np.array([(1, 0.5), (2, 0.25)], [("number", "i4"), ("part", "f8")])
    assert program.summed(pairs) == 3.75 and program.summed(program.pairs(3)) == 4.5
    assert np.asarray(program.pairs(2)).tolist() == [(0, 0.5), (1, 0.5)]
    rows = np.asarray(program.rows(3))
    assert rows["values"].tolist() == [[1, 2]] * 3 and rows["name"].tolist() == [0, 1, 2]
    with pytest.raises(TypeError, match="have no fields: read them one by one"):
        np.asarray(program.shapes(2))
    with pytest.raises(TypeError, match=r"summed\(\): argument `ps`: expected .*, found a structured array with the fields x"):
        program.summed(np.zeros(2, [("x", "i4")]))
    with pytest.raises(TypeError, match=r"total\(\): argument `ps`: expected \[\]point, found a structured array with the fields x, z"):
        PROGRAM.total(np.zeros(2, [("x", "f4"), ("z", "f4")]))


def test_objects_that_lend_their_memory():
    program = warpwise.compile("entry total [n] (xs: [n]u8) : u64 = u64.sum (map u64.u8 xs)")
    for given in (b"\1\2\3", bytearray(b"\1\2\3"), memoryview(b"\1\2\3"), (ctypes.c_ubyte * 3)(1, 2, 3), array.array("B", [1, 2, 3])):
        before = warpwise.copied_bytes()
        assert program.total(given) == 6 and warpwise.copied_bytes() == before
    assert program.total(b"") == 0


def test_sums():
    Variant = warpwise.Variant
    assert PROGRAM.area(Variant("circle", 2.0)) == 12
    assert PROGRAM.area("#nothing") == 0
    assert PROGRAM.shapes(True) == Variant("box", 2.0, 3.0) and repr(PROGRAM.shapes(True)) == "#box 2.0 3.0"
    match PROGRAM.shapes(True):
        case Variant("box", (w, h)):
            assert (w, h) == (2, 3)
        case other:
            pytest.fail(repr(other))
    with pytest.raises(ValueError, match="there is no `#ball`; there are: #box, #circle, #nothing"):
        PROGRAM.area(Variant("ball"))
    with pytest.raises(TypeError, match="carries 1 values, but 2 are given"):
        PROGRAM.area(Variant("circle", 1, 2))


def test_lists_are_arrays_of_whole_or_other_numbers():
    assert PROGRAM.dot([1, 2], (3, 4.5)) == 12
    assert PROGRAM.at(range(5), 3) == 3
    assert PROGRAM.dot([], []) == 0
    with pytest.raises(TypeError, match="expected \\[\\]i32, found a float64 array"):
        PROGRAM.at([1.5], 0)
    with pytest.raises(OverflowError, match=r"at\(\): argument `xs`: expected \[\]i32: .*out of bounds for int32"):
        PROGRAM.at([2**40], 0)
    with pytest.raises(OverflowError, match="`xs`"):
        PROGRAM.at([2**70], 0)
    with pytest.raises(TypeError, match="found a float64 array of shape .*; whole numbers are needed"):
        PROGRAM.at([1.5], 0)


def test_signatures_are_shown():
    assert PROGRAM.dot.__doc__ == "dot [n] (xs: [n]f64) (ys: [n]f64) : f64\n\nThe sum of products."
    assert str(inspect.signature(PROGRAM.dot)) == "(xs: '[]f64', ys: '[]f64') -> 'f64'"
    assert repr(PROGRAM.dot) == "<entry point dot [n] (xs: [n]f64) (ys: [n]f64) : f64>"
    assert PROGRAM.first.parameters == [("xs", "*[]i32")] and PROGRAM.first.result == "[]i32"
    assert PROGRAM.entries[:2] == ["dot", "next"] and "dot" in dir(PROGRAM)
    assert PROGRAM["dot"] is PROGRAM.dot
    assert "entry swap (p: point) : point" in repr(PROGRAM)
    program = warpwise.compile("entry f (x: f64) : f64 = (x + 1)\nentry g (x: f64) =\n  -- Twice.\n  ((x + x))")
    assert repr(program.f) == "<entry point f (x: f64) : f64>" and program.g.__doc__ == "g (x: f64)"


def test_weak_references():
    program = warpwise.compile("entry f (x: i64) : i64 = x + 1")
    references = [weakref.ref(program), weakref.ref(program.f)]
    assert references[1]()(1) == 2
    del program
    gc.collect()
    assert [reference() for reference in references] == [None, None]


@pytest.mark.parametrize("dtype", ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"])
def test_every_type_of_elements(dtype):
    dtype = np.dtype(dtype)
    names = {"b": "bool", "i": f"i{8 * dtype.itemsize}", "u": f"u{8 * dtype.itemsize}", "f": f"f{8 * dtype.itemsize}"}
    name = names[dtype.kind]
    program = warpwise.compile(f"entry turned [n] (xs: [n]{name}) : [n]{name} = reverse xs\nentry last [n] (xs: [n]{name}) = xs[n - 1]")
    xs = np.array([0, 1, 1, 0, 1]).astype(dtype) if dtype.kind == "b" else np.arange(5).astype(dtype)
    assert program.turned(xs).tolist() == xs[::-1].tolist() and program.turned(xs).dtype == dtype
    assert program.last(xs) == xs[-1]
    if dtype.kind in "iu":
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        assert [program.last(np.array([x], dtype)) for x in (least, most)] == [least, most]
