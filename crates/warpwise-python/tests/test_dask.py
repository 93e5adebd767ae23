"""Entry points over the blocks of Dask's collections."""

import os
import signal
import threading
import time

import numpy as np
import pytest

import warpwise

pytest.importorskip("dask.array")
pytest.importorskip("distributed")
import dask
import dask.array as da
from dask.distributed import Client, LocalCluster

import warpwise.dask as wd

TEXT = """
entry twice [n] (xs: [n]f64) : [n]f64 = map (* 2) xs
entry centred [n][m] (rows: [n][m]f64) : [n][m]f64 =
  map (\\row -> let mean = f64.sum row / f64.i64 m in map (\\x -> x - mean) row) rows
entry norms [n][m] (rows: [n][m]f64) : [n]f64 = map (\\row -> f64.sqrt (f64.sum (map (\\x -> x * x) row))) rows
entry apply [n][m] (a: [n][m]f64) (x: [m]f64) : [n]f64 = map (\\row -> f64.sum (map2 (*) row x)) a
entry both [n] (xs: [n]f64) (k: f64) : ([n]f64, [n]bool) = (map (+ k) xs, map (> k) xs)
entry corners [n] (xs: [n]f64) : [n][2]f64 = map (\\x -> [x, -x]) xs
entry positive [n] (xs: [n]f64) : []f64 = filter (> 0) xs
entry roots [n] (xs: [n]f64) : [n]f64 = map (\\x -> assert (x >= 0) (f64.sqrt x)) xs
entry smooth [n][m] (xs: [n][m]f64) : [n][m]f64 =
  tabulate_2d n m (\\i j -> 0.25 * (xs[i64.max 0 (i - 1), j] + xs[i64.min (n - 1) (i + 1), j]
                                  + xs[i, i64.max 0 (j - 1)] + xs[i, i64.min (m - 1) (j + 1)]))
entry inner [n] (xs: [n]f64) : []f64 = map (\\i -> (xs[i] + xs[i + 1] + xs[i + 2]) / 3) (iota (n - 2))
entry counts [n] (xs: [n]f64) : [8]i64 = hist (+) 0 8 (map (\\x -> i64.f64 (x * 8)) xs) (replicate n 1)
type point = {x: f64, y: f64}
entry lengths [n] (ps: [n]point) : [n]f64 = map (\\p -> f64.sqrt (p.x * p.x + p.y * p.y)) ps
type sums = {count: i64, total: f64, most: f64}
entry init : sums = {count = 0, total = 0, most = -f64.inf}
entry step [n] (xs: [n]f64) (s: sums) : sums =
  {count = s.count + n, total = s.total + f64.sum xs, most = f64.max s.most (f64.maximum xs)}
entry merge (a: sums) (b: sums) : sums = {count = a.count + b.count, total = a.total + b.total, most = f64.max a.most b.most}
entry wrong (a: sums) (b: sums) : sums = {count = a.count - b.count, total = a.total + b.total, most = a.most}
entry careful [n] (xs: [n]f64) (s: sums) : sums =
  {count = assert (all (>= 0) xs) s.count + n, total = s.total + f64.sum xs, most = s.most}
entry heaped [n] (xs: [n]f64) (s: sums) : sums =
  let upto = scan (+) 0 xs
  in {count = s.count + n, total = s.total + upto[n - 1], most = s.most}
entry scan [n] (xs: [n]f64) (before: sums) : [n]f64 = map (+ before.total) (scan (+) 0 xs)
"""
PROGRAM = warpwise.compile(TEXT, name="blocks.fut")
RANDOM = np.random.default_rng(1)
XS = RANDOM.random(10_007)
GRID = RANDOM.random((40, 30))


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def cut(xs=XS, chunks=1000):
    return da.from_array(xs, chunks=chunks)


def test_types_and_sizes_are_known_before_any_call():
    made = wd.map_blocks(PROGRAM.twice, cut())
    assert (made.dtype, made.chunks) == (np.dtype("float64"), cut().chunks)
    assert (made.compute() == 2 * XS).all()
    flags = wd.map_blocks(PROGRAM.both, cut(), 0.5)
    assert [part.dtype for part in flags] == [np.dtype("float64"), np.dtype("bool")]
    first, second = dask.compute(*flags)
    assert (first == XS + 0.5).all() and (second == (XS > 0.5)).all()
    corners = wd.map_blocks(PROGRAM.corners, cut())
    assert corners.shape == (10_007, 2) and (corners.compute() == np.stack([XS, -XS], 1)).all()


