"""The README's examples, run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.terminal.conftest import Studio, studio  # noqa: F401  (a fixture)

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.mark.clause("CONS-01", "CONS-02")
def test_the_example_of_embedding_runs(studio: Studio, tmp_path: Path) -> None:  # noqa: F811
    example = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert studio("new", "lantern", "--template", "lantern-keeper").code == 0
    run = subprocess.run(
        [sys.executable, "-c", example[1]], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "roll_dice" in run.stdout


def test_every_link_of_the_readme_leads_to_a_file() -> None:
    text = README.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in link:
            assert (README.parent / link).exists(), link
