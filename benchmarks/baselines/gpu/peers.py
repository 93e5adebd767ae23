"""Work of the table by CuPy, PyTorch, JAX, Numba or NumPy, as a server that keeps arrays on the device of the library.

usage: peers.py cupy|torch|jax|numba|numpy gpu|cpu

The server first prints {"ready": name and version} or {"absent": why}, then answers each line of JSON by one line:

    {"do": "load", "work": ..., "inputs": [{"kind", "shape", "path"}, ...], "outputs": [kinds]}  {"does": true or false}
    {"do": "run"}                                                                                {"seconds": ...}
    {"do": "store", "paths": [...]}                                                              {}
    {"do": "drop"}                                                                               {}

or by {"error": ...}. Files hold elements, row by row. The measured time ends when the device is done; arrays stay on the device.
"""
import importlib, json, math, sys, time

try:
    import numpy as np
except ImportError as error:
    sys.exit(print(json.dumps({"absent": str(error)})))

# Numba 0.68 needs a name that NumPy 2.5 no longer has.
if not hasattr(np, "row_stack"):
    np.row_stack = np.vstack

KINDS = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


class Library:
    """A module like NumPy, with the operations that differ between libraries."""

    def __init__(self, name, processor):
        self.name, self.processor = name, processor
        self.module = importlib.import_module("numba.cuda" if name == "numba" else name)
        version = importlib.import_module(name).__version__
        self.title = {"cupy": "CuPy", "torch": "PyTorch", "jax": "JAX", "numba": "Numba", "numpy": "NumPy"}[name] + " " + version
        if name == "jax":
            # 32-bit floats are multiplied in full precision.
            self.module.config.update("jax_default_matmul_precision", "highest")
            self.module.config.update("jax_enable_x64", False)
        if not processor and not self.sees_gpu():
            raise RuntimeError("it sees no GPU")
        self.xp = importlib.import_module("jax.numpy") if name == "jax" else self.module

    def sees_gpu(self):
        if self.name == "cupy":
            return self.module.cuda.runtime.getDeviceCount() > 0
        if self.name == "jax":
            return self.module.default_backend() == "gpu"
        return {"torch": lambda: self.module.cuda, "numba": lambda: self.module}[self.name]().is_available()

    def place(self, array):
        if array.ndim == 0:
            return array.item()
        if self.name == "torch":
            return self.module.from_numpy(array).to("cpu" if self.processor else "cuda")
        if self.name == "numba":
            return self.module.to_device(array)
        return self.xp.asarray(array)

    def wait(self, results):
        if self.name == "cupy":
            self.module.cuda.Device().synchronize()
        elif self.name == "torch" and not self.processor:
            self.module.cuda.synchronize()
        elif self.name == "jax":
            self.module.block_until_ready(results)
        elif self.name == "numba":
            self.module.synchronize()

    def fetch(self, array):
        if self.name == "cupy":
            return self.module.asnumpy(array)
        if self.name == "torch":
            return array.cpu().numpy()
        return array.copy_to_host() if self.name == "numba" else np.asarray(array)

    def compiled(self, work):
        """Returns the work compiled by the library: JAX compiles functions of whole arrays, CuPy functions of elements."""
        if self.name == "jax":
            return self.module.jit(work, static_argnums=STATIC.get(work.__name__, ()))
        if self.name == "cupy" and work.__name__ in ("map_f32", "blackscholes"):
            return self.module.fuse(work)
        return work

    def free(self):
        if self.name == "cupy":
            self.module.get_default_memory_pool().free_all_blocks()
        elif self.name == "torch" and not self.processor:
            self.module.cuda.empty_cache()


