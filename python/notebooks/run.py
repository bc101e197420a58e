"""Runs the notebooks from top to bottom: ``python run.py [FOLDER]``. With a folder, what they showed is written there."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main() -> None:
    """Stops at the first cell that fails, with its error."""
    here = Path(__file__).parent
    shown = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for file in sorted(here.glob("*.ipynb")):
        begun = time.monotonic()
        notebook = nbformat.read(file, as_version=4)
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(here)}}).execute()
        if shown is not None:
            shown.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, shown / file.name)
        print(f"{file.stem}: {time.monotonic() - begun:.1f} s")


if __name__ == "__main__":
    main()
