"""Entry points over the blocks of Dask's collections. Dask schedules, moves and retries; this module does none of these.

    import dask.array as da, warpwise, warpwise.dask as wd

    program = warpwise.compile("prog.fut")
    y = wd.map_blocks(program.centred, x)       # x is a dask array
    total = wd.fold(program, x).compute()       # init, step, merge

Types and sizes of results come from the declarations of entry points, so no call is needed to find them. A size that is named in
parameters and results is a dimension that is cut into blocks: `entry f [n][m] (a: [n][m]f32) (x: [m]f32) : [n]f32` is called for each block of
rows, with all of `m`, since its result lacks `m`.

Errors name the block and the worker. The bits of results depend on how arrays are cut into blocks, but neither on workers nor on retries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, Union

import dask
import dask.array
import dask.base
import numpy
from dask.delayed import Delayed
from dask.layers import ArrayBlockIdDep

from ._entries import ArrayType, BlockError, Folder, Parameter, Sent, Signature, Size, at_block, is_close, prefixes, tree
from ._native import EntryPoint, Program

__all__ = ["apply_gufunc", "filter", "fold", "from_npy", "from_parquet", "histogram", "map_blocks", "map_column", "map_overlap", "scan"]

# Dask declares types for few of its functions.
da: Any = dask.array
delayed: Any = getattr(dask, "delayed")
tokenize: Any = dask.base.tokenize

Arrays = Union[Any, "tuple[Any, ...]"]
"""A dask array, or a tuple with one for each component."""


@dataclass(frozen=True)
class _Block:
    """The call of an entry point for a block. For each parameter `shape` names the fields that it takes from the values; None takes one
    value."""

    sent: Sent
    shape: tuple[tuple[str, ...] | None, ...]

    def __call__(self, block: Any, *values: Any) -> Any:
        left = iter(values)
        arguments = [next(left) if fields is None else {field: next(left) for field in fields} for fields in self.shape]
        return at_block(block, self.sent, *arguments)

    @property
    def __name__(self) -> str:
        return str(self.sent._reduced[1][3])


class _Dimensions:
    """The dimensions of blocks, by the names of sizes. A size without a name is a separate dimension."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.pairs: list[Any] = []
        self.known: list[str] = []

    def take(self, parameter: Parameter, argument: Any) -> tuple[str, ...] | None:
        """Takes an argument apart and returns the names of the fields of an array of records."""
        if parameter.fields and isinstance(argument, dict):
            missing = [field for field in parameter.fields if field not in argument]
            if missing:
                raise TypeError(f"{self.signature.name}(): argument `{parameter.name}`: the field `{missing[0]}` is missing")
            for field in parameter.fields:
                self._array(parameter, argument[field], None)
            return parameter.fields
        self._array(parameter, argument, parameter.type.dtype if parameter.type else None)
        return None

    def _array(self, parameter: Parameter, argument: Any, dtype: numpy.dtype[Any] | None) -> None:
        argument = _as_array(argument)
        if not isinstance(argument, da.Array):
            whole = isinstance(argument, numpy.ndarray) and argument.nbytes > 4096
            self.pairs += [delayed(argument, pure=True) if whole else argument, None]
            return
        if parameter.type is None or not parameter.type.sizes:
            raise TypeError(f"{self.signature.name}(): argument `{parameter.name}` is no array: give a value, or a delayed one")
        if argument.ndim != len(parameter.type.sizes) or (dtype is not None and argument.dtype != dtype):
            raise TypeError(
                f"{self.signature.name}(): argument `{parameter.name}`: expected {parameter.type}, found a dask array of "
                f"{argument.dtype} with {argument.ndim} dimensions"
            )
        index = tuple(self._label(parameter, at, size) for at, size in enumerate(parameter.type.sizes))
        self.known += [label for label in index if label not in self.known]
        self.pairs += [argument, index]

    def _label(self, parameter: Parameter, at: int, size: Size) -> str:
        return size if isinstance(size, str) else f"{parameter.name}[{at}]"

    def of_result(self, ty: ArrayType) -> tuple[tuple[str, ...], dict[str, Any], dict[str, Any]]:
        """Returns the dimensions of a result, the new ones with their sizes, and those whose block sizes differ from the arguments'."""
        names = {size for size in ty.sizes if isinstance(size, str)}
        first = next((pair for pair in self.pairs[1::2] if pair), ())
        index, new, adjusted = [], {}, {}
        for at, size in enumerate(ty.sizes):
            rides = first[at] if at < len(first) and first[at] not in names and first[at] not in index else None
            if isinstance(size, str) and size in self.known:
                label = size
            elif size is None and rides:
                label, adjusted[rides] = rides, nan
            elif isinstance(size, int) and rides and rides.endswith("]"):
                label = rides
            else:
                label = f"result[{at}]"
                new[label] = size if isinstance(size, int) else nan
            index.append(label)
        return tuple(index), new, adjusted


