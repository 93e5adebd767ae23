"""Measures the Python module beside NumPy, Numba and JAX, in one run, with all results compared.

usage: bench.py [--share S] [--only ENTRY,...] [--out FILE.md]

The time of a computation is the minimum over several calls. The four libraries run in turn, after calls that compile and warm up, and use all
cores. A pause before each call lets the threads of the others fall asleep, since those of Numba and JAX spin for a while after a call.
"""

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import warpwise

HERE = Path(__file__).parent


def seconds(call):
    time.sleep(0.3)
    start = time.perf_counter()
    result = call()
    ready = getattr(result, "block_until_ready", None) or (lambda: None)
    if isinstance(result, tuple):
        [getattr(part, "block_until_ready", lambda: None)() for part in result]
    ready()
    return time.perf_counter() - start, result


def compare(entry, ours, theirs, tolerance):
    ours = ours if isinstance(ours, tuple) else (ours,)
    theirs = theirs if isinstance(theirs, tuple) else (theirs,)
    for a, b in zip(ours, theirs, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if tolerance == "length":
            # A sum near the bound may fall on either side, depending on the order of additions.
            if abs(len(a) - len(b)) > 1e-4 * max(len(a), 1):
                raise SystemExit(f"{entry}: {len(a)} and {len(b)} elements")
        elif tolerance is None:
            if (a != b).sum() > 1e-4 * a.size:
                raise SystemExit(f"{entry}: {(a != b).sum()} of {a.size} elements differ")
        else:
            error = np.abs(a - b).max() / max(1e-30, np.abs(b).max())
            if not error <= tolerance:
                raise SystemExit(f"{entry}: results differ by {error}")


def measure(work, call, rounds):
    calls = {"Warpwise": lambda: call(*work.inputs)}
    for name, other in work.others.items():
        inputs = work.inputs
        if name == "JAX":
            import jax

            inputs = [jax.device_put(x) if isinstance(x, np.ndarray) else x for x in work.inputs]
        calls[name] = lambda other=other, inputs=inputs: other(*inputs)
    best, results = {}, {}
    for name, one in calls.items():
        first, results[name] = seconds(one)
        best[name] = first
    for name in work.others:
        compare(f"{work.entry} ({name})", results["Warpwise"], results[name], work.tolerance)
    results.clear()
    for _ in range(rounds):
        for name, one in calls.items():
            # A call of several seconds is not repeated more often than necessary.
            if best[name] < 5 or _ == 0:
                best[name] = min(best[name], seconds(one)[0])
    return best


def table(share, only, rounds):
    import work

    program = warpwise.compile(HERE / "work.fut", fast_math=True)
    rows = []
    for one in work.everything(share):
        if only and one.entry not in only:
            continue
        before = warpwise.copied_bytes()
        best = measure(one, program[one.entry], rounds)
        copied = warpwise.copied_bytes() - before
        ours = best.pop("Warpwise")
        name = min(best, key=best.get)
        rows.append({"entry": one.entry, "seconds": ours, "others": best, "best": name, "ratio": best[name] / ours, "copied": copied})
        print(f"{one.entry:15} {ours * 1e3:9.2f} ms  " + "  ".join(f"{k} {v / ours:7.2f}" for k, v in best.items()) + f"  copied {copied}", flush=True)
    return rows


def per_call(call, count=100_000):
    best = float("inf")
    for _ in range(9):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - start) / count)
    return best


def overheads():
    program = warpwise.compile("entry next (x: i64) : i64 = x + 1\nentry sum [n] (xs: [n]f64) : f64 = f64.sum xs")
    ten, sum, next = np.ones(10), program.sum, program.next
    found = {}
    for name, call, entry, args in (("scalar", lambda: next(1), next, (1,)), ("array", lambda: sum(ten), sum, (ten,))):
        rust = min(entry.native_seconds(*args, calls=100_000) for _ in range(9))
        python = per_call(call)
        found[name] = {"rust": rust, "python": python, "over": python - rust}
    before, count = resident(), 1_000_000
    for _ in range(count):
        sum(ten)
    found["growth"] = resident() - before
    return found


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


