"""Engines other than Dask, and storage that workers share. `make test-all` installs the libraries."""

import hashlib
import os
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import warpwise
from warpwise._entries import prefixes

TEXT = """
type sums = {count: i64, total: f64}
entry init : sums = {count = 0, total = 0}
entry step [n] (xs: [n]f64) (s: sums) : sums = {count = s.count + n, total = s.total + f64.sum (map (\\x -> assert (x >= 0) x) xs)}
entry merge (a: sums) (b: sums) : sums = {count = a.count + b.count, total = a.total + b.total}
entry scan [n] (xs: [n]f64) (before: sums) : [n]f64 = map (+ before.total) (scan (+) 0 xs)
entry twice [n] (xs: [n]f64) : [n]f64 = map (* 2) xs
entry parts [n] (k: f64) (xs: [n]f64) : ([n]f64, [n]bool) = (map (+ k) xs, map (> k) xs)
entry mean [place][time] (t: [place][time]f64) : [place]f64 = map (\\row -> f64.sum row / f64.i64 time) t
entry smooth [n][m] (xs: [n][m]f64) : [][]f64 =
  tabulate_2d (n - 2) (m - 2) (\\i j -> 0.25 * (xs[i, j + 1] + xs[i + 2, j + 1] + xs[i + 1, j] + xs[i + 1, j + 2]))
"""
PROGRAM = warpwise.compile(TEXT, name="engines.fut")
XS = np.random.default_rng(1).random(9_001)
BLOCKS = [XS[at : at + 500] for at in range(0, len(XS), 500)]


def mpirun(processes, text):
    """Returns the output of process 0."""
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("there is no mpirun (on Debian: apt-get install openmpi-bin)")
    text = f"import numpy as np, warpwise, warpwise.mpi\nfrom mpi4py import MPI\nTEXT = {TEXT!r}\n" + textwrap.dedent(text)
    words = ["mpirun", "-n", str(processes), "--allow-run-as-root", "--oversubscribe", sys.executable, "-c", text]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=200, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


@pytest.mark.parametrize("processes", [1, 3, 4])
def test_folds_by_mpi_have_the_bits_of_streams(processes):
    text = """
        xs = np.random.default_rng(1).random(9_001)
        mine = [xs[at * 500 : at * 500 + 500] for at in warpwise.mpi.share(19)]
        program = warpwise.compile(TEXT, name="engines.fut")
        state, none = warpwise.mpi.fold(program, mine), warpwise.mpi.fold(program, [])
        same = MPI.COMM_WORLD.allgather(state)
        if MPI.COMM_WORLD.Get_rank() == 0:
            print(state.count, state.total.hex(), len(set(same)), none.count)
        """
    expected = PROGRAM.fold(XS, block=500)
    assert mpirun(processes, text) == f"9001 {expected.total.hex()} 1 0"


@pytest.mark.parametrize("processes", [1, 3, 4])
def test_scans_by_mpi_do_not_depend_on_processes(processes):
    text = """
        import hashlib
        xs = np.random.default_rng(1).random(9_001)
        mine = [xs[at * 500 : at * 500 + 500] for at in warpwise.mpi.share(19)]
        program = warpwise.compile(TEXT, name="engines.fut")
        parts, none = MPI.COMM_WORLD.gather(warpwise.mpi.scan(program, mine)), warpwise.mpi.scan(program, [])
        if MPI.COMM_WORLD.Get_rank() == 0:
            print(hashlib.sha256(np.concatenate([part for own in parts for part in own])).hexdigest(), none)
        """
    states = [PROGRAM.step(block, PROGRAM.init()) for block in BLOCKS[:-1]]
    before = [PROGRAM.init(), *prefixes(PROGRAM.merge, states)]
    expected = np.concatenate([PROGRAM.scan(block, state) for block, state in zip(BLOCKS, before)])
    assert np.allclose(expected, np.cumsum(XS))
    assert mpirun(processes, text) == f"{hashlib.sha256(expected).hexdigest()} []"


def test_an_error_in_a_process_of_mpi_is_raised_in_all():
    text = """
        program = warpwise.compile(TEXT, name="engines.fut")
        rank = MPI.COMM_WORLD.Get_rank()
        for of_blocks in (warpwise.mpi.fold, warpwise.mpi.scan):
            try:
                of_blocks(program, [np.full(3, 1.0 - 2 * (rank == 1))])
            except warpwise.RunError as error:
                found = MPI.COMM_WORLD.gather((error.block, error.worker))
                if rank == 0:
                    print(set(found), str(error)[:35])
        """
    line = "{(1, 'process 1')} block 1 on process 1: engines.fut:4"
    assert mpirun(3, text) == f"{line}\n{line}"


@pytest.mark.parametrize(("processes", "dims"), [(4, (2, 2)), (1, (1, 1)), (3, (3, 1))])
def test_halos_by_mpi(processes, dims):
    text = f"""
        grid = np.random.default_rng(1).random((12, 8))
        program = warpwise.compile(TEXT, name="engines.fut")
        for periodic, boundary, mode in [(True, "nearest", "wrap"), (False, "nearest", "edge"), (False, "reflect", "symmetric"), (False, 0, "constant")]:
            cart = MPI.COMM_WORLD.Create_cart({dims}, [periodic] * 2)
            (i, j), (h, w) = cart.Get_coords(cart.Get_rank()), (12 // {dims[0]}, 8 // {dims[1]})
            block = warpwise.mpi.exchange(grid[i * h : i * h + h, j * w : j * w + w], (1, 1), cart, boundary)
            whole = np.pad(grid, 1, mode=mode)
            assert (block == whole[i * h : i * h + h + 2, j * w : j * w + w + 2]).all(), (periodic, boundary)
            assert (program.smooth(block) == program.smooth(whole)[i * h : i * h + h, j * w : j * w + w]).all()
        try:
            warpwise.mpi.exchange(grid[:1, :1], (2, 0), cart)
        except ValueError as error:
            if cart.Get_rank() == 0:
                print(error)
        """
    assert mpirun(processes, text) == "the block of process 0 is smaller than the depth along dimension 0: use fewer processes"


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}})
    yield ray
    ray.shutdown()


