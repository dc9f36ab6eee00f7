"""What importing does beside the window: reading, fetching and unpacking, without Qt in it."""

from __future__ import annotations

import asyncio
import hashlib
import threading
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from studio_qt.authoring.arriving import Arrival, describe
from studio_qt.authoring.importing import (
    Incoming,
    folder_for,
    missing_folders,
    take_back,
    unpack,
)
from studio_qt.authoring.incoming import open_bytes, open_file
from studio_qt.authoring.trust import TrustBook
from studio_qt.errors import StorageError, StudioError
from studio_qt.files.atomic import storage_errors, write_atomic
from studio_qt.ui.importing import NETWORK, import_directly

__all__ = [
    "Found",
    "LeftoverError",
    "Told",
    "bring_in",
    "fetch",
    "free_place",
    "keep_zip",
    "look_at",
]

Told = Callable[[int, int], None]

_EACH_SECONDS = 0.05
"""How often progress is told."""

_ZIPS = "zips"


@dataclass(frozen=True, slots=True)
class Found:
    """A character that was read, and where from: a file, or `data` from an address."""

    incoming: Incoming
    arrival: Arrival
    origin: str
    place: Path | None = None
    data: bytes = b""

    @property
    def picture_data(self) -> dict[str, Callable[[], bytes]]:
        """What reads the files in its root, by name, among which the picture is."""
        return {path: read for path, read in self.incoming.files.items() if "/" not in path}


def look_at(place: Path) -> Found:
    """Read a file; raises PackageError."""
    incoming = open_file(place)
    return Found(incoming, describe(incoming), place.name, place)


async def fetch(address: str, told: Told) -> Found:
    """Fetch a file and read it; raises PackageError."""
    await asyncio.to_thread(import_directly, NETWORK)
    from studio_qt.package.download import download_file

    data, name = await download_file(address, told=_seldom(told))

    def read() -> Found:
        incoming = open_bytes(data, name or "character.zip")
        return Found(incoming, describe(incoming), address, data=data)

    return await asyncio.to_thread(read)


def free_place(found: Found, parent: Path) -> Path:
    """Return a folder for the character that is not there yet."""
    return folder_for(parent, found.arrival.name)


async def bring_in(found: Found, place: Path, home: Path, told: Told) -> None:
    """Unpack a character and note where it is from, so that its code is asked about.

    When this is cancelled, also in the last moment and more than once, nothing of it stays. Raises
    StudioError, StorageError; `LeftoverError` where a cancelled one could not be taken back.
    """
    if not place.is_absolute():
        raise StudioError("Give the whole path of the folder, from the top of the disk.")
    loop, stopped, tell = asyncio.get_running_loop(), threading.Event(), _seldom(told)
    missing = await asyncio.to_thread(missing_folders, place)

    def step(done: int, whole: int) -> None:
        if stopped.is_set():
            raise StudioError("Stopped.")
        loop.call_soon_threadsafe(tell, done, whole)

    def work() -> None:
        unpack(found.incoming, place, step)
        if not stopped.is_set():
            with suppress(StorageError):  # a place that is not in the book is asked about as well
                TrustBook(home).came_from(place, found.origin)

    running = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        stopped.set()
        await _to_the_end(_taken_back(running, place, missing))
        raise


class LeftoverError(StorageError):
    """What was stopped could not be removed whole."""


async def _taken_back(running: asyncio.Future[None], place: Path, missing: Sequence[Path]) -> None:
    """Wait for the work, and remove what it has finished before it heard of the stop."""
    try:
        await running
    except StudioError:
        return  # it has left nothing
    try:
        await asyncio.to_thread(take_back, place, missing)
    except StorageError as error:
        raise LeftoverError(str(error)) from error


async def _to_the_end(work: Coroutine[object, object, None]) -> None:
    """Await something that has to be done, however often that is cancelled."""
    running = asyncio.ensure_future(work)
    while not running.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([running])
    running.result()


def keep_zip(found: Found, home: Path) -> Path:
    """Return the file of a zip; one that was fetched is kept for the user first.

    The same address has the same file, so that conversations stay with it. Raises StorageError.
    """
    if found.place is not None:
        return found.place
    mark = hashlib.sha256(found.origin.encode()).hexdigest()[:12]
    words = folder_for(Path("-"), found.arrival.name).name[:40]
    place = home / _ZIPS / f"{words}-{mark}.zip"
    with storage_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(place, found.data)
    with suppress(StorageError):
        TrustBook(home).came_from(place, found.origin)
    return place


def _seldom(told: Told) -> Told:
    """Return what tells at most every 50 ms; the first time at once."""
    last = [0.0]

    def tell(done: int, whole: int) -> None:
        now = time.monotonic()
        if now - last[0] >= _EACH_SECONDS:
            last[0] = now
            told(done, whole)

    return tell
