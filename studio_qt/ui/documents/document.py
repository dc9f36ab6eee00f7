"""`Document`: the text of one file as it is in the window, and how it stands to the disk."""

from __future__ import annotations

import asyncio
from typing import Literal, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextDocument, QTextOption
from PySide6.QtWidgets import QPlainTextDocumentLayout

from studio_qt.errors import StudioError
from studio_qt.files.encoding import LINE_ENDS, FileText
from studio_qt.ui.documents.changes import Change, put_in
from studio_qt.ui.documents.disk import OnDisk
from studio_qt.ui.documents.plain import document_text, fill_slowly
from studio_qt.ui.documents.unsaved import Unsaved

__all__ = ["ENCODINGS", "Document", "State"]

State = Literal["clean", "modified", "conflict", "gone"]

ENCODINGS = ("utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "cp1252", "latin-1")
"""What `convert` takes."""


class _Form(NamedTuple):
    encoding: str
    line_end: str
    mixed: bool


class Document(QObject):
    """One open text. The text itself is a QTextDocument, for editors to show and to change.

    `edited` follows each change of the text. `state_changed` follows a change of `path`,
    `modified`, `state`, `encoding` or `line_end`. `modified` is True with the first key; that a
    text is again as it was saved is seen as soon as typing pauses. Made by `Documents` alone.
    """

    edited = Signal()
    state_changed = Signal()

    def __init__(self, path: str) -> None:
        super().__init__()
        self.lock = asyncio.Lock()
        """Held by whoever reads or writes the file of this document."""
        self.away: Literal["conflict", "gone", ""] = ""
        """What another program did to the file under this document; set with `set_away`."""
        self.being_written: str | None = None
        """The SHA-256 of what a save is about to put on the disk, while it does."""
        self._path = path
        self._base: OnDisk | None = None
        self._form = _Form("utf-8", "\n", mixed=False)
        self._modified = False
        self._plain: str | None = None
        self._seen = -1
        self._following = False
        self._text = QTextDocument()
        self._text.setDocumentLayout(QPlainTextDocumentLayout(self._text))
        self._text.setDefaultTextOption(_unwrapped())  # an editor wraps as it wants
        self._text.contentsChanged.connect(self._on_contents_changed)

    @property
    def path(self) -> str:
        """The file's path in the project, with forward slashes."""
        return self._path

    @property
    def text(self) -> QTextDocument:
        """What editors show; read its text by `plain`, which keeps characters that Qt does not."""
        return self._text

    @property
    def encoding(self) -> str:
        """The encoding in which it is saved, as Python names it; "utf-8-sig" has a mark."""
        return self._form.encoding

    @property
    def line_end(self) -> str:
        """What new lines end in on the disk: line feed, carriage return or both."""
        return self._form.line_end

    @property
    def mixed_line_ends(self) -> bool:
        """Whether lines end in different ways; those that are not changed keep theirs."""
        return self._form.mixed

    @property
    def modified(self) -> bool:
        """Whether text, encoding or line ends differ from what the disk had when last seen."""
        return self._modified

    @property
    def state(self) -> State:
        """How the document stands to its file; see `State`."""
        if self.away:
            return self.away
        return "modified" if self._modified else "clean"

    @property
    def plain(self) -> str:
        """The text, with `\\n` between lines; taken from Qt once for each change."""
        if self._plain is None:
            self._plain = document_text(self._text)
        return self._plain

    @property
    def base(self) -> OnDisk | None:
        """What the disk had when last seen; None where there was no such file."""
        return self._base

    @property
    def written_like(self) -> FileText:
        """What a save keeps: encoding, and line ends one by one where they are mixed."""
        kept = self._base.file if self._base is not None and self._form.mixed else FileText("")
        return kept._replace(encoding=self.encoding, line_end=self.line_end)

    @property
    def unsaved(self) -> Unsaved | None:
        """What must survive a kill, None when the disk has it all."""
        if not self._modified:
            return None
        base = None if self._base is None else self._base.digest
        form = self.encoding, self.line_end
        return Unsaved(self._path, self.plain, *form, base, self.being_written)

    def convert(self, *, encoding: str | None = None, line_end: str | None = None) -> None:
        """Save in another encoding, or all lines with another end; raises StudioError."""
        if encoding is not None and encoding not in ENCODINGS:
            raise StudioError(f"There is no encoding {encoding!r}; take {', '.join(ENCODINGS)}.")
        if line_end is not None and line_end not in LINE_ENDS:
            raise StudioError(f"Lines cannot end in {line_end!r}.")
        form = _Form(
            encoding or self.encoding,
            line_end or self.line_end,
            mixed=self._form.mixed and line_end is None,
        )
        if form != self._form:
            self._form = form
            self.settle()
            self.state_changed.emit()
            self.edited.emit()

    async def fill(self, text: str) -> bool:
        """Put in the first text; returns whether that went at once, without other work between."""
        at_once = await fill_slowly(self._text, text)
        self._plain = text
        return at_once

    def take(
        self, changes: list[Change], base: OnDisk | None = None, *, plain: str | None = None
    ) -> None:
        """Change the text as one step that undo takes back; with `base`, it is the disk's now.

        `plain` is the whole text then, where that is known: asking Qt for a long one takes long.
        """
        self._following = base is not None
        try:
            put_in(self._text, changes)
        finally:
            self._following = False
        if plain is not None:
            self._plain = plain
        if base is not None:
            self.set_base(base)

    def set_base(self, base: OnDisk | None, *, encoding: str = "") -> None:
        """Remember what the disk has now; `encoding` where a save had to change it."""
        before = self._form
        self._base = base
        if base is not None:
            file = base.file
            self._form = _Form(encoding or file.encoding, file.line_end, file.mixed)
        self.settle()
        if self._form != before:
            self.state_changed.emit()

    def set_away(self, away: Literal["conflict", "gone", ""]) -> None:
        """Say what another program did to the file."""
        if away != self.away:
            self.away = away
            self.state_changed.emit()

    def set_path(self, path: str) -> None:
        """Follow a file that was renamed."""
        self._path = path
        self.state_changed.emit()

    def settle(self) -> None:
        """Look whether the text differs from the disk's, and say so if that is news."""
        self._set_modified(self._differs())

    def _differs(self) -> bool:
        if self._base is None:
            return True
        file = self._base.file
        if self.plain == file.text:
            self._plain = file.text  # one string, so that the next look costs nothing
        form = _Form(file.encoding, file.line_end, file.mixed)
        return self._form != form or self.plain is not file.text

    def _set_modified(self, modified: bool) -> None:  # noqa: FBT001 - Qt's own way
        self._text.setModified(modified)
        if modified != self._modified:
            self._modified = modified
            self.state_changed.emit()

    def _on_contents_changed(self) -> None:
        if self._text.revision() == self._seen:
            return  # colours, not text
        self._seen = self._text.revision()
        self._plain = None
        if self._base is not None and not self._following:
            self._set_modified(True)
        self.edited.emit()


def _unwrapped() -> QTextOption:
    """Return how a text is laid out that nobody sees: a long line costs seconds otherwise."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.NoWrap)
    return option
