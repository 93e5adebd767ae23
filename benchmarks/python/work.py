"""The work: inputs, and the same computation with NumPy, Numba and JAX, each written for speed in its library."""

import os

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp
import numba
import numpy as np
from numba import njit, prange

fast = njit(parallel=True, fastmath=True)
R, V = 0.02, 0.30


class Work:
    """One row of the table: the entry point `entry` of work.fut on `inputs`."""

    def __init__(self, entry, inputs, numpy, numba, jax, tolerance):
        self.entry, self.inputs, self.tolerance = entry, inputs, tolerance
        self.others = {"NumPy": numpy, "Numba": numba, "JAX": jax}


# Black-Scholes -------------------------------------------------------------------------------------------------------------------


def cnd(d, exp, where, absolute):
    k = 1 / (1 + 0.2316419 * absolute(d))
    p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * exp(-0.5 * d * d) * p
    return where(d > 0, 1 - tail, tail)


def black_scholes(np):
    def price(s, k, t):
        root = np.sqrt(t)
        d1 = (np.log(s / k) + (R + 0.5 * V * V) * t) / (V * root)
        d2 = d1 - V * root
        return s * cnd(d1, np.exp, np.where, np.abs) - k * np.exp(-R * t) * cnd(d2, np.exp, np.where, np.abs)

    return price


@njit(fastmath=True, inline="always")
def cnd1(d):
    k = 1 / (1 + 0.2316419 * abs(d))
    p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * np.exp(-0.5 * d * d) * p
    return 1 - tail if d > 0 else tail


@fast
def black_scholes_numba(s, k, t):
    out = np.empty_like(s)
    for i in prange(len(s)):
        root = np.sqrt(t[i])
        d1 = (np.log(s[i] / k[i]) + (R + 0.5 * V * V) * t[i]) / (V * root)
        d2 = d1 - V * root
        out[i] = s[i] * cnd1(d1) - k[i] * np.exp(-R * t[i]) * cnd1(d2)
    return out


# Mandelbrot ----------------------------------------------------------------------------------------------------------------------


def mandelbrot_numpy(h, w, limit):
    ci = (3 * np.arange(h) / h - 1.5)[:, None] + np.zeros((1, w))
    cr = (3 * np.arange(w) / w - 2)[None, :] + np.zeros((h, 1))
    count = np.zeros((h, w), np.int32).ravel()
    live = np.arange(h * w)
    cr, ci = cr.ravel(), ci.ravel()
    x, y = np.zeros(h * w), np.zeros(h * w)
    for _ in range(limit):
        keep = x * x + y * y <= 4
        live, x, y, cr, ci = live[keep], x[keep], y[keep], cr[keep], ci[keep]
        x, y = x * x - y * y + cr, 2 * x * y + ci
        count[live] += 1
    return count.reshape(h, w)


@njit(parallel=True)
def mandelbrot_numba(h, w, limit):
    out = np.empty((h, w), np.int32)
    for i in prange(h):
        ci = 3 * i / h - 1.5
        for j in range(w):
            cr = 3 * j / w - 2
            x = y = 0.0
            count = 0
            while count < limit and x * x + y * y <= 4:
                x, y = x * x - y * y + cr, 2 * x * y + ci
                count += 1
            out[i, j] = count
    return out


@jax.jit
def mandelbrot_all(ci, cr, limit):
    def step(_, state):
        x, y, count = state
        live = x * x + y * y <= 4
        x, y = jnp.where(live, x * x - y * y + cr, x), jnp.where(live, 2 * x * y + ci, y)
        return x, y, count + live

    zero = jnp.zeros((ci.shape[0], cr.shape[1]))
    return jax.lax.fori_loop(0, limit, step, (zero, zero, zero.astype(jnp.int32)))[2]


def mandelbrot_jax(h, w, limit):
    return mandelbrot_all((3 * jnp.arange(h) / h - 1.5)[:, None], (3 * jnp.arange(w) / w - 2)[None, :], limit)


# n-body --------------------------------------------------------------------------------------------------------------------------


def n_body(np):
    def pull(x, y, z, m):
        dx, dy, dz = x[None, :] - x[:, None], y[None, :] - y[:, None], z[None, :] - z[:, None]
        near = 1 / np.sqrt(dx * dx + dy * dy + dz * dz + np.float32(0.01))
        s = m[None, :] * near * near * near
        return (s * dx).sum(1), (s * dy).sum(1), (s * dz).sum(1)

    return pull


