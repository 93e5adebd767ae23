"""Entry points as engines see them: the types of their arrays before any call, calls for blocks whose errors name the block, and the tree of
a fold.

Nothing here is specific to one engine.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, Union

import numpy

from . import Error
from ._native import EntryPoint, Program, _described_entry, _for_tasks

_T = TypeVar("_T")

Size = Union[str, int, None]
"""A size of an array type: a name, a constant, or None if it is unknown before a call."""

_DTYPES = {"i": "int", "u": "uint", "f": "float"}
_DIMENSION = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True)
class ArrayType:
    """A type of arrays of scalars, such as `[n][3]f32`. A scalar has no sizes."""

    dtype: numpy.dtype[Any]
    sizes: tuple[Size, ...]

    def __str__(self) -> str:
        return "".join(f"[{'' if size is None else size}]" for size in self.sizes) + str(self.dtype)


@dataclass(frozen=True)
class Parameter:
    """A parameter. `fields` are the names of the arrays that represent an array of records. `type` is None if the parameter is no array."""

    name: str
    type: ArrayType | None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Signature:
    """The parameters and results of an entry point. `results` is None if some results are neither arrays nor scalars."""

    name: str
    parameters: tuple[Parameter, ...]
    results: tuple[ArrayType, ...] | None
    is_tuple: bool

    @staticmethod
    def of(entry: EntryPoint) -> Signature:
        """Returns the signature of an entry point, with the sizes of its declaration."""
        name, parameters, result = _described_entry(entry)
        sizes, result_sizes = _declared_sizes(entry.signature, len(parameters))
        known = {size for row in sizes for size in row if isinstance(size, str)}
        taken = tuple(_parameter(word, ty, row) for (word, ty, _), row in zip(parameters, sizes))
        parts = result[1] if result[0] == "tuple" else [result]
        rows = result_sizes if len(result_sizes) == len(parts) else [()] * len(parts)
        given = [_array_type(ty, [size if size in known or isinstance(size, int) else None for size in row]) for ty, row in zip(parts, rows)]
        found = [ty for ty in given if ty is not None]
        return Signature(name, taken, tuple(found) if len(found) == len(given) else None, result[0] == "tuple")


def dtype_of(name: str) -> numpy.dtype[Any]:
    """Returns NumPy's type for a scalar type of the language."""
    return numpy.dtype("bool" if name == "bool" else _DTYPES[name[0]] + name[1:])


def _parameter(name: str, ty: tuple[Any, ...], sizes: Sequence[Size]) -> Parameter:
    if ty[0] == "opaque" and ty[2][0] == "record" and all(field[0] == "scalar" for _, field in ty[2][2]):
        return Parameter(name, ArrayType(numpy.dtype("V"), _padded(sizes, ty[3])), tuple(field for field, _ in ty[2][2]))
    return Parameter(name, _array_type(ty, sizes))


def _array_type(ty: tuple[Any, ...], sizes: Sequence[Size]) -> ArrayType | None:
    if ty[0] == "scalar":
        return ArrayType(dtype_of(ty[1]), ())
    return ArrayType(dtype_of(ty[1]), _padded(sizes, ty[2])) if ty[0] == "array" else None


def _padded(sizes: Sequence[Size], rank: int) -> tuple[Size, ...]:
    """Returns the sizes of all dimensions; a named type hides the last ones."""
    return (*sizes, *[None] * rank)[:rank]


def _declared_sizes(signature: str, count: int) -> tuple[list[tuple[Size, ...]], list[tuple[Size, ...]]]:
    """Returns the declared sizes of the parameters' types and of the components of the result."""
    groups, result = _groups(signature)
    parameters = [group.partition(":")[2] for group in groups if ":" in group]
    rows: list[tuple[Size, ...]] = [_sizes(text) for text in parameters] if len(parameters) == count else [()] * count
    parts = _parts(result) if result else []
    return rows, [_sizes(part) for part in parts]


