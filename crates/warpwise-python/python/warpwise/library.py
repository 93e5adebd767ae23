"""Programs built ahead of time: libraries from `warpwise build --library`, loaded without a compiler.

    $ warpwise build stats.fut --library

    stats = warpwise.load_library("libstats.so")
    stats.mean(numpy.ones(1000))            # 1.0

`ctypes` loads `libNAME.so`, and `NAME.json` beside it describes its contents. Arguments and results are those of a compiled program
(`warpwise.compile`): NumPy arrays, numbers, records, tuples and `Variant`s. Arguments are copied, as the C interface requires; result
arrays are not.

Absent: interruption of a running call (Ctrl-C takes effect after it), streams, profiles.
"""

import ctypes
import json
import os
import re
import threading
import weakref
from collections import namedtuple
from pathlib import Path

from ._native import Error, RunError, Variant

__all__ = ["Library", "LibraryEntry", "LibraryValue", "load_library"]

_SCALARS = {
    "bool": (ctypes.c_bool, "bool"),
    "i8": (ctypes.c_int8, "int8"),
    "i16": (ctypes.c_int16, "int16"),
    "i32": (ctypes.c_int32, "int32"),
    "i64": (ctypes.c_int64, "int64"),
    "u8": (ctypes.c_uint8, "uint8"),
    "u16": (ctypes.c_uint16, "uint16"),
    "u32": (ctypes.c_uint32, "uint32"),
    "u64": (ctypes.c_uint64, "uint64"),
    "f16": (ctypes.c_uint16, "float16"),
    "f32": (ctypes.c_float, "float32"),
    "f64": (ctypes.c_double, "float64"),
}

# Statuses of the library's functions.
_REFUSED = 2
_OUT_OF_MEMORY = 3


def load_library(path, *, threads=None, memory_limit=None):
    """Loads a library that `warpwise build --library` made.

    `path` names the shared object (`libNAME.so`); `NAME.json` must be beside it. `threads` is the number of threads of its calls (default:
    the number of cores), and `memory_limit` the maximum number of bytes of its arrays.

    Raises FileNotFoundError if one of the files is missing, and `Error` if the machine lacks a feature that the code needs.
    """
    path = Path(path)
    name = path.name.split(".")[0].removeprefix("lib")
    with open(path.with_name(name + ".json"), encoding="utf-8") as file:
        manifest = json.load(file)
    if not path.exists():
        raise FileNotFoundError(f"there is no library {path}")
    return Library(path, manifest, threads, memory_limit)


class Library:
    """A library whose entry points are attributes: `library.main(xs)`. `entries` holds their names."""

    def __init__(self, path, manifest, threads=None, memory_limit=None):
        if threads is not None and not 1 <= threads <= 1024:
            raise ValueError(f"threads: {threads} given, but 1 to 1024 are possible")
        self._path, self._types = path, manifest["types"]
        self._code = ctypes.CDLL(os.fspath(path.absolute()))
        self._options = threads, memory_limit
        self._records = {}
        self._context = _Context(self._code, *self._options)
        self._points = {name: LibraryEntry(self, name, entry) for name, entry in manifest["entry_points"].items()}
        self.entries = list(self._points)

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._points:
            there = ", ".join(self.__dict__.get("entries", ()))
            raise AttributeError(f"the library has no entry point `{name}`; there are: {there}")
        return self._points[name]

    def __getitem__(self, name):
        """Returns the entry point with this name, even if the name is no identifier in Python."""
        if name not in self._points:
            raise KeyError(f"the library has no entry point `{name}`; there are: {', '.join(self.entries)}")
        return self._points[name]

    def __dir__(self):
        return [*super().__dir__(), *self.entries]

    def __repr__(self):
        lines = "".join(f"\n  entry {entry.signature}" for entry in self._points.values())
        return f"<warpwise library {self._path}:{lines}>"

    def _running(self):
        """Returns the context of this process; the child of a fork gets its own."""
        if self._context.process != os.getpid():
            self._context = _Context(self._code, *self._options)
        return self._context

    def _record(self, name, fields):
        """Returns the named tuple for a record."""
        if name not in self._records:
            word = name if name.isidentifier() else "record"
            self._records[name] = namedtuple(word, [field["name"] for field in fields], rename=True, module="warpwise")
        return self._records[name]