@fast
def n_body_numba(x, y, z, m):
    n = len(x)
    ax, ay, az = np.empty_like(x), np.empty_like(x), np.empty_like(x)
    for i in prange(n):
        a = b = c = np.float32(0)
        for j in range(n):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            near = np.float32(1) / np.sqrt(dx * dx + dy * dy + dz * dz + np.float32(0.01))
            s = m[j] * near * near * near
            a += s * dx
            b += s * dy
            c += s * dz
        ax[i], ay[i], az[i] = a, b, c
    return ax, ay, az


# k-means -------------------------------------------------------------------------------------------------------------------------


def k_means_numpy(points, start, rounds):
    centres, (k, d) = start, start.shape
    squares = (points * points).sum(1)
    for _ in range(rounds):
        distances = squares[:, None] - 2 * points @ centres.T + (centres * centres).sum(1)
        at = distances.argmin(1)
        counts = np.maximum(1, np.bincount(at, minlength=k)).astype(np.float32)
        sums = np.stack([np.bincount(at, weights=points[:, j], minlength=k) for j in range(d)], 1)
        centres = (sums / counts[:, None]).astype(np.float32)
    return centres


@fast
def k_means_numba(points, start, rounds):
    n, d = len(points), 8
    k = start.shape[0]
    centres = start.copy()
    threads = numba.get_num_threads()
    for _ in range(rounds):
        sums = np.zeros((threads, k, d), np.float32)
        counts = np.zeros((threads, k), np.int32)
        for t in prange(threads):
            for i in range(n * t // threads, n * (t + 1) // threads):
                best, at = np.float32(np.inf), 0
                for c in range(k):
                    distance = np.float32(0)
                    for j in range(8):
                        delta = points[i, j] - centres[c, j]
                        distance += delta * delta
                    if distance < best:
                        best, at = distance, c
                counts[t, at] += 1
                for j in range(8):
                    sums[t, at, j] += points[i, j]
        for c in range(k):
            count = max(1, counts[:, c].sum())
            for j in range(8):
                centres[c, j] = sums[:, c, j].sum() / count
    return centres


@jax.jit
def k_means_jax(points, start, rounds):
    k = start.shape[0]

    def step(_, centres):
        at = (((points[:, None, :] - centres[None, :, :]) ** 2).sum(-1)).argmin(1)
        sums = jax.ops.segment_sum(points, at, k)
        counts = jax.ops.segment_sum(jnp.ones(len(points), jnp.float32), at, k)
        return sums / jnp.maximum(1, counts)[:, None]

    return jax.lax.fori_loop(0, rounds, step, start)


# Sliding windows -----------------------------------------------------------------------------------------------------------------


def windows_numpy(xs, w):
    sums, squares = np.cumsum(np.r_[0.0, xs]), np.cumsum(np.r_[0.0, xs * xs])
    mean = (sums[w:] - sums[:-w]) / w
    return mean, np.sqrt(np.maximum(0, (squares[w:] - squares[:-w]) / w - mean * mean))


@fast
def windows_numba(xs, w):
    n = len(xs) - w + 1
    means, deviations = np.empty(n), np.empty(n)
    for i in prange(n):
        total = squares = 0.0
        for j in range(w):
            x = xs[i + j]
            total += x
            squares += x * x
        mean = total / w
        means[i] = mean
        deviations[i] = np.sqrt(max(0.0, squares / w - mean * mean))
    return means, deviations


def _windows_of(xs, w):
    zero = jnp.zeros(1)
    sums, squares = jnp.cumsum(jnp.concatenate([zero, xs])), jnp.cumsum(jnp.concatenate([zero, xs * xs]))
    mean = (sums[w:] - sums[:-w]) / w
    return mean, jnp.sqrt(jnp.maximum(0, (squares[w:] - squares[:-w]) / w - mean * mean))


windows_jax = jax.jit(_windows_of, static_argnums=1)


# Histogram -----------------------------------------------------------------------------------------------------------------------


def histogram_numpy(bins, xs):
    return np.bincount((xs * np.float32(bins)).astype(np.int64), minlength=bins).astype(np.int32)


@fast
def histogram_numba(bins, xs):
    threads, n = numba.get_num_threads(), len(xs)
    tables = np.zeros((threads, bins), np.int32)
    for t in prange(threads):
        for i in range(n * t // threads, n * (t + 1) // threads):
            tables[t, int(xs[i] * np.float32(bins))] += 1
    return tables.sum(0).astype(np.int32)


def _histogram_jax(bins, xs):
    return jnp.bincount((xs * jnp.float32(bins)).astype(jnp.int32), length=bins).astype(jnp.int32)


histogram_jax = jax.jit(_histogram_jax, static_argnums=0)


# Prefix sum with filter ----------------------------------------------------------------------------------------------------------


def scan_filter_numpy(xs, least):
    sums = np.cumsum(xs)
    return sums[sums > least]


@njit(fastmath=True)
def scan_filter_numba(xs, least):
    out = np.empty_like(xs)
    total, count = 0.0, 0
    for i in range(len(xs)):
        total += xs[i]
        if total > least:
            out[count] = total
            count += 1
    return out[:count].copy()


def scan_filter_jax(xs, least):
    sums = cumsum_jax(xs)
    return sums[sums > least]


cumsum_jax = jax.jit(jnp.cumsum)


# Sobel ---------------------------------------------------------------------------------------------------------------------------


def sobel(np):
    def edges(image):
        p = np.pad(image, 1, mode="edge")
        a, b, c = p[:-2, :-2], p[:-2, 1:-1], p[:-2, 2:]
        d, f = p[1:-1, :-2], p[1:-1, 2:]
        g, h, k = p[2:, :-2], p[2:, 1:-1], p[2:, 2:]
        x = c + 2 * f + k - a - 2 * d - g
        y = g + 2 * h + k - a - 2 * b - c
        return np.sqrt(x * x + y * y)

    return edges


@fast
def sobel_numba(image):
    h, w = image.shape
    out = np.empty_like(image)
    for i in prange(h):
        up, down = max(i - 1, 0), min(i + 1, h - 1)
        for j in range(w):
            left, right = max(j - 1, 0), min(j + 1, w - 1)
            a, b, c = image[up, left], image[up, j], image[up, right]
            d, f = image[i, left], image[i, right]
            g, v, k = image[down, left], image[down, j], image[down, right]
            x = c + 2 * f + k - a - 2 * d - g
            y = g + 2 * v + k - a - 2 * b - c
            out[i, j] = np.sqrt(x * x + y * y)
    return out


# Smith-Waterman ------------------------------------------------------------------------------------------------------------------


def smith_waterman_numpy(query, sequences):
    m, n = sequences.shape
    best = np.zeros(n, np.int32)
    row = np.zeros((len(query), n), np.int32)
    for i in range(m):
        left, corner = np.zeros(n, np.int32), np.zeros(n, np.int32)
        for j in range(len(query)):
            above = row[j].copy()
            score = corner + np.where(sequences[i] == query[j], 2, -1).astype(np.int32)
            cell = np.maximum(0, np.maximum(score, np.maximum(above, left) - 1))
            row[j] = cell
            left, corner = cell, above
            np.maximum(best, cell, out=best)
    return best


@njit(parallel=True)
def smith_waterman_numba(query, sequences):
    m, n = sequences.shape
    q = len(query)
    out = np.empty(n, np.int32)
    for s in prange(n):
        row = np.zeros(q, np.int32)
        best = np.int32(0)
        for i in range(m):
            letter = sequences[i, s]
            left = corner = np.int32(0)
            for j in range(q):
                above = row[j]
                score = corner + (np.int32(2) if query[j] == letter else np.int32(-1))
                cell = max(np.int32(0), max(score, max(above, left) - np.int32(1)))
                row[j] = cell
                left, corner = cell, above
                best = max(best, cell)
        out[s] = best
    return out


@jax.jit
def smith_waterman_jax(query, sequences):
    n, q = sequences.shape[1], len(query)

    def letter(state, s):
        best, row = state

        def cell(carry, j):
            left, corner, best, row = carry
            above = row[j]
            score = corner + jnp.where(s == query[j], 2, -1).astype(jnp.int32)
            value = jnp.maximum(0, jnp.maximum(score, jnp.maximum(above, left) - 1))
            return (value, above, jnp.maximum(best, value), row.at[j].set(value)), None

        zero = jnp.zeros(n, jnp.int32)
        (_, _, best, row), _ = jax.lax.scan(cell, (zero, zero, best, row), jnp.arange(q))
        return (best, row), None

    start = (jnp.zeros(n, jnp.int32), jnp.zeros((q, n), jnp.int32))
    return jax.lax.scan(letter, start, sequences)[0][0]


# Sparse matrix-vector product ----------------------------------------------------------------------------------------------------


def sparse_numpy(rows, columns, values, x):
    return np.add.reduceat(values * x[columns], rows[:-1])


@fast
def sparse_numba(rows, columns, values, x):
    out = np.empty(len(rows) - 1)
    for i in prange(len(out)):
        total = 0.0
        for j in range(rows[i], rows[i + 1]):
            total += values[j] * x[columns[j]]
        out[i] = total
    return out


@jax.jit
def sparse_jax(rows, columns, values, x):
    n = len(rows) - 1
    at = jnp.repeat(jnp.arange(n), jnp.diff(rows), total_repeat_length=len(values))
    return jax.ops.segment_sum(values * x[columns], at, n, indices_are_sorted=True)


# Group-by sums -------------------------------------------------------------------------------------------------------------------


def group_sums_numpy(groups, keys, values):
    return np.bincount(keys, weights=values, minlength=groups)


@fast
def group_sums_numba(groups, keys, values):
    threads, n = numba.get_num_threads(), len(keys)
    tables = np.zeros((threads, groups))
    for t in prange(threads):
        for i in range(n * t // threads, n * (t + 1) // threads):
            tables[t, keys[i]] += values[i]
    return tables.sum(0)


def _group_sums_jax(groups, keys, values):
    return jax.ops.segment_sum(values, keys, groups)


group_sums_jax = jax.jit(_group_sums_jax, static_argnums=0)


# The table -----------------------------------------------------------------------------------------------------------------------


def everything(share=1.0):
    """Returns all work; `share` scales the usual sizes."""
    rng = np.random.default_rng(1)

    def size(usual):
        return max(64, int(usual * share))

    def uniform(low, high, n, dtype=np.float64):
        return rng.uniform(low, high, n).astype(dtype)

    n = size(8_000_000)
    yield Work("black_scholes", (uniform(5, 30, n), uniform(1, 100, n), uniform(0.25, 10, n)),
               black_scholes(np), black_scholes_numba, jax.jit(black_scholes(jnp)), 1e-9)
    side = int(1600 * share**0.5)
    yield Work("mandelbrot", (side, side, 128), mandelbrot_numpy, mandelbrot_numba, mandelbrot_jax, None)
    bodies = [uniform(-1, 1, size(6000), np.float32) for _ in range(3)] + [uniform(0, 1, size(6000), np.float32)]
    yield Work("n_body", tuple(bodies), n_body(np), n_body_numba, jax.jit(n_body(jnp)), 2e-3)
    points = uniform(0, 1, size(600_000) * 8, np.float32).reshape(-1, 8)
    yield Work("k_means", (points, points[:16].copy(), 10), k_means_numpy, k_means_numba, k_means_jax, 1e-2)
    yield Work("windows", (uniform(0, 1, size(8_000_000)), 32), windows_numpy, windows_numba, windows_jax, 1e-5)
    yield Work("histogram", (1024, uniform(0, 1, size(32_000_000), np.float32) * np.float32(0.999)),
               histogram_numpy, histogram_numba, histogram_jax, None)
    yield Work("scan_filter", (uniform(-1, 1, size(16_000_000)), 0.0),
               scan_filter_numpy, scan_filter_numba, scan_filter_jax, "length")
    image = uniform(0, 1, size(16_000_000), np.float32)
    side = int(len(image) ** 0.5)
    image = image[: side * side].reshape(side, side)
    yield Work("sobel", (image,), sobel(np), sobel_numba, jax.jit(sobel(jnp)), 1e-4)
    sequences = rng.integers(0, 4, (256, size(8192)), dtype=np.int8)
    yield Work("smith_waterman", (rng.integers(0, 4, 64, dtype=np.int8), sequences),
               smith_waterman_numpy, smith_waterman_numba, smith_waterman_jax, None)
    lengths = rng.integers(1, 32, size(1_000_000))
    rows = np.r_[0, np.cumsum(lengths)]
    yield Work("sparse", (rows, rng.integers(0, len(lengths), rows[-1], dtype=np.int32), uniform(0, 1, rows[-1]),
                          uniform(0, 1, len(lengths))), sparse_numpy, sparse_numba, sparse_jax, 1e-9)
    n = size(16_000_000)
    yield Work("group_sums", (100_000, rng.integers(0, 100_000, n, dtype=np.int32), uniform(0, 1, n)),
               group_sums_numpy, group_sums_numba, group_sums_jax, 1e-9)
