"""The import hook: `import prog` finds `prog.fut`."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from . import Program, compile


def install_import_hook(**options: Any) -> None:
    """Makes `import prog` compile `prog.fut` if no other module of this name is found on the path.

    The module has the entry points as functions, the classes of records, and `program`. The options are those of `compile`. A second call
    replaces the options. The import raises `CompileError`.
    """
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    sys.meta_path.append(_Finder(options))


class _Finder(importlib.abc.MetaPathFinder):
    """A finder that looks for programs along the path. It is the last finder, so it hides no other module."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        for folder in sys.path if path is None else path:
            file = Path(folder or ".") / f"{fullname.rpartition('.')[2]}.fut"
            if file.is_file():
                loader = _Loader(file.resolve(), self.options)
                return importlib.machinery.ModuleSpec(fullname, loader, origin=str(file.resolve()))
        return None


class _Loader(importlib.abc.Loader):
    def __init__(self, file: Path, options: dict[str, Any]) -> None:
        self.file = file
        self.options = options

    def exec_module(self, module: ModuleType) -> None:
        program: Program = compile(self.file, **self.options)
        module.__file__ = str(self.file)
        module.__doc__ = repr(program)
        vars(module).update(program.records)
        vars(module).update({name: program[name] for name in program.entries})
        vars(module)["program"] = program