def _as_array(value: Any) -> Any:
    """Converts columns of data frames to arrays, and returns all other values unchanged."""
    # A delayed value has every attribute.
    return value.to_dask_array() if hasattr(type(value), "to_dask_array") else value


def _signature(entry: EntryPoint, count: int) -> Signature:
    if not isinstance(entry, EntryPoint):
        raise TypeError(f"expected an entry point of a program, found {type(entry).__name__}")
    signature = Signature.of(entry)
    if count != len(signature.parameters):
        raise TypeError(f"{signature.name}() takes {len(signature.parameters)} arguments, but {count} were given")
    return signature


def _array_results(entry: EntryPoint, signature: Signature) -> tuple[ArrayType, ...]:
    if signature.results is None or any(not ty.sizes for ty in signature.results):
        raise TypeError(f"{signature.name}() gives {entry.result} for a block, which is no array: use fold, or dask.delayed")
    return signature.results


def map_blocks(entry: EntryPoint, *args: Any, chunks: Any = None) -> Arrays:
    """Calls an entry point for each block of dask arrays and returns the array of its results, or a tuple of arrays.

    Arguments are dask arrays, columns of dask data frames, and values that all blocks get: numbers, NumPy arrays, delayed values. An array of
    records is a dict of dask arrays. Sizes of results that no parameter mentions are unknown (NaN), unless `chunks` gives them in Dask's form.

    A dimension that the result lacks is passed whole. Raises TypeError for arguments that the entry point does not take.
    """
    signature = _signature(entry, len(args))
    results = _array_results(entry, signature)
    dimensions = _Dimensions(signature)
    shape = tuple(dimensions.take(parameter, argument) for parameter, argument in zip(signature.parameters, args))
    if not dimensions.known:
        raise TypeError(f"{signature.name}(): none of the arguments is a dask array")
    block = _Block(Sent(entry), shape)
    places = [dimensions.of_result(ty) for ty in results]
    token = f"{signature.name}-{tokenize(block, chunks, *dimensions.pairs)}"
    if not signature.is_tuple:
        [(index, new, adjusted)], [ty] = places, results
        made = _blockwise(block, token, index, dimensions, new, adjusted, ty)
        return made if chunks is None else _rechunked(made, chunks)
    if chunks is not None:
        raise TypeError("chunks: several results have chunks of their own")
    shared = tuple(label for label in dimensions.known if any(label in index for index, _, _ in places))
    whole = _blockwise(block, token, shared, dimensions, {}, {}, None)
    parts = enumerate(zip(places, results))
    return tuple(_selected(whole, number, shared, *place, ty) for number, (place, ty) in parts)


def _blockwise(block: _Block, name: str, index: Any, dimensions: _Dimensions, new: Any, adjusted: Any, ty: ArrayType | None) -> Any:
    """Makes one task for each combination of blocks. The task's first argument is the number of the block."""
    chunks, arrays = da.core.unify_chunks(*dimensions.pairs)
    numbered = tuple(label for label in index if label not in new)
    pairs: list[Any] = [ArrayBlockIdDep(tuple(chunks[label] for label in numbered)), numbered] if numbered else [(), None]
    for array, labels in zip(arrays, dimensions.pairs[1::2]):
        pairs += [array, labels]
    dtype = numpy.dtype(object) if ty is None else ty.dtype
    options = {"new_axes": new, "adjust_chunks": adjusted or None, "dtype": dtype, "meta": numpy.empty((0,) * len(index), dtype)}
    return da.blockwise(block, index, *pairs, name=name, align_arrays=False, concatenate=True, **options)