def _groups(signature: str) -> tuple[list[str], str]:
    """Returns the parenthesised texts before the result, and the result."""
    depth, start, groups = 0, 0, []
    for at, letter in enumerate(signature):
        if letter in "([{":
            depth += 1
            start = at + 1 if depth == 1 else start
        elif letter in ")]}":
            depth -= 1
            if depth == 0 and letter == ")":
                groups.append(signature[start:at])
        elif letter == ":" and depth == 0:
            return groups, signature[at + 1 :].strip()
    return groups, ""


def _parts(result: str) -> list[str]:
    """Returns the types of a tuple's components, or the single type."""
    if not (result.startswith("(") and result.endswith(")")):
        return [result]
    depth, parts = 0, [""]
    for letter in result[1:-1]:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _sizes(text: str) -> tuple[Size, ...]:
    """Returns the sizes at the beginning of a type."""
    text = text.strip().lstrip("*")
    if text.startswith("?"):
        text = text.partition(".")[2]
    sizes: list[Size] = []
    while found := _DIMENSION.match(text):
        word = found[1].strip().removesuffix("i64")
        sizes.append(int(word) if word.isdigit() else word if word.isidentifier() else None)
        text = text[found.end() :]
    return tuple(sizes)


class Sent:
    """An entry point on its way to workers. The first caller loads it, so that a scheduler that only passes it on need not."""

    def __init__(self, entry: EntryPoint) -> None:
        self._reduced = entry.__reduce__()
        self._entry: EntryPoint | None = entry

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, self._reduced

    def __dask_tokenize__(self) -> Any:
        return self.entry.__dask_tokenize__()

    @property
    def entry(self) -> EntryPoint:
        """The entry point in this process."""
        if self._entry is None:
            function, arguments = self._reduced
            self._entry = function(*arguments)
        return self._entry

    def __call__(self, *arguments: Any) -> Any:
        """Calls the entry point. In a thread of an engine, which computes other tasks meanwhile, the call uses one thread."""
        is_main = threading.current_thread() is threading.main_thread()
        return (self.entry if is_main else _for_tasks(self.entry))(*arguments)


def _received(function: Callable[..., EntryPoint], arguments: tuple[Any, ...]) -> Sent:
    sent = Sent.__new__(Sent)
    sent._reduced, sent._entry = (function, arguments), None
    return sent


def at_block(block: Any, call: Callable[..., _T], *arguments: Any) -> _T:
    """Calls a function for a block. Errors name the block, and the worker if there is one: in their message, and as `block` and `worker`."""
    try:
        return call(*arguments)
    except (Error, TypeError, ValueError, ArithmeticError, MemoryError) as error:
        if hasattr(error, "block"):
            raise
        worker = worker_here()
        place = f"block {block}" if worker is None else f"block {block} on {worker}"
        try:
            named = type(error)(f"{place}: {error}")
        except Exception:
            raise error from None
        vars(named).update({**vars(error), "block": block, "worker": worker})
        raise named from error


def worker_here() -> str | None:
    """Returns the engine's name for the worker that runs this code. None in a separate process."""
    # If this is a worker of an engine, the engine has been imported.
    if distributed := sys.modules.get("distributed"):
        try:
            return str(distributed.get_worker().address)
        except ValueError:
            pass
    if (ray := sys.modules.get("ray")) and ray.is_initialized() and ray.get_runtime_context().get_task_id():
        return f"node {ray.get_runtime_context().get_node_id()}, process {os.getpid()}"
    if (mpi := sys.modules.get("mpi4py.MPI")) and mpi.Is_initialized() and mpi.COMM_WORLD.Get_size() > 1:
        return f"process {mpi.COMM_WORLD.Get_rank()}"
    return None