IMPORT = "import time; a = time.perf_counter(); import {0}; print(time.perf_counter() - a)"

OURS = '''
import time; start = time.perf_counter()
import numpy as np, warpwise
program = warpwise.compile("""
def step (dt: f64) (x: f64, v: f64) : (f64, f64) =
  let k1 = (v, -x - 0.1 * v)
  let k2 = (v + dt / 2 * k1.1, -(x + dt / 2 * k1.0) - 0.1 * (v + dt / 2 * k1.1))
  let k3 = (v + dt / 2 * k2.1, -(x + dt / 2 * k2.0) - 0.1 * (v + dt / 2 * k2.1))
  let k4 = (v + dt * k3.1, -(x + dt * k3.0) - 0.1 * (v + dt * k3.1))
  let add a b c d = dt / 6 * (a + 2 * b + 2 * c + d)
  in (x + add k1.0 k2.0 k3.0 k4.0, v + add k1.1 k2.1 k3.1 k4.1)

entry energy [n] (xs: [n]f64) (vs: [n]f64) (steps: i32) (dt: f64) : f64 =
  let one x v =
    let (x, v) = loop (x, v) = (x, v) for _i < steps do step dt (x, v)
    in x * x + v * v
  in f64.sum (map2 one xs vs)
""", cache=False)
xs = np.linspace(0, 1, 1000)
print(program.energy(xs, xs, 100, 0.01), time.perf_counter() - start)
'''

NUMBA = '''
import time; start = time.perf_counter()
import numpy as np
from numba import njit, prange

@njit
def step(dt, x, v):
    a1, b1 = v, -x - 0.1 * v
    a2, b2 = v + dt / 2 * b1, -(x + dt / 2 * a1) - 0.1 * (v + dt / 2 * b1)
    a3, b3 = v + dt / 2 * b2, -(x + dt / 2 * a2) - 0.1 * (v + dt / 2 * b2)
    a4, b4 = v + dt * b3, -(x + dt * a3) - 0.1 * (v + dt * b3)
    return x + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4), v + dt / 6 * (b1 + 2 * b2 + 2 * b3 + b4)

@njit(parallel=True)
def energy(xs, vs, steps, dt):
    total = 0.0
    for i in prange(len(xs)):
        x, v = xs[i], vs[i]
        for _ in range(steps):
            x, v = step(dt, x, v)
        total += x * x + v * v
    return total

xs = np.linspace(0, 1, 1000)
print(energy(xs, xs, 100, 0.01), time.perf_counter() - start)
'''

JAX = '''
import os, time; start = time.perf_counter()
os.environ["JAX_ENABLE_X64"] = "1"; os.environ["JAX_PLATFORMS"] = "cpu"
import jax, numpy as np

def step(dt, x, v):
    a1, b1 = v, -x - 0.1 * v
    a2, b2 = v + dt / 2 * b1, -(x + dt / 2 * a1) - 0.1 * (v + dt / 2 * b1)
    a3, b3 = v + dt / 2 * b2, -(x + dt / 2 * a2) - 0.1 * (v + dt / 2 * b2)
    a4, b4 = v + dt * b3, -(x + dt * a3) - 0.1 * (v + dt * b3)
    return x + dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4), v + dt / 6 * (b1 + 2 * b2 + 2 * b3 + b4)

@jax.jit
def energy(xs, vs, steps, dt):
    xs, vs = jax.lax.fori_loop(0, steps, lambda _, s: step(dt, *s), (xs, vs))
    return (xs * xs + vs * vs).sum()

xs = np.linspace(0, 1, 1000)
print(float(energy(xs, xs, 100, 0.01)), time.perf_counter() - start)
'''


