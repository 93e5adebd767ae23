"""Streams: entry points over data that is larger than memory, block by block."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import warpwise

TEXT = """
entry scale [n] (a: f64) (xs: [n]f64) : [n]f64 = map (\\x -> a * x + 1) xs
entry sums [n] (xs: [n]f64) : [n]f64 = scan (+) 0 xs
entry positive [n] (xs: [n]f64) : []f64 = filter (> 0) xs
entry both [n] (xs: [n]f64) (ys: [n]f64) : ([n]f64, [n]bool) = (map2 (+) xs ys, map2 (<) xs ys)
entry norms [n][m] (rows: [n][m]f32) : [n]f32 = map (\\row -> f32.sum (map (\\x -> x * x) row)) rows
entry inverse [n] (xs: [n]i32) : [n]i32 = map (1000 /) xs
entry slow [n] (xs: [n]f64) : [n]f64 = map (\\x -> loop x for i < 100000000 do f64.sin x) xs

type trade = {price: f64, volume: i64}
entry value [n] (ts: [n]trade) : [n]f64 = map (\\t -> t.price * f64.i64 t.volume) ts

entry init : (i64, f64) = (0, 0)
entry step [n] (xs: [n]f64) ((count, sum): (i64, f64)) : (i64, f64) = (count + n, sum + f64.sum xs)
entry merge ((n, x): (i64, f64)) ((m, y): (i64, f64)) : (i64, f64) = (n + m, x + y)
"""
PROGRAM = warpwise.compile(TEXT, name="streams.fut")
NUMBERS = np.random.default_rng(1).normal(size=300_001)


def pieces(xs, *sizes):
    """Yields pieces of these sizes, then the rest."""
    for size in sizes:
        yield xs[:size]
        xs = xs[size:]
    yield xs


def gathered(stream):
    return np.concatenate(list(stream))


def test_elementwise_entries_give_what_one_call_gives():
    whole = PROGRAM.scale(2.0, NUMBERS)
    for source in (
        NUMBERS,
        pieces(NUMBERS, 1, 0, 131_072, 7),
        [NUMBERS],
        pa.array(NUMBERS),
        pa.chunked_array([NUMBERS[:5], NUMBERS[5:]]),
        pl.Series(NUMBERS),
        pd.Series(NUMBERS),
        (pa.array(piece) for piece in pieces(NUMBERS, 3)),
        (piece for piece in (NUMBERS[:0], NUMBERS)),
    ):
        assert gathered(PROGRAM.stream("scale", source, 2.0, elementwise=True)).tobytes() == whole.tobytes()
    for block in (1000, 1 << 17, 10**9):
        blocks = list(PROGRAM.stream("scale", pieces(NUMBERS, 5, 12_345), 2.0, block=block))
        assert [len(part) for part in blocks[:-1]] == [block] * (len(blocks) - 1)
        assert np.concatenate(blocks).tobytes() == whole.tobytes()


def test_blocks_depend_on_nothing_but_their_length():
    expected = np.concatenate([PROGRAM.sums(NUMBERS[at : at + 5000]) for at in range(0, len(NUMBERS), 5000)])
    for source in (NUMBERS, pieces(NUMBERS, 1, 4999, 12_000), pa.array(NUMBERS)):
        assert gathered(PROGRAM.stream("sums", source, block=5000)).tobytes() == expected.tobytes()
    usual = [len(part) for part in PROGRAM.stream("sums", pieces(NUMBERS, 77))]
    assert usual == [1 << 17, 1 << 17, len(NUMBERS) - (1 << 18)], "a mebibyte"


@pytest.mark.parametrize("block", [None, 1000])
def test_the_command_gives_the_same(tmp_path, block):
    source, program = tmp_path / "xs.npy", tmp_path / "streams.fut"
    np.save(source, NUMBERS)
    program.write_text(TEXT)
    options = [] if block is None else ["--block", str(block)]
    run = [sys.executable, "-m", "warpwise", "stream", program, "--input", source, *options]
    subprocess.run([*run, "--entry", "sums", "--output", tmp_path / "sums.npy"], check=True)
    expected = np.load(tmp_path / "sums.npy")
    assert gathered(PROGRAM.stream("sums", pieces(NUMBERS, 10, 1000), block=block)).tobytes() == expected.tobytes()
    assert gathered(PROGRAM.stream("sums", source, block=block)).tobytes() == expected.tobytes()
    count, total = PROGRAM.fold(pieces(NUMBERS, 10, 1000), block=block)
    told = subprocess.run([*run, "--fold"], check=True, capture_output=True, text=True).stdout
    assert count == len(NUMBERS) and float(told.split("\n")[1].removesuffix("f64")) == total


def test_entries_without_a_fixed_length():
    assert gathered(PROGRAM.stream("positive", pieces(NUMBERS, 9), block=100)).tobytes() == NUMBERS[NUMBERS > 0].tobytes()


def test_empty_sources():
    for source in ([], iter([]), [NUMBERS[:0]], NUMBERS[:0], pa.array(NUMBERS[:0]), pa.chunked_array([], pa.float64())):
        assert gathered(PROGRAM.stream("scale", source, 1.0)).tolist() == []
    assert gathered(PROGRAM.stream("norms", [])).tolist() == []
    assert PROGRAM.fold([]) == (0, 0.0)


def test_one_element():
    assert gathered(PROGRAM.stream("scale", [np.array([3.0])], 2.0)).tolist() == [7]
    assert PROGRAM.fold(np.array([3.0])) == (1, 3.0)


def test_several_parameters_and_results():
    ys = NUMBERS[::-1].copy()
    table = pa.table({"ys": ys, "zs": ys, "xs": NUMBERS})
    sources = [
        (NUMBERS, ys),
        (pieces(NUMBERS, 10), pieces(ys, 1, 20)),
        zip(pieces(NUMBERS, 10, 1000), pieces(ys, 10, 1000)),
        table,
        table.to_reader(max_chunksize=1000),
        table.to_batches(max_chunksize=1001),
        ({"xs": x, "ys": y} for x, y in zip(pieces(NUMBERS, 10), pieces(ys, 10))),
        {"xs": NUMBERS, "ys": ys},
        pl.DataFrame({"xs": NUMBERS, "ys": ys}),
        pd.DataFrame({"xs": NUMBERS, "ys": ys}),
        [pd.DataFrame({"xs": NUMBERS, "ys": ys})],
    ]
    for source in sources:
        parts = list(PROGRAM.stream("both", source, block=4096))
        assert all(isinstance(part, tuple) for part in parts)
        assert np.concatenate([part[0] for part in parts]).tobytes() == (NUMBERS + ys).tobytes()
        assert np.concatenate([part[1] for part in parts]).tobytes() == (NUMBERS < ys).tobytes()
    swapped = PROGRAM.stream("both", table, column=["ys", "xs"])
    assert np.concatenate([part[1] for part in swapped]).tobytes() == (ys < NUMBERS).tobytes()


def test_elements_that_are_rows_or_records():
    rows = np.arange(30, dtype=np.float32).reshape(10, 3)
    expected = (rows * rows).sum(axis=1).tolist()
    lists = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), 3)
    for source in (rows, pieces(rows, 4), np.asfortranarray(rows), lists, [lists.slice(0, 3), lists.slice(3)]):
        assert gathered(PROGRAM.stream("norms", source, block=4)).tolist() == expected
    trades = pd.DataFrame({"price": [1.5, 2.5, 3.0], "volume": [1, 2, 3], "name": ["a", "b", "c"]})
    for source in (trades, pa.Table.from_pandas(trades), trades[["price", "volume"]].to_records(), [trades[:2], trades[2:]]):
        assert gathered(PROGRAM.stream("value", source)).tolist() == [1.5, 5, 9]


@pytest.mark.parametrize("ending", ["npy", "parquet", "arrow", "csv", "tsv", "raw", "csv.gz"])
def test_files(tmp_path, ending):
    xs = NUMBERS[:10_000]
    path = tmp_path / f"xs.{ending}"
    table = pa.table({"other": np.arange(len(xs)), "price": xs})
    column = "price"
    if ending == "npy":
        np.save(path, xs)
        column = None
    elif ending == "raw":
        xs.tofile(path)
        column = None
    elif ending == "parquet":
        pa.parquet.write_table(table, path, row_group_size=999)
    elif ending == "arrow":
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table, max_chunksize=777)
    else:
        pd.DataFrame(table.to_pydict()).to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    expected = PROGRAM.scale(3.0, xs)
    for given in (path, str(path)):
        assert gathered(PROGRAM.stream("scale", given, 3.0, column=column, block=1024)).tobytes() == expected.tobytes()
    assert gathered(PROGRAM.stream("scale", path, 3.0, column=column, take=10)).tolist() == expected[:10].tolist()
    count, total = PROGRAM.fold(path, column=column)
    assert count == len(xs) and total == pytest.approx(xs.sum())


@pytest.mark.parametrize("ending", ["npy", "parquet", "arrow", "csv", "raw"])
def test_results_go_into_files(tmp_path, ending):
    path = tmp_path / f"out.{ending}"
    assert PROGRAM.stream("scale", pieces(NUMBERS, 100), 2.0, out=path) == len(NUMBERS)
    expected = 2 * NUMBERS + 1
    read = {
        "npy": lambda: np.load(path),
        "raw": lambda: np.fromfile(path),
        "parquet": lambda: pa.parquet.read_table(path)["value"].to_numpy(),
        "arrow": lambda: pa.ipc.open_file(path).read_all()["value"].to_numpy(),
        "csv": lambda: pd.read_csv(path, header=None)[0].to_numpy(),
    }
    assert read[ending]().tobytes() == expected.tobytes()
    assert os.listdir(tmp_path) == [path.name]


def test_several_results_go_into_several_files(tmp_path):
    out = [tmp_path / "sum.npy", str(tmp_path / "less.npy")]
    assert PROGRAM.stream("both", (NUMBERS, NUMBERS), out=out) == len(NUMBERS)
    assert np.load(out[0]).tobytes() == (2 * NUMBERS).tobytes() and not np.load(out[1]).any()
    with pytest.raises(ValueError, match="1 files are named, but there are 2 results"):
        PROGRAM.stream("both", (NUMBERS, NUMBERS), out=out[0])
    with pytest.raises(ValueError, match="what format"):
        PROGRAM.stream("scale", NUMBERS, 1.0, out=tmp_path / "out.nothing")


def test_files_are_whole_or_not_there(tmp_path):
    path = tmp_path / "out.npy"

    def failing():
        yield NUMBERS
        raise ZeroDivisionError("the source")

    with pytest.raises(ZeroDivisionError, match="the source"):
        PROGRAM.stream("scale", failing(), 1.0, block=1000, out=path)
    assert os.listdir(tmp_path) == []
    np.save(path, np.zeros(1))
    with pytest.raises(warpwise.RunError):
        PROGRAM.stream("inverse", np.zeros(3, np.int32), out=path)
    assert np.load(path).tolist() == [0] and os.listdir(tmp_path) == ["out.npy"], "what was there stays"


def test_memory_that_a_source_uses_again():
    def again(count):
        buffer = np.empty(1000)
        for number in range(count):
            buffer[:] = number
            yield buffer

    expected = np.repeat(np.arange(100.0), 1000)
    assert gathered(PROGRAM.stream("scale", again(100), 1.0, block=300)).tolist() == (expected + 1).tolist()
    both = gathered(part for part, _ in PROGRAM.stream("both", ((xs, xs) for xs in again(100)), block=300))
    assert both.tolist() == (2 * expected).tolist()


def test_results_are_not_copied():
    before = warpwise.copied_bytes()
    assert sum(len(part) for part in PROGRAM.stream("scale", NUMBERS, 2.0, block=10_000)) == len(NUMBERS)
    assert warpwise.copied_bytes() == before
    parts = list(PROGRAM.stream("scale", NUMBERS, 2.0, block=10_000))
    assert all(part.flags.writeable and part.flags.owndata is False for part in parts)
    assert not np.shares_memory(parts[0], parts[1])


class Bar:
    def __init__(self):
        self.updates = []

    def update(self, n):
        self.updates.append(n)


def test_progress_is_shown():
    bar = Bar()
    list(PROGRAM.stream("scale", pieces(NUMBERS, 3), 1.0, block=1000, progress=bar))
    assert sum(bar.updates) == len(NUMBERS) and all(n > 0 for n in bar.updates)
    bar = Bar()
    PROGRAM.fold(NUMBERS, progress=bar)
    assert sum(bar.updates) == len(NUMBERS)
    assert len(list(PROGRAM.stream("scale", NUMBERS, 1.0, progress=False))) == 3
    with pytest.raises(TypeError, match="progress: expected .* found int"):
        PROGRAM.fold(NUMBERS, progress=3)

    class Broken:
        def update(self, n):
            raise LookupError("no terminal")

    with pytest.raises(LookupError, match="no terminal"):
        PROGRAM.fold(NUMBERS, progress=Broken())


def test_progress_by_tqdm(capsys):
    pytest.importorskip("tqdm", reason="tqdm is not installed")
    PROGRAM.fold(NUMBERS, progress=True)
    assert "100%" in capsys.readouterr().err


def test_exceptions_of_a_source_come_out_unchanged():
    class Special(Exception):
        pass

    error = Special("within")

    def failing(after):
        for _ in range(after):
            yield NUMBERS[:1000]
        raise error

    for after in (0, 1, 100):
        with pytest.raises(Special) as caught:
            list(PROGRAM.stream("scale", failing(after), 1.0, block=700))
        assert caught.value is error and "failing" in str(caught.traceback[-1])
    with pytest.raises(Special):
        PROGRAM.fold(failing(3))
    got = []
    with pytest.raises(Special):
        for part in PROGRAM.stream("scale", failing(2), 0.0, block=700):
            got.append(len(part))
    assert got == [700, 700, 600], "what came before is given before"
    assert PROGRAM.fold([NUMBERS]) == PROGRAM.fold(NUMBERS), "all is well afterwards"


def test_failing_programs_say_where():
    xs = np.ones(100_000, np.int32)
    xs[70_007] = 0
    with pytest.raises(warpwise.RunError, match="streams.fut:.*zero") as caught:
        list(PROGRAM.stream("inverse", pieces(xs, 10), block=1000))
    assert caught.value.element == 70_007 and caught.value.place.startswith("streams.fut:")
    if sys.version_info >= (3, 11):
        assert caught.value.__notes__ == ["in element 70007 of the stream"]


def test_what_does_not_fit(tmp_path):
    def refused(exception, words, call):
        with pytest.raises(exception, match=words):
            call()

    stream = PROGRAM.stream
    refused(AttributeError, "no entry point `nothing`; there are: scale", lambda: stream("nothing", NUMBERS))
    refused(AttributeError, "no entry point `nothing`", lambda: PROGRAM.fold(NUMBERS, merge="nothing"))
    refused(TypeError, "takes 2 arguments; 2 are given besides the source", lambda: stream("scale", NUMBERS, 1.0, 2.0))
    refused(TypeError, "argument `a`: expected f64, found str", lambda: stream("scale", NUMBERS, "a"))
    refused(TypeError, "the parameter `a` .* not an array that could be streamed", lambda: stream("scale", NUMBERS))
    refused(TypeError, "a state without parameters", lambda: PROGRAM.fold(NUMBERS, init="scale"))
    refused(TypeError, "source: expected a path, .* found int", lambda: stream("scale", 3, 1.0))
    refused(TypeError, "argument `xs`: expected \\[\\]f64, found a float32", lambda: stream("scale", NUMBERS.astype("f4"), 1.0))
    refused(TypeError, "argument `xs`: expected \\[\\]f64, found float", lambda: stream("scale", [1.0, 2.0], 1.0))
    refused(TypeError, "argument `xs`: expected \\[\\]f64, found an int64", lambda: list(stream("scale", [NUMBERS, np.arange(3)], 1.0)))
    refused(ValueError, "block: 0 given", lambda: stream("scale", NUMBERS, 1.0, block=0))
    refused(ValueError, "exclude each other", lambda: stream("scale", NUMBERS, 1.0, block=1, elementwise=True))
    refused(ValueError, "2 columns are named", lambda: stream("scale", NUMBERS, 1.0, column=["a", "b"]))
    refused(FileNotFoundError, "nowhere.npy", lambda: stream("scale", tmp_path / "nowhere.npy", 1.0))
    refused(ValueError, "what format is this", lambda: stream("scale", __file__, 1.0))
    refused(ValueError, "format: the formats are raw", lambda: stream("scale", __file__, 1.0, format="text"))
    table = pa.table({"a": NUMBERS, "b": NUMBERS})
    refused(ValueError, "which column\\? there are: a, b", lambda: stream("scale", table, 1.0))
    refused(ValueError, "no column `c`; there are: a, b", lambda: stream("scale", table, 1.0, column="c"))
    refused(ValueError, "has no column `c`", lambda: stream("scale", [{"a": NUMBERS}], 1.0, column="c"))
    refused(TypeError, "name a column", lambda: stream("scale", table.to_batches(), 1.0))
    refused(TypeError, "2 parameters are streamed, but there are 3 sources", lambda: stream("both", (NUMBERS,) * 3))
    refused(warpwise.RunError, "another source", lambda: list(stream("both", (NUMBERS, NUMBERS[1:]))))
    refused(warpwise.RunError, "rows", lambda: list(stream("both", [(NUMBERS, NUMBERS[1:])])))
    rows = np.ones((4, 3), np.float32)
    refused(warpwise.RunError, "of type \\[2\\]f32, those before of type \\[3\\]f32", lambda: list(stream("norms", [rows, rows[:, :2]])))
    nulls = pa.chunked_array([[1.0, 2.0], [3.0, None]])
    refused(warpwise.RunError, "element 3 .* null.*fill_null", lambda: list(stream("scale", nulls, 1.0)))


def test_a_stream_may_be_left_or_closed():
    def endless():
        while True:
            yield NUMBERS

    for _ in range(20):
        stream = PROGRAM.stream("scale", endless(), 1.0, block=1000)
        assert len(next(stream)) == 1000
        del stream
    stream = PROGRAM.stream("scale", endless(), 1.0)
    next(stream)
    stream.close()
    assert list(stream) == []
    assert iter(stream) is stream
    assert PROGRAM.scale(1.0, np.ones(1)).tolist() == [2]


def test_only_one_thread_waits_for_a_result():
    started, go_on = threading.Event(), threading.Event()

    def waiting():
        yield NUMBERS[:1]
        started.set()
        go_on.wait(20)

    stream = PROGRAM.stream("scale", waiting(), 1.0, block=1)
    results = []
    thread = threading.Thread(target=lambda: results.extend(stream))
    thread.start()
    assert started.wait(20)
    time.sleep(0.2)
    for call in (stream.__next__, stream.close):
        with pytest.raises(ValueError, match="another thread waits"):
            call()
    go_on.set()
    thread.join(20)
    assert len(results) == 1 and list(stream) == []


def test_a_source_may_call_the_program():
    def scaled():
        for at in range(0, 10_000, 1000):
            yield PROGRAM.scale(1.0, NUMBERS[at : at + 1000])

    expected = PROGRAM.scale(2.0, PROGRAM.scale(1.0, NUMBERS[:10_000]))
    assert gathered(PROGRAM.stream("scale", scaled(), 2.0, block=333)).tobytes() == expected.tobytes()
    again = PROGRAM.stream("scale", PROGRAM.stream("scale", NUMBERS[:10_000], 1.0, block=77), 2.0, block=333)
    assert gathered(again).tobytes() == expected.tobytes()


def test_streams_in_several_threads():
    results = {}

    def run(number):
        results[number] = gathered(PROGRAM.stream("scale", pieces(NUMBERS, 100 * number), float(number), block=1000))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(np.array_equal(results[number], PROGRAM.scale(float(number), NUMBERS)) for number in range(4))


@pytest.mark.parametrize("what", ["computing", "reading", "fold", "file"])
def test_interrupts_end_it(what, tmp_path):
    def hanging():
        yield NUMBERS
        time.sleep(3)
        yield NUMBERS

    calls = {
        "computing": lambda: list(PROGRAM.stream("slow", [NUMBERS])),
        "reading": lambda: list(PROGRAM.stream("scale", hanging(), 1.0)),
        "fold": lambda: PROGRAM.fold(hanging()),
        "file": lambda: PROGRAM.stream("slow", NUMBERS, out=tmp_path / "out.npy"),
    }
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        calls[what]()
    assert time.monotonic() - start < 2.5
    timer.join()
    assert os.listdir(tmp_path) == []
    assert PROGRAM.scale(1.0, np.ones(1)).tolist() == [2], "all is well afterwards"
    assert PROGRAM.fold([np.ones(3)]) == (3, 3.0)


def test_the_lock_is_released_meanwhile():
    def counting(counter, stop):
        while not stop.is_set():
            counter[0] += 1

    counter, stop = [0], threading.Event()
    thread = threading.Thread(target=counting, args=(counter, stop))
    thread.start()
    xs = np.ones(20)
    small = warpwise.compile("entry slow [n] (xs: [n]f64) : [n]f64 = map (\\x -> loop x for i < 2000000 do f64.sin x) xs")
    before = counter[0]
    list(small.stream("slow", xs, block=10))
    assert counter[0] - before > 1000
    stop.set()
    thread.join()


def test_the_process_may_end_during_a_stream():
    script = """
