"""Writing several files of the project as one step, which can be taken back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from studio_qt.errors import StudioError
from studio_qt.files import operations
from studio_qt.files.encoding import FileText, encode_text
from studio_qt.files.paths import safe_path
from studio_qt.ui.documents import disk
from studio_qt.ui.documents.following import take_text

if TYPE_CHECKING:
    from studio_qt.ui.documents.documents import Documents

__all__ = ["Rewritten", "rewrite"]


class _Change(NamedTuple):
    """A file, what it was and what it becomes; None where there is none.

    `like` is how its text lies on the disk.
    """

    path: str
    before: str | None
    after: str | None
    like: FileText

    @property
    def reverse(self) -> _Change:
        return _Change(self.path, self.after, self.before, self.like)


class Rewritten:
    """What `rewrite` did, in the order in which it was done."""

    def __init__(self, documents: Documents, changes: tuple[_Change, ...]) -> None:
        self._documents = documents
        self._changes = changes

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that were written, made or removed."""
        return tuple(change.path for change in self._changes)

    async def undo(self) -> tuple[str, ...]:
        """Put back what was there; returns the paths that somebody changed since, which stay.

        Raises StudioError where one cannot be written; nothing is put back then.
        """
        mine = [
            change
            for change in self._changes
            if (await _now(self._documents, change.path))[0] == change.after
        ]
        back = [change.reverse for change in reversed(mine)]
        await _perform(self._documents, back, keep_unsaved=True)
        done = {change.path for change in mine}
        return tuple(path for path in self.paths if path not in done)


async def rewrite(
    documents: Documents, changes: Mapping[str, str | None], *, keep_unsaved: bool = False
) -> Rewritten:
    """Give files of the project other texts; all of them, or none.

    `changes` maps a path below the root to its new text, or to None to remove the file; lines end
    in `\\n` or `\\r\\n`, and are written as the file has them. A file that is open takes it as one
    step of its editor's undo and is saved; with `keep_unsaved` one that has unsaved edits stays
    unsaved. Of the others local history keeps what they were. Raises StudioError, naming the file,
    for one that another program has changed under unsaved edits, is no text, or cannot be written.
    """
    wanted: list[_Change] = []
    for name, text in changes.items():
        path = safe_path(name)
        after = None if text is None else text.replace("\r\n", "\n")
        before, like = await _now(documents, path)
        if before != after:
            wanted.append(_Change(path, before, after, like))
    await _perform(documents, wanted, keep_unsaved=keep_unsaved)
    return Rewritten(documents, tuple(wanted))


async def _now(documents: Documents, path: str) -> tuple[str | None, FileText]:
    """Return a file's text as it plays, None where there is none, and how it is written."""
    if (document := documents.find(path)) is not None:
        if document.away == "conflict":
            raise StudioError(
                f"{path} was changed by another program while it has unsaved edits. "
                "Compare the two and choose one first."
            )
        return document.plain, document.written_like
    found = await asyncio.to_thread(disk.read_text, _root(documents), path)
    return (None, FileText("")) if found is None else (found.file.text, found.file)


async def _perform(
    documents: Documents, changes: list[_Change], *, keep_unsaved: bool = False
) -> None:
    """Do all of it; where one fails what was done is put back, and the error raised."""
    done: list[_Change] = []
    try:
        for change in changes:
            done.append(change)
            await _put(documents, change, keep_unsaved=keep_unsaved)
    except StudioError as error:
        await _put_back(documents, done, error)
        raise
    finally:
        documents.flush()


async def _put_back(documents: Documents, done: list[_Change], error: StudioError) -> None:
    for change in reversed(done):
        try:
            await _put(documents, change.reverse)
        except StudioError as other:
            error.add_note(str(other))  # its text is in the editor, or in local history


async def _put(documents: Documents, change: _Change, *, keep_unsaved: bool = False) -> None:
    document = documents.find(change.path)
    if change.after is None:
        await documents.remember(change.path)
        await asyncio.to_thread(operations.remove_for_good, _root(documents), change.path)
        if document is not None:
            await documents.close(document)
    elif document is not None:
        stays_unsaved = keep_unsaved and document.modified
        await take_text(document, change.after)
        if not stays_unsaved:
            await documents.save(document)
    else:
        await documents.remember(change.path, "rewritten")
        data = encode_text(change.after, change.like).data
        await documents.tell_writing(change.path, data)
        await asyncio.to_thread(disk.replace_file, _root(documents), change.path, data)


def _root(documents: Documents) -> Path:
    if documents.root is None:
        raise StudioError("No project is open.")
    return documents.root
