"""The examples of the pages, run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGES = ["docs/python.md", "README.md", "python/README.md", "docs/book/src/python.md", "docs/book/src/solvers.md"]


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    if "gymnasium" in (root / page).read_text():
        pytest.importorskip("gymnasium")
    (tmp_path / "scenes").symlink_to(root / "scenes")
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"^```python\n(.*?)^```", (root / page).read_text(), flags=re.M | re.S)
    assert examples
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, page, "exec"), names)  # noqa: S102