def _selected(whole: Any, number: int, shared: Any, index: Any, new: Any, adjusted: Any, ty: ArrayType) -> Any:
    """Returns the array of one component of tuples."""
    if dropped := [label for label in shared if label not in index and whole.numblocks[shared.index(label)] > 1]:
        raise TypeError(f"a result of type {ty} lacks the dimension {dropped[0]} that other results have: give it as one block")
    options = {"new_axes": new, "adjust_chunks": adjusted or None, "dtype": ty.dtype, "meta": numpy.empty((0,) * len(index), ty.dtype)}
    return da.blockwise(_part_of, index, whole, shared, number, None, concatenate=False, **options)


def _part_of(values: Any, number: int) -> Any:
    while isinstance(values, list):
        [values] = values
    return values[number]


def _rechunked(array: Any, chunks: Any) -> Any:
    """Returns the same blocks with the sizes that the caller gives."""
    if callable(chunks):
        chunks = tuple(chunks(*sizes) for sizes in array.chunks)
    known = tuple(
        (size,) * count if isinstance(size, int) else tuple(size) for size, count in zip(chunks, array.numblocks, strict=True)
    )
    if tuple(map(len, known)) != array.numblocks:
        raise ValueError(f"chunks: {chunks} given, but there are {array.numblocks} blocks")
    return da.Array(array.dask, array.name, known, meta=array._meta)


def filter(entry: EntryPoint, *args: Any) -> Any:
    """Returns the elements that an entry point keeps of each block: `[n]t -> [k]t`. Their number is known only after they are computed."""
    made = map_blocks(entry, *args)
    if isinstance(made, tuple) or not isnan(sum(made.chunks[0])):
        raise TypeError(f"{entry.__name__}() gives {entry.result} of known sizes, so it keeps all: use map_blocks")
    return made


def map_overlap(entry: EntryPoint, *args: Any, depth: Any, boundary: Any = None, trim: bool = True, allow_rechunk: bool = True) -> Any:
    """Calls an entry point for each block, extended by its neighbours' borders. `depth` and `boundary` are those of `dask.array.map_overlap`.

    Dask arrays come first; other values follow them. With `trim` the entry point returns as many elements as it gets, and the borders are
    cut off; without, it returns only the inner elements. A block that is smaller than the depth is merged with others; if `allow_rechunk` is
    False, it raises ValueError.
    """
    signature = _signature(entry, len(args))
    results = _array_results(entry, signature)
    if signature.is_tuple:
        raise TypeError(f"{signature.name}() gives several arrays: halos are for one")
    arrays = [argument for argument in args if isinstance(argument, da.Array)]
    for parameter, argument in zip(signature.parameters, args):
        expected = parameter.type and parameter.type.dtype
        if isinstance(argument, da.Array) and argument.dtype != expected:
            raise TypeError(
                f"{signature.name}(): argument `{parameter.name}`: expected {parameter.type}, found a dask array of {argument.dtype}"
            )
    if not arrays or any(isinstance(argument, da.Array) for argument in args[len(arrays) :]):
        raise TypeError(f"{signature.name}(): the dask arrays come before all other arguments")
    meta = numpy.empty((0,) * len(results[0].sizes), results[0].dtype)
    halo = _Halo(Sent(entry), args[len(arrays) :])
    options = {"depth": depth, "boundary": boundary, "trim": trim, "allow_rechunk": allow_rechunk, "align_arrays": True}
    made = da.map_overlap(halo, *arrays, dtype=results[0].dtype, meta=meta, **options)
    return made if trim else _inner(made, arrays[0])


def _inner(made: Any, like: Any) -> Any:
    """Gives blocks that entry points have trimmed the sizes of the array's blocks, unless Dask has merged some."""
    return da.Array(made.dask, made.name, like.chunks, meta=made._meta) if made.numblocks == like.numblocks else made


@dataclass(frozen=True)
class _Halo:
    sent: Sent
    fixed: tuple[Any, ...]

    def __call__(self, *blocks: Any, block_id: Any = None) -> Any:
        return at_block(block_id, self.sent, *blocks, *self.fixed)


