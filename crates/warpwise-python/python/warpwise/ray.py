"""Entry points over the blocks of Ray Data, and folds. Ray schedules, moves and retries; this module does none of these."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy

from ._entries import Folder, Sent, Signature, at_block, tree
from ._native import EntryPoint, Program

__all__ = ["fold", "map_batches"]


def map_batches(
    entry: EntryPoint,
    dataset: Any,
    *fixed: Any,
    columns: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    actors: int | tuple[int, int] | None = None,
    **options: Any,
) -> Any:
    """Returns a data set of an entry point's results for batches of columns: `dataset.map_batches` with its `options` (`batch_size`,
    `num_gpus`, ...).

    The last parameters take the columns with their names, or `columns`; `fixed` holds the values of the parameters before them. The columns
    of the results have the names `names`, or `result`, or `result0`, `result1`, ... With `actors` (their number, or the minimum and the
    maximum) each batch goes to an actor that keeps the program, its memory and its device from batch to batch; without, to a task.
    """
    signature = Signature.of(entry)
    if signature.results is None or any(not ty.sizes for ty in signature.results):
        raise TypeError(f"{signature.name}() gives {entry.result} for a batch, which is no array: use fold")
    taken = [parameter.name for parameter in signature.parameters[len(fixed) :]]
    columns = taken if columns is None else list(columns)
    if len(columns) != len(taken):
        raise TypeError(f"{signature.name}() takes {len(taken)} columns, but {len(columns)} are named")
    count = len(signature.results)
    names = names or (["result"] if not signature.is_tuple else [f"result{number}" for number in range(count)])
    if len(names) != count:
        raise TypeError(f"{signature.name}() gives {count} arrays, but {len(names)} are named")
    call = (Sent(entry), fixed, tuple(columns), tuple(names), signature.is_tuple)
    if actors is None:
        return dataset.map_batches(_Batch(*call), batch_format="numpy", **options)
    return dataset.map_batches(_Batch, fn_constructor_args=call, concurrency=actors, batch_format="numpy", **options)


class _Batch:
    def __init__(self, sent: Sent, fixed: tuple[Any, ...], columns: tuple[str, ...], names: tuple[str, ...], is_tuple: bool) -> None:
        self.sent, self.fixed, self.columns, self.names, self.is_tuple = sent, fixed, columns, names, is_tuple

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        found = self.sent(*self.fixed, *(numpy.asarray(batch[column]) for column in self.columns))
        return dict(zip(self.names, found if self.is_tuple else (found,)))


def fold(
    program: Program,
    blocks: Sequence[Any],
    *,
    args: Sequence[Any] = (),
    init: str = "init",
    step: str = "step",
    merge: str = "merge",
    halve: bool = False,
) -> Any:
    """Folds blocks in Ray tasks and returns the state after all of them.

    `blocks` holds arrays, references to arrays (`ray.put`, results of tasks), or tuples of these, one for each array that `step` takes. The
    tree of merges depends only on the number of blocks, so neither workers nor Ray's retries change a bit. `halve=True` folds a block that
    exceeds the memory of its worker in halves; the bits then depend on that memory.
    """
    ray = import_module("ray")
    folder = Folder.of(program, init, step, merge)
    if not len(blocks):
        return folder.init(*args)
    one, both = ray.remote(_folded), ray.remote(_merged)
    rows = [block if isinstance(block, tuple) else (block,) for block in blocks]
    states = [one.remote(folder, number, tuple(args), halve, *row) for number, row in enumerate(rows)]
    try:
        return ray.get(tree(lambda earlier, later: both.remote(folder, earlier, later), states))
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error


def _folded(folder: Folder, number: int, args: tuple[Any, ...], halve: bool, *arrays: Any) -> Any:
    return folder.block(number, args, *arrays, halve=halve)


def _merged(folder: Folder, earlier: Any, later: Any) -> Any:
    return at_block("of a merge", folder.merge, earlier, later)
