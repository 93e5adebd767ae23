"""Notebooks: the magic `%%warpwise`, messages with the source in HTML, and pictures."""

from __future__ import annotations

import argparse
import html
import importlib
import re
import shlex
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast

from . import CompileError, Program, compile
from ._stubs import is_word

if TYPE_CHECKING:
    import numpy
    from IPython.core.interactiveshell import InteractiveShell
    from numpy.typing import NDArray

_LARGEST = 1 << 24
"""Maximum number of points of a result that is shown as a picture without `show`."""


class Picture:
    """A picture that notebooks show. `png` holds the bytes of a PNG file."""

    def __init__(self, png: bytes, words: str) -> None:
        self.png = png
        self._words = words

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<picture, {self._words}>"


def show(array: NDArray[numpy.uint8]) -> Picture:
    """Returns a picture of an array of bytes: `[h][w]` is grey, `[h][w][3]` is red, green and blue, and `[h][w][4]` also has opacity.

    A notebook shows a picture that is the last expression of a cell. Raises `TypeError` for other arrays, and `ValueError` for empty ones.
    """
    import numpy

    points = numpy.asarray(array)
    channels = 1 if points.ndim == 2 else points.shape[2] if points.ndim == 3 else 0
    if points.dtype != numpy.uint8 or channels not in (1, 3, 4):
        found = f"{points.dtype} array of shape {points.shape}"
        raise TypeError(f"a picture is an array of bytes, [h][w]u8, [h][w][3]u8 or [h][w][4]u8, not a {found}")
    height, width = points.shape[:2]
    if not height or not width:
        raise ValueError(f"a picture of {width} x {height} points cannot be shown")
    return Picture(_png(numpy.ascontiguousarray(points), channels), f"{width} x {height}")


def _png(points: NDArray[numpy.uint8], channels: int) -> bytes:
    """Returns a PNG file (https://www.w3.org/TR/png-3/). Each row begins with the filter type 0, for no filter."""
    height, width = points.shape[:2]
    stride = width * channels
    raw = points.tobytes()
    rows = b"".join(b"\0" + raw[at : at + stride] for at in range(0, height * stride, stride))
    kind = {1: 0, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _result_png(array: NDArray[Any]) -> bytes | None:
    """Returns the picture of a result of type `[h][w][3]u8` or `[h][w][4]u8`. Returns None for arrays that are not results of programs, and for
    matrices, which need not be pictures."""
    is_result = type(array.base).__module__ == "warpwise._native"
    is_picture = array.dtype == "uint8" and array.ndim == 3 and array.shape[2] in (3, 4)
    return show(array).png if is_result and is_picture and 0 < array.size <= 4 * _LARGEST else None


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Implements `%load_ext warpwise`."""
    # IPython declares a type for this method that fits no call.
    cast("Any", shell).register_magic_function(_magic(shell), "line_cell", "warpwise")
    formatters = shell.display_formatter.formatters if shell.display_formatter else {}
    if "image/png" in formatters:
        formatters["image/png"].for_type_by_name("numpy", "ndarray", _result_png)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Implements `%unload_ext warpwise`."""
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("warpwise", None)
    formatters = shell.display_formatter.formatters if shell.display_formatter else {}
    if "image/png" in formatters:
        formatters["image/png"].pop("numpy.ndarray", None)


class _Parser(argparse.ArgumentParser):
    """A parser that reports mistakes as IPython does."""

    def error(self, message: str) -> NoReturn:
        from IPython.core.error import UsageError

        raise UsageError(message)


def _parser() -> _Parser:
    parser = _Parser(
        "%%warpwise",
        description="Compiles a program, the text of the cell or a file, and puts its entry points into the namespace.",
        add_help=False,
    )
    parser.add_argument("file", nargs="?", help="as a line, %%warpwise FILE: the program")
    parser.add_argument("--name", help="what the program is called in the namespace")
    parser.add_argument("--device", help="where it runs: cpu, opencl, cuda:1, ...")
    parser.add_argument("--threads", type=int, help="how many threads it uses")
    parser.add_argument("--strict-fp", action="store_true", help="floats are computed exactly as written")
    parser.add_argument("--fast-math", action="store_true", help="approximate divisions are allowed")
    parser.add_argument("--unchecked", action="store_true", help="indices are not checked")
    return parser


def _magic(shell: InteractiveShell) -> Callable[..., None]:
    parser = _parser()

    def warpwise(line: str, cell: str | None = None) -> None:
        options = vars(parser.parse_args(shlex.split(line)))
        name, file = options.pop("name"), options.pop("file")
        if (file is None) == (cell is None):
            parser.error("%%warpwise takes a cell, and %warpwise a file")
        if name is not None and not is_word(name):
            parser.error(f"--name {name}: this is no name of Python's")
        program = _compiled(shell, file, cell, options)
        if program.warnings:
            _shown(program.warnings)
        names = {entry: program[entry] for entry in program.entries if is_word(entry)}
        shell.user_ns.update(program.records | names | ({name: program} if name else {}))

    warpwise.__doc__ = parser.format_help()
    return warpwise


def _compiled(shell: InteractiveShell, file: str | None, cell: str | None, options: dict[str, Any]) -> Program:
    try:
        if cell is None:
            return compile(Path(str(file)), **options)
        number = len(shell.history_manager.input_hist_raw) - 1 if shell.history_manager else 0
        return compile(_text(cell), name=f"<cell {number}>", **options)
    except CompileError as error:
        _shown(str(error))
        # The message is already shown, and its position in this file is of no use.
        count = len(error.diagnostics)
        summary = "CompileError: there is no program" + (f" ({count} message{'s' * (count > 1)})" if count else "")
        error._render_traceback_ = lambda *_, **__: [summary]  # type: ignore[attr-defined]
        raise


def _text(cell: str) -> str:
    """Returns the text of a cell in a form that `compile` does not take for a path, even if it is one line."""
    return cell if "\n" in cell else f"{cell}\n"


def _shown(text: str) -> None:
    """Shows messages of the compiler, in colours if the front end supports HTML."""
    display: Any = importlib.import_module("IPython.display").display
    display({"text/plain": text, "text/html": message_html(text)}, raw=True)


def message_html(text: str) -> str:
    """Returns messages of the compiler as HTML, with coloured severities and carets."""
    return f'<pre style="line-height: 1.3">{"".join(map(_line_html, text.splitlines(keepends=True)))}</pre>'


def _line_html(line: str) -> str:
    escaped = html.escape(line.rstrip("\n"))
    heading = re.match(r"(error|warning)(\[\w+\])?:", escaped)
    if heading:
        colour = "#c62828" if heading[1] == "error" else "#b26a00"
        escaped = f'<b style="color: {colour}">{heading[0]}</b><b>{escaped[heading.end() :]}</b>'
    marks = re.fullmatch(r"(\s*\|\s*)(\^.*)", escaped)
    if marks:
        escaped = f'{marks[1]}<b style="color: #c62828">{marks[2]}</b>'
    return escaped + "\n"
