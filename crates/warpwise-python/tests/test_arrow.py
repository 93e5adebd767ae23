"""Arrow's arrays, by its C data interface: columns of pyarrow, Polars and pandas go in, results come out."""

import gc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import warpwise

PROGRAM = warpwise.compile(
    """
entry total [n] (xs: [n]f64) : f64 = f64.sum xs
entry twice [n] (xs: [n]f32) : [n]f32 = map (* 2) xs
entry count [n] (xs: [n]bool) : i64 = i64.sum (map i64.bool xs)
entry rows [n][m] (xs: [n][m]i32) : [n]i32 = map i32.sum xs
entry same [n] (xs: *[n]f64) : *[n]f64 = xs with [0] = 42

type trade = {price: f64, volume: i64}
entry value [n] (ts: [n]trade) : f64 = f64.sum (map (\\t -> t.price * f64.i64 t.volume) ts)
"""
)


class Copied:
    """A context that counts the bytes copied inside it."""

    def __enter__(self):
        self.before = warpwise.copied_bytes()
        return self

    def __exit__(self, *_):
        self.bytes = warpwise.copied_bytes() - self.before


def columns(values):
    """Yields the same column of all libraries; most share the memory of one NumPy array."""
    yield pa.array(values)
    yield pa.chunked_array([pa.array(values)])
    yield pa.chunked_array([pa.array(values), pa.array(values[:0])])
    yield pl.Series(values)
    yield pl.Series("name", values)
    yield pd.Series(values)
    yield pd.Series(pa.array(values), dtype=pd.ArrowDtype(pa.from_numpy_dtype(values.dtype)))


@pytest.mark.parametrize("size", [0, 1, 1000])
def test_one_chunk_of_numbers_is_not_copied(size):
    for column in columns(np.arange(size, dtype=np.float64)):
        with Copied() as copied:
            assert PROGRAM.total(column) == size * (size - 1) / 2, type(column)
        assert copied.bytes == 0, type(column)


def test_offsets_are_respected():
    whole = pa.array(np.arange(100.0))
    with Copied() as copied:
        assert PROGRAM.total(whole.slice(10, 3)) == 10 + 11 + 12
        assert PROGRAM.total(whole[97:]) == 97 + 98 + 99
        assert PROGRAM.total(pl.Series(np.arange(100.0))[10:13]) == 33
    assert copied.bytes == 0
    truths = pa.array([True, False, True, True, False])
    assert PROGRAM.count(truths.slice(1, 3)) == 2


def test_several_chunks_are_copied_once():
    parts = pa.chunked_array([pa.array(np.arange(10.0)), pa.array(np.arange(3.0)), pa.array(np.arange(0.0))])
    with Copied() as copied:
        assert PROGRAM.total(parts) == 45 + 3
    assert copied.bytes == 13 * 8
    series = pl.concat([pl.Series(np.arange(10.0)), pl.Series(np.arange(3.0))], rechunk=False)
    assert PROGRAM.total(series) == 48


def test_truth_values_are_bits():
    with Copied() as copied:
        assert PROGRAM.count(pa.array([True, False, True] * 5)) == 10
    assert copied.bytes == 15
    assert PROGRAM.count(pl.Series([True, True, False])) == 2


def test_lists_of_one_length_are_matrices():
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.arange(12, dtype=np.int32)), 3)
    with Copied() as copied:
        assert PROGRAM.rows(lists).tolist() == [3, 12, 21, 30]
        assert PROGRAM.rows(lists.slice(1, 2)).tolist() == [12, 21]
        assert PROGRAM.rows(pl.Series(np.arange(6, dtype=np.int32).reshape(2, 3))).tolist() == [3, 12]
    assert copied.bytes == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: pa.array([1.0, 2.0, None]),
        lambda: pa.chunked_array([[1.0], [2.0, None]]),
        lambda: pl.Series([1.0, 2.0, None]),
        lambda: pd.Series([1.0, 2.0, None], dtype=pd.ArrowDtype(pa.float64())),
        lambda: pd.Series([1.0, 2.0, None], dtype="Float64"),
    ],
)
def test_nulls_are_errors_that_say_what_to_do(make):
    with pytest.raises(ValueError, match=r"total\(\): argument `xs`: element 2 is null.*fill_null\(0\)"):
        PROGRAM.total(make())


def test_nulls_may_be_filled():
    assert PROGRAM.total(pa.array([1.0, None]).fill_null(0)) == 1
    assert PROGRAM.total(pl.Series([1.0, None]).fill_null(0)) == 1
    assert PROGRAM.total(pa.array([None, 1.0, 2.0]).slice(1)) == 3, "nulls elsewhere do not matter"
    assert np.isnan(PROGRAM.total(pd.Series([1.0, None]))), "pandas' own missing value is a number"


def test_other_types_are_refused():
    for found, words in [
        (pa.array([1, 2]), "Int64"),
        (pa.array(["a"]), "Utf8"),
        (pl.Series(["a"]), "Utf8"),
        (pa.array([[1.0], [2.0, 3.0]]), "List"),
        (pa.array([{"a": 1.0}]), "Struct"),
        (pa.array(["a", "b"]).dictionary_encode(), "Dictionary"),
        (pa.nulls(3), "Null"),
    ]:
        with pytest.raises(TypeError, match=r"total\(\): argument `xs`: expected \[\]f64, found an Arrow array of .*" + words):
            PROGRAM.total(found)
    with pytest.raises(TypeError, match="expected \\[\\]\\[\\]i32, found an Arrow array of Int32"):
        PROGRAM.rows(pa.array([1, 2], pa.int32()))


