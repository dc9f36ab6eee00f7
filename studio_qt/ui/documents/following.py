"""How a document comes to another text: from the disk, from a copy, from an earlier version.

Each is one step that undo takes back, and changes only the lines that differ.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Literal

from studio_qt.errors import StorageError, StudioError
from studio_qt.files.atomic import remove_leftovers
from studio_qt.files.encoding import encode_text
from studio_qt.files.paths import find_inside
from studio_qt.ui.documents import disk
from studio_qt.ui.documents.changes import changes_between
from studio_qt.ui.documents.disk import OnDisk
from studio_qt.ui.documents.document import Document
from studio_qt.ui.documents.unsaved import Unsaved

__all__ = ["Meeting", "bytes_of", "follow_disk", "meet", "read_settled", "restored", "take_text"]

Meeting = Literal["same", "conflict", "gone", "follow"]
"""How a document stands to what its file holds now; a clean one is to `follow` another text."""

_SOON = 0.05
"""Seconds that a program which writes a file in place gets for it."""


async def take_text(document: Document, text: str) -> None:
    """Change the document's text to `text`; what is typed meanwhile is part of what undo gives."""
    while True:
        before = document.plain
        changes = await asyncio.to_thread(changes_between, before, text)
        if document.plain == before:
            document.take(changes)
            return


async def follow_disk(document: Document, found: OnDisk, *, unless_modified: bool = False) -> bool:
    """Take what the disk has, and know it as such.

    With `unless_modified` False is returned, and nothing done, when the user typed meanwhile.
    """
    while True:
        before = document.plain
        changes = await asyncio.to_thread(changes_between, before, found.file.text)
        if unless_modified and document.modified:
            return False
        if document.plain == before:
            document.take(changes, base=found)
            document.set_away("")
            return True


async def restored(root: Path, unsaved: Unsaved) -> Document:
    """Return a document with unsaved text on top of what the disk has now.

    Undo leads back to the disk's text. The document is clean where the disk has the text already,
    in conflict where the disk changed since, gone where there is no file.
    """
    away: Literal["conflict", "gone", ""] = "gone"
    try:
        found = await asyncio.to_thread(disk.read_text, root, unsaved.path)
    except StudioError:
        found, away = None, "conflict"
    if unsaved.written is not None:
        await asyncio.to_thread(_tidy_up, root, unsaved.path)
    document = Document(unsaved.path)
    if found is None:
        await document.fill(unsaved.text)
    else:
        await document.fill(found.file.text)
        known = found.digest in (unsaved.base, unsaved.written)
        document.set_base(found if known else OnDisk(found.file, unsaved.base or ""))
        await take_text(document, unsaved.text)
        away = "" if known else "conflict"
    _take_form(document, unsaved)
    document.settle()
    if found is not None and not document.modified:
        document.set_base(found)
        away = ""
    document.set_away(away)
    return document


async def read_settled(document: Document, root: Path, few: asyncio.Semaphore) -> OnDisk | None:
    """Read a document's file; raises StudioError for what is no text.

    What is empty, missing or not readable is read a second time a moment later: another program
    may be about to write it. Files are read `few` at a time.
    """
    try:
        async with few:
            found = await asyncio.to_thread(disk.read_text, root, document.path)
    except StudioError:
        found = None
    base = document.base
    if found is None or (not found.file.text and base is not None and base.file.text):
        await asyncio.sleep(_SOON)
        async with few:
            found = await asyncio.to_thread(disk.read_text, root, document.path)
    return found


def meet(document: Document, found: OnDisk | None) -> Meeting:
    """Compare a document with what its file holds now; for "same" the document knows it after."""
    document.settle()
    base = document.base
    if found is None:
        return "gone"
    if base is not None and found.digest == base.digest:
        return "same"
    if document.plain == found.file.text:
        document.set_base(found)
        return "same"
    return "conflict" if document.modified else "follow"


def bytes_of(base: OnDisk) -> bytes:
    """Return the bytes that the disk had."""
    return encode_text(base.file.text, base.file).data


def _tidy_up(root: Path, path: str) -> None:
    """Remove what a save that was killed has left beside its file."""
    folder = find_inside(root, path).parent
    with contextlib.suppress(StorageError):  # it can stay: it is hidden, and in nobody's way
        if folder.is_dir():
            remove_leftovers(folder)


def _take_form(document: Document, unsaved: Unsaved) -> None:
    if unsaved.encoding != document.encoding:
        document.convert(encoding=unsaved.encoding)
    if unsaved.line_end != document.line_end:
        document.convert(line_end=unsaved.line_end)
