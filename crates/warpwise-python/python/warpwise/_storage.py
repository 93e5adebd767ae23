"""Descriptions of arrays in files that clusters share, so that each worker reads its part: `.npy` files and Parquet data sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy


@dataclass(frozen=True)
class NpyFile:
    """A `.npy` file; `start` is the byte offset of its elements."""

    path: str
    storage: dict[str, Any]
    shape: tuple[int, ...]
    dtype: numpy.dtype[Any]
    start: int

    def part(self, start: int, end: int) -> Any:
        """Returns the elements from `start` to `end` along the first dimension."""
        if "://" not in self.path:
            mapped = numpy.memmap(self.path, self.dtype, "r", self.start, self.shape) if 0 not in self.shape else self._none()
            return numpy.asarray(mapped[start:end])
        system, path = import_module("fsspec").core.url_to_fs(self.path, **self.storage)
        row = self.dtype.itemsize * int(numpy.prod(self.shape[1:]))
        read = system.cat_file(path, self.start + start * row, self.start + end * row) if end > start else b""
        return numpy.frombuffer(read, self.dtype).reshape(end - start, *self.shape[1:])

    def _none(self) -> Any:
        return numpy.empty(self.shape, self.dtype)


def npy(path: str, storage: dict[str, Any]) -> NpyFile:
    """Reads the header of a file. Raises ValueError if the file does not hold an array of rows."""
    with _opened(path, storage) as file:
        version = numpy.lib.format.read_magic(file)
        read = numpy.lib.format.read_array_header_1_0 if version == (1, 0) else numpy.lib.format.read_array_header_2_0
        shape, is_fortran, dtype = read(file)
        start = file.tell()
    if is_fortran or not shape or dtype.hasobject:
        raise ValueError(f"{path}: expected an array of numbers in C's order with at least one dimension")
    return NpyFile(path, storage, shape, dtype, start)


def _opened(path: str, storage: dict[str, Any]) -> Any:
    if "://" not in path:
        return open(path, "rb")
    return import_module("fsspec").open(path, "rb", **storage).open()


@dataclass(frozen=True)
class Group:
    """A group of rows of a file in a Parquet data set."""

    fragment: Any = field(repr=False)
    number: int
    column: str
    rows: int
    dtype: numpy.dtype[Any]

    def read(self) -> Any:
        """Returns the elements of the column."""
        column = self.fragment.subset(row_group_ids=[self.number]).to_table(columns=[self.column]).column(0)
        if column.null_count:
            raise TypeError(f"{self.fragment.path}: column {self.column}: missing values in group {self.number}: arrays have none")
        return column.to_numpy()


def groups(path: Any, column: str, filesystem: Any) -> list[Group]:
    """Returns the row groups of all files, in the order of their names. Raises KeyError if there is no such column, ValueError if there are no
    rows."""
    found = import_module("pyarrow.dataset").dataset(path, format="parquet", filesystem=filesystem)
    if column not in found.schema.names:
        raise KeyError(f"no column {column!r}; there are: {', '.join(found.schema.names)}")
    dtype = numpy.dtype(found.schema.field(column).type.to_pandas_dtype())
    fragments = sorted(found.get_fragments(), key=lambda fragment: str(fragment.path))
    made = [
        Group(fragment, group.id, column, group.num_rows, dtype) for fragment in fragments for group in fragment.row_groups if group.num_rows
    ]
    if not made:
        raise ValueError(f"{path}: the data set has no rows")
    return made
