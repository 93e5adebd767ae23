"""Arrays of every type, size, order and layout have the same meaning for programs as for NumPy."""

import os

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import warpwise

# PROPERTY_EXAMPLES sets a larger number of examples.
EXAMPLES = int(os.environ.get("PROPERTY_EXAMPLES", "60"))
common = settings(max_examples=EXAMPLES, deadline=None, derandomize="PROPERTY_EXAMPLES" not in os.environ, database=None, suppress_health_check=[HealthCheck.too_slow])

TYPES = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f16": "float16", "f32": "float32", "f64": "float64",
}  # fmt: skip


def text(name):
    sums = "" if name == "bool" else f"""
entry sum1 [n] (xs: [n]{name}) : {name} = reduce (+) (0: {name}) xs
entry sum2 [n][m] (xs: [n][m]{name}) : [n]{name} = map (reduce (+) 0) xs
entry added [n] (xs: [n]{name}) (ys: [n]{name}) : [n]{name} = map2 (+) xs ys
"""
    return f"""
entry same1 [n] (xs: [n]{name}) : [n]{name} = xs
entry reversed1 [n] (xs: [n]{name}) : [n]{name} = reverse xs
entry turned2 [n][m] (xs: [n][m]{name}) : [m][n]{name} = transpose xs
entry reversed2 [n][m] (xs: [n][m]{name}) : [n][m]{name} = reverse (map reverse xs)
entry turned3 [n][m][k] (xs: [n][m][k]{name}) : [m][n][k]{name} = transpose xs
entry marked [n] (xs: *[n]{name}) : *[n]{name} = if n == 0 then xs else xs with [0] = xs[n - 1]
{sums}"""


PROGRAMS = {name: warpwise.compile(text(name)) for name in TYPES}


def sizes(rank):
    """Returns a strategy for sizes that often draws 0 and 1."""
    return st.tuples(*[st.integers(0, 6) | st.sampled_from([0, 1])] * rank)


@st.composite
def arrays(draw, rank):
    """Draws a type's name, and an array of the type in some layout: with steps, backwards, in Fortran order, as a part of another,
    byte-swapped, unaligned, or read-only."""
    name = draw(st.sampled_from(sorted(TYPES)))
    dtype = np.dtype(TYPES[name])
    elements = npst.from_dtype(dtype, allow_nan=False, allow_infinity=False) if dtype.kind == "f" else npst.from_dtype(dtype)
    array = draw(npst.arrays(dtype, draw(sizes(rank)), elements=elements))
    layout = draw(st.sampled_from(["as it is", "fortran", "steps", "backwards", "part", "axes", "swapped", "unaligned"]))
    array = laid(array, layout)
    if draw(st.booleans()):
        array.flags.writeable = False
    return name, array


def laid(array, layout):
    match layout:
        case "fortran":
            return np.asfortranarray(array)
        case "steps":
            wide = np.zeros([2 * size for size in array.shape], array.dtype)
            part = wide[tuple(slice(None, None, 2) for _ in array.shape)]
        case "backwards":
            return array[tuple(slice(None, None, -1) for _ in array.shape)]
        case "part":
            wide = np.zeros([size + 2 for size in array.shape], array.dtype)
            part = wide[tuple(slice(1, -1) for _ in array.shape)]
        case "axes":
            return np.moveaxis(array, 0, -1)
        case "swapped":
            return array.astype(array.dtype.newbyteorder())
        case "unaligned":
            raw = np.zeros(array.nbytes + 1, np.uint8)
            part = raw[1:].view(array.dtype).reshape(array.shape)
        case _:
            return array
    part[...] = array
    return part


def equal(found, expected, name):
    assert found.dtype == np.dtype(TYPES[name]) and found.shape == expected.shape
    # Compared bit for bit, including the sign of zero.
    native = np.ascontiguousarray(expected.astype(TYPES[name]))
    assert np.ascontiguousarray(found).tobytes() == native.tobytes()
    assert found.flags.writeable and found.flags.c_contiguous


@common
@given(arrays(1))
def test_vectors(drawn):
    name, xs = drawn
    before = xs.tobytes()
    equal(PROGRAMS[name].same1(xs), xs, name)
    equal(PROGRAMS[name].reversed1(xs), xs[::-1], name)
    assert xs.tobytes() == before


@common
@given(arrays(2))
def test_matrices(drawn):
    name, xs = drawn
    equal(PROGRAMS[name].turned2(xs), xs.T, name)
    equal(PROGRAMS[name].reversed2(xs), xs[::-1, ::-1], name)


@common
@given(arrays(3))
def test_arrays_of_three_dimensions(drawn):
    name, xs = drawn
    equal(PROGRAMS[name].turned3(xs), xs.swapaxes(0, 1), name)


@common
@given(arrays(2))
def test_sums(drawn):
    name, xs = drawn
    if name == "bool":
        return
    dtype = np.dtype(TYPES[name])
    program = PROGRAMS[name]
    if dtype.kind in "iu":
        with np.errstate(over="ignore"):
            equal(program.sum2(xs), xs.sum(axis=1, dtype=dtype), name)
            assert [program.sum1(row) for row in xs] == xs.sum(axis=1, dtype=dtype).tolist()
        return
    # Small floats, so that all orders of addition give close results; f16 has 11 bits.
    with np.errstate(over="ignore", invalid="ignore"):
        small = np.clip(xs.astype(dtype), -100, 100)
    tolerance = {"f16": 2.0, "f32": 1e-3, "f64": 1e-9}[name]
    exact = small.astype(np.float64).sum(axis=1)
    assert np.abs(program.sum2(small).astype(np.float64) - exact).max(initial=0) <= tolerance


@common
@given(arrays(1), st.booleans())
def test_consumed_arrays_are_left_alone_unless_they_are_given_away(drawn, given_away):
    name, xs = drawn
    before, expected = xs.tobytes(), xs.copy()
    if len(xs):
        expected[0] = expected[-1]
    found = PROGRAMS[name].marked(warpwise.consume(xs) if given_away else xs)
    equal(found, expected, name)
    if not given_away or not xs.flags.writeable:
        assert xs.tobytes() == before


@common
@given(arrays(1), st.data())
def test_two_views_of_one_array(drawn, data):
    name, xs = drawn
    if name == "bool":
        return
    start = data.draw(st.integers(0, len(xs)))
    left, right = xs[: len(xs) - start], xs[start:]
    with np.errstate(over="ignore", invalid="ignore"):
        equal(PROGRAMS[name].added(left, right), left + right, name)


@common
@given(arrays(2))
def test_nothing_else_is_taken_for_an_array(drawn):
    """An array of another type or rank is refused, whatever its layout."""
    name, xs = drawn
    for other, program in PROGRAMS.items():
        if other != name:
            refuses(program.turned2, xs)
    refuses(PROGRAMS[name].reversed1, xs)
    refuses(PROGRAMS[name].turned3, xs)


def refuses(entry, xs):
    try:
        entry(xs)
    except TypeError as error:
        assert "argument `xs`" in str(error)
    else:
        raise AssertionError(f"{entry} took {xs.dtype} {xs.shape}")


@common
@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=8), st.sampled_from([list, tuple, np.array, memoryview]))
def test_numbers_in_lists(numbers, kind):
    if kind is np.array:
        given_numbers = np.array(numbers, np.int32)
    elif kind is memoryview:
        given_numbers = memoryview(np.array(numbers, np.int32))
    else:
        given_numbers = kind(numbers)
    equal(PROGRAMS["i32"].reversed1(given_numbers), np.array(numbers[::-1], np.int32), "i32")
