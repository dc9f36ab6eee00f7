"""The pictures of the handbook: made by one command, the same each time, and small."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import studio_qt

ROOT = Path(studio_qt.__file__).parents[1]
HANDBOOK = ROOT / "resources" / "handbook"
SHOWN = re.compile(r"!\[[^\]]+\]\((?:resources/handbook/)?(images/[\w.-]+)\)")


def take(folder: Path, *arguments: str) -> dict[str, bytes]:
    """Run the command and return what it wrote."""
    command = [sys.executable, "packaging/pictures.py", *arguments, "--out", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_two_runs_make_the_same_pictures(tmp_path: Path) -> None:
    first = take(tmp_path / "first", "first-start", "--scales", "100")
    assert list(first) == ["first-start-dark.webp", "first-start-light.webp"]
    assert take(tmp_path / "second", "first-start", "--scales", "100") == first


def test_every_picture_of_the_handbook_is_shown_and_small() -> None:
    pages = [ROOT / "README.md", *HANDBOOK.glob("*.md")]
    named = {name for page in pages for name in SHOWN.findall(page.read_text(encoding="utf-8"))}
    there = {f"images/{path.name}": path.stat().st_size for path in HANDBOOK.glob("images/*")}
    assert named == set(there)
    assert {name: size for name, size in there.items() if size > 200 * 1024} == {}
