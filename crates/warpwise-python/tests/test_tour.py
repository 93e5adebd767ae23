"""The notebook of the tour: its cells run, and their outputs equal the saved ones."""

import importlib.util
from pathlib import Path

import pytest

for module in ("nbformat", "nbclient", "ipykernel", "pyarrow"):
    pytest.importorskip(module)

FOLDER = Path(__file__).parents[3] / "examples" / "python"


@pytest.fixture(scope="module")
def tour():
    spec = importlib.util.spec_from_file_location("tour", FOLDER / "tour.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_saved_notebook_shows_what_its_cells_show(tour):
    import nbformat

    saved = nbformat.read(tour.NOTEBOOK, 4)
    nbformat.validate(saved)
    cells = [(cell.cell_type, cell.source) for cell in saved.cells]
    assert cells == [(cell.cell_type, cell.source) for cell in tour.unexecuted().cells], "run examples/python/tour.py"
    executed = tour.executed()
    assert tour.texts(executed) == tour.texts(saved), "run examples/python/tour.py"
    shown = [kind for _, _, kinds in tour.texts(executed) for kind in kinds]
    assert shown == ["image/png", "image/png"]
    failed = [cell.id for cell in executed.cells for output in cell.get("outputs", []) if output.output_type == "error"]
    assert len(failed) == 1, "the one that shows a message"
    messages = [output.data["text/html"] for cell in executed.cells for output in cell.get("outputs", []) if "text/html" in output.get("data", {})]
    assert len(messages) == 1 and "factor" in messages[0] and "^^^^^^" in messages[0]
