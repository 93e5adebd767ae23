"""Data-parallel array programs on NumPy arrays, compiled on demand.

    import numpy, warpwise

    program = warpwise.compile('''
    -- | The sum of products.
    entry dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)
    ''')
    program.dot(numpy.ones(1000), numpy.ones(1000))     # 1000.0

`compile` makes a `Program` from a file or a text; its entry points are attributes that are called like functions. Arrays are read
in place, and results are NumPy arrays on memory of the run time: nothing is copied unless necessary.
"""

import atexit
import os

from ._native import (
    ArrowArray,
    CompileError,
    DeviceArray,
    EntryPoint,
    Error,
    InternalError,
    Opaque,
    Program,
    RunError,
    Stream,
    Variant,
    __version__,
    _after_fork,
    _end_calls,
    arrow,
    compile,
    consume,
    copied_bytes,
    devices,
)

__all__ = [
    "ArrowArray",
    "CompileError",
    "DeviceArray",
    "EntryPoint",
    "Error",
    "InternalError",
    "Opaque",
    "Program",
    "RunError",
    "Stream",
    "Variant",
    "arrow",
    "compile",
    "consume",
    "copied_bytes",
    "devices",
    "install_import_hook",
    "load_library",
    "show",
    "stubs",
]

os.register_at_fork(after_in_child=_after_fork)
atexit.register(_end_calls)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._hook import install_import_hook
    from ._notebook import load_ipython_extension, show, unload_ipython_extension
    from ._stubs import stubs
    from .library import load_library
else:
    # Names that need other modules are imported from separate files at their first use, so that the import takes no time.
    _LATER = {
        "install_import_hook": "_hook",
        "load_ipython_extension": "_notebook",
        "load_library": "library",
        "show": "_notebook",
        "stubs": "_stubs",
        "unload_ipython_extension": "_notebook",
    }

    def __getattr__(name):
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        import importlib

        value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *_LATER})
