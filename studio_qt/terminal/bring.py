"""`studio-qt import`: a zip, a card or an address, unpacked into a folder to edit."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from studio_qt.authoring.importing import Incoming, open_zip, unpack
from studio_qt.authoring.incoming import open_file
from studio_qt.authoring.trust import TrustBook
from studio_qt.errors import PackageError
from studio_qt.package import load_package
from studio_qt.package.download import download_package, is_url
from studio_qt.settings import home_folder

__all__ = ["bring"]


def bring(where: str, folder: Path) -> int:
    """Unpack a character into a new or empty folder and say what to do next; returns 0.

    Its code is asked about before it first runs in the window. Raises PackageError for what is
    refused, StudioError for a folder that holds something, StorageError.
    """
    incoming = asyncio.run(_incoming(where))
    unpack(incoming, folder)
    TrustBook(home_folder()).came_from(folder, where)
    for note in incoming.notes:
        sys.stderr.write(f"{note}\n")
    name = incoming.name
    with suppress(PackageError):  # then it is called as its file is, to be mended
        name = load_package(folder).name
    quoted = f'"{folder}"' if " " in str(folder) else str(folder)
    sys.stdout.write(
        f"{name} is in {folder}.\n"
        f"Check it:   studio-qt validate {quoted}\n"
        f"Play it:    studio-qt play {quoted}\n"
        f"Change it:  studio-qt {quoted}\n"
    )
    return 0


async def _incoming(where: str) -> Incoming:
    if is_url(where):
        return open_zip(await download_package(where))
    return await asyncio.to_thread(open_file, Path(where))
