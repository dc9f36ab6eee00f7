"""The README's examples, run as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.terminal.conftest import Studio, studio  # noqa: F401  (a fixture)

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
HANDBOOK = ROOT / "resources" / "handbook"
PAGES = [*ROOT.glob("*.md"), *HANDBOOK.glob("*.md")]


@pytest.mark.clause("CONS-01", "CONS-02")
def test_the_example_of_embedding_runs(studio: Studio, tmp_path: Path) -> None:  # noqa: F811
    example = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert studio("new", "lantern", "--template", "lantern-keeper").code == 0
    run = subprocess.run(
        [sys.executable, "-c", example[1]], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert "roll_dice" in run.stdout


@pytest.mark.clause("CONS-01", "CONS-02", "CONS-03")
def test_the_handbooks_examples_of_embedding_run(studio: Studio, tmp_path: Path) -> None:  # noqa: F811
    page = (HANDBOOK / "embedding.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 7
    body = textwrap.indent("\n".join(blocks), "    ")
    program = f"import asyncio\nasync def main():\n{body}\nasyncio.run(main())\n"
    assert studio("new", "lantern", "--template", "lantern-keeper").code == 0
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def test_the_handbook_lists_all_its_pages() -> None:
    index = (HANDBOOK / "index.md").read_text(encoding="utf-8")
    pages = {page.name for page in HANDBOOK.glob("*.md")} - {"index.md"}
    assert {name for name in pages if f"({name})" not in index} == set()
