"""Replacing in the files that were found: open ones in their editors, the others on the disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from studio_qt.errors import StudioError
from studio_qt.ui.documents.disk import digest_of
from studio_qt.ui.documents.following import take_text
from studio_qt.ui.search.engine import FileHits, Query, replace_file, replace_text, text_mark

if TYPE_CHECKING:
    from studio_qt.ui.documents.document import Document
    from studio_qt.ui.documents.documents import Documents

__all__ = ["Replaced", "replace_all"]


@dataclass(slots=True)
class Replaced:
    """How it went; `failed` are sentences."""

    count: int = 0
    files: int = 0
    open_files: int = 0
    failed: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """What to tell the user."""
        words = f"{_counted(self.count, 'match', 'matches')} replaced in "
        words += f"{_counted(self.files, 'file', 'files')}."
        if self.open_files:
            words += (
                f" {self.open_files} of them {'is' if self.open_files == 1 else 'are'} open and "
                "not saved; undo there takes it back."
            )
        return " ".join([words, *self.failed[:3]])


async def replace_all(
    root: Path, documents: Documents | None, files: Sequence[FileHits], query: Query
) -> Replaced:
    """Replace every match in these files; one that fails or has changed stays as it is."""
    done = Replaced()
    for file in files:
        document = documents.find(file.path) if documents is not None else None
        try:
            if document is not None:
                count = await _replace_open(document, query, file.mark)
                done.open_files += bool(count)
            else:
                if documents is not None:
                    await documents.remember(file.path, "replaced")
                tell = _teller(documents, file.path)
                work = (root, file.path, query, file.mark, tell)
                count = await asyncio.to_thread(replace_file, *work)
        except StudioError as error:
            done.failed.append(str(error))
            continue
        done.count += count
        done.files += bool(count)
    if documents is not None:
        documents.flush()
    return done


def _teller(documents: Documents | None, path: str) -> Callable[[bytes, bytes], object] | None:
    """Return what tells, from another thread, that this program is about to write a file."""
    if documents is None:
        return None
    loop, tell = asyncio.get_running_loop(), documents.writing.emit

    def writing(before: bytes, after: bytes) -> None:
        loop.call_soon_threadsafe(tell, path, digest_of(before), digest_of(after))

    return writing


async def _replace_open(document: Document, query: Query, mark: str) -> int:
    """Replace in an open text, as one step that undo takes back."""
    text = document.plain
    if text_mark(text) != mark:
        raise StudioError(f"{document.path} has changed since it was searched; search again.")
    new, count = await asyncio.to_thread(replace_text, text, query)
    if document.plain != text:
        raise StudioError(f"{document.path} was typed into meanwhile; search again.")
    if count:
        await take_text(document, new)
    return count


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"