import numpy, time, warpwise
program = warpwise.compile("entry twice [n] (xs: [n]f64) : [n]f64 = map (* 2) xs")
def endless():
    while True:
        time.sleep(0.001)
        yield numpy.ones(1000)
stream = program.stream("twice", endless(), block=1000)
print(len(next(stream)))
"""
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stdout, done.stderr) == (0, "1000\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_stream_belongs_to_its_process():
    stream = PROGRAM.stream("scale", pieces(NUMBERS, 1000), 1.0, block=1000)
    next(stream)
    child = os.fork()
    if child == 0:
        try:
            next(stream)
        except warpwise.RunError as error:
            fine = "parent" in str(error) and PROGRAM.fold([np.ones(3)]) == (3, 3.0)
            os._exit(0 if fine else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert len(gathered(stream)) == len(NUMBERS) - 1000


def test_entry_points_are_streamed_and_streams_end_with_a_statement():
    with PROGRAM.stream(PROGRAM.sums, NUMBERS[:10], block=4) as parts:
        assert len(next(parts)) == 4
    assert list(parts) == []
    with pytest.raises(ValueError, match="entry point of another program"):
        PROGRAM.stream(warpwise.compile(TEXT).sums, NUMBERS)
    with pytest.raises(TypeError, match="expected an entry point or its name, found int"):
        PROGRAM.stream(3, NUMBERS)