def apply_gufunc(entry: EntryPoint, *args: Any, core: int | None = None, allow_rechunk: bool = False) -> Arrays:
    """Calls an entry point over all dimensions except the last `core` ones of each argument, as `dask.array.apply_gufunc` does.

    The entry point takes a batch: the first size of its parameters is the number of elements, and the others are the core dimensions, which must
    have one chunk each (`allow_rechunk=True` merges chunks). For instance, `entry norm [n][m] (xs: [n][m]f32) : [n]f32` is `(m)->()` for
    arrays of any number of dimensions.
    """
    signature = _signature(entry, len(args))
    results = _array_results(entry, signature)
    types = [parameter.type for parameter in signature.parameters]
    batch = types[0].sizes[0] if types and types[0] and types[0].sizes else None
    if batch is None or any(ty is None or not ty.sizes or ty.sizes[0] != batch for ty in (*types, *results)):
        raise TypeError(f"{signature.name}(): all parameters and results must begin with the same size, the number of elements of a batch")
    arrays = [_as_array(argument) for argument in args]
    cores = [ty.sizes[1:] for ty in types if ty]
    if core is not None and {core} != {len(sizes) for sizes in cores}:
        raise TypeError(f"core: {core} given, but the parameters have {[len(sizes) for sizes in cores]} core dimensions")
    for parameter, array in zip(signature.parameters, arrays):
        if parameter.type and getattr(array, "dtype", None) != parameter.type.dtype:
            raise TypeError(f"{signature.name}(): argument `{parameter.name}`: expected {parameter.type}, found {getattr(array, 'dtype', array)}")
    text = f"{_core(cores)}->{_core([ty.sizes[1:] for ty in results])}"
    sizes = {str(size): size for ty in (*types, *results) if ty for size in ty.sizes[1:] if isinstance(size, int)}
    new = {f"size{size}": size for size in sizes.values() if not any(size in core for core in cores)}
    call = _Batch(Sent(entry), tuple(map(len, cores)), signature.is_tuple)
    dtypes = [ty.dtype for ty in results]
    options = {"output_dtypes": dtypes if signature.is_tuple else dtypes[0], "output_sizes": new, "allow_rechunk": allow_rechunk}
    return da.apply_gufunc(call, text, *arrays, vectorize=False, **options)


def _core(rows: Sequence[Sequence[Size]]) -> str:
    if any(size is None for row in rows for size in row):
        raise TypeError("core dimensions need sizes with names")
    words = [[f"size{size}" if isinstance(size, int) else str(size) for size in row] for row in rows]
    return ",".join(f"({','.join(row)})" for row in words)


@dataclass(frozen=True)
class _Batch:
    """The call of an entry point for arrays with any number of dimensions before their core dimensions."""

    sent: Sent
    cores: tuple[int, ...]
    is_tuple: bool

    def __call__(self, *arrays: Any) -> Any:
        outer = numpy.broadcast_shapes(*(array.shape[: array.ndim - core] for array, core in zip(arrays, self.cores)))
        inner = [array.shape[array.ndim - core :] for array, core in zip(arrays, self.cores)]
        flat = [numpy.broadcast_to(array, (*outer, *shape)).reshape(-1, *shape) for array, shape in zip(arrays, inner)]
        found = self.sent(*flat)
        shaped = tuple(part.reshape(*outer, *part.shape[1:]) for part in (found if self.is_tuple else (found,)))
        return shaped if self.is_tuple else shaped[0]


