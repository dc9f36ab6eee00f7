"""The import rules see what is imported lazily and for typing, too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the sources, to break."""
    shutil.copytree(
        ROOT / "studio_qt", tmp_path / "studio_qt", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def _lint(checkout: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_sources_keep_the_rules_and_faults_of_every_kind_are_seen(checkout: Path) -> None:
    whole = _lint(checkout)
    assert whole.returncode == 0, whole.stdout
    faults = {
        "engine/events.py": "def late():\n    import PySide6.QtCore\n",
        "files/source.py": "if TYPE_CHECKING:\n    from studio_qt.engine import player\n",
        "terminal/play.py": "import studio_qt.ui\n",
        "package/model.py": "def late():\n    from studio_qt.sandbox import outcome\n",
    }
    for name, fault in faults.items():
        with (checkout / "studio_qt" / name).open("a", encoding="utf-8") as source:
            source.write(f"\nfrom typing import TYPE_CHECKING\n{fault}")
    broken = _lint(checkout)
    assert broken.returncode == 1
    for said in (
        "studio_qt.engine.events -> PySide6",
        "studio_qt.files.source -> studio_qt.engine",
        "studio_qt.terminal.play -> studio_qt.ui",
        "studio_qt.package.model -> studio_qt.sandbox",
    ):
        assert said in broken.stdout
