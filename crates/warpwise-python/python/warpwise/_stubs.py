"""Stubs of programs: the types of their entry points, for type checkers and editors.

    entry norm (p: point) : f32         def norm(self, p: _point_in) -> float: ...

A stub `prog.pyi` describes the module that `import prog` creates after a call of `warpwise.install_import_hook()`: it has the entry points
as functions, the records as named tuples, and `program`, of the class `Program`. Code that compiles the program itself uses the class:
`program = typing.cast("prog.Program", warpwise.compile("prog.fut"))`.
"""

from __future__ import annotations

import keyword
import re
import sys
import textwrap
from os import PathLike
from typing import Any

from . import CompileError
from ._native import Program, _described
from ._native import compile as compile_program

Type = tuple[Any, ...]
"""A type as `_native._described` describes it."""

_DTYPES = {"bool": "bool_", "f16": "float16", "f32": "float32", "f64": "float64"}
_HEADER = '''\
"""What `{source}` takes and gives. Made by `warpwise stubs`."""

from typing import Any, Literal, NamedTuple, Protocol, TypedDict, Union

import numpy
from numpy.typing import NDArray

from warpwise import Opaque, Variant
from warpwise.typing import Array, Array1, Array2, Array3, Bool, Compiled, Float, Given, Int, Rows
'''


def stubs(program: Program | str | PathLike[str]) -> str:
    """Returns the stub of a program, of its text or of a file: the text of a `.pyi` file.

    Entry points whose names are not valid in Python are omitted, since only `program["name"]` reaches them. Parameters with such names are
    positional. Raises `CompileError` if the program cannot be compiled.
    """
    compiled = program if isinstance(program, Program) else compile_program(program)
    writer = _Writer(compiled)
    entries = [writer.entry(*entry) for entry in _described(compiled) if is_word(entry[0])]
    members = "\n".join(method for method, _ in entries) or "    ...\n"
    docs = [_HEADER.format(source=compiled.source.replace("\\", "/")), *writer.classes.values()]
    docs.append(f'class Program(Compiled, Protocol):\n    """The program with its entry points."""\n\n{members}')
    docs.append("program: Program\n" + "".join(f"{name} = program.{name}\n" for _, name in entries))
    return "\n".join(docs)


def command(words: list[str]) -> int:
    """Runs `warpwise stubs FILE`: prints the stub of a program and returns the exit code."""
    if len(words) != 1 or words[0].startswith("-"):
        print("usage: warpwise stubs FILE.fut > FILE.pyi", file=sys.stderr)
        return 0 if words in (["-h"], ["--help"]) else 2
    try:
        print(stubs(_Path(words[0])), end="")
    except CompileError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


