"""Builds character packages for tests: a folder of files, and agents in a few lines."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["agent", "build", "zip_of"]


def build(
    root: Path,
    files: Mapping[str, str | bytes] | None = None,
    *,
    agents: Sequence[object] | None = None,
    **config: Any,
) -> Path:
    """Write a package below `root` and return it.

    `agents` defaults to every code file that `files` has in `agents/`; further keywords are keys
    of config.json, whose name is "Test" unless given.
    """
    given = dict(files or {})
    if agents is None:
        agents = [
            path.removeprefix("agents/").rsplit(".", 1)[0]
            for path in given
            if path.startswith("agents/") and "/" not in path.removeprefix("agents/")
        ]
    given.setdefault("config.json", json.dumps({"name": "Test", "agents": list(agents), **config}))
    for path, content in given.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def zip_of(root: Path, target: Path, *, inside: str = "") -> Path:
    """Zip the files below `root`, in a folder named `inside` when given."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(root.rglob("*")):
            if path.is_file():
                name = path.relative_to(root).as_posix()
                archive.write(path, f"{inside}/{name}" if inside else name)
    return target


def agent(
    agent_id: str,
    body: str = "",
    *,
    tools: Mapping[str, Mapping[str, Any]] | Sequence[str] = (),
    commands: Mapping[str, str] | None = None,
    tags: str = "",
) -> str:
    """Return the source of a JavaScript agent.

    `tools` are names, or names with the properties of their parameters (all required). `commands`
    pairs "@name" with a handler. `tags` are further manifest lines, without their stars.
    """
    lines = [f"@agent {agent_id}", *tags.splitlines()]
    named = tools if isinstance(tools, Mapping) else {name: {} for name in tools}
    for name, properties in named.items():
        schema = {"type": "object", "properties": properties, "required": list(properties)}
        lines += [
            f"@tool {name}",
            f"@tool-description Does {name}",
            f"@tool-params {json.dumps(schema)}",
        ]
    lines += [f"@command {name} {handler}" for name, handler in (commands or {}).items()]
    manifest = "\n".join(f" * {line.strip()}" for line in lines)
    return f"/**\n{manifest}\n */\n{body}\n"