def works_on_arrays(library):
    """Returns the work as operations on whole arrays."""
    xp, torch = library.xp, library.name == "torch"

    def map_f32(xs):
        return 2 * xs + 1

    def sum_f32(xs):
        return xs.sum()

    def inclusive_f32(xs):
        return xs.cumsum(0)

    def inclusive_i32(xs):
        return xs.cumsum(0, dtype=xp.int32)

    def transpose_f32(a):
        # JAX has no views: its transpose is a copy.
        return a.T if library.name == "jax" else a.T.contiguous() if torch else xp.ascontiguousarray(a.T)

    def histogram(bins, numbers):
        return xp.bincount(numbers, length=bins) if library.name == "jax" else xp.bincount(numbers, minlength=bins)

    def rows(xss):
        return xss.sum(1)

    def sgemm(a, b, c, alpha, beta):
        return xp.addmm(c, a, b, beta=beta, alpha=alpha) if torch else alpha * (a @ b) + beta * c

    def blackscholes(price, strike, years):
        rate, volatility = 0.02, 0.3

        def normal(d):
            k = 1 / (1 + 0.2316419 * xp.abs(d))
            p = ((((1.330274429 * k - 1.821255978) * k + 1.781477937) * k - 0.356563782) * k + 0.31938153) * k
            tail = 0.3989422804 * xp.exp(-0.5 * d * d) * p
            return xp.where(d > 0, 1 - tail, tail)

        deviation = volatility * xp.sqrt(years)
        d1 = (xp.log(price / strike) + (rate + 0.5 * volatility * volatility) * years) / deviation
        n1, n2 = normal(d1), normal(d1 - deviation)
        discounted = strike * xp.exp(-rate * years)
        return price * n1 - discounted * n2, discounted * (1 - n2) - price * (1 - n1)

    def nbody(steps, epsilon, time_step, xs, ys, zs, masses, vxs, vys, vzs):
        dx, dy, dz = xs - xs[:, None], ys - ys[:, None], zs - zs[:, None]
        pull = masses * (dx * dx + dy * dy + dz * dz + epsilon * epsilon) ** -1.5
        forces = [masses * (pull * d).sum(1) for d in (dx, dy, dz)]
        moved = [x + time_step * v for x, v in ((xs, vxs), (ys, vys), (zs, vzs))]
        return (*moved, masses, *(v + time_step * f for v, f in zip((vxs, vys, vzs), forces)))

    def hotspot(steps, temperatures, power):
        n, m = temperatures.shape
        height, width = 0.016 / n, 0.016 / m
        capacity = 0.5 * 1.75e6 * 0.0005 * width * height
        rate = 0.001 / (3.0e6 / (0.5 * 0.0005 * 1.75e6)) / capacity
        gains = 0.1 * height / width, 0.1 * width / height, 100 * height * width / 0.0005
        join = xp.concatenate

        def step(t):
            across = join((t[:, 1:], t[:, -1:]), 1) + join((t[:, :1], t[:, :-1]), 1) - 2 * t
            along = join((t[1:], t[-1:]), 0) + join((t[:1], t[:-1]), 0) - 2 * t
            return t + rate * (power + across * gains[0] + along * gains[1] + (80 - t) * gains[2])

        if library.name == "jax":
            return library.module.lax.fori_loop(0, steps, lambda _, t: step(t), temperatures)
        for _ in range(steps):
            temperatures = step(temperatures)
        return temperatures

    works = [map_f32, sum_f32, inclusive_f32, inclusive_i32, transpose_f32, histogram, rows, sgemm, blackscholes, hotspot]
    # In other libraries all pairs of bodies would be arrays in memory.
    return works + [nbody] if library.name == "jax" else works


# Arguments that JAX must know at compile time.
STATIC = {"histogram": (0,), "hotspot": (0,), "nbody": (0,)}


