"""The examples of docs/python.md, docs/distributed.md and README run and give the shown results."""

import ast
import contextlib
import importlib.util
import io
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FENCE = re.compile(r"^```python *(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"# (=>|prints:) ?(.*)")


def blocks(file):
    """Returns the Python blocks of a file: the first line of each, the additional module that it needs, and its text."""
    text = (ROOT / file).read_text()
    return [(text[: found.start(2)].count("\n") + 1, found[1], found[2]) for found in FENCE.finditer(text)]


def expectations(text):
    """Returns, by the last line of the statement, whether a value or a print is shown, and the shown text."""
    lines, found = text.splitlines(), {}
    for number, line in enumerate(lines, 1):
        if shown := SHOWN.fullmatch(line):
            column = line.index(shown[2], len(shown[1]) + 2) if shown[2] else 0
            more = []
            for later in lines[number:]:
                if not later.startswith("#") or SHOWN.fullmatch(later):
                    break
                assert later[1:column].strip() == "", f"the comment is not indented as the one above: {later}"
                more.append(later[column:])
            found[number - 1] = (shown[1], "\n".join([shown[2], *more]))
    return found


def run(text, names, file, first):
    """Runs a block and returns the number of compared values and prints."""
    expected = expectations(text)
    compared = len(expected)
    tree = ast.parse(text)
    printed = io.StringIO()
    for node in tree.body:
        ast.increment_lineno(node, first - 1)
        last = node.end_lineno - first + 1
        kind, shown = expected.pop(last, (None, None))
        if kind == "=>":
            value = eval(compile(ast.Expression(node.value), file, "eval"), names)
            assert agrees(repr(value), shown), f"{file}:{node.lineno}: {value!r}, and not {shown}"
            continue
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module([node], []), file, "exec"), names)
        if kind == "prints:":
            assert agrees(printed.getvalue().rstrip("\n"), shown), f"{file}:{node.lineno}: {printed.getvalue()}"
            printed.truncate(0)
            printed.seek(0)
    assert not expected, f"{file}: nothing is compared with {expected}"
    assert not printed.getvalue(), f"{file}:{first}: printed, and not shown: {printed.getvalue()}"
    return compared


def agrees(found, shown):
    """Returns whether a text matches the shown one; `...` stands for anything."""
    pattern = ".*".join(map(re.escape, shown.split("...")))
    return re.fullmatch(pattern, found, re.DOTALL) is not None


@pytest.mark.parametrize(("file", "least"), [("docs/python.md", 44), ("docs/distributed.md", 11), ("README.md", 1)])
def test_the_examples(file, least, monkeypatch):
    if "distributed" in file:
        pytest.importorskip("dask.array")
    monkeypatch.setattr(sys, "meta_path", sys.meta_path[:])
    names, compared = {}, 0
    for first, needed, text in blocks(file):
        if not needed or importlib.util.find_spec(needed):
            compared += run(text, names, file, first)
    assert compared >= least


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_the_examples_with_other_libraries(library):
    assert library in [needed for _, needed, _ in blocks("docs/python.md")]
    pytest.importorskip(library, reason="its block of docs/python.md was left out")


def test_what_is_wrong_is_found():
    run("1 + 1\n# => 2\nprint(3)\n# prints: 3\n", {}, "page", 1)
    for wrong in ("1 + 1\n# => 3\n", "print(1)\n# prints: 2\n", "print(1)\n", "x = 1\n\n# => 1\n", "1 / 0\n"):
        with pytest.raises((AssertionError, ZeroDivisionError)):
            run(wrong, {}, "page", 1)
