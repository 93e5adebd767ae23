"""Types for the stubs of programs (`warpwise stubs`): the arguments of parameters, and the attributes of every program.

They are for type checkers and editors; a program itself checks its arguments more exactly.
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
"""A scalar for the integer types; calls check its range."""
Bool = Union[bool, numpy.bool_]
"""A scalar for `bool`."""


class HasArray(Protocol[_Element_co]):
    """An array of another library that NumPy can convert: pandas, Polars, PyTorch, JAX, pyarrow."""

    def __array__(self) -> NDArray[_Element_co]: ...


Array1 = Union[NDArray[_Element], HasArray[_Element], "Sequence[_Number]"]
"""An argument for an array of one dimension: an array of the type, or numbers in a list, a tuple or a range."""
Array2 = Union[NDArray[_Element], HasArray[_Element], "Sequence[Sequence[_Number]]"]
"""An argument for an array of two dimensions."""
Array3 = Union[NDArray[_Element], HasArray[_Element], "Sequence[Sequence[Sequence[_Number]]]"]
"""An argument for an array of three dimensions."""
Array = Union[NDArray[_Element], HasArray[_Element]]
"""An argument for an array of more dimensions."""
Rows = Union[Opaque, "NDArray[numpy.void]", "Mapping[str, Any]"]
"""An argument for an array of records, except for lists: a result of a program, a structured array, or arrays by the fields' names."""
Given = Union[_T, "Consumed[Any]"]
"""An argument for a consumed parameter: a plain argument, or one in `warpwise.consume`."""


class Compiled(Protocol):
    """The attributes of every program besides its entry points."""

    @property
    def entries(self) -> list[str]:
        """The names of the entry points, in the order of the source."""
        ...

    @property
    def source(self) -> str:
        """The file, or the name, that messages show for the program."""
        ...

    @property
    def device(self) -> str:
        """The device that it runs on."""
        ...

    @property
    def threads(self) -> int:
        """The number of threads that it uses."""
        ...

    def ir(self, after: str | None = None) -> str:
        """Returns the compiler's intermediate representation of the program, as text."""
        ...

    def start_profile(self) -> None:
        """Starts to record the time of calls. Forgets what was recorded before."""
        ...

    def profile(self) -> list[Any]:
        """Returns the recorded times of calls since `start_profile`."""
        ...

    def __getitem__(self, name: str, /) -> EntryPoint:
        """Returns the entry point with this name, without its types."""
        ...
