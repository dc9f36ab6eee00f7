"""Shows screens in every look that is asked for: `python -m tests.ui.look.showing --help`.

Walking and taking pictures at another scale needs a process of its own, since Qt reads the scale
at its start; `QT_SCALE_FACTOR` is for whoever starts it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from PySide6.QtCore import QLockFile
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication, QWidget

from tests.support.qt import until
from tests.ui.look.scene import Scene
from tests.ui.look.screens import SCREENS, Screen
from tests.ui.look.walker import top_of
from tests.ui.look.walking import walk

__all__ = ["CROSSED", "FEW", "LOOKS", "Look", "dress", "main", "showing", "take", "walk_screen"]

Look = tuple[str, str]
"""A theme, and "large" or "small"."""

THEMES = ("light", "dark")
LOOKS: tuple[Look, ...] = (
    ("light", "large"),
    ("light", "small"),
    ("dark", "small"),
    ("dark", "large"),
    ("contrast", "large"),
)
FEW: tuple[Look, ...] = (("light", "small"), ("dark", "large"))
"""What states of pages are walked in."""

CROSSED: tuple[Look, ...] = FEW
"""What another scale is walked in, without colours: it moves nothing, but may round or cut."""


@asynccontextmanager
async def showing(screen: Screen, folder: Path) -> AsyncIterator[tuple[Scene, QWidget]]:
    """Build a screen, give its window, and close everything at the end."""
    async with Scene(folder) as scene:
        window = await screen.build(scene)
        window.activateWindow()
        await until(window.isActiveWindow)
        yield scene, window


async def dress(
    scene: Scene, window: QWidget, theme: str, size: tuple[int, int], *, moving: bool = False
) -> None:
    """Give a window a theme and a size, and wait until it stands still, unless it never does."""
    assert scene.theme is not None
    if scene.theme.choice != theme:
        scene.theme.choose(theme)
        await until(lambda: scene.theme is None or scene.theme.settled)
    window.resize(*size)
    for _ in range(4):  # what is laid out later, and what that sets off
        await asyncio.sleep(0.03)
    if not moving:
        await until(lambda: getattr(window, "settled", True), 20)


async def walk_screen(
    screen: Screen, folder: Path, looks: Sequence[Look], *, colours: bool = True
) -> list[str]:
    """Return what is wrong with a screen in each look; with colours, in the first of each theme."""
    faults, seen = [], set[str]()
    async with showing(screen, folder) as (scene, window):
        for theme, place in looks:
            size = screen.small if place == "small" else screen.size
            await dress(scene, window, theme, size, moving=screen.moving)
            high, new = theme == "contrast", theme not in seen
            found = walk(top_of(window), high_contrast=high, colours=colours and new)
            seen.add(theme)
            faults += [f"{theme} {size[0]}×{size[1]}: {fault}" for fault in found]
    return faults


async def take(name: str, folder: Path, out: Path) -> list[str]:
    """Write the pictures of a screen and return their names."""
    screen, names = SCREENS[name], []
    async with showing(screen, folder) as (scene, window):
        for theme in THEMES:
            await dress(scene, window, theme, screen.size)
            picture = await _still(window)
            scale = round(picture.devicePixelRatio() * 100)
            target = out / f"{name}-{theme}{'' if scale == 100 else f'-{scale}'}.webp"
            if not picture.save(str(target), "WEBP", 100):  # 100: nothing is lost
                raise OSError(f"{target} cannot be written.")
            names.append(target.name)
    return names


async def _still(window: QWidget) -> QPixmap:
    """Return the picture of a window that has not changed for a while."""
    before, alike = window.grab().toImage(), 0
    async with asyncio.timeout(20):
        while alike < 2:
            await asyncio.sleep(0.1)
            now = window.grab().toImage()
            alike = alike + 1 if now == before else 0
            before = now
    return QPixmap.fromImage(before)


async def _run(options: argparse.Namespace) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    pictures = options.out is not None
    looks = [look for look in (CROSSED if options.crossed else LOOKS) if look[0] in options.themes]
    steady = [name for name, screen in SCREENS.items() if screen.steady]
    for name in options.names or (steady if pictures else SCREENS):
        with _folder(fixed=pictures) as folder:
            if pictures:
                told[name] = await take(name, folder, options.out)
            else:
                whole = not options.crossed
                told[name] = await walk_screen(SCREENS[name], folder, looks, colours=whole)
    return told


@contextmanager
def _folder(*, fixed: bool) -> Iterator[Path]:
    """Give a folder; `fixed`: always the same one, since some screens show where files are."""
    if not fixed:
        with tempfile.TemporaryDirectory(prefix="screens-") as name:
            yield Path(name)
        return
    folder = Path(tempfile.gettempdir()) / "studio-pictures"
    lock = QLockFile(f"{folder}.lock")  # another run waits until this screen is done
    lock.setStaleLockTime(0)
    lock.lock()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.unlock()


def main(arguments: Sequence[str] | None = None) -> int:
    """Walk over screens, or write their pictures; print what came of it as JSON."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("names", nargs="*", choices=[*SCREENS, []], help="all without any")
    parser.add_argument("--out", type=Path, help="a folder for pictures; without it, walk")
    parser.add_argument("--themes", nargs="+", default=[*THEMES, "contrast"])
    parser.add_argument("--crossed", action="store_true", help="walk light small, dark large only")
    options = parser.parse_args(arguments)
    from tests.support.qtloop import new_loop

    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication.instance() or QApplication(sys.argv[:1])
    QApplication.setCursorFlashTime(0)  # a caret that blinks makes no two pictures alike
    loop = new_loop()
    asyncio.set_event_loop(loop)
    try:
        print(json.dumps(loop.run_until_complete(_run(options)), indent=1, ensure_ascii=False))
    finally:
        asyncio.set_event_loop(None)
        loop.close()
        del app
    return 0


if __name__ == "__main__":
    sys.exit(main())