def run(text):
    start = time.perf_counter()
    ended = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return time.perf_counter() - start, [float(word) for word in ended.stdout.split()]


def firsts():
    imports = [run(IMPORT.format("warpwise"))[1][0] for _ in range(9)]
    best, values = {}, {}
    for _ in range(5):
        for name, text in (("Warpwise", OURS), ("Numba", NUMBA), ("JAX", JAX)):
            whole, (value, inside) = run(text)
            values[name] = value
            best[name] = min(best.get(name, float("inf")), inside)
    if max(values.values()) - min(values.values()) > 1e-9 * abs(values["Warpwise"]):
        raise SystemExit(f"the first results differ: {values}")
    return {"import": sorted(imports)[len(imports) // 2], "first": best}


def written(rows, over, first):
    import jax
    import numba

    mean = np.exp(np.mean([np.log(row["ratio"]) for row in rows]))
    other = min(first["first"]["Numba"], first["first"]["JAX"])
    lines = [
        "# The Python module beside NumPy, Numba and JAX",
        "",
        f"Made by `make bench-python`: one run, results compared, all cores ({len(os.sched_getaffinity(0))}), {platform.processor() or platform.machine()}; "
        f"NumPy {np.__version__}, Numba {numba.__version__} (`parallel=True`, and `fastmath=True` as our program has `fast_math=True`), JAX {jax.__version__} on the CPU. "
        "Times are the least of several calls; a ratio is another's time divided by ours.",
        "",
        "| work | ours, ms | NumPy | Numba | JAX | the best of them | bytes copied |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ratios = [f"{row['others'][name] / row['seconds']:.2f}" for name in ("NumPy", "Numba", "JAX")]
        lines.append(f"| {row['entry']} | {row['seconds'] * 1e3:.2f} | {' | '.join(ratios)} | **{row['ratio']:.2f}** ({row['best']}) | {row['copied']} |")
    lines += [
        "",
        f"Geometric mean against the best of the three: **{mean:.2f}**.",
        "",
        "| figure | asked | found |",
        "|---|---|---|",
        f"| call with one scalar, over the same call from Rust | at most 1 µs | {over['scalar']['over'] * 1e6:.2f} µs ({over['scalar']['python'] * 1e6:.2f} against {over['scalar']['rust'] * 1e6:.2f}) |",
        f"| call with an array of 10 elements, over the same call from Rust | at most 2 µs | {over['array']['over'] * 1e6:.2f} µs ({over['array']['python'] * 1e6:.2f} against {over['array']['rust'] * 1e6:.2f}) |",
        f"| `import warpwise` (median of nine) | at most 40 ms | {first['import'] * 1e3:.1f} ms |",
        f"| first result of a 20-line program, imports included, nothing cached | half of the better one's time | {first['first']['Warpwise'] * 1e3:.0f} ms; Numba {first['first']['Numba'] * 1e3:.0f} ms, JAX {first['first']['JAX'] * 1e3:.0f} ms: {first['first']['Warpwise'] / other:.2f} |",
        f"| bytes copied for contiguous arguments and results | 0 | {sum(row['copied'] for row in rows)} |",
        f"| growth of memory over 10^6 calls | none | {over['growth'] / 1024:.0f} KiB |",
        "",
    ]
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--share", type=float, default=1.0)
    options.add_argument("--only", default="")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--out", type=Path)
    given = options.parse_args()
    over, first = overheads(), firsts()
    print(json.dumps({"overheads": over, **first}, indent=1), flush=True)
    rows = table(given.share, set(filter(None, given.only.split(","))), given.rounds)
    text = written(rows, over, first)
    print(text)
    if given.out:
        given.out.write_text(text)
        given.out.with_suffix(".json").write_text(json.dumps({"rows": rows, "overheads": over, **first}, indent=1) + "\n")


if __name__ == "__main__":
    main()
