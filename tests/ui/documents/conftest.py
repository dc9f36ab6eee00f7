"""Open documents for the tests of this folder; closed with everything behind them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from PySide6.QtGui import QTextCursor

from studio_qt.ui.documents.document import Document
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.tasks import Tasks

__all__ = ["Bed", "type_at"]


def type_at(document: Document, text: str, position: int = 0) -> None:
    """Type as a user does, at a position counted from the start."""
    cursor = QTextCursor(document.text)
    cursor.setPosition(position)
    cursor.insertText(text)


class Bed:
    """A project folder and what is open of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tasks = Tasks()
        self.documents = Documents(self.tasks)
        self.notices: list[str] = []
        self.failures: list[Exception] = []
        self.documents.notice.connect(self.notices.append)
        self.tasks.failed.connect(self.failures.append)

    def write(self, path: str, content: bytes | str) -> Path:
        """Write a file as another program does."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def read(self, path: str) -> bytes:
        """Return what the disk has."""
        return (self.root / path).read_bytes()

    async def opened(self, path: str, content: bytes | str) -> Document:
        """Write a file and open it."""
        self.write(path, content)
        return await self.documents.open(path)

    async def told(self, *paths: str) -> None:
        """Tell that files have changed, as the watcher does."""
        await self.documents.files_changed(frozenset(paths))

    async def close(self) -> None:
        """End everything."""
        await self.documents.shutdown()
        await self.tasks.close()
        assert self.failures == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest_asyncio.fixture
async def new_bed(root: Path) -> AsyncIterator[Callable[[], Awaitable[Bed]]]:
    """Open the project once more, as a new start of the application does."""
    beds: list[Bed] = []

    async def open_bed() -> Bed:
        bed = Bed(root)
        beds.append(bed)
        await bed.documents.set_project(root)
        return bed

    yield open_bed
    for bed in beds:
        await bed.close()


@pytest_asyncio.fixture
async def bed(new_bed: Callable[[], Awaitable[Bed]]) -> Bed:
    return await new_bed()
