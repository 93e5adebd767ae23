"""Measures blocks on Dask: the overhead of a block, workers against threads, and NumPy on Dask. `make bench-scale` runs it."""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster

import warpwise
import warpwise.dask as wd

TEXT = r"""
entry same [n] (xs: [n]f64) : [n]f64 = map (+ 1) xs
entry price [n] (paths: [n]i64) : [n]f64 =
  let mixed (x: u64) : u64 =
    let x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu64
    let x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u64
    in x ^ (x >> 33)
  let uniform x = (f64.u64 (mixed x >> 11) + 0.5) / 9007199254740992
  in map (\path ->
    let (a, b) = (uniform (2 * u64.i64 path + 1), uniform (2 * u64.i64 path + 2))
    let normal = f64.sqrt (-2 * f64.log a) * f64.cos (2 * f64.pi * b)
    in f64.max 0 (100 * f64.exp (0.2 * normal - 0.02) - 100)) paths
entry init : f64 = 0
entry step [n] (paths: [n]i64) (s: f64) : f64 = s + f64.sum (price paths)
entry merge (a: f64) (b: f64) : f64 = a + b
"""


def mixed(x: Any) -> Any:
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    x = (x ^ (x >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


def uniform(x: Any) -> Any:
    return ((mixed(x) >> np.uint64(11)).astype(np.float64) + 0.5) / 9007199254740992


def price(paths: Any) -> Any:
    """Computes the same as the entry point `price`."""
    two = np.uint64(2) * paths.astype(np.uint64)
    a, b = uniform(two + np.uint64(1)), uniform(two + np.uint64(2))
    normal = np.sqrt(-2 * np.log(a)) * np.cos(2 * np.pi * b)
    return np.maximum(0, 100 * np.exp(0.2 * normal - 0.02) - 100)


def increased(xs: Any) -> Any:
    """Computes the same as the entry point `same`."""
    return xs + 1


def best(work: Callable[[], Any], others: Callable[[], Any], times: int) -> tuple[float, float]:
    """Returns the median times of both, which run in turn."""
    found: tuple[list[float], list[float]] = ([], [])
    for run in range(times + 1):
        for kept, call in zip(found, (work, others)):
            start = time.perf_counter()
            call()
            if run:
                kept.append(time.perf_counter() - start)
    return statistics.median(found[0]), statistics.median(found[1])


def cluster(workers: int, threads: int) -> LocalCluster:
    # Nanny processes set OMP_NUM_THREADS in each worker: 1 suits a worker with one thread.
    with dask.config.set({"distributed.nanny.pre-spawn-environ.OMP_NUM_THREADS": threads}):
        return LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)


def measured(share: float) -> tuple[list[tuple[str, str, str]], float]:
    program, rows = warpwise.compile(TEXT), []
    busy = os.getloadavg()[0]
    blocks = max(int(2000 * share), 50)
    count = max(int(64 * share), 8) * 500_000
    # Each run has different arrays, because Dask reuses the result of an equal task while it exists.
    runs = itertools.count()
    small = lambda: da.full(blocks * 10, float(next(runs)), chunks=10)
    paths = lambda: da.arange(first := next(runs), first + count, chunks=500_000)
    ours = lambda **options: wd.map_blocks(program.same, small()).compute(**options)
    numpys = lambda **options: small().map_blocks(increased, dtype=float).compute(**options)
    fold = lambda: wd.fold(program, paths()).compute()
    numpys_fold = lambda: paths().map_blocks(price, dtype=float).sum().compute()
    for name, scheduler in (("sync", "sync"), ("threads", "threads")):
        a, b = best(lambda: ours(scheduler=scheduler), lambda: numpys(scheduler=scheduler), 3)
        rows.append((f"overhead of a block over NumPy, scheduler `{name}`", f"{(a - b) / blocks * 1e3:.3f} ms", "0.2 ms"))
    seconds: dict[tuple[int, int], float] = {}
    for workers, threads in ((1, 1), (1, 2), (2, 1)):
        with cluster(workers, threads) as local, Client(local):
            if workers == 2:
                a, b = best(ours, numpys, 3)
                rows.append(("overhead of a block over NumPy, two worker processes", f"{(a - b) / blocks * 1e3:.3f} ms", "0.2 ms"))
                work, numpys_work = best(fold, numpys_fold, 3)
                rows.append(("Monte Carlo: NumPy on Dask / this, two workers", f"{numpys_work / work:.2f}", "3"))
            else:
                work, _ = best(fold, lambda: None, 3)
            seconds[workers, threads] = work
    one, threaded, two = (seconds[key] for key in ((1, 1), (1, 2), (2, 1)))
    rows.append(("Monte Carlo: two workers against one", f"{one / two:.2f}", "1.85"))
    rows.append(("Monte Carlo: two one-thread workers against one process with two threads", f"{threaded / two:.2f}", "0.9"))
    return rows, busy


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out")
    parser.add_argument("--share", type=float, default=1.0, help="of the work")
    given = parser.parse_args()
    rows, busy = measured(given.share)
    cores = len(os.sched_getaffinity(0))
    text = "# Blocks on Dask\n\n"
    text += f"Made by `make bench-scale` on {cores} cores, with Dask {dask.__version__} and NumPy {np.__version__}; medians of 3.\n"
    if busy > 0.5:
        text += f"\n**Other work ran meanwhile: the load was {busy:.1f} before the first measurement. These figures are no measure.**\n"
    text += "\n| figure | measured | goal |\n|---|---|---|\n" + "".join(f"| {' | '.join(row)} |\n" for row in rows)
    print(text)
    if given.out:
        with open(given.out, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
