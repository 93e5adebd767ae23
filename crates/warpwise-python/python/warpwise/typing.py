"""Types for the stubs of programs (`warpwise stubs`): what parameters accept, and what every program has.

They are for type checkers and editors; a program itself checks what it is given, and more exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeVar, Union

import numpy
from numpy.typing import NDArray

from ._native import Consumed, EntryPoint, Opaque

_T = TypeVar("_T")
_Element = TypeVar("_Element", bound=numpy.generic)
_Element_co = TypeVar("_Element_co", bound=numpy.generic, covariant=True)
_Number = TypeVar("_Number")

Float = Union[float, "numpy.floating[Any]", "numpy.integer[Any]"]
"""A scalar for `f16`, `f32` or `f64`."""
Int = Union[int, "numpy.integer[Any]"]
"""A scalar for the integer types; its range is checked when it is given."""
Bool = Union[bool, numpy.bool_]
"""A scalar for `bool`."""


class HasArray(Protocol[_Element_co]):
    """An array of another library that lends itself to NumPy: of pandas, Polars, PyTorch, JAX, pyarrow."""

    def __array__(self) -> NDArray[_Element_co]: ...


Array1 = Union[NDArray[_Element], HasArray[_Element], "Sequence[_Number]"]
"""What is accepted for an array of one dimension: an array of the type, or numbers in a list, a tuple or a range."""
Array2 = Union[NDArray[_Element], HasArray[_Element], "Sequence[Sequence[_Number]]"]
"""What is accepted for an array of two dimensions."""
Array3 = Union[NDArray[_Element], HasArray[_Element], "Sequence[Sequence[Sequence[_Number]]]"]
"""What is accepted for an array of three dimensions."""
Array = Union[NDArray[_Element], HasArray[_Element]]
"""What is accepted for an array of more dimensions."""
Rows = Union[Opaque, "NDArray[numpy.void]", "Mapping[str, Any]"]
"""What is accepted for an array of records but lists: an array that a program gave, a structured array, or arrays by the fields' names."""
Given = Union[_T, "Consumed[Any]"]
"""What is accepted for a parameter that is consumed: it, or the same in `warpwise.consume`."""


class Compiled(Protocol):
    """What every program has besides its entry points."""

    @property
    def entries(self) -> list[str]:
        """The names of the entry points, in the order of the source."""
        ...

    @property
    def source(self) -> str:
        """The file or the name that messages give it."""
        ...

    @property
    def device(self) -> str:
        """Where it runs."""
        ...

    @property
    def threads(self) -> int:
        """The number of threads that it uses."""
        ...

    def ir(self, after: str | None = None) -> str:
        """The program as the compiler sees it, as text."""
        ...

    def start_profile(self) -> None:
        """Counts from now on where the time of calls goes."""
        ...

    def profile(self) -> list[Any]:
        """Where the time of calls went since `start_profile`."""
        ...

    def __getitem__(self, name: str, /) -> EntryPoint:
        """The entry point of this name, without its types."""
        ...