def test_folds_by_ray(ray):
    import warpwise.ray

    assert warpwise.ray.fold(PROGRAM, BLOCKS) == PROGRAM.fold(XS, block=500)
    assert warpwise.ray.fold(PROGRAM, [ray.put(block) for block in BLOCKS]) == PROGRAM.fold(XS, block=500)
    assert warpwise.ray.fold(PROGRAM, []) == PROGRAM.init()
    with pytest.raises(warpwise.RunError, match="block 1 on node .*, process .*: engines.fut:4") as caught:
        warpwise.ray.fold(PROGRAM, [XS, -XS])
    assert caught.value.block == 1 and caught.value.worker.startswith("node ")


def test_batches_of_ray(ray):
    import ray.data

    import warpwise.ray

    table = ray.data.from_numpy(XS).rename_columns({"data": "xs"})
    found = warpwise.ray.map_batches(PROGRAM.twice, table, names=["y"], batch_size=1000).take_all()
    assert sorted(row["y"] for row in found) == sorted(2 * XS)
    by_actors = warpwise.ray.map_batches(PROGRAM.twice, table, names=["y"], batch_size=1000, actors=2).take_all()
    assert sorted(row["y"] for row in by_actors) == sorted(2 * XS)
    row = warpwise.ray.map_batches(PROGRAM.parts, table, 0.5, batch_size=1000).take(1)[0]
    assert row["result1"] == (row["result0"] > 1)
    with pytest.raises(TypeError, match="no array: use fold"):
        warpwise.ray.map_batches(PROGRAM.step, table)


def test_labelled_arrays():
    xarray = pytest.importorskip("xarray")
    import warpwise.xarray

    values = np.random.default_rng(1).random((6, 4))
    table = xarray.DataArray(values, dims=["place", "time"], coords={"place": list("abcdef")})
    expected = PROGRAM.mean(values)
    for array in (table, table.chunk({"place": 2}), table.T, table.T.chunk({"place": 4})):
        found = warpwise.xarray.apply(PROGRAM.mean, array)
        assert found.dims == ("place",) and (found.values == expected).all() and list(found.place.values) == list("abcdef")
    assert warpwise.xarray.apply(PROGRAM.mean, table.chunk({"place": 2})).chunks == ((2, 2, 2),), "nothing is computed yet"
    renamed = warpwise.xarray.apply(PROGRAM.mean, table.rename(time="hour"), rename={"time": "hour"})
    assert (renamed.values == expected).all()
    with pytest.raises(ValueError, match=r"`t`: expected the dimensions \['place', 'time'\]"):
        warpwise.xarray.apply(PROGRAM.mean, table.rename(time="hour"))
    plain = xarray.apply_ufunc(
        PROGRAM.mean, table.chunk({"place": 2}), input_core_dims=[["time"]], dask="parallelized", output_dtypes=[float]
    )
    assert (plain.values == expected).all()


@pytest.mark.parametrize("version", [2, 3])
def test_zarr(tmp_path, version):
    zarr, da = pytest.importorskip("zarr"), pytest.importorskip("dask.array")
    import warpwise.dask as wd

    stored = zarr.create_array(tmp_path / "x.zarr", shape=XS.shape, chunks=(500,), dtype="f8", zarr_format=version)
    stored[:] = XS
    x = da.from_zarr(str(tmp_path / "x.zarr"))
    assert x.chunks[0][0] == 500 and wd.fold(PROGRAM, x).compute() == PROGRAM.fold(XS, block=500)


def test_files_of_arrays(tmp_path):
    pytest.importorskip("dask.array")
    import warpwise.dask as wd

    path = str(tmp_path / "x.npy")
    np.save(path, XS)
    x = wd.from_npy(path, 500)
    assert wd.fold(PROGRAM, x).compute() == PROGRAM.fold(path, block=500) and (x.compute() == XS).all()
    assert (wd.from_npy(f"file://{path}", 500).compute() == XS).all()
    np.save(path, np.zeros((0, 3)))
    assert wd.from_npy(path, 5).compute().shape == (0, 3)
    np.save(path, np.asfortranarray(np.zeros((4, 3))))
    with pytest.raises(ValueError, match="C's order"):
        wd.from_npy(path, 5)


def test_parquet_data_sets(tmp_path):
    pytest.importorskip("dask.array")
    import pyarrow as pa
    import pyarrow.parquet as pq

    import warpwise.dask as wd

    for number, part in enumerate((XS[:4000], XS[4000:])):
        pq.write_table(pa.table({"x": part}), tmp_path / f"part-{number}.parquet", row_group_size=500)
    x = wd.from_parquet(tmp_path, "x")
    assert x.chunks[0][:2] == (500, 500) and (x.compute() == XS).all()
    assert wd.fold(PROGRAM, x).compute() == PROGRAM.fold(XS, block=500)
    with pytest.raises(KeyError, match="there are: x"):
        wd.from_parquet(tmp_path, "y")
    pq.write_table(pa.table({"x": [1.0, None]}), tmp_path / "part-2.parquet")
    with pytest.raises(TypeError, match="missing values"):
        wd.from_parquet(tmp_path, "x").compute(scheduler="sync")