class _Context:
    """A context of the library's interface: threads, memory, and the message of the last failure."""

    def __init__(self, code, threads, memory_limit):
        self.code, self.process, self.lock = code, os.getpid(), threading.RLock()
        self.functions = {}
        pointer = ctypes.c_void_p
        config = self.function("futhark_context_config_new", pointer)()
        if threads is not None:
            self.function("futhark_context_config_set_num_threads", None, pointer, ctypes.c_int)(config, threads)
        if memory_limit is not None:
            limit = self.function("futhark_context_config_set_memory_limit", None, pointer, ctypes.c_uint64)
            limit(config, memory_limit)
        self.handle = self.function("futhark_context_new", pointer, pointer)(config)
        self.function("futhark_context_config_free", None, pointer)(config)
        self._error = self.function("futhark_context_get_error", pointer, pointer)
        message = self.message()
        if message:
            raise Error(message)
        free, process = self.function("futhark_context_free", None, pointer), self.process
        # The process frees everything at its end.
        weakref.finalize(self, _freed, process, free, self.handle).atexit = False

    def function(self, name, result=ctypes.c_int, *arguments):
        """Returns a function of the library, with the type of its result and, if they are fixed, the types of its arguments."""
        if name not in self.functions:
            function = self.functions[name] = self.code[name]
            function.restype, function.argtypes = result, arguments or None
        return self.functions[name]

    def call(self, name, *arguments):
        """Calls a function that returns a status, and raises an exception if it failed."""
        function = self.function(name)
        with self.lock:
            status = function(ctypes.c_void_p(self.handle), *arguments)
            if status == 0:
                return
            message = self.message() or f"{name} fails with status {status}"
        raise _failure(status, message)

    def message(self):
        """Returns the message of the last failure, or None."""
        text = self._error(self.handle)
        if not text:
            return None
        message = ctypes.string_at(text).decode(errors="replace").rstrip()
        libc = ctypes.CDLL(None)
        libc.free(ctypes.c_void_p(text))
        return message


def _freed(process, free, *handles):
    if process == os.getpid():
        free(*(ctypes.c_void_p(handle) for handle in handles))


def _failure(status, message):
    """Returns the exception for a status and a message of the library."""
    lines = message.split("\n")
    found = re.match(r"(.+?:\d+:\d+): (.*)", lines[0])
    if status == _OUT_OF_MEMORY:
        return MemoryError(message)
    if status == _REFUSED and not found:
        # Not a check of the program: the arguments do not fit each other.
        return ValueError(message)
    error = RunError(message)
    error.message = found[2] if found else lines[0]
    error.place = found[1] if found else None
    error.calls = [line.removeprefix("  called from ") for line in lines[1:] if line.startswith("  called from ")]
    return error


class _Handle:
    """A value inside the library. It is freed together with this object."""

    def __init__(self, context, ty, free, pointer):
        self.context, self.type, self.pointer = context, ty, pointer
        # The finalizer keeps the context alive.
        self.free = weakref.finalize(self, _free_value, context, free, pointer)
        self.free.atexit = False


def _free_value(context, free, pointer):
    _freed(context.process, context.code[free], context.handle, pointer)


class LibraryValue:
    """An array of records, tuples or sums. It stays inside the library: it can be passed to entry points of the library, indexed, and
    converted to the arrays of its fields."""

    def __init__(self, values, handle):
        self._values, self._handle = values, handle

    @property
    def type(self):
        """The name of its type in the language."""
        return self._handle.type

    @property
    def shape(self):
        """Its sizes."""
        return self._values.shape(self._handle)

    @property
    def fields(self):
        """Copies of the arrays of the fields of an array of records, by name."""
        description = self._values.description(self._handle)
        if "record_array" not in description:
            raise TypeError(f"{self.type} has no fields")
        fields = description["record_array"]["fields"]
        return {field["name"]: self._values.projected(self._handle, field) for field in fields}

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, index):
        shape = self.shape
        given = index if isinstance(index, tuple) else (index,)
        place = [at + size if at < 0 else at for at, size in zip(given, shape)]
        if len(given) != len(shape) or not all(0 <= at < size for at, size in zip(place, shape)):
            raise IndexError(f"{index} is no index into a value of shape {shape}")
        return self._values.element(self._handle, place)

    def __repr__(self):
        sizes = "".join(f"[{size}]" for size in self.shape)
        return f"<{sizes}{self.type.lstrip('[]')}>"


