"""`ShippedStore`: the default that is shipped with the character, as a document of the project."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from studio_qt.engine.store_text import dense_store_text, pretty_store_text, read_store_text
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject
from studio_qt.ui.documents.changes import Change, changes_between
from studio_qt.ui.documents.document import Document
from studio_qt.ui.documents.documents import Documents
from studio_qt.ui.stores.differing import one_change
from studio_qt.ui.tasks import Tasks

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer

__all__ = ["ShippedStore"]

_QUIET_MS = 60

_LARGE = 1 << 19
"""Characters from which on a text has fewer lines, each of which costs an editor as much."""

_MANY = 2_000
"""Lines that are exchanged at once; of more it is found out which of them are others."""

_LINE = 60
"""Characters of a line, on the average, in a text that has few."""


class ShippedStore(QObject):
    """The default of one agent: `{agentId}.agent.json`, edited as any other open text.

    `value` is None where none is shipped, and where its text is no JSON object; `fault` tells that
    then. `reason` tells why it cannot be edited, "" where it can. `changed` follows each change of
    these and of `document`; `state_changed` a change of what is saved.
    """

    changed = Signal()
    state_changed = Signal()

    def __init__(self, documents: Documents, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._documents, self._tasks = documents, tasks
        self._agent_id = ""
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.setInterval(_QUIET_MS)
        self._quiet.timeout.connect(self._read)
        self._edits = asyncio.Lock()
        self._taken: str | None = None
        self._waiting = 0
        self.document: Document | None = None
        self.value: JsonObject | None = None
        self.fault = self.reason = ""
        documents.opened.connect(self._on_document)
        documents.closed.connect(self._on_document)

    @property
    def path(self) -> str:
        """The file's name."""
        return f"{self._agent_id}.agent.json" if self._agent_id else ""

    @property
    def modified(self) -> bool:
        """Whether it differs from its file."""
        return self.document is not None and self.document.modified

    @property
    def settled(self) -> bool:
        """Whether what is typed has been read."""
        return not self._quiet.isActive() and not self._waiting

    async def open(self, player: CharacterPlayer, agent_id: str) -> None:
        """Show an agent's default."""
        self.close()
        self._agent_id = agent_id
        if self._documents.root is None:
            self.reason = (
                "This character was opened from a zip, which is never changed. "
                "Unpack it to a folder and open that to edit what it ships."
            )
            text = await asyncio.to_thread(player.default_text, agent_id)
            if self._agent_id == agent_id:
                await self._take(text)
            return
        await self._find()

    def close(self) -> None:
        """Show nothing; the document stays open."""
        self._let_go()
        self._quiet.stop()
        self._agent_id = self.fault = self.reason = ""
        self.value = self._taken = None
        self.changed.emit()

    def edit(self, value: JsonObject) -> None:
        """Put another value in the place of the default, as one step that undo takes back."""
        self.value, self._taken = value, None
        self.changed.emit()
        self._waiting += 1
        if self._tasks.start(self._put(self._agent_id, value), name="edit the default") is None:
            self._waiting -= 1

    def undo(self) -> None:
        """Take the last change of the text back."""
        if self.document is not None:
            self.document.text.undo()

    def redo(self) -> None:
        """Do again what was taken back."""
        if self.document is not None:
            self.document.text.redo()

    async def save(self) -> None:
        """Write the default to its file; raises as `Documents.save` does."""
        async with self._edits:
            if self.document is not None:
                await self._documents.save(self.document, over_foreign=self.document.away == "gone")

    # Following the document

    async def _find(self) -> None:
        """Take the document of the file, opening it where there is one."""
        agent_id, path = self._agent_id, self.path
        try:
            document = self._documents.find(path) or await self._documents.open(path)
        except StudioError:  # there is none, or it is no text: then that is what is shown
            document = None
        if self._agent_id == agent_id:
            self._hold(document)
            await self._take(document.plain if document is not None else None)

    def _hold(self, document: Document | None) -> None:
        self._let_go()
        self.document = document
        if document is not None:
            document.edited.connect(self._quiet.start)
            document.state_changed.connect(self.state_changed)

    def _let_go(self) -> None:
        if self.document is not None:
            self.document.edited.disconnect(self._quiet.start)
            self.document.state_changed.disconnect(self.state_changed)
        self.document = None

    def _on_document(self, document: object) -> None:
        """Another has opened or closed a document; ours may be it."""
        ours = isinstance(document, Document) and document.path == self.path
        if ours and self._documents.root is not None and not self._waiting:
            self._tasks.start(self._find(), name="find the default")

    def _read(self) -> None:
        document = self.document
        if document is not None:
            self._waiting += 1
            if self._tasks.start(self._read_now(document), name="read the default") is None:
                self._waiting -= 1

    async def _read_now(self, document: Document) -> None:
        try:
            if self.document is document:
                await self._take(document.plain)
        finally:
            self._waiting -= 1

    async def _take(self, text: str | None) -> None:
        agent_id = self._agent_id
        value, fault = None, ""
        if text is not None:
            try:
                value = await asyncio.to_thread(read_store_text, text, self.value)
            except ValueError as error:
                fault = str(error)
        if text is not None and text is self._taken:
            return  # another was faster; what others share with its value stays shared
        if self._agent_id == agent_id and not self._edits.locked():
            self._taken = text
            if fault and self.value is not None and self.document is not None:
                value = self.value  # what was last understood stays beside the text
            self.value, self.fault = value, fault
            self.changed.emit()

    # Editing

    async def _put(self, agent_id: str, value: JsonObject) -> None:
        try:
            async with self._edits:
                if self._agent_id != agent_id or self.value is not value:
                    return  # a later edit holds this one
                document = self.document or await self._documents.begin(self.path)
                if document is not self.document:
                    self._hold(document)
                text = await asyncio.to_thread(_text_like, value, document.plain)
                await _come_to(document, text)
                self._quiet.stop()
                self.fault = ""
                self._documents.flush()
        finally:
            self._waiting -= 1
        self.changed.emit()


def _text_like(value: JsonObject, before: str) -> str:
    """Return the text of a value; of a large one with few lines, unless the file has many."""
    many = before.count("\n") * _LINE > len(before)
    text = "" if many else dense_store_text(value)
    return text if len(text) > _LARGE else pretty_store_text(value)


async def _come_to(document: Document, text: str) -> None:
    """Change the lines of a document that differ, as one step; a long first text is no step."""
    while True:
        before = document.plain
        if not before and len(text) > _LARGE:
            await document.fill(text)
            return
        changes = await asyncio.to_thread(_changes, before, text)
        if document.plain == before:
            if changes:
                document.take(changes, plain=text)
            return


def _changes(before: str, text: str) -> list[Change]:
    """Return what makes one text of another: one stretch, or several where that is long; blocks."""
    change = one_change(before, text)
    if change is not None and change.stop - change.first > _MANY:
        return changes_between(before, text)
    return [] if change is None else [change]
