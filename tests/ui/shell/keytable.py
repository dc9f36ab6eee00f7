"""The handbook's list of keys, made from the actions of the window.

    QT_QPA_PLATFORM=offscreen python -m tests.ui.shell.keytable

writes `resources/handbook/keys.md` anew, when an action got other words or keys.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from PySide6.QtWidgets import QApplication

import studio_qt
from studio_qt.ui.palette.shortcuts import key_lines
from studio_qt.ui.window import StudioWindow
from tests.ui.look.scene import Scene

__all__ = ["PAGE", "main", "page_of"]

PAGE = Path(studio_qt.__file__).parents[1] / "resources" / "handbook" / "keys.md"

_HEAD = """# Keys

Every key of the window, menu by menu, as *Help, Keyboard shortcuts* (`Ctrl+F1`) lists them. On a
Mac `Ctrl` is Command. Where two commands have the same keys, the one nearest to what you are
working in gets them: `Ctrl+D` in the tree copies a file, in an editor a line.
"""


def page_of(window: StudioWindow) -> str:
    """Return the page for the actions that a window has."""
    sections = []
    for menu, lines in key_lines(window.inside.desk.actions).items():
        rows = (f"| {does} | {_keys(keys)} |" for keys, does in lines)
        sections.append("\n".join([f"## {menu}\n", "| does | keys |", "|---|---|", *rows]))
    tables = "\n\n".join(sections)
    return f"{_HEAD}\n{tables}\n"


def _keys(text: str) -> str:
    """Return keys as code, each alone; a bar would end the cell."""
    return ", ".join(f"`{one}`" for one in text.replace("|", "\\|").split(", "))


async def _write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with Scene(Path(folder)) as scene:
            window = (await scene.stage(scene.keeper())).window
            PAGE.write_text(page_of(window), encoding="utf-8")


def main() -> None:
    """Write the page."""
    from tests.support.qtloop import new_loop

    app = QApplication.instance() or QApplication(sys.argv[:1])
    loop = new_loop()
    asyncio.set_event_loop(loop)
    loop.run_until_complete(_write())
    asyncio.set_event_loop(None)
    loop.close()
    del app


if __name__ == "__main__":
    main()
