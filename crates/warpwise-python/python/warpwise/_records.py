"""The classes of records, which are named tuples that can be pickled, and arrays of records as NumPy arrays."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

_CLASSES: dict[tuple[str, tuple[str, ...]], type[Any]] = {}
# Type checkers require literal names in calls of `namedtuple`.
_namedtuple: Callable[..., Any] = collections.namedtuple


def record_class(name: str, fields: tuple[str, ...]) -> type[Any]:
    """Returns the class of the records with this name and these fields, which all programs share.

    Fields whose names are not valid in Python get numbers as names.
    """
    known = _CLASSES.get((name, fields))
    return known or _CLASSES.setdefault((name, fields), _new(name, fields))


def _new(name: str, fields: tuple[str, ...]) -> type[Any]:
    def reduced(self: tuple[Any, ...]) -> tuple[Any, ...]:
        return _record, (name, fields, tuple(self))

    made: type[Any] = _namedtuple(name, fields, rename=True, module="warpwise")
    made.__reduce__ = reduced  # type: ignore[assignment]
    return made


def _record(name: str, fields: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return record_class(name, fields)(*values)


def structured(shape: tuple[int, ...], fields: dict[str, Any]) -> Any:
    """Returns a structured array of this shape. Dimensions of a field beyond the shape are within its elements."""
    import numpy

    arrays = {name: numpy.asarray(field) for name, field in fields.items()}
    made = numpy.empty(shape, [(name, array.dtype, array.shape[len(shape) :]) for name, array in arrays.items()])
    for name, array in arrays.items():
        made[name] = array
    return made