def test_dimensions_that_the_result_lacks_are_given_whole():
    x = cut(GRID, (7, 11))
    norms = wd.map_blocks(PROGRAM.norms, x)
    assert norms.chunks == (x.chunks[0],)
    assert (norms.compute() == PROGRAM.norms(GRID)).all()
    vector = cut(GRID[0], 4)
    for right in (vector, GRID[0], dask.delayed(GRID[0])):
        assert np.allclose(wd.map_blocks(PROGRAM.apply, x, right).compute(), GRID @ GRID[0])
    by_blocks = wd.map_blocks(PROGRAM.centred, x)
    assert by_blocks.chunks == x.chunks and abs(by_blocks.compute()[:7, :11].mean(1)).max() < 1e-12


def test_arrays_of_records_are_dicts():
    x, y = cut(GRID[0], 4), cut(GRID[1], 4)
    lengths = wd.map_blocks(PROGRAM.lengths, {"x": x, "y": y})
    assert np.allclose(lengths.compute(), np.hypot(GRID[0], GRID[1])) and lengths.chunks == x.chunks
    with pytest.raises(TypeError, match="the field `y` is missing"):
        wd.map_blocks(PROGRAM.lengths, {"x": x})


def test_filter_has_unknown_sizes():
    kept = wd.filter(PROGRAM.positive, cut(XS - 0.5))
    assert np.isnan(kept.shape[0]) and (kept.compute() == (XS - 0.5)[XS > 0.5]).all()
    assert (wd.map_blocks(PROGRAM.twice, kept).compute() == 2 * (XS - 0.5)[XS > 0.5]).all(), "unknown sizes go on"
    with pytest.raises(TypeError, match="keeps all"):
        wd.filter(PROGRAM.twice, cut())
    assert wd.fold(PROGRAM, kept).compute().count == (XS > 0.5).sum()


def test_chunks_of_unequal_and_of_no_size():
    for chunks in [(0, 5, 0, 10_002), (10_007,), (1, 10_005, 1), (10_007, 0)]:
        x = da.from_array(XS, chunks=(chunks,))
        assert (wd.map_blocks(PROGRAM.twice, x).compute() == 2 * XS).all()
        assert wd.fold(PROGRAM, x).compute().count == 10_007
        assert np.allclose(wd.scan(PROGRAM, x).compute(), np.cumsum(XS))
        assert (wd.histogram(PROGRAM.counts, x).compute() == PROGRAM.counts(XS)).all()
    empty = cut(XS[:0])
    assert wd.map_blocks(PROGRAM.twice, empty).compute().shape == (0,)
    assert wd.fold(PROGRAM, empty).compute() == PROGRAM.init()


def test_halos():
    x = cut(GRID, (10, 15))
    for boundary in ("nearest", "none"):
        assert (wd.map_overlap(PROGRAM.smooth, x, depth=1, boundary=boundary).compute() == PROGRAM.smooth(GRID)).all()
    line = cut(XS, 100)
    mean = wd.map_overlap(PROGRAM.inner, line, depth=1, boundary="periodic", trim=False)
    assert mean.chunks == line.chunks
    assert np.allclose(mean.compute(), (np.roll(XS, 1) + XS + np.roll(XS, -1)) / 3)
    deep = wd.map_overlap(PROGRAM.smooth, cut(GRID, (2, 30)), depth=(3, 0), boundary="nearest")
    assert (deep.compute() == PROGRAM.smooth(GRID)).all(), "blocks that are smaller than the halo are merged"
    with pytest.raises(ValueError):
        wd.map_overlap(PROGRAM.smooth, cut(GRID, (2, 30)), depth=(3, 0), boundary="nearest", allow_rechunk=False)


