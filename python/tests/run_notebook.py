#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Runs a notebook as Jupyter would, from the first cell to the last, and keeps it with what it has shown:

    run_notebook.py NOTEBOOK RESULT

Fails if a cell does, with what the cell says, or if none of them shows a picture."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError


def main() -> int:
    source, result = map(Path, sys.argv[1:])
    notebook = nbformat.read(source, as_version=4)
    nbformat.validate(notebook)
    try:
        NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=result.parent)
    except CellExecutionError as failure:
        print(failure, file=sys.stderr)
        return 1
    nbformat.write(notebook, result)
    shown = [out.get("data", {}) for cell in notebook.cells for out in cell.get("outputs", [])]
    pictures = sum("image/png" in data for data in shown)
    print(f"{len(notebook.cells)} cells, {pictures} pictures: {result}")
    return 0 if pictures else 1


if __name__ == "__main__":
    sys.exit(main())
