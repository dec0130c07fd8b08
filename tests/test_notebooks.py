"""Every notebook is paired with a script of the same content (they are executed by `pytest --nbmake notebooks`)."""

from __future__ import annotations

from pathlib import Path

import jupytext
import pytest

NOTEBOOKS = sorted(Path("notebooks").glob("*.ipynb"))


def test_there_are_notebooks_and_every_script_has_one():
    assert NOTEBOOKS
    assert {path.stem for path in NOTEBOOKS} == {path.stem for path in Path("notebooks").glob("*.py")}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_and_script_have_the_same_cells(path):
    notebook, script = jupytext.read(path), jupytext.read(path.with_suffix(".py"))
    assert [(cell.cell_type, cell.source) for cell in notebook.cells] == [
        (cell.cell_type, cell.source) for cell in script.cells
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_was_committed_executed_and_without_errors(path):
    cells = [cell for cell in jupytext.read(path).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
