"""The types of the native module; what it does is said where it is defined, and shown by `help`."""

from collections.abc import Mapping, Sequence
from inspect import Signature
from os import PathLike
from typing import Any, Generic, TypedDict, TypeVar, final, type_check_only

import numpy as np
from numpy.typing import NDArray

_T = TypeVar("_T")

__all__ = [
    "ArrowArray",
    "CompileError",
    "Consumed",
    "DeviceArray",
    "EntryPoint",
    "Error",
    "InternalError",
    "Opaque",
    "Program",
    "RunError",
    "Stream",
    "Variant",
    "__version__",
    "_after_fork",
    "_arrive",
    "_command",
    "_described",
    "_described_entry",
    "_for_tasks",
    "_opaque",
    "_threads_of_engine",
    "arrow",
    "compile",
    "consume",
    "copied_bytes",
    "declared",
    "devices",
]

__version__: str

@type_check_only
class _Place(TypedDict):
    file: str
    line: int
    column: int
    end_line: int
    end_column: int

@type_check_only
class _Label(_Place):
    message: str

@type_check_only
class _Diagnostic(_Place):
    severity: str
    code: str | None
    message: str
    at: str
    hints: list[str]
    labels: list[_Label]

@type_check_only
class _Spent(TypedDict):
    what: str
    place: str
    times: int
    bytes: int
    seconds: float

@type_check_only
class _Declared(TypedDict):
    name: str
    signature: str
    doc: str

class Error(Exception): ...

class CompileError(Error):
    diagnostics: list[_Diagnostic]

class RunError(Error):
    message: str
    place: str | None
    calls: list[str]

class InternalError(Error): ...

@final
class EntryPoint:
    @property
    def __name__(self) -> str: ...
    @property
    def __signature__(self) -> Signature: ...
    @property
    def signature(self) -> str: ...
    @property
    def parameters(self) -> list[tuple[str, str]]: ...
    @property
    def program(self) -> Program: ...
    @property
    def result(self) -> str: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def resident(self, *args: Any, **kwargs: Any) -> Any: ...
    def native_seconds(self, *args: Any, calls: int) -> float: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __dask_tokenize__(self) -> tuple[str, str]: ...

@final
class Program:
    @property
    def entries(self) -> list[str]: ...
    @property
    def records(self) -> dict[str, type[Any]]: ...
    @property
    def source(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def warnings(self) -> str: ...
    @property
    def cached(self) -> bool: ...
    def __getattr__(self, name: str, /) -> EntryPoint: ...
    def __getitem__(self, key: str, /) -> EntryPoint: ...
    def __dir__(self) -> list[str]: ...
    def with_resources(self, *, threads: int | None = None, memory_limit: int | str | None = None) -> Program: ...
    def ir(self, after: str | None = None) -> str: ...
    def stream(
        self,
        entry: str,
        source: Any,
        *fixed: Any,
        column: str | list[str] | None = None,
        block: int | None = None,
        elementwise: bool = False,
        progress: Any = None,
        out: str | PathLike[str] | list[str | PathLike[str]] | None = None,
        take: int | None = None,
        format: str | None = None,
        shape: Sequence[int] | None = None,
        header: bool = True,
    ) -> Any: ...
    def fold(
        self,
        source: Any,
        *,
        init: str = "init",
        step: str = "step",
        merge: str = "merge",
        column: str | list[str] | None = None,
        block: int | None = None,
        progress: Any = None,
        take: int | None = None,
        format: str | None = None,
        shape: Sequence[int] | None = None,
        header: bool = True,
    ) -> Any: ...
    def start_profile(self) -> None: ...
    def profile(self) -> list[_Spent]: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __dask_tokenize__(self) -> str: ...

@final
class Opaque:
    @property
    def type(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def fields(self) -> dict[str, NDArray[Any] | Opaque]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: int | tuple[int, ...], /) -> Any: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Stream:
    def __iter__(self) -> Stream: ...
    def __next__(self) -> Any: ...
    def close(self) -> None: ...

@final
class ArrowArray:
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __len__(self) -> int: ...

@final
class DeviceArray:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def device(self) -> str: ...
    @property
    def nbytes(self) -> int: ...
    def numpy(self) -> NDArray[Any]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...

@final
class Variant:
    __match_args__ = ("name", "payload")
    def __new__(cls, name: str, *payload: Any) -> Variant: ...
    @property
    def name(self) -> str: ...
    @property
    def payload(self) -> tuple[Any, ...]: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Consumed(Generic[_T]): ...

def arrow(array: Any) -> ArrowArray: ...
def compile(
    program: str | PathLike[str],
    *,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    strict_fp: bool = False,
    fast_math: bool = False,
    unchecked: bool = False,
    tuning: Mapping[str, int] | None = None,
    cache: bool | str | PathLike[str] | None = None,
    name: str = "<text>",
    folder: str | PathLike[str] | None = None,
) -> Program: ...
def consume(array: _T) -> Consumed[_T]: ...
def copied_bytes() -> int: ...
def declared(text: str) -> list[_Declared]: ...
def devices() -> list[dict[str, str]]: ...
def _after_fork() -> None: ...
def _arrive(version: str, fingerprint: int, packed: bytes, entry: str | None) -> Any: ...
def _command(words: list[str], itself: list[str]) -> int: ...
def _described(program: Program) -> list[tuple[str, list[tuple[str, tuple[Any, ...], bool]], tuple[Any, ...]]]: ...
def _described_entry(entry: EntryPoint) -> tuple[str, list[tuple[str, tuple[Any, ...], bool]], tuple[Any, ...]]: ...
def _for_tasks(entry: EntryPoint) -> EntryPoint: ...
def _opaque(program: Program, name: str, leaves: Sequence[Any]) -> Opaque: ...
def _threads_of_engine() -> int | None: ...
