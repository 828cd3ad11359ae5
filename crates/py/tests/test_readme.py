"""The Python examples of README and docs run as they stand."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/methods").glob("*.md"))]
EXAMPLES = [
    pytest.param(page, code, id=page.stem)
    for page in PAGES
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
]


def test_there_are_examples():
    assert {example.values[0].stem for example in EXAMPLES} >= {"README", "python"}


@pytest.mark.parametrize(("page", "code"), EXAMPLES)
def test_example(page, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(page), "exec"), {"__name__": "example"})
