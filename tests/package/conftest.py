"""Builders for packages on disk."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio_qt.package import CharacterPackage, load_package

Files = dict[str, str | bytes]
Load = Callable[..., CharacterPackage]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Write files into a folder, config.json from keyword arguments, and load it."""

    def write_and_load(files: Files | None = None, **config: object) -> CharacterPackage:
        root = tmp_path / "Aria"
        root.mkdir(exist_ok=True)
        given: Files = {"instructions.txt": "Be Aria.", **(files or {})}
        given.setdefault("config.json", json.dumps(config, ensure_ascii=False, indent=2))
        for path, content in given.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.encode() if isinstance(content, str) else content)
        return load_package(root)

    return write_and_load


def js(agent: str, *tags: str) -> str:
    """Return a JavaScript agent with these further tag lines."""
    lines = "".join(f" * {line}\n" for line in (f"@agent {agent}", *tags))
    return f"/**\n{lines} */\nexport function onToolCall() {{ return ''; }}\n"


def messages(package: CharacterPackage) -> list[str]:
    """Return the problems as the lines that people read."""
    return [str(problem) for problem in package.problems]
