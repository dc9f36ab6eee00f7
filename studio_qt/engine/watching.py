"""Hot reload: the package is loaded again when its files change (STU-02)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from studio_qt.engine.events import ErrorRaised, Event
from studio_qt.errors import StudioError
from studio_qt.files import Source, folder_of
from studio_qt.files.watching import FolderWatcher

__all__ = ["PackageWatch"]

_log = logging.getLogger(__name__)


class PackageWatch:
    """Watches the folder of a package and reloads, one reload at a time; a zip is not watched.

    A package that cannot be loaded is told as an `error` event, and the old one goes on. The data
    folder and everything in dot-folders of tools do not count.
    """

    def __init__(
        self, reload: Callable[[], Awaitable[None]], emit: Callable[[Event], None]
    ) -> None:
        self._reload = reload
        self._emit = emit
        self._watcher: FolderWatcher | None = None
        self._changed = asyncio.Event()
        self._work: asyncio.Task[None] | None = None

    async def start(self, source: Source, data_folder: Path) -> None:
        """Begin to watch; without effect for a package that is no folder."""
        folder = folder_of(source)
        if folder is None:
            return
        root, data = await asyncio.to_thread(lambda: (folder.resolve(), data_folder.resolve()))
        ours = data.relative_to(root).as_posix() if data.is_relative_to(root) else None

        def ignore(path: str) -> bool:
            hidden = any(part.startswith(".") for part in path.split("/")[:-1])
            return hidden or (ours is not None and f"{path}/".startswith(f"{ours}/"))

        self._work = asyncio.get_running_loop().create_task(self._run(), name="package watch")
        self._watcher = FolderWatcher(root, lambda _: self._changed.set(), ignore=ignore)
        await self._watcher.start()

    async def close(self) -> None:
        """Stop watching; twice is harmless."""
        if self._watcher is not None:
            await self._watcher.close()
        if self._work is not None:
            self._work.cancel()
            await asyncio.wait([self._work])

    async def _run(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._reload()
            except StudioError as error:
                self._emit(ErrorRaised(error))
            except Exception:  # noqa: BLE001 - the border of a task: told whole, and the next change is heard
                _log.exception("Loading the package again failed.")