def fold(
    program: Program,
    *sources: Any,
    args: Sequence[Any] = (),
    init: str = "init",
    step: str = "step",
    merge: str = "merge",
    skip_failed: bool = False,
    halve: bool = False,
    check: int = 0,
) -> Delayed:
    """Folds blocks and returns the delayed state after all of them.

    `step` folds each block by itself, starting from `init` of `args`, and `merge` combines the states along a fixed tree over the blocks. The
    bits do not depend on workers, their number, or retries, and are those of `program.fold` with blocks of the same size. `sources` contains a
    dask array for each array that `step` takes, or columns of a data frame, bags, or lists of delayed blocks. Empty blocks are left out.

    `skip_failed=True` also leaves out failing blocks; the result is then a pair of the state and a list of `BlockError`s. `halve=True` folds a
    block that exceeds the memory of its worker in halves; the bits then depend on that memory. `check` is for debugging: this number of triples
    of neighbours is merged in both orders, and a ValueError is raised if the results differ by more than rounding.
    """
    folder = Folder.of(program, init, step, merge)
    blocks = _blocks(sources, program[step], folder)
    name = f"fold-{tokenize(folder, args, skip_failed, halve, *(key for _, row in blocks for key in row))}"
    one = delayed(_folded, pure=True)
    arguments = delayed(tuple(args), pure=True) if args else ()
    failing = _Failing(skip_failed, halve)
    states = [one(folder, number, arguments, failing, *row, dask_key_name=(f"{name}-block", at)) for at, (number, row) in enumerate(blocks)]
    checks = _checked(folder, states, check, name)
    if not states:
        states = [delayed(_empty)(folder, arguments, dask_key_name=f"{name}-empty")]
    counter = iter(range(len(states)))
    both = delayed(_merged, pure=True)
    last = tree(lambda earlier, later: both(folder, earlier, later, dask_key_name=(f"{name}-merge", next(counter))), states)
    finished: Delayed = delayed(_finished)(folder, arguments, last, skip_failed, checks, dask_key_name=name)
    return finished


@dataclass(frozen=True)
class _State:
    """The result of some blocks: a state or nothing, and the blocks that failed."""

    values: tuple[Any, ...]
    failed: tuple[BlockError, ...] = ()


@dataclass(frozen=True)
class _Failing:
    """The treatment of failing blocks: they are left out, or folded in halves if they exceed the memory."""

    skip: bool = False
    halve: bool = False


def _folded(folder: Folder, number: Any, arguments: Sequence[Any], failing: _Failing, *arrays: Any) -> _State:
    if all(hasattr(array, "__len__") and len(array) == 0 for array in arrays):
        return _State(())
    try:
        return _State((folder.block(number, arguments, *arrays, halve=failing.halve),))
    except Exception as error:
        if not failing.skip:
            raise
        return _State((), (BlockError(str(error), number),))


def _empty(folder: Folder, arguments: Sequence[Any]) -> _State:
    return _State((folder.init(*arguments),))


def _merged(folder: Folder, earlier: _State, later: _State) -> _State:
    both = (*earlier.values, *later.values)
    return _State((folder.merge(*both),) if len(both) == 2 else both, earlier.failed + later.failed)


def _finished(folder: Folder, arguments: Sequence[Any], last: _State, skip_failed: bool, checks: Sequence[None]) -> Any:
    [state] = last.values or (folder.init(*arguments),)
    return (state, list(last.failed)) if skip_failed else state