class LibraryEntry:
    """An entry point of a library. It is called like a function."""

    def __init__(self, library, name, description):
        self._library, self._function = library, description["cfun"]
        self._inputs = description["inputs"]
        self._outputs = description["outputs"] if "outputs" in description else [description["output"]]
        self.__name__ = self.__qualname__ = name
        self.parameters = [
            (given["name"] or f"argument{at + 1}", ("*" if given["unique"] else "") + given["type"])
            for at, given in enumerate(self._inputs)
        ]
        results = [output["type"] for output in self._outputs]
        self.result = results[0] if len(results) == 1 else f"({', '.join(results)})"
        words = "".join(f" ({parameter}: {ty})" for parameter, ty in self.parameters)
        self.signature = self.__doc__ = f"{name}{words} : {self.result}"

    def __repr__(self):
        return f"<entry point {self.signature}>"

    def __call__(self, *args, **kwargs):
        given = self._bound(args, kwargs)
        values = _Values(self._library, self._library._running(), self.__name__)
        passed = [
            values.passed(parameter["type"], value, name, parameter["unique"])
            for parameter, value, (name, _) in zip(self._inputs, given, self.parameters)
        ]
        values.keeps |= any(values.stays(output["type"]) for output in self._outputs)
        places = [values.place(output["type"]) for output in self._outputs]
        values.context.call(self._function, *map(ctypes.byref, places), *passed)
        results = [values.given(output["type"], place) for output, place in zip(self._outputs, places)]
        return results[0] if len(results) == 1 else tuple(results)

    def _bound(self, args, kwargs):
        """Returns the arguments in the order of the parameters."""
        name, names = self.__name__, [parameter for parameter, _ in self.parameters]
        count = len(args) + len(kwargs)
        if count > len(names) or (not kwargs and count < len(names)):
            takes = "1 argument" if len(names) == 1 else f"{len(names)} arguments"
            raise TypeError(f"{name}() takes {takes} ({', '.join(names)}), but {count} were given")
        for keyword in kwargs:
            if keyword not in names:
                raise TypeError(f"{name}() has no parameter `{keyword}`; it has: {', '.join(names)}")
            if names.index(keyword) < len(args):
                raise TypeError(f"{name}() got two values for `{keyword}`")
        for missing in names[len(args) :]:
            if missing not in kwargs:
                raise TypeError(f"{name}() misses the argument `{missing}`")
        return [*args, *(kwargs[name] for name in names[len(args) :])]


