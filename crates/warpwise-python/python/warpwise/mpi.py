"""Folds, scans and halos over MPI processes, which `mpirun` or a batch system starts. Each process has some of the blocks.

    from mpi4py import MPI
    import warpwise, warpwise.mpi

    total = warpwise.mpi.fold(program, my_blocks)       # the same value in all processes

The tree of a fold depends on the numbers of blocks, so its bits do not depend on the number of processes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, TypeVar

import numpy

from ._entries import Folder, Sent, at_block, merge_known, prefixes
from ._native import Program

__all__ = ["exchange", "fold", "scan", "share"]

_T = TypeVar("_T")


def share(count: int, comm: Any = None) -> range:
    """Returns the numbers of this process's blocks if `count` blocks are distributed evenly and in order."""
    comm = _world(comm)
    size, rank = comm.Get_size(), comm.Get_rank()
    return range(count * rank // size, count * (rank + 1) // size)


def fold(
    program: Program,
    blocks: Sequence[Any],
    *,
    args: Sequence[Any] = (),
    init: str = "init",
    step: str = "step",
    merge: str = "merge",
    halve: bool = False,
    comm: Any = None,
) -> Any:
    """Folds the blocks of all processes: those of process 0 come first, then those of process 1. All processes call it, and all get the state.

    A block is an array, or a tuple with one array for each that `step` takes. Blocks are read one after the other, so `blocks` may be any
    iterable with a length. If a block fails, all processes raise the error, which names the block's number. `halve=True` folds a block that
    exceeds the memory of its process in halves; the bits then depend on that memory.
    """
    comm = _world(comm)
    folder = Folder.of(program, init, step, merge)
    first, count = _numbers(len(blocks), comm)

    def own() -> dict[tuple[int, int], Any]:
        nodes = {(0, at): folder.block(at, args, *_arrays(block), halve=halve) for at, block in enumerate(blocks, first)}
        return merge_known(folder.merge, nodes, count)

    nodes = _together(own, comm)
    if not count:
        return folder.init(*args)
    known = comm.gather(nodes)
    state = None
    if known is not None:
        [state] = merge_known(folder.merge, {key: node for nodes in known for key, node in nodes.items()}, count).values()
    return comm.bcast(state)


def scan(
    program: Program,
    blocks: Sequence[Any],
    *,
    entry: str = "scan",
    args: Sequence[Any] = (),
    init: str = "init",
    step: str = "step",
    merge: str = "merge",
    comm: Any = None,
) -> list[Any]:
    """Scans the blocks of all processes, in the order of `fold`, and returns a list of the results of `entry` for each block of this process.

    `entry` takes the arrays of a block and the state after all blocks before it: `scan (xs: [n]t) (before: s) : [n]r`. All processes call this.
    Blocks are read twice. The states before blocks are combined along a tree that depends only on the number of blocks.
    """
    comm = _world(comm)
    folder, call = Folder.of(program, init, step, merge), Sent(program[entry])
    first, count = _numbers(len(blocks), comm)

    def states() -> list[Any]:
        return [folder.block(at, args, *_arrays(block)) for at, block in enumerate(blocks, first) if at + 1 < count]

    own = _together(states, comm)
    known = [state for part in comm.allgather(own) for state in part]
    before = [folder.init(*args), *prefixes(folder.merge, known)]
    return _together(lambda: [at_block(at, call, *_arrays(block), before[at]) for at, block in enumerate(blocks, first)], comm)


def _numbers(own: int, comm: Any) -> tuple[int, int]:
    """Returns the number of this process's first block, and the total number of blocks."""
    lengths = comm.allgather(own)
    return sum(lengths[: comm.Get_rank()]), sum(lengths)


def _arrays(block: Any) -> tuple[Any, ...]:
    return block if isinstance(block, tuple) else (block,)


def _together(work: Callable[[], _T], comm: Any) -> _T:
    """Returns the result of this process's work. If the work fails in any process, all raise the first error."""
    done: list[_T] = []
    failed = None
    try:
        done = [work()]
    except Exception as error:
        failed = error
    if errors := [error for error in comm.allgather(failed) if error is not None]:
        raise errors[0]
    [result] = done
    return result


def exchange(block: Any, depth: Sequence[int], grid: Any, boundary: Any = "nearest") -> Any:
    """Returns a block extended by the borders of its neighbours, `depth` elements along each dimension. All processes of `grid` call it.

    `grid` is a Cartesian communicator (`comm.Create_cart(dims, periods)`) with a dimension for each of the array's. Without a neighbour,
    `boundary` fills the border: `"nearest"`, `"reflect"`, or a number. Raises ValueError in all processes if a block is smaller than the depth.
    """
    if grid.Get_dim() != block.ndim or len(depth) != block.ndim:
        raise ValueError(f"a block of {block.ndim} dimensions needs a grid and a depth of as many, not {grid.Get_dim()} and {len(depth)}")
    short = [axis for axis in range(block.ndim) if block.shape[axis] < depth[axis]]
    if found := [(rank, axes) for rank, axes in enumerate(grid.allgather(short)) if axes]:
        rank, axes = found[0]
        raise ValueError(f"the block of process {rank} is smaller than the depth along dimension {axes[0]}: use fewer processes")
    modes = {"nearest": "edge", "reflect": "symmetric"}
    if isinstance(boundary, str) and boundary not in modes:
        raise ValueError(f"boundary {boundary!r}: expected 'nearest', 'reflect' or a number")
    options = {"mode": modes[boundary]} if isinstance(boundary, str) else {"mode": "constant", "constant_values": boundary}
    # One dimension after the other, so that corners come from the neighbours' borders.
    for axis, width in enumerate(depth):
        if width:
            block = _along(block, axis, width, grid, options)
    return block


def _along(block: Any, axis: int, width: int, grid: Any, options: dict[str, Any]) -> Any:
    none = import_module("mpi4py.MPI").PROC_NULL
    before, after = grid.Shift(axis, 1)
    around: list[tuple[int, int]] = [(0, 0)] * block.ndim
    around[axis] = (width, width)
    padded = numpy.pad(block, around, **options)
    parts = numpy.moveaxis(padded, axis, 0)
    own = numpy.moveaxis(block, axis, 0)
    for send, target, place, source in ((own[-width:], after, slice(0, width), before), (own[:width], before, slice(-width, None), after)):
        received = numpy.empty_like(send, order="C")
        grid.Sendrecv(numpy.ascontiguousarray(send), target, 0, received, source, 0)
        if source != none:
            parts[place] = received
    return padded


def _world(comm: Any) -> Any:
    return import_module("mpi4py.MPI").COMM_WORLD if comm is None else comm
