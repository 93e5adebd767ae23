"""Notebooks: the magic, messages, pictures, documentation. The shell is IPython's own, without a front end."""

import struct
import zlib

import numpy as np
import pytest

import warpwise

interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
capture = pytest.importorskip("IPython.utils.capture")

CELL = r"""%%warpwise --name prog
-- | Doubles a number.
entry twice (x: i32) : i32 = 2 * x
type point = {x: f32, y: f32}
entry point (x: f32) : point = {x, y = 1}
entry picture (h: i64) (w: i64) : [h][w][3]u8 = tabulate_2d h w (\i j -> [u8.i64 i, u8.i64 j, 7])
entry grey (h: i64) (w: i64) : [h][w]u8 = tabulate_2d h w (\i j -> u8.i64 (i * j))
entry lambda = 3i32
"""


@pytest.fixture
def shell():
    interactiveshell.InteractiveShell.clear_instance()
    shell = interactiveshell.InteractiveShell.instance(colors="nocolor")
    shell.run_cell("%load_ext warpwise")
    yield shell
    shell.run_cell("%unload_ext warpwise")
    interactiveshell.InteractiveShell.clear_instance()


def run(shell, cell):
    """Returns the result of a cell, its displayed outputs, and its printed text."""
    with capture.capture_output() as captured:
        done = shell.run_cell(cell, store_history=True)
    return done, captured.outputs, captured.stdout + captured.stderr


def decoded(png):
    """Decodes a picture, as an oracle: rows without filters, as the encoder writes them, with verified checksums."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, header = 8, b"", None
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + body)
        header = struct.unpack(">IIBBBBB", body) if name == b"IHDR" else header
        data += body if name == b"IDAT" else b""
        at += 12 + length
    width, height, depth, kind, *rest = header
    assert depth == 8 and rest == [0, 0, 0] and name == b"IEND"
    channels = {0: 1, 2: 3, 6: 4}[kind]
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + width * channels)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, channels)


def test_a_cell_puts_entry_points_into_the_namespace(shell):
    done, shown, printed = run(shell, CELL)
    assert done.success and not shown and not printed
    assert shell.user_ns["twice"](4) == 8 and shell.user_ns["prog"].twice(4) == 8
    assert "lambda" not in shell.user_ns and shell.user_ns["prog"]["lambda"]() == 3
    assert run(shell, "twice(21)")[0].result == 42
    assert shell.user_ns["point"](3.0) == (3, 1), "an entry point goes before a record of the same name"


def test_files_and_options(shell, tmp_path):
    (tmp_path / "some file.fut").write_text("entry half (x: f64) : f64 = x / 2\n")
    done, _, printed = run(shell, f'%warpwise "{tmp_path / "some file.fut"}" --name other --threads 1')
    assert done.success, printed
    assert shell.user_ns["half"](3) == 1.5 and shell.user_ns["other"].threads == 1
    for line in ("%warpwise", "%%warpwise a.fut\nentry f = 1i32", "%%warpwise --colour\nentry f = 1i32", "%%warpwise --name 3\nentry f = 1i32"):
        done, _, printed = run(shell, line)
        assert not done.success and "UsageError" in printed
    done, _, printed = run(shell, "%%warpwise --device abacus\nentry f = 1i32")
    assert isinstance(done.error_in_exec, ValueError)
    done, _, printed = run(shell, "%warpwise nowhere.fut")
    assert isinstance(done.error_in_exec, warpwise.CompileError)


def test_one_line_is_a_text_and_no_path(shell):
    done, shown, _ = run(shell, "%%warpwise\nnowhere.fut")
    assert isinstance(done.error_in_exec, warpwise.CompileError) and "cannot read" not in shown[0].data["text/plain"]


def test_messages_are_html_with_the_source(shell):
    done, shown, printed = run(shell, "%%warpwise\nentry f (x: i32) = <b> + y\n")
    assert isinstance(done.error_in_exec, warpwise.CompileError)
    [message] = shown
    html, plain = message.data["text/html"], message.data["text/plain"]
    assert "&lt;b&gt;" in html and "<b>" not in html.replace('<b style="color: #c62828">', "").replace("</b><b>", "")
    assert html.startswith("<pre") and '<b style="color: #c62828">^' in html and '<b style="color: #c62828">error[' in html
    assert "<cell 1>:1:" in plain and "entry f (x: i32) = <b> + y" in plain and "^" in plain
    assert printed.strip() == "CompileError: there is no program (1 message)", "and no more of a traceback"
    done, shown, _ = run(shell, "%%warpwise\nentry f (x: i32) = x + z\n")
    assert "<cell 2>:1:24" in shown[0].data["text/plain"]


def test_runs_that_fail_name_the_cell(shell):
    run(shell, "%%warpwise\nentry at [n] (xs: [n]i32) (i: i64) = xs[i]\n")
    done, _, printed = run(shell, "at([1, 2], 5)")
    assert isinstance(done.error_in_exec, warpwise.RunError) and "<cell 1>:1:" in printed


def test_warnings_are_shown_and_the_program_is_there(shell):
    done, shown, _ = run(shell, "%%warpwise\nentry f (x: i32) : i32 = let y = 3 in x\n")
    assert done.success and shell.user_ns["f"](1) == 1
    assert len(shown) == 1 and "warning" in shown[0].data["text/plain"]


def test_results_are_shown_as_pictures(shell):
    run(shell, CELL)
    formats = shell.display_formatter.format
    picture = shell.user_ns["picture"](5, 3)
    data, _ = formats(picture)
    assert (decoded(data["image/png"]) == picture).all() and "array" in data["text/plain"]
    for other in (shell.user_ns["grey"](5, 3), np.zeros((5, 3, 3), np.uint8), picture[0], shell.user_ns["picture"](0, 3)):
        assert "image/png" not in formats(other)[0], "matrices, arrays of others, parts and nothing"
    run(shell, "%unload_ext warpwise")
    assert "image/png" not in formats(picture)[0]


@pytest.mark.parametrize("shape", [(1, 1), (7, 5), (4, 6, 3), (2, 3, 4)])
def test_show(shell, shape):
    array = np.random.default_rng(1).integers(0, 256, shape, np.uint8)
    for given in (array, array[::-1], np.asfortranarray(array)):
        picture = warpwise.show(given)
        data, _ = shell.display_formatter.format(picture)
        assert (decoded(data["image/png"]) == np.asarray(given).reshape(*shape[:2], -1)).all()
        assert data["text/plain"] == f"<picture, {shape[1]} x {shape[0]}>"


def test_show_says_what_it_takes():
    for wrong in (np.zeros((2, 2)), np.zeros(3, np.uint8), np.zeros((2, 2, 2), np.uint8), np.uint8(3), None):
        with pytest.raises(TypeError, match="a picture is an array of bytes"):
            warpwise.show(wrong)
    with pytest.raises(ValueError, match="3 x 0 points"):
        warpwise.show(np.zeros((0, 3), np.uint8))


def test_question_marks_show_documentation(shell):
    run(shell, CELL)
    found = shell.object_inspect("twice")
    assert found["docstring"] == "twice (x: i32) : i32\n\nDoubles a number."
    assert found["definition"] == "twice(x: 'i32') -> 'i32'"
    assert "--threads" in shell.object_inspect("%warpwise")["docstring"]