def test_any_number_of_outer_dimensions():
    cube = RANDOM.random((3, 4, 5, 6))
    norms = wd.apply_gufunc(PROGRAM.norms, da.from_array(cube, chunks=(1, 2, 3, 6)))
    assert norms.shape == (3, 4, 5) and np.allclose(norms.compute(), np.linalg.norm(cube, axis=-1))
    pairs = wd.apply_gufunc(PROGRAM.corners, da.from_array(cube, chunks=2))
    assert pairs.shape == (3, 4, 5, 6, 2) and (pairs.compute()[..., 1] == -cube).all()
    with pytest.raises(ValueError, match="chunk"):
        wd.apply_gufunc(PROGRAM.norms, da.from_array(cube, chunks=2))
    assert wd.apply_gufunc(PROGRAM.norms, da.from_array(cube, chunks=2), allow_rechunk=True).shape == (3, 4, 5)


def test_folds_have_the_bits_of_streams():
    for block in (64, 100, 999, 5000, 10_007):
        expected = PROGRAM.fold(XS, block=block)
        found = wd.fold(PROGRAM, cut(XS, block)).compute()
        assert found == expected and type(found) is PROGRAM.records["sums"], block


def test_folds_of_other_collections():
    bag, frame = pytest.importorskip("dask.bag"), pytest.importorskip("dask.dataframe")
    import pandas as pd

    expected = wd.fold(PROGRAM, cut(XS[:100], 25)).compute()
    assert wd.fold(PROGRAM, [dask.delayed(part) for part in np.split(XS[:100], 4)]).compute() == expected
    assert wd.fold(PROGRAM, bag.from_sequence(XS[:100].tolist(), npartitions=4)).compute() == expected
    table = frame.from_pandas(pd.DataFrame({"x": XS[:100], "y": XS[100:200]}), npartitions=4)
    assert wd.fold(PROGRAM, table["x"]).compute() == expected
    column = wd.map_column(PROGRAM.twice, table["x"]).compute()
    assert (column.to_numpy() == 2 * XS[:100]).all() and column.name == "twice"
    lengths = wd.map_blocks(PROGRAM.lengths, {"x": table["x"], "y": table["y"]}).compute()
    assert np.allclose(lengths, np.hypot(XS[:100], XS[100:200]))


def test_delayed_calls():
    assert dask.delayed(PROGRAM.twice)(np.arange(3.0)).compute().tolist() == [0, 2, 4]
    assert dask.base.tokenize(PROGRAM.twice) == dask.base.tokenize(warpwise.compile(TEXT, name="blocks.fut").twice)


def test_scans_and_histograms():
    for chunks in (10_007, 5000, 1000, 313):
        found = wd.scan(PROGRAM, cut(XS, chunks))
        assert found.dtype == np.float64 and np.allclose(found.compute(), np.cumsum(XS))
        counts = wd.histogram(PROGRAM.counts, cut(XS, chunks))
        assert counts.shape == (8,) and (counts.compute() == np.histogram(XS, 8, (0, 1))[0]).all()


def test_what_does_not_fit_is_refused_before_it_runs():
    refused = [
        (lambda: wd.map_blocks(PROGRAM.twice, cut(XS.astype("f4"))), r"`xs`: expected \[n\]float64, found a dask array of float32"),
        (lambda: wd.map_blocks(PROGRAM.twice, cut(GRID)), "2 dimensions"),
        (lambda: wd.map_blocks(PROGRAM.twice, XS), "none of the arguments is a dask array"),
        (lambda: wd.map_blocks(PROGRAM.twice), "takes 1 arguments, but 0 were given"),
        (lambda: wd.map_blocks(np.sin, cut()), "expected an entry point"),
        (lambda: wd.map_blocks(PROGRAM.step, cut(), 1), "no array: use fold"),
        (lambda: wd.fold(PROGRAM, cut(GRID)), "`xs`: expected"),
        (lambda: wd.fold(PROGRAM, cut(), merge="twice"), "`twice` must be of type s -> s -> s"),
        (lambda: wd.fold(PROGRAM, cut(), cut()), "takes 1 arrays, but 2 were given"),
        (lambda: wd.fold(PROGRAM, 3), "found int"),
        (lambda: wd.fold(PROGRAM, dask.delayed(XS)), "found Delayed"),
        (lambda: wd.map_overlap(PROGRAM.smooth, cut(GRID.astype("f4")), depth=1), "float32"),
    ]
    for call, words in refused:
        with pytest.raises(TypeError, match=words):
            call()