def _checked(folder: Folder, states: Sequence[Any], count: int, name: str) -> list[Any]:
    triples = len(states) - 2
    if count <= 0 or triples <= 0:
        return []
    starts = sorted({triples * at // count for at in range(count)})
    compared = delayed(_compared)
    return [compared(folder, start, *states[start : start + 3], dask_key_name=(f"{name}-check", start)) for start in starts]


def _compared(folder: Folder, start: int, first: _State, second: _State, third: _State) -> None:
    left = _merged(folder, _merged(folder, first, second), third).values
    right = _merged(folder, first, _merged(folder, second, third)).values
    if not is_close(left, right):
        raise ValueError(
            f"merge is not associative: of the blocks {start} to {start + 2} it makes {left[0]} from the left and {right[0]} from the right, so "
            "results depend on how data is cut"
        )


def _blocks(sources: Sequence[Any], step: EntryPoint, folder: Folder) -> list[tuple[Any, list[Any]]]:
    """Returns the number of each block with its part of each source. Blocks that are known to be empty are left out."""
    signature = Signature.of(step)
    if len(sources) != len(signature.parameters) - 1:
        raise TypeError(f"{signature.name}() takes {len(signature.parameters) - 1} arrays, but {len(sources)} were given")
    arrays = [source for source in map(_as_array, sources) if isinstance(source, da.Array)]
    rows = [_row(_as_array(source), parameter, signature.name) for source, parameter in zip(sources, signature.parameters)]
    if len({len(row) for row in rows}) > 1 or len({array.numblocks for array in arrays if array.ndim == arrays[0].ndim}) > 1:
        raise ValueError(f"the sources have different numbers of blocks: {[len(row) for row in rows]}")
    for array in arrays:
        if array.chunks[0] != arrays[0].chunks[0] and not isnan(sum(array.chunks[0]) + sum(arrays[0].chunks[0])):
            raise ValueError("the sources are cut at different places: rechunk one like the other")
    if not arrays:
        return [(at, list(row)) for at, row in enumerate(zip(*rows))]
    numbers = list(numpy.ndindex(*arrays[0].numblocks))
    sizes = [numpy.prod([chunks[at] for chunks, at in zip(arrays[0].chunks, number)]) for number in numbers]
    return [(tuple(number), list(row)) for number, size, row in zip(numbers, sizes, zip(*rows)) if size != 0]


def _row(source: Any, parameter: Parameter, name: str) -> list[Any]:
    if isinstance(source, da.Array):
        expected = parameter.type
        if expected and not parameter.fields and (source.dtype != expected.dtype or source.ndim != len(expected.sizes)):
            raise TypeError(
                f"{name}(): argument `{parameter.name}`: expected {expected}, found a dask array of {source.dtype} with {source.ndim} dimensions"
            )
        return list(source.to_delayed().flat)
    if hasattr(type(source), "to_delayed"):
        return list(source.to_delayed())
    if isinstance(source, (list, tuple)) and all(dask.base.is_dask_collection(part) or hasattr(part, "__len__") for part in source):
        return list(source)
    raise TypeError(
        f"{name}(): argument `{parameter.name}`: expected a dask array, a column, a bag or a list of blocks, found {type(source).__name__}"
    )


def scan(
    program: Program,
    x: Any,
    *,
    entry: str = "scan",
    args: Sequence[Any] = (),
    init: str = "init",
    step: str = "step",
    merge: str = "merge",
) -> Any:
    """Scans the blocks of a one-dimensional array in two passes. The first computes the state of each block, as in `fold`. The second calls
    `entry` for each block, with the state after all blocks before it: `scan (xs: [n]t) (before: s) : [n]r`.

    The states before blocks are combined along a tree that depends only on the number of blocks.
    """
    folder = Folder.of(program, init, step, merge)
    signature = Signature.of(program[entry])
    if signature.is_tuple or not signature.results or len(signature.parameters) != 2 or len(signature.results[0].sizes) != x.ndim:
        raise TypeError(f"the entry point `{entry}` must be of type (xs: [n]t) -> (before: s) -> [n]r")
    if any(count > 1 for count in x.numblocks[1:]):
        raise ValueError("a scan goes along the first dimension: the others must have one chunk each")
    blocks = _row(x, Signature.of(program[step]).parameters[0], step)
    _row(x, signature.parameters[0], entry)
    name = f"scan-{tokenize(folder, entry, args, x)}"
    one, both, second = delayed(_folded, pure=True), delayed(_merged, pure=True), delayed(_scanned, pure=True)
    arguments = delayed(tuple(args), pure=True) if args else ()
    states = [one(folder, at, arguments, _Failing(), block) for at, block in enumerate(blocks[:-1])]
    before = [delayed(_empty)(folder, arguments), *prefixes(lambda earlier, later: both(folder, earlier, later), states)]
    ty, call = signature.results[0], Sent(program[entry])
    parts = []
    for at, (block, state) in enumerate(zip(blocks, before)):
        part = second(folder, call, at, arguments, block, state, dask_key_name=f"{name}-{at}")
        shape = (x.chunks[0][at], *(sum(chunks) for chunks in x.chunks[1:]))
        parts.append(da.from_delayed(part, shape, dtype=ty.dtype, meta=numpy.empty((0,) * len(shape), ty.dtype)))
    return da.concatenate(parts, allow_unknown_chunksizes=True)


def _scanned(folder: Folder, call: Sent, number: int, arguments: Sequence[Any], block: Any, before: _State) -> Any:
    [state] = before.values or (folder.init(*arguments),)
    return at_block(number, call, block, state)


def histogram(entry: EntryPoint, *args: Any) -> Any:
    """Returns the sum of an entry point's results for all blocks: counts, weights, sums by key. The results are added along the tree of `fold`.

    The first argument is a dask array or a column. The others are dask arrays or columns with the same blocks, or values that all blocks get.
    """
    signature = _signature(entry, len(args))
    results = _array_results(entry, signature)
    if signature.is_tuple:
        raise TypeError(f"{signature.name}() gives several arrays: a histogram is one")
    sources = [_as_array(argument) for argument in args]
    is_cut = [isinstance(source, da.Array) for source in sources]
    if not any(is_cut):
        raise TypeError(f"{signature.name}(): none of the arguments is a dask array")
    cut = [_row(source, ty, signature.name) for source, ty, cut in zip(sources, signature.parameters, is_cut) if cut]
    if len({len(row) for row in cut}) > 1:
        raise ValueError(f"the arrays have different numbers of blocks: {[len(row) for row in cut]}")
    fixed = [delayed(source, pure=True) if isinstance(source, numpy.ndarray) else source for source in sources]
    name = f"{signature.name}-{tokenize(Sent(entry), *sources)}"
    one, both = delayed(_counted, pure=True), delayed(numpy.add, pure=True)
    parts = []
    for at, row in enumerate(zip(*cut)):
        blocks = iter(row)
        values = [next(blocks) if cut else source for source, cut in zip(fixed, is_cut)]
        parts.append(one(Sent(entry), at, *values, dask_key_name=(f"{name}-block", at)))
    shape = tuple(size if isinstance(size, int) else nan for size in results[0].sizes)
    whole = tree(both, parts)
    return da.from_delayed(whole, shape, dtype=results[0].dtype, meta=numpy.empty((0,) * len(shape), results[0].dtype))


def _counted(sent: Sent, number: int, *values: Any) -> Any:
    return at_block(number, sent, *values)


def map_column(entry: EntryPoint, *columns: Any, name: str | None = None) -> Any:
    """Calls an entry point for each partition of columns of a dask data frame and returns a column with the same index."""
    signature = _signature(entry, len(columns))
    results = _array_results(entry, signature)
    if signature.is_tuple:
        raise TypeError(f"{signature.name}() gives several arrays: a column is one")
    first = next(column for column in columns if hasattr(column, "map_partitions"))
    column = _Column(Sent(entry), name or signature.name)
    others = [column for column in columns if column is not first]
    return first.map_partitions(column, *others, meta=(column.name, results[0].dtype))


@dataclass(frozen=True)
class _Column:
    sent: Sent
    name: str

    def __call__(self, first: Any, *others: Any) -> Any:
        found = self.sent(*(getattr(column, "to_numpy", lambda: column)() for column in (first, *others)))
        return type(first)(found, index=first.index, name=self.name)


def from_npy(path: str, block: int, **storage: Any) -> Any:
    """Returns the array in a `.npy` file, cut along its first dimension into blocks of `block` elements. Workers read the blocks that they use.

    A local file is mapped into memory. From any other file that `fsspec` can open (`s3://...`, with its options as `storage`) the bytes of a
    block are fetched.
    """
    from . import _storage

    found = _storage.npy(path, storage)
    cuts = range(0, max(found.shape[0], 1), block)
    parts = [delayed(found.part, pure=True)(start, min(start + block, found.shape[0])) for start in cuts]
    shapes = [(max(min(block, found.shape[0] - start), 0), *found.shape[1:]) for start in cuts]
    meta = numpy.empty((0,) * len(found.shape), found.dtype)
    return da.concatenate([da.from_delayed(part, shape, meta=meta, dtype=found.dtype) for part, shape in zip(parts, shapes)])


def from_parquet(path: Any, column: str, filesystem: Any = None) -> Any:
    """Returns a column of a Parquet data set (a file, or a folder with files), with a block for each row group. Workers read the blocks that
    they use.

    Sizes of blocks are known from the files' footers. Reading a column with missing values raises TypeError.
    """
    from . import _storage

    groups = _storage.groups(path, column, filesystem)
    parts = [delayed(group.read, pure=True)() for group in groups]
    meta = numpy.empty((0,), groups[0].dtype)
    return da.concatenate([da.from_delayed(part, (group.rows,), meta=meta, dtype=group.dtype) for part, group in zip(parts, groups)])
