"""Every error is an exception that names the problem and its position."""

import numpy as np
import pytest

import warpwise

PROGRAM = warpwise.compile(
    """
entry at [n] (xs: [n]i32) (i: i64) : i32 = xs[i]
entry dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)
entry byte (x: u8) : u8 = x
entry half (x: f16) : f16 = x
entry truth (x: bool) : bool = !x
entry big (n: i64) : [n]i64 = iota n
entry nested (p: {a: {b: [](f32, i32)}}) : i64 = length p.a.b
""",
    name="probe.fut",
)


def refused(exception, call, *words):
    with pytest.raises(exception) as caught:
        call()
    for word in words:
        assert word in str(caught.value), str(caught.value)
    return caught.value


def test_programs_that_are_wrong():
    error = refused(warpwise.CompileError, lambda: warpwise.compile("entry f (x: i32) = y + 1", name="f.fut"), "error[E0202]")
    [found] = error.diagnostics
    assert (found["file"], found["line"], found["column"], found["end_column"]) == ("f.fut", 1, 20, 21)
    assert found["severity"] == "error" and found["code"] == "E0202" and "y" in found["message"]
    refused(warpwise.CompileError, lambda: warpwise.compile("nowhere.fut"), "nowhere.fut: cannot read")
    refused(TypeError, lambda: warpwise.compile(3), "expected the text of a program or a path, found int")
    refused(ValueError, lambda: warpwise.compile("", device="abacus"), "device", "abacus")
    refused(ValueError, lambda: warpwise.compile("", threads=0), "1 to 1024")
    refused(ValueError, lambda: warpwise.compile("", memory_limit="1 GB"), "memory_limit '1 GB': expected a number of bytes")
    refused(ValueError, lambda: warpwise.compile("entry f : i64 = 3", tuning={"size": 3}), "no parameter `size`; it has none")
    tunable = "entry f : i64 = #[param(size)] 32"
    refused(ValueError, lambda: warpwise.compile(tunable, tuning={"size": 3, "width": 3}), "no parameter `width`; there are: size")
    assert issubclass(warpwise.CompileError, warpwise.Error) and issubclass(warpwise.RunError, warpwise.Error)


def test_runs_that_fail():
    error = refused(warpwise.RunError, lambda: PROGRAM.at(np.zeros(3, np.int32), 5), "probe.fut:2:44", "out of bounds")
    assert error.place == "probe.fut:2:44" and "5" in error.message and error.calls == []
    refused(MemoryError, lambda: PROGRAM.big(2**45), "memory")
    words = "dot(): argument `ys`: dimension 0 has size 4, but 3 is expected, as dimension 0 of argument `xs` has"
    refused(ValueError, lambda: PROGRAM.dot(np.ones(3), np.ones(4)), words)
    assert PROGRAM.at([7], 0) == 7, "all is well afterwards"


def test_arguments_of_other_types():
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), np.ones(3, np.float32)), "`ys`", "[]f64", "float32 array of shape (3,)", 'astype("float64")')
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), np.ones((3, 1))), "`ys`", "shape (3, 1)", "1 dimension")
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), 1.0), "`ys`", "expected []f64, found float")
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), "text"), "`ys`", "found str")
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), None), "`ys`", "found NoneType")
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), np.array([1, "a"], object)), "`ys`", "object array")
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), np.zeros(3, [("a", "f8")])), "`ys`")
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), np.ones(3, complex)), "`ys`", "complex128", "pass `.real` and `.imag`")
    refused(TypeError, lambda: PROGRAM.at(np.ones(3, np.int32), 1.0), "`i`", "expected i64, found float")
    refused(TypeError, lambda: PROGRAM.at(np.ones(3, np.int32), True), "`i`", "expected i64, found bool")
    refused(TypeError, lambda: PROGRAM.truth(1), "expected bool, found int")
    assert PROGRAM.truth(np.bool_(False)) is True
    refused(OverflowError, lambda: PROGRAM.byte(256), "256 is no u8 (0 to 255)")
    refused(OverflowError, lambda: PROGRAM.byte(-1), "-1 is no u8 (0 to 255)")
    refused(OverflowError, lambda: PROGRAM.half(10**400), "is no f16")
    assert PROGRAM.half(1e9) == float("inf")
    refused(TypeError, lambda: PROGRAM.half(np.ones(1)), "expected f16, found float64 array of shape (1,)")
    assert PROGRAM.half(np.array(1.5)) == 1.5