def test_errors_say_the_block():
    poisoned = XS.copy()
    poisoned[4321] = -1
    for compute in (lambda made: made.compute(scheduler="sync"), lambda made: made.compute(scheduler="threads")):
        with pytest.raises(warpwise.RunError, match=r"block \(4,\): blocks.fut:10") as caught:
            compute(wd.map_blocks(PROGRAM.roots, cut(poisoned)))
        assert caught.value.block == (4,) and caught.value.place.startswith("blocks.fut:10") and caught.value.worker is None
    mixed = [dask.delayed(XS[:10]), dask.delayed(XS[:10].astype("f4"))]
    with pytest.raises(TypeError, match="block 1: .*float32"):
        wd.fold(PROGRAM, mixed).compute()


def test_the_rest_is_kept_where_a_block_fails():
    poisoned = XS.copy()
    poisoned[4321] = -1
    state, failed = wd.fold(PROGRAM, cut(poisoned), step="careful", skip_failed=True).compute()
    assert state.count == 9007 and [error.block for error in failed] == [(4,)]
    state, failed = wd.fold(PROGRAM, cut(), step="careful", skip_failed=True).compute()
    assert state.count == 10_007 and failed == []


def test_blocks_that_do_not_fit_are_halved():
    small = PROGRAM.with_resources(memory_limit="64K")
    x, halves = cut(XS, 10_007), da.from_array(XS, chunks=((5003, 5004),))

    def compute(made):
        return made.compute(scheduler="sync")

    with pytest.raises(MemoryError, match=r"block \(0,\): "):
        compute(wd.fold(small, x, step="heaped"))
    expected = compute(wd.fold(small, halves, step="heaped"))
    assert compute(wd.fold(small, x, step="heaped", halve=True)) == expected
    assert compute(wd.fold(small, x, step="heaped", halve=True, skip_failed=True)) == (expected, [])
    with pytest.raises(warpwise.RunError, match=r"block \(0,\): "):
        compute(wd.fold(small, -x, step="careful", halve=True))


def test_a_merge_that_is_not_associative_is_found():
    assert wd.fold(PROGRAM, cut(), check=5).compute() == wd.fold(PROGRAM, cut()).compute()
    with pytest.raises(ValueError, match="merge is not associative: of the blocks . to ."):
        wd.fold(PROGRAM, cut(), merge="wrong", check=3).compute()


def test_workers_compute_the_same_bits(client):
    x = cut()
    assert wd.fold(PROGRAM, x).compute() == wd.fold(PROGRAM, x).compute(scheduler="sync")
    assert (wd.map_blocks(PROGRAM.twice, x).compute() == 2 * XS).all()
    assert (wd.scan(PROGRAM, x).compute() == wd.scan(PROGRAM, x).compute(scheduler="sync")).all()
    assert client.submit(PROGRAM.norms, GRID).result().tolist() == PROGRAM.norms(GRID).tolist()
    threads = client.run(lambda program: program.threads, PROGRAM)
    assert set(threads.values()) == {1}, "as many as the worker has"
    points = client.submit(lambda program: program.init(), PROGRAM).result()
    assert points == PROGRAM.init()


def test_errors_come_back_from_workers(client):
    poisoned = XS.copy()
    poisoned[4321] = -1
    with pytest.raises(warpwise.RunError, match=r"block \(4,\) on tcp://") as caught:
        wd.map_blocks(PROGRAM.roots, cut(poisoned)).compute()
    assert caught.value.block == (4,) and caught.value.place.startswith("blocks.fut:10")
    assert caught.value.worker in client.scheduler_info()["workers"]


def slowly(block):
    time.sleep(0.05)
    return block


def test_a_worker_that_is_killed_changes_no_bit(client):
    expected = wd.fold(PROGRAM, cut(XS, 200)).compute(scheduler="sync")
    slow = cut(XS, 200).map_blocks(slowly, dtype=float)
    future = client.compute(wd.fold(PROGRAM, slow))
    pids = client.run(os.getpid)
    victim = next(iter(pids.values()))
    killer = threading.Timer(0.5, lambda: os.kill(victim, signal.SIGKILL))
    killer.start()
    assert future.result(timeout=60) == expected
    killer.join()
    client.wait_for_workers(2, timeout=60)
    assert victim not in client.run(os.getpid).values(), "it was killed, and another came"
