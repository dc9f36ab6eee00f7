"""Giving a document another text, as one step that undo takes back."""

from __future__ import annotations

import asyncio

from studio_qt.ui.documents.changes import changes_between
from studio_qt.ui.documents.disk import OnDisk
from studio_qt.ui.documents.document import Document

__all__ = ["follow_disk", "take_text"]


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