class _Path:
    """A path that `compile` takes for a path whatever its ending."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return self.path


def is_word(name: str) -> bool:
    """Returns whether a name is a valid identifier and no keyword in Python."""
    return name.isidentifier() and not keyword.iskeyword(name)


class _Writer:
    """A writer of entry points and of the record classes that they need."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.classes: dict[str, str] = {}
        self.words: dict[tuple[str, str], str] = {}

    def entry(self, name: str, parameters: list[tuple[str, Type, bool]], result: Type) -> tuple[str, str]:
        """Returns an entry point as a method, with its name."""
        written = []
        for parameter, ty, consumed in parameters:
            taken = self.taken(ty)
            written.append((parameter, f"Given[{taken}]" if consumed else taken))
        by_place = not all(is_word(parameter) for parameter, _ in written)
        listed = [f"{parameter if not by_place else f'argument{at}'}: {taken}" for at, (parameter, taken) in enumerate(written, 1)]
        mine = "_program" if any(parameter == "self" for parameter, _ in written) else "self"
        mark = [] if by_place else ["/"]
        arguments = ", ".join([mine, *mark, *listed, *(["/"] if by_place else [])])
        doc = textwrap.indent(_doc(self.program[name].__doc__ or ""), " " * 8)
        return f"    def {name}({arguments}) -> {self.given(result)}:\n{doc}\n        ...\n", name

    def given(self, ty: Type) -> str:
        """Returns the Python type of a result of this type."""
        match ty:
            case ("scalar", name):
                return _scalar(name).lower()
            case ("array", element, _):
                return f"NDArray[{_dtype(element)}]"
            case ("tuple", parts):
                return f"tuple[{', '.join(map(self.given, parts)) or '()'}]"
            case ("record", name, fields):
                return self.record(name, fields)
            case ("sum", *_):
                return "Variant"
            case ("opaque", *_):
                return "Opaque"
        raise AssertionError(ty)

    def taken(self, ty: Type) -> str:
        """Returns the Python type of the arguments that a parameter of this type accepts."""
        match ty:
            case ("scalar", name):
                return _scalar(name)
            case ("array", element, rank):
                number = f", {_scalar(element)}" if rank <= 3 else ""
                return f"Array{rank if rank <= 3 else ''}[{_dtype(element)}{number}]"
            case ("tuple", parts):
                return f"tuple[{', '.join(map(self.taken, parts)) or '()'}]"
            case ("record", name, fields):
                return self.record_in(name, fields)
            case ("sum", _, variants):
                bare = [f'"{mark}{name}"' for name, payload in variants if not payload for mark in ("", "#")]
                return f"Union[Variant, Literal[{', '.join(bare)}]]" if bare else "Variant"
            case ("opaque", _, element, 1, has_fields):
                return f"Union[{'Rows' if has_fields else 'Opaque'}, list[{self.taken(element)}]]"
            case ("opaque", _, _, _, has_fields):
                return "Rows" if has_fields else "Opaque"
        raise AssertionError(ty)

    def record(self, name: str, fields: list[tuple[str, Type]]) -> str:
        """Returns the class of a record, and writes the class at its first use."""
        word = self.word(name, fields)
        if word not in self.classes:
            lines = [f"    {_attribute(at, field)}: {self.given(ty)}\n" for at, (field, ty) in enumerate(fields)]
            self.classes[word] = f'class {word}(NamedTuple):\n    """The record `{name}`."""\n\n{"".join(lines)}'
        return word

    def record_in(self, name: str, fields: list[tuple[str, Type]]) -> str:
        """Returns the type of the arguments for a record: a dict, or an object with its fields as attributes."""
        self.record(name, fields)
        word = f"_{self.word(name, fields).lstrip('_')}"
        if f"{word}_in" not in self.classes:
            taken = [(field, self.taken(ty)) for field, ty in fields]
            by_name = ", ".join(f'"{field}": {ty}' for field, ty in taken)
            lines = [f"    @property\n    def {field}(self) -> {ty}: ...\n" for field, ty in taken if is_word(field)]
            self.classes[f"{word}_in"] = (
                f"class {word}_attributes(Protocol):\n{''.join(lines) or '    ...'}\n"
                f'{word}_dict = TypedDict("{word}_dict", {{{by_name}}})\n'
                f"{word}_in = Union[{word}_attributes, {word}_dict]\n"
            )
        return f"{word}_in"

    def word(self, name: str, fields: list[tuple[str, Type]]) -> str:
        """Returns the name of the class of a record: the name of its type if that is valid and unused, otherwise a numbered name."""
        key = (name, str(fields))
        if key not in self.words:
            used = set(self.words.values())
            number = sum(word.startswith("_record") for word in used) + 1
            own = is_word(name) and name.isascii() and name not in _TAKEN | used and not re.fullmatch(r"_.*|record\d+", name)
            self.words[key] = name if own else f"_record{number}"
        return self.words[key]


def _attribute(at: int, field: str) -> str:
    """Returns the name of a field in a named tuple."""
    return field if is_word(field) and not field.startswith("_") else f"_{at}"


_TAKEN = {"Any", "Literal", "NamedTuple", "Protocol", "TypedDict", "Union", "NDArray", "Opaque", "Variant", "Program"} | {
    "Array", "Array1", "Array2", "Array3", "Bool", "Compiled", "Float", "Given", "Int", "Rows", "numpy", "program",
    "bool", "int", "float", "list", "tuple",
}  # fmt: skip


def _scalar(name: str) -> str:
    return {"b": "Bool", "f": "Float"}.get(name[0], "Int")


def _dtype(name: str) -> str:
    return f"numpy.{_DTYPES.get(name) or re.sub('^u', 'uint', re.sub('^i', 'int', name))}"


def _doc(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = escaped.split("\n")
    return f'"""{escaped}"""' if len(lines) == 1 else f'"""{escaped}\n"""'