class BlockError(Error):
    """The failure of a block that is left out of a result: the message and the block."""

    def __init__(self, message: str, block: Any) -> None:
        super().__init__(message, block)
        self.message = message
        self.block = block

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Folder:
    """The entry points of a fold: `init (arguments...) : s`, `step (arrays...) (state: s) : s`, `merge (earlier: s) (later: s) : s`."""

    init: Sent
    step: Sent
    merge: Sent

    @staticmethod
    def of(program: Program, init: str, step: str, merge: str) -> Folder:
        """Returns the entry points with these names. Raises TypeError if their types do not fit each other."""
        entries = [program[name] for name in (init, step, merge)]
        state = entries[0].result
        taken = [[ty.lstrip("*") for _, ty in entry.parameters] for entry in entries]
        expected = f"with the state {state} of `{init}`"
        if len(taken[1]) < 2 or taken[1][-1] != state or entries[1].result.lstrip("*") != state:
            raise TypeError(f"the entry point `{step}` must be of type (arrays...) -> s -> s, {expected}")
        if taken[2] != [state, state] or entries[2].result.lstrip("*") != state:
            raise TypeError(f"the entry point `{merge}` must be of type s -> s -> s, {expected}")
        return Folder(*map(Sent, entries))

    def block(self, number: Any, arguments: Sequence[Any], *arrays: Any, halve: bool = False) -> Any:
        """Returns the state after one block. With `halve`, a block that exceeds the memory is folded in halves, which are merged."""
        try:
            return at_block(number, lambda: self.step(*arrays, self.init(*arguments)))
        except MemoryError:
            lengths = {len(array) if isinstance(array, (numpy.ndarray, list)) else 0 for array in arrays}
            if not halve or len(lengths) != 1 or max(lengths) < 2:
                raise
        middle = max(lengths) // 2
        earlier = self.block(number, arguments, *(array[:middle] for array in arrays), halve=True)
        later = self.block(number, arguments, *(array[middle:] for array in arrays), halve=True)
        return at_block(number, self.merge, earlier, later)


def tree(merge: Callable[[_T, _T], _T], parts: Sequence[_T]) -> _T:
    """Combines parts along the tree of all folds: neighbours in pairs, until one is left. The tree depends only on the number of parts."""
    while len(parts) > 1:
        pairs = [merge(parts[at], parts[at + 1]) for at in range(0, len(parts) - 1, 2)]
        parts = pairs + list(parts[len(parts) & ~1 :])
    return parts[0]


def merge_known(merge: Callable[[_T, _T], _T], nodes: Mapping[tuple[int, int], _T], count: int) -> dict[tuple[int, int], _T]:
    """Combines the known nodes of the tree over `count` blocks as far as possible. Nodes are (level, number); blocks are level 0."""
    left, level = dict(nodes), 0
    while count > 1:
        for number in range(0, count, 2):
            earlier, later, above = (level, number), (level, number + 1), (level + 1, number // 2)
            if number + 1 == count and earlier in left:
                left[above] = left.pop(earlier)
            elif earlier in left and later in left:
                left[above] = merge(left.pop(earlier), left.pop(later))
        level, count = level + 1, (count + 1) // 2
    return left


def prefixes(merge: Callable[[_T, _T], _T], parts: Sequence[_T]) -> list[_T]:
    """Returns, for each part, the combination of it and all before it, along a tree that depends only on their number (Brent and Kung)."""
    if len(parts) < 2:
        return list(parts)
    pairs = prefixes(merge, [merge(parts[at], parts[at + 1]) for at in range(0, len(parts) - 1, 2)])
    even = [merge(pairs[at // 2 - 1], parts[at]) for at in range(2, len(parts), 2)]
    return [parts[0], *(pairs[at // 2] if at % 2 else even[at // 2 - 1] for at in range(1, len(parts)))]


def is_close(found: Any, expected: Any) -> bool:
    """Returns whether two states agree up to rounding."""
    if isinstance(found, (tuple, list)):
        return len(found) == len(expected) and all(map(is_close, found, expected))
    if hasattr(found, "payload"):
        return found.name == expected.name and is_close(found.payload, expected.payload)
    if hasattr(found, "fields") and hasattr(found, "shape"):
        return is_close(tuple(found.fields.values()), tuple(expected.fields.values()))
    first, second = numpy.asarray(found), numpy.asarray(expected)
    if first.shape != second.shape:
        return False
    if first.dtype.kind != "f":
        return bool((first == second).all())
    return bool(numpy.allclose(first, second, rtol=float(numpy.finfo(first.dtype).eps) ** 0.5, equal_nan=True))
