"""Runs the notebook from the first cell to the last, and checks its outputs."""

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "queens.ipynb"


def test_the_notebook_runs() -> None:
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=None, startup_timeout=3600, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    shown = [output.data for output in outputs if "data" in output]
    drawings = [data["image/svg+xml"] for data in shown if "image/svg+xml" in data]
    # Drawings: one solution, all 92 and the twelve fundamental ones. Also two pages of trees and a plot.
    queens = [drawing.count('href="#queen-') for drawing in drawings]
    assert queens == [8, 92 * 8, 12 * 8]
    assert sum("<iframe" in data.get("text/html", "") for data in shown) == 2
    assert any("image/png" in data for data in shown)
    assert "666,090,624" in outputs[-1].data["text/plain"]