def test_arrays_that_are_no_more():
    class Wrong:
        def __arrow_c_array__(self, requested_schema=None):
            return 1, 2

    class Used:
        def __init__(self):
            self.stream = pa.chunked_array([[1.0]]).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema=None):
            return self.stream

    with pytest.raises(TypeError):
        PROGRAM.total(Wrong())
    used = Used()
    assert PROGRAM.total(used) == 1
    with pytest.raises(ValueError, match="used before"):
        PROGRAM.total(used)


def test_failing_streams():
    def batches():
        yield pa.record_batch([pa.array([1.0])], ["x"])
        raise RuntimeError("no more")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("x", pa.float64())]), batches())
    with pytest.raises(Exception, match="no more"):
        PROGRAM.total(reader)


def test_what_is_consumed_is_copied():
    array = pa.array(np.arange(3.0))
    with Copied() as copied:
        assert PROGRAM.same(array).tolist() == [42, 1, 2]
        assert PROGRAM.same(warpwise.consume(array)).tolist() == [42, 1, 2]
    assert array.to_pylist() == [0, 1, 2] and copied.bytes == 48


def test_tables_are_arrays_of_records():
    table = pa.table({"volume": pa.array([1, 2]), "price": pa.array([1.5, 2.5]), "more": ["a", "b"]})
    with Copied() as copied:
        for given in (table, table.to_batches()[0], pl.DataFrame(table.to_pydict()), pd.DataFrame(table.to_pydict())):
            assert PROGRAM.value(given) == 6.5, type(given)
    assert copied.bytes == 0
    with pytest.raises(TypeError, match="expected \\[\\]trade"):
        PROGRAM.value(table.select(["volume"]))


def test_memory_outlives_its_owner():
    results = [PROGRAM.twice(pa.array(np.arange(1000, dtype=np.float32)).slice(1)) for _ in range(50)]
    gc.collect()
    assert all(result[-1] == 1998 for result in results)


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "bool"])
def test_results_go_out_without_a_copy(dtype):
    xs = np.array([0, 1, 1, 0, 1, 1, 1, 0, 1]).astype(dtype)
    with Copied() as copied:
        lent = warpwise.arrow(xs)
        array = pa.array(lent)
    assert array.type == pa.from_numpy_dtype(xs.dtype) and array.null_count == 0 and len(lent) == 9
    assert [float(x) for x in array.to_pylist()] == [float(x) for x in xs]
    if dtype == "bool":
        assert copied.bytes == 2
    else:
        assert copied.bytes == 0 and array.buffers()[1].address == xs.ctypes.data
    if dtype != "f2":
        assert pl.Series(lent).to_list() == xs.tolist()


def test_a_result_stays_as_long_as_somebody_has_it():
    array = pa.array(warpwise.arrow(PROGRAM.twice(np.arange(10_000, dtype=np.float32))))
    gc.collect()
    for _ in range(5):
        PROGRAM.twice(np.zeros(10_000, dtype=np.float32))
    assert array[9_999].as_py() == 2 * 9_999


def test_matrices_go_out_as_lists():
    cube = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    array = pa.array(warpwise.arrow(cube))
    assert array.to_pylist() == cube.tolist()
    assert pa.array(warpwise.arrow(np.zeros((0, 3)))).to_pylist() == []
    assert pa.array(warpwise.arrow(np.zeros((2, 0)))).to_pylist() == [[], []]
    with Copied() as copied:
        assert pa.array(warpwise.arrow(cube[0].T)).to_pylist() == cube[0].T.tolist()
    assert copied.bytes == cube[0].nbytes
    assert pa.array(warpwise.arrow(np.arange(3, dtype=">i4"))).to_pylist() == [0, 1, 2]
    with pytest.raises(MemoryError):
        warpwise.arrow(np.lib.stride_tricks.as_strided(np.ones(1), (2**40,), (0,)))


def test_what_is_no_array_does_not_go_out():
    for wrong, words in [(3, "found int"), (np.array(3.0), "shape \\(\\)"), (np.ones(2, complex), "complex"), ("a", "str")]:
        with pytest.raises(TypeError, match=words):
            warpwise.arrow(wrong)


def test_frames_are_matrices():
    frame = pd.DataFrame({"a": np.arange(3, dtype=np.int32), "b": np.arange(3, dtype=np.int32)})
    assert PROGRAM.rows(frame).tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match=r"rows\(\): argument `xs`: expected \[\]\[\]i32, found a float64 array .*astype"):
        PROGRAM.rows(frame * 1.5)
    with pytest.raises(TypeError, match="found an object array"):
        PROGRAM.rows(frame.astype({"b": str}).astype(object))
    with pytest.raises(TypeError, match=r"pass a column, or `.to_numpy\(\)`"):
        PROGRAM.rows(pl.from_pandas(frame))
    with pytest.raises(TypeError, match=r"pass a column, or `.to_numpy\(\)`"):
        PROGRAM.total(frame)