class _Values:
    """The conversion of a call's arguments and results."""

    def __init__(self, library, context, entry):
        self.library, self.context, self.entry = library, context, entry
        self.types = library._types
        # Handles that must live until the call is over.
        self.alive = []
        # Addresses of arrays that NumPy uses.
        self.lent = set()
        # Whether values that stay inside may share memory with results.
        self.keeps = False

    def description(self, handle):
        return self.types[handle.type]

    # Arguments

    def passed(self, ty, value, place, consumed=False):
        """Converts a value to the argument of a library function."""
        if ty in _SCALARS:
            return self.scalar(ty, value, place)
        return self.handle(ty, value, place, consumed)

    def mismatch(self, expected, value, place):
        class_name = value.type if isinstance(value, LibraryValue) else type(value).__name__
        return TypeError(f"{self.entry}(): argument `{place}`: expected {expected}, found {class_name}")

    def scalar(self, ty, value, place):
        import numpy

        ctype, dtype = _SCALARS[ty]
        if isinstance(value, numpy.ndarray) and value.shape == ():
            value = value[()]
        is_truth = isinstance(value, (bool, numpy.bool_))
        is_whole = isinstance(value, (int, numpy.integer)) and not is_truth
        is_number = is_whole or isinstance(value, (float, numpy.floating))
        if not (is_truth if ty == "bool" else is_number if ty.startswith("f") else is_whole):
            raise self.mismatch(ty, value, place)
        if ty[0] in "iu":
            value, limits = int(value), numpy.iinfo(dtype)
            if not limits.min <= value <= limits.max:
                raise OverflowError(
                    f"{self.entry}(): argument `{place}`: {value} is no {ty} ({limits.min} to {limits.max})"
                )
        if ty == "f16":
            with numpy.errstate(over="ignore"):
                return ctype(int(numpy.float16(float(value)).view("uint16")))
        return ctype(value)

    def handle(self, ty, value, place, consumed=False):
        """Returns the handle of a value as the argument of a library function."""
        handle = self.held(ty, value, place, consumed)
        self.alive.append(handle)
        return ctypes.c_void_p(handle.pointer)

    def held(self, ty, value, place, consumed=False):
        description = self.types[ty]
        if isinstance(value, LibraryValue):
            return self.kept(ty, value, place, consumed)
        if description["kind"] == "array":
            return self.array(ty, description, value, place)
        if "record" in description:
            return self.record(ty, description["record"], value, place)
        if "sum" in description:
            return self.sum(ty, description["sum"], value, place)
        return self.opaque_array(ty, description, value, place)

    def kept(self, ty, value, place, consumed):
        """Returns the handle of a value inside the library, or of its copy if it is consumed."""
        handle = value._handle
        if handle.type != ty or handle.context is not self.context:
            raise self.mismatch(ty, value, place)
        self.keeps = True
        if not consumed:
            return handle
        ops, bytes_, count = self.types[ty]["ops"], ctypes.c_void_p(), ctypes.c_size_t()
        pointer = ctypes.c_void_p(handle.pointer)
        self.context.call(ops["store"], pointer, ctypes.byref(bytes_), ctypes.byref(count))
        restore = self.context.function(ops["restore"], ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        try:
            return self.made(ty, restore(self.context.handle, bytes_))
        finally:
            ctypes.CDLL(None).free(bytes_)

    def made(self, ty, pointer):
        """Wraps a value that the library has made."""
        if not pointer:
            raise MemoryError(self.context.message() or f"there is no memory for a value of type {ty}")
        return _Handle(self.context, ty, self.types[ty]["ops"]["free"], pointer)

    def array(self, ty, description, value, place):
        array = self.numpy(ty, description, value, place)
        new = self.context.function(description["ops"]["new"], ctypes.c_void_p)
        sizes = map(ctypes.c_int64, array.shape)
        with self.context.lock:
            pointer = new(ctypes.c_void_p(self.context.handle), ctypes.c_void_p(array.ctypes.data), *sizes)
            return self.made(ty, pointer)

    def numpy(self, ty, description, value, place):
        """Converts a value to a contiguous array of a type."""
        import numpy

        words = f"{self.entry}(): argument `{place}`"
        dtype = numpy.dtype(_SCALARS[description["elemtype"]][1])
        nulls = getattr(value, "null_count", 0)
        if nulls() if callable(nulls) else nulls:
            raise ValueError(f"{words}: some elements are null; fill nulls first (`.fill_null(0)`) or drop them")
        is_list = isinstance(value, (list, tuple, range))
        is_lent = any(hasattr(value, name) for name in ("__array__", "__array_interface__", "__dlpack__"))
        if not (is_list or is_lent or isinstance(value, (memoryview, bytes, bytearray))):
            raise self.mismatch(ty, value, place)
        try:
            is_tensor = is_lent and not hasattr(value, "__array__")
            array = numpy.from_dlpack(value) if is_tensor else numpy.asarray(value)
            # Numbers in lists have no type, except that they are whole or not.
            kinds = {"b": "b", "i": "iuf", "u": "iuf", "f": "f"}.get(array.dtype.kind, "")
            if is_list and (dtype.kind in kinds or array.size == 0):
                array = numpy.array(value, dtype)
        except (ValueError, OverflowError, BufferError) as error:
            raise ValueError(f"{words}: expected {ty}: {error}") from None
        found = f"{array.dtype} array of shape {array.shape}"
        if array.ndim != description["rank"]:
            raise TypeError(f"{words}: expected {ty}, found {found}; an array of {description['rank']} dimensions is needed")
        if array.dtype.newbyteorder("=") != dtype:
            raise TypeError(f'{words}: expected {ty}, found {found}; convert it: .astype("{dtype}")')
        return numpy.ascontiguousarray(array, dtype)

    def record(self, ty, record, value, place):
        parts = self.parts(ty, record["fields"], value, place)
        return self.assembled(ty, record["new"], record["fields"], parts, place)

    def assembled(self, ty, function, fields, parts, place):
        """Makes a value from its fields."""
        held = []
        for field, part in zip(fields, parts):
            inner = f"{place}.{field['name']}"
            is_scalar = field["type"] in _SCALARS
            held.append(self.passed(field["type"], part, inner) if is_scalar else self.held(field["type"], part, inner))
        return self.constructed(ty, function, held)

    def constructed(self, ty, function, held):
        place = ctypes.c_void_p()
        passed = [ctypes.c_void_p(part.pointer) if isinstance(part, _Handle) else part for part in held]
        self.context.call(function, ctypes.byref(place), *passed)
        return self.made(ty, place.value)

    def parts(self, ty, fields, value, place):
        """Returns the fields of a dict, a tuple or an object with attributes."""
        names = [field["name"] for field in fields]
        if _is_tuple(names):
            if not isinstance(value, (tuple, list)) or len(value) != len(names):
                raise self.mismatch(ty, value, place)
            return value
        if isinstance(value, dict):
            for name in value:
                if name not in names:
                    raise TypeError(f"{self.entry}(): argument `{place}`: {name!r} is no field of {ty}")
            for name in names:
                if name not in value:
                    raise TypeError(f"{self.entry}(): argument `{place}`: the field `{name}` of {ty} is missing")
            return [value[name] for name in names]
        if isinstance(value, (str, list)) or not all(hasattr(value, name) for name in names):
            raise self.mismatch(ty, value, place)
        return [getattr(value, name) for name in names]

    def sum(self, ty, description, value, place):
        if isinstance(value, str):
            value = Variant(value)
        if not isinstance(value, Variant):
            raise self.mismatch(ty, value, place)
        variants = {variant["name"].lstrip("#"): variant for variant in description["variants"]}
        name = value.name.lstrip("#")
        words = f"{self.entry}(): argument `{place}`"
        if name not in variants:
            there = ", ".join(f"#{variant}" for variant in variants)
            raise ValueError(f"{words}: there is no `#{name}`; there are: {there}")
        payload = variants[name]["payload"]
        if len(payload) != len(value.payload):
            raise TypeError(f"{words}: `#{name}` carries {len(payload)} values, but {len(value.payload)} are given")
        held = []
        for at, (inner, part) in enumerate(zip(payload, value.payload)):
            where = f"{place} (#{name}, value {at + 1})"
            held.append(self.passed(inner, part, where) if inner in _SCALARS else self.held(inner, part, where))
        return self.constructed(ty, variants[name]["construct"], held)

    def opaque_array(self, ty, description, value, place):
        array = description.get("record_array") or description["opaque_array"]
        if "zip" in array and not isinstance(value, list):
            names = [field["name"] for field in array["fields"]]
            dtype = getattr(value, "dtype", None)
            if getattr(dtype, "names", None):
                value = {name: value[name] for name in names if name in dtype.names}
            elif hasattr(value, "__arrow_c_stream__") and hasattr(value, "__getitem__"):
                value = {name: value[name] for name in names}
            parts = self.parts(ty, array["fields"], value, place)
            try:
                return self.assembled(ty, array["zip"], array["fields"], parts, place)
            except ValueError as error:
                raise ValueError(f"{self.entry}(): argument `{place}`: {error}") from None
        if not isinstance(value, list) or array["rank"] != 1 or "new" not in array:
            raise self.mismatch(ty, value, place)
        held = [self.held(array["elemtype"], item, f"{place}[{at}]") for at, item in enumerate(value)]
        pointers = (ctypes.c_void_p * max(1, len(held)))(*(part.pointer for part in held))
        out = ctypes.c_void_p()
        self.context.call(array["new"], ctypes.byref(out), pointers, ctypes.c_int64(len(held)))
        return self.made(ty, out.value)

    # Results

    def place(self, ty):
        """Returns a variable to which the library writes a value of a type."""
        return _SCALARS[ty][0]() if ty in _SCALARS else ctypes.c_void_p()

    def given(self, ty, place):
        """Converts a written variable to Python's value."""
        if ty in _SCALARS:
            return self.number(ty, place.value)
        handle = self.made(ty, place.value)
        description = self.types[ty]
        if description["kind"] == "array":
            return self.elements(handle, description)
        if "record" in description:
            fields = description["record"]["fields"]
            parts = [self.projected(handle, field) for field in fields]
            if _is_tuple([field["name"] for field in fields]):
                return tuple(parts)
            return self.library._record(ty, fields)(*parts)
        if "sum" in description:
            return self.variant(handle, description["sum"])
        values = _Values(self.library, self.context, self.entry)
        values.keeps = True
        return LibraryValue(values, handle)

    def stays(self, ty):
        """Returns whether a part of a value of a type stays inside the library."""
        if ty in _SCALARS:
            return False
        description = self.types[ty]
        if "record" in description:
            return any(self.stays(field["type"]) for field in description["record"]["fields"])
        if "sum" in description:
            return any(self.stays(part) for variant in description["sum"]["variants"] for part in variant["payload"])
        return description["kind"] != "array"

    def number(self, ty, value):
        import numpy

        return float(numpy.uint16(value).view("float16")) if ty == "f16" else value

    def shape(self, handle):
        description = self.description(handle)
        inner = description.get("record_array") or description.get("opaque_array") or {}
        rank = description.get("rank", inner.get("rank"))
        name = description["ops"]["shape"] if description["kind"] == "array" else inner["shape"]
        sizes = self.context.function(name, ctypes.POINTER(ctypes.c_int64))
        found = sizes(ctypes.c_void_p(self.context.handle), ctypes.c_void_p(handle.pointer))
        return tuple(found[dimension] for dimension in range(rank))

    def elements(self, handle, description):
        """Returns the elements of an array: in place, or copied if another value may share them."""
        import numpy

        shape, dtype = self.shape(handle), numpy.dtype(_SCALARS[description["elemtype"]][1])
        raw = self.context.function(description["ops"]["values_raw"], ctypes.c_void_p)
        start = raw(ctypes.c_void_p(self.context.handle), ctypes.c_void_p(handle.pointer))
        count = 1
        for size in shape:
            count *= size
        if count == 0:
            return numpy.empty(shape, dtype)
        memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(start)
        memory.handle = handle
        array = numpy.frombuffer(memory, dtype).reshape(shape)
        if self.keeps or start in self.lent:
            return array.copy()
        self.lent.add(start)
        return array

    def projected(self, handle, field):
        """Returns a field of a value."""
        place = self.place(field["type"])
        self.context.call(field["project"], ctypes.byref(place), ctypes.c_void_p(handle.pointer))
        return self.given(field["type"], place)

    def element(self, handle, index):
        """Returns an element of an array that stays inside the library."""
        description = self.description(handle)
        array = description.get("record_array") or description["opaque_array"]
        place = self.place(array["elemtype"])
        at = map(ctypes.c_int64, index)
        self.context.call(array["index"], ctypes.byref(place), ctypes.c_void_p(handle.pointer), *at)
        return self.given(array["elemtype"], place)

    def variant(self, handle, description):
        which = self.context.function(description["variant"], ctypes.c_int)
        number = which(ctypes.c_void_p(self.context.handle), ctypes.c_void_p(handle.pointer))
        if number < 0:
            raise _failure(1, self.context.message() or "the value has no constructor")
        variant = description["variants"][number]
        places = [self.place(ty) for ty in variant["payload"]]
        self.context.call(variant["destruct"], *map(ctypes.byref, places), ctypes.c_void_p(handle.pointer))
        payload = [self.given(ty, place) for ty, place in zip(variant["payload"], places)]
        return Variant(variant["name"], *payload)


def _is_tuple(names):
    return len(names) != 1 and names == [str(at) for at in range(len(names))]
