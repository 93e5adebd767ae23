"""Checks of tensors on a CUDA device; `test_cuda.py` runs each function in a separate interpreter."""

import gc
import inspect
import re
import sys

import numpy as np

import warpwise
from cuda_tensors import Taken, Tensor

TEXT = """
entry total [n] (xs: [n]f32) : f32 = f32.sum xs
entry twice [n][m] (xs: [n][m]f32) : [n][m]f32 = map (map (* 2)) xs
entry same [n] (xs: [n]f32) : [n]f32 = xs
entry first [n] (xs: *[n]f32) : *[n]f32 = if n > 0 then xs with [0] = 42 else xs
entry added [n] (xs: *[n]f32) (ys: [n]f32) : *[n]f32 = loop xs for i < n - 1 do xs with [i + 1] = xs[i] + ys[i]
entry flags [n] (xs: [n]bool) : i64 = i64.sum (map i64.bool xs)
entry gather [n][k] (xs: [n]f32) (is: [k]i64) : [k]f32 = map (\\i -> xs[i]) is
"""


def raises(kind, message, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert re.search(message, str(error)), f"{error} is not {message}"
    else:
        raise AssertionError(f"no {kind.__name__}: {message}")


def program():
    return warpwise.compile(TEXT, device="cuda")


def tensors_come_in_where_they_lie():
    there = program()
    xs = np.arange(1000, dtype=np.float32)
    before = warpwise.copied_bytes()
    for options in {}, {"versioned": False}, {"strides": False}, {"offset": 400}, {"version": (1, 3)}:
        tensor = Tensor(xs, **options)
        assert there.total(tensor) == xs.sum()
        assert tensor.asked[-1]["stream"] == 1
        gc.collect()
        assert (tensor.lent, tensor.given_back) == (1, 1)
        matrix = Tensor(xs.reshape(20, 50), **options)
        result = there.twice.resident(matrix)
        assert matrix.given_back == 1, "a result of its own"
        assert result.numpy().tolist() == (2 * xs).reshape(20, 50).tolist()
    assert warpwise.copied_bytes() == before + 5 * xs.nbytes, "only numpy() copies"
    assert there.flags(Tensor(np.array([True, False, True]))) == 2
    assert there.gather(Tensor(xs), np.array([3, 5])).tolist() == [3, 5]


def results_outlive_what_they_came_from():
    there = program()
    tensor = Tensor(np.arange(10, dtype=np.float32))
    result = there.same.resident(tensor)
    gc.collect()
    assert tensor.given_back == 1, "the result is a copy"
    tensor.free()
    assert result.numpy().tolist() == list(range(10))


def what_is_consumed_is_a_copy_unless_given_away():
    there = program()
    xs = np.arange(10, dtype=np.float32)
    tensor = Tensor(xs)
    assert there.first(tensor)[0] == 42
    assert tensor.numpy().tolist() == xs.tolist()
    assert there.first(warpwise.consume(tensor))[0] == 42
    assert tensor.numpy()[0] == 42
    kept = Tensor(xs, read_only=True)
    assert there.first(warpwise.consume(kept))[0] == 42
    assert kept.numpy()[0] == 0
    assert (tensor.given_back, kept.given_back) == (2, 1)
    expected = there.added(xs, xs).tolist()
    shared = Tensor(xs)
    assert there.added(warpwise.consume(shared), shared).tolist() == expected
    assert shared.numpy().tolist() == xs.tolist(), "what shares memory with another argument is copied"


def nothing_and_one_element():
    there = program()
    assert there.total(Tensor(np.empty(0, np.float32))) == 0
    assert there.twice(Tensor(np.empty((3, 0), np.float32))).shape == (3, 0)
    one = Tensor(np.ones((1, 1), np.float32))
    one.tensor.strides[0] = 77
    assert there.twice(one).tolist() == [[2]]


def others_are_refused():
    there = program()
    xs = np.ones(6, np.float32)
    tensors = [Tensor(xs.astype(np.float64)), Tensor(xs.reshape(2, 3)), Tensor(xs.astype(np.complex64))]
    raises(TypeError, r"total\(\): argument `xs`: expected \[\]f32, found float64 array of shape \(6,\) on cuda:0", there.total, tensors[0])
    raises(TypeError, r"expected \[\]f32, found float32 array of shape \(2, 3\)", there.total, tensors[1])
    raises(TypeError, r"expected \[\]f32, found complex64 array", there.total, tensors[2])
    assert all(tensor.given_back == tensor.lent == 1 for tensor in tensors)
    columns = Tensor(xs.reshape(2, 3).T)
    raises(ValueError, r"argument `xs`: expected \[\]\[\]f32: its elements do not lie.*contiguous\(\)", there.twice, columns)
    raises(ValueError, "its DLPack is of version 2.0", there.total, Tensor(xs, version=(2, 0)))
    raises(ValueError, "where no elements of their type can", there.total, Tensor(xs, offset=2))
    raises(TypeError, r"lies on a device \(CUDA, number 1\), where this program does not run", there.total, Tensor(xs, place=(2, 1)))
    raises(TypeError, r"lies on a device \(CUDA, number 0\)", warpwise.compile(TEXT).total, Tensor(xs))
    huge = Tensor(xs)
    huge.managed.tensor.shape[0] = 2**62
    raises(ValueError, "more elements than there can be", there.total, huge)

    class Broken(Tensor):
        def __dlpack__(self, **options):
            raise BufferError("not now")

    raises(ValueError, "argument `xs`: expected .*not now", there.total, Broken(xs))

    class Nothing(Tensor):
        def __dlpack__(self, **options):
            return None

    raises(ValueError, "argument `xs`: expected ", there.total, Nothing(xs))

    class Liar(Tensor):
        def __init__(self, array):
            super().__init__(array)
            self.managed.tensor.device.number = 3

    raises(ValueError, "says to lie on CUDA, number 0, and lends what lies on CUDA, number 3", there.total, Liar(xs))


def results_go_out():
    there = program()
    xs = np.arange(6, dtype=np.float32).reshape(2, 3)
    result = there.twice.resident(xs)
    assert result.__dlpack_device__() == (2, 0)
    before = warpwise.copied_bytes()
    taken = Taken(result.__dlpack__(max_version=(1, 1), stream=2))
    assert (taken.name, taken.place, taken.element) == (b"dltensor_versioned", (2, 0), (2, 32, 1))
    assert (list(taken.managed.version), taken.managed.flags) == ([1, 0], 0)
    assert (taken.shape, taken.strides, taken.tensor.offset) == ([2, 3], [3, 1], 0)
    taken.write(5, np.array([7], np.float32))
    assert there.total(there.twice.resident(result).numpy().ravel()) == 2 * (0 + 2 + 4 + 6 + 8 + 7)
    copied = warpwise.copied_bytes() - before
    assert copied == xs.nbytes, "numpy() copies"
    old = Taken(result.__dlpack__())
    assert (old.name, old.tensor.data) == (b"dltensor", taken.tensor.data)
    del result
    gc.collect()
    assert old.read(np.float32, 6).tolist() == [0, 2, 4, 6, 8, 7]
    taken.give_back()
    assert old.read(np.float32, 6).tolist() == [0, 2, 4, 6, 8, 7]
    old.give_back()


def copies_and_other_places_go_out():
    there = program()
    result = there.same.resident(np.arange(4, dtype=np.float32))
    copy = Taken(result.__dlpack__(copy=True))
    copy.write(0, np.array([9], np.float32))
    assert result.numpy()[0] == 0 and copy.read(np.float32, 4)[0] == 9
    copy.give_back()

    class Here:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **_):
            return result.__dlpack__(dl_device=(1, 0))

    assert np.from_dlpack(Here()).tolist() == [0, 1, 2, 3]
    raises(BufferError, "only arrays on CUDA devices are lent, and there", lambda: result.__dlpack__(dl_device=(2, 1)))
    raises(BufferError, "numpy\\(\\)", lambda: result.__dlpack__(dl_device=(1, 0), copy=False))
    raises(ValueError, "stream 0 may mean two", lambda: result.__dlpack__(stream=0))
    # A capsule that is dropped unused returns the array.
    for _ in range(3):
        result.__dlpack__(), result.__dlpack__(max_version=(1, 0))
    empty = Taken(there.twice.resident(np.empty((0, 5), np.float32)).__dlpack__())
    assert (empty.shape, empty.strides) == ([0, 5], [5, 1])
    empty.give_back()


def what_others_got_is_nobody_elses():
    there = program()
    result = there.twice.resident(np.ones((1, 4), np.float32)).numpy().ravel()
    given = there.same.resident(result)
    taken = Taken(given.__dlpack__())
    other = there.same.resident(given)
    eaten = there.first.resident(warpwise.consume(given))
    taken.write(1, np.array([5], np.float32))
    assert given.numpy().tolist() == [2, 5, 2, 2]
    assert other.numpy().tolist() == [2, 2, 2, 2]
    assert eaten.numpy().tolist() == [42, 2, 2, 2]
    taken.give_back()


def memory_does_not_grow():
    there = program()
    xs = np.ones((64, 1024), np.float32)
    tensor = Tensor(xs)
    for _ in range(2000):
        result = there.twice.resident(tensor)
        taken = Taken(result.__dlpack__())
        del result
        taken.give_back()
    assert tensor.given_back == tensor.lent == 2000


def checks():
    module = sys.modules[__name__]
    found = inspect.getmembers(module, inspect.isfunction)
    helpers = {"raises", "program", "checks"}
    return [name for name, function in found if function.__module__ == __name__ and name not in helpers]