def test_sizes_of_parts():
    program = warpwise.compile("entry f [n] (r: {a: i32, v: [n]f64}) (y: [n]f64) : f64 = r.v[0] + y[0]\nentry g [n] (_: [n]i32) (y: [n]i32) = y")
    words = "f(): argument `y`: dimension 0 has size 3, but 2 is expected, as dimension 0 of argument `r.v` has"
    refused(ValueError, lambda: program.f({"a": 1, "v": [1, 2]}, [1, 2, 3]), words)
    refused(ValueError, lambda: program.g([1, 2], [1]), "g(): argument `y`: dimension 0 has size 1", "of argument `argument1` has")


def test_masked_arrays():
    xs = np.ma.array([1.0, 2.0], mask=[False, True])
    refused(ValueError, lambda: PROGRAM.dot(np.ones(2), xs), "dot(): argument `ys`: an element is masked", "`.filled(0)`")
    assert PROGRAM.dot(np.ones(2), xs.filled(0)) == 1 and PROGRAM.dot(np.ones(2), np.ma.array([1.0, 2.0])) == 3
    refused(ValueError, lambda: PROGRAM.half(np.ma.masked), "half(): argument `x`: an element is masked")


def test_places_within_arguments():
    good = {"a": {"b": {"0": np.ones(2, np.float32), "1": np.ones(2, np.int32)}}}
    assert PROGRAM.nested(good) == 2
    assert PROGRAM.nested({"a": {"b": [(1, 2), (3, 4), (5, 6)]}}) == 3
    refused(TypeError, lambda: PROGRAM.nested({"a": {"b": [(1, 2), (3, "x")]}}), "`p.a.b[1].1`", "expected i32, found str")
    refused(TypeError, lambda: PROGRAM.nested({"a": {}}), "`p.a`", "the field `b`", "missing")
    refused(TypeError, lambda: PROGRAM.nested({"a": {"b": [], "c": 1}}), "`p.a`", "'c' is no field")
    refused(TypeError, lambda: PROGRAM.nested(3), "`p`", "found int")


def test_parts_that_do_not_fit_in_memory():
    small = PROGRAM.with_resources(memory_limit="64K")
    refused(MemoryError, lambda: small.nested({"a": {"b": [(1, 2)] * 100_000}}), "`p.a.b`", "memory")
    assert small.nested({"a": {"b": [(1, 2)]}}) == 1


def test_the_wrong_number_of_arguments():
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3)), "dot() takes 2 arguments (xs, ys), but 1 was given")
    refused(TypeError, lambda: PROGRAM.byte(1, 2), "byte() takes 1 argument (x), but 2 were given")
    refused(TypeError, lambda: PROGRAM.byte(y=1), "byte() has no parameter `y`; it has: x")
    refused(TypeError, lambda: PROGRAM.dot(np.ones(3), xs=np.ones(3)), "two values for `xs`")
    refused(AttributeError, lambda: PROGRAM.nothing, "no entry point `nothing`; there are: at, dot")
    refused(KeyError, lambda: PROGRAM["nothing"], "no entry point `nothing`")


def test_lists_that_are_no_arrays():
    refused(ValueError, lambda: PROGRAM.dot([1, 2], [1, [2]]), "`ys`", "expected []f64")
    endless = []
    endless.append(endless)
    refused((ValueError, TypeError, RecursionError), lambda: PROGRAM.dot([1], endless))
    refused(TypeError, lambda: PROGRAM.dot([1], [object()]), "`ys`")


def test_arrays_of_odd_sizes():
    huge = np.lib.stride_tricks.as_strided(np.ones(1), (2**40,), (0,))
    refused(MemoryError, lambda: PROGRAM.dot(huge, huge), "8 TiB")
    assert PROGRAM.dot(np.ones(0), np.ones(0)) == 0
    assert PROGRAM.dot(np.ones(1), np.ones(1)) == 1
    assert PROGRAM.dot(np.ones(6)[::-2], np.ones(3)) == 3


def test_unaligned_arrays_and_odd_truths():
    raw = np.zeros(33, np.uint8)
    unaligned = raw[1:].view(np.float64)
    unaligned[:] = [1, 2, 3, 4]
    assert not unaligned.flags.aligned and PROGRAM.dot(unaligned, np.ones(4)) == 10
    count = warpwise.compile("entry count [n] (xs: [n]bool) : i64 = i64.sum (map i64.bool xs)")
    assert count.count(np.array([2, 0, 255, 1], np.uint8).view(bool)) == 3