def works_by_threads(module):
    """Returns the work as Numba kernels, with one thread per element."""
    # Numba's simulator requires this name.
    global cuda
    cuda, f32, tile = module, np.float32, 256

    def launched(kernel, count, *arguments):
        kernel[(count + tile - 1) // tile, tile](*arguments)

    @cuda.jit(fastmath=True)
    def each(xs, to):
        i = cuda.grid(1)
        if i < xs.size:
            to[i] = f32(2) * xs[i] + f32(1)

    def map_f32(xs):
        to = cuda.device_array_like(xs)
        launched(each, xs.size, xs, to)
        return to

    @cuda.jit(fastmath=True)
    def pixel(rows, columns, x0, y0, width, depth, limit, to):
        at = cuda.grid(1)
        if at < rows * columns:
            height = width * f32(rows) / f32(columns)
            cx = x0 - width / f32(2) + f32(at % columns) * (width / f32(columns))
            cy = y0 - height / f32(2) + f32(at // columns) * (height / f32(rows))
            x, y, n = f32(0), f32(0), 0
            while n < depth and x * x + y * y < limit:
                x, y = x * x - y * y + cx, f32(2) * x * y + cy
                n += 1
            to[at // columns, at % columns] = n

    def mandelbrot(rows, columns, x0, y0, width, depth, radius):
        to = cuda.device_array((rows, columns), np.int32)
        launched(pixel, rows * columns, rows, columns, f32(x0), f32(y0), f32(width), depth, f32(radius * radius), to)
        return to

    @cuda.jit(fastmath=True)
    def body(epsilon, step, xs, ys, zs, masses, vxs, vys, vzs, to_xs, to_ys, to_zs, to_masses, to_vxs, to_vys, to_vzs):
        tx, ty, tz, tm = (cuda.shared.array(256, np.float32), cuda.shared.array(256, np.float32),
                          cuda.shared.array(256, np.float32), cuda.shared.array(256, np.float32))
        i, k, n = cuda.grid(1), cuda.threadIdx.x, xs.size
        own = min(i, n - 1)
        x, y, z, ax, ay, az = xs[own], ys[own], zs[own], f32(0), f32(0), f32(0)
        for start in range(0, n, 256):
            if start + k < n:
                tx[k], ty[k], tz[k], tm[k] = xs[start + k], ys[start + k], zs[start + k], masses[start + k]
            cuda.syncthreads()
            for j in range(min(256, n - start)):
                dx, dy, dz = tx[j] - x, ty[j] - y, tz[j] - z
                inverse = f32(1) / f32(math.sqrt(dx * dx + dy * dy + dz * dz + epsilon * epsilon))
                s = tm[j] * inverse * inverse * inverse
                ax += s * dx
                ay += s * dy
                az += s * dz
            cuda.syncthreads()
        if i < n:
            to_xs[i], to_ys[i], to_zs[i] = x + step * vxs[i], y + step * vys[i], z + step * vzs[i]
            to_masses[i], f = masses[i], step * masses[i]
            to_vxs[i], to_vys[i], to_vzs[i] = vxs[i] + f * ax, vys[i] + f * ay, vzs[i] + f * az

    def nbody(steps, epsilon, time_step, *arrays):
        to = tuple(cuda.device_array_like(array) for array in arrays)
        launched(body, arrays[0].size, f32(epsilon), f32(time_step), *arrays, *to)
        return to

    return [map_f32, mandelbrot, nbody]


class Server:
    def __init__(self, library):
        self.library = library
        makes = works_by_threads(library.module) if library.name == "numba" else works_on_arrays(library)
        self.works = {work.__name__: library.compiled(work) for work in makes}
        self.drop()

    def drop(self):
        self.work, self.inputs, self.results, self.kinds = None, [], (), []
        self.library.free()
        return {}

    def load(self, work, inputs, outputs):
        self.work, self.kinds = self.works.get(work), outputs
        if self.work is None:
            return {"does": False}
        read = lambda i: np.fromfile(i["path"], KINDS[i["kind"]]).reshape(i["shape"])
        self.inputs = [self.library.place(read(i)) for i in inputs]
        self.library.wait(self.inputs)
        return {"does": True}

    def run(self):
        self.results = ()
        start = time.perf_counter()
        results = self.work(*self.inputs)
        self.library.wait(results)
        seconds = time.perf_counter() - start
        self.results = results if isinstance(results, tuple) else (results,)
        return {"seconds": seconds}

    def store(self, paths):
        for path, kind, result in zip(paths, self.kinds, self.results, strict=True):
            np.ascontiguousarray(self.library.fetch(result), KINDS[kind]).tofile(path)
        return {}


def main(name, where):
    # Output of the libraries must not mix with the answers.
    out, sys.stdout = sys.stdout, sys.stderr
    say = lambda answer: print(json.dumps(answer), file=out, flush=True)
    try:
        server = Server(Library(name, where == "cpu"))
    except Exception as error:
        return say({"absent": str(error) or type(error).__name__})
    say({"ready": server.library.title})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            say(getattr(server, request.pop("do"))(**request))
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})


main(*sys.argv[1:])
