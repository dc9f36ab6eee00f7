"""`WritingBench`: what Generate and Polish share: the window, the project, and who is asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio_qt.authoring.asking import Stream
from studio_qt.authoring.textkinds import TextKind, kind_of_text
from studio_qt.errors import ModelError, StudioError
from studio_qt.files.source import Source
from studio_qt.jsontext import JsonObject
from studio_qt.package.resolver import DEFAULTS
from studio_qt.providers.model import StreamEvent
from studio_qt.ui.desk import Desk
from studio_qt.ui.documents.following import take_text
from studio_qt.ui.generating.change import ChangeSheet, MakeComparison
from studio_qt.ui.generating.project import read_places, source_of
from studio_qt.ui.tasks import sentence

if TYPE_CHECKING:
    from studio_qt.engine.player import CharacterPlayer
    from studio_qt.ui.documents.document import Document
    from studio_qt.ui.documents.documents import Documents

__all__ = ["NO_PLAYER", "Editors", "WritingBench"]

NO_PLAYER = (
    "Models are asked through the character that is played, and none is at the moment. Agree to "
    "its code, or mend what the list of problems shows; what you type stays here."
)


class Editors(Protocol):
    """What is needed of the page of editors."""

    @property
    def current_changed(self) -> SignalInstance:
        """Another file is in front."""
        ...

    @property
    def current_path(self) -> str | None:
        """The path of the file in front."""
        ...

    @property
    def editor(self) -> QPlainTextEdit | None:
        """The editor in front."""
        ...

    def add_tool(self, maker: Callable[[str], QWidget | None]) -> None:
        """Let `maker` give each tab a control."""
        ...

    def show_notice(self, path: str, text: str, *, key: str = "other", tone: str = "warn") -> None:
        """Show a bar above the editor of a file."""
        ...

    async def open(self, path: str) -> None:
        """Show a file."""
        ...


class WritingBench(QObject):
    """`notice` carries a sentence and its kind, `settings_wanted` asks for the connections.

    `player` is whose models are asked; `places` tells where the character's texts lie.
    """

    notice = Signal(str, str)
    settings_wanted = Signal()

    def __init__(
        self,
        desk: Desk,
        documents: Documents,
        editors: Editors,
        over: QWidget,
        make_comparison: MakeComparison,
    ) -> None:
        super().__init__(over)
        self.desk, self.documents, self.editors, self.over = desk, documents, editors, over
        self._make_comparison = make_comparison
        self.player: CharacterPlayer | None = None
        self.places: Mapping[str, str | None] = DEFAULTS

    # The project

    @property
    def source(self) -> Source | None:
        """The project as it plays, unsaved text included; None where no folder is open."""
        root = self.documents.root
        return source_of(root, self.documents.buffers) if root is not None else None

    async def read_places(self) -> None:
        """Look again where the texts lie."""
        if (source := self.source) is not None:
            self.places = await asyncio.to_thread(read_places, source)

    def kind(self, path: str | None) -> TextKind | None:
        """Return which text a path is."""
        return kind_of_text(path, self.places) if path is not None else None

    # Who is asked

    @property
    def has_model(self) -> bool:
        """Whether there is a language model to ask."""
        return self.player is not None and not self.player.rehearses

    def stream(self) -> Stream | None:
        """Return what asks the worker model of the character that is played."""
        player = self.player
        if player is None or player.rehearses:
            return None

        def stream(messages: Sequence[JsonObject], max_tokens: int) -> AsyncIterator[StreamEvent]:
            return player.ask(messages, max_tokens=max_tokens)

        return stream

    def writer(self) -> str:
        """Say who writes, as far as that is known without asking."""
        if self.player is None:
            return "Nobody can be asked at the moment."
        if self.player.rehearses:
            return "Rehearsal answers: there is no language model."
        return "Your worker model writes it. You see it before anything is saved."

    async def name_writer(self, say: Callable[[str], None]) -> None:
        """Say which model writes; what is wrong with it is told when it is asked."""
        try:
            model = await self.player.model_of("worker") if self.player is not None else ""
        except ModelError:
            return
        if model:
            say(f"{model} writes it. You see it before anything is saved.")

    # Changes

    def change_sheet(self, title: str, about: str) -> ChangeSheet:
        """Return a sheet for a change, not laid yet."""
        sheet = ChangeSheet(self.desk, self.over, title, about, self._make_comparison)
        sheet.settings_wanted.connect(sheet.reject)
        sheet.settings_wanted.connect(self.settings_wanted)
        return sheet

    def put_when_accepted(
        self,
        sheet: ChangeSheet,
        document: Document,
        place: tuple[int, int] | None = None,
        then: Callable[[], object] | None = None,
    ) -> None:
        """Make an accepted change one step of the editor's undo, unless the text is another now.

        `place` are the first character and the one after the last that are replaced.
        """
        whole = document.plain
        start, stop = place if place is not None else (0, len(whole))

        async def put(new: str) -> None:
            if document.plain != whole or self.documents.find(document.path) is not document:
                raise StudioError(
                    f"{document.path} was changed meanwhile, so that nothing was replaced. Refuse "
                    "this, and start again from the text as it is now."
                )
            await take_text(document, whole[:start] + new + whole[stop:])
            if then is not None:
                then()
            sheet.accept()
            await self.editors.open(document.path)

        sheet.accepted_text.connect(
            lambda new: self.desk.tasks.start(put(new), name="accept", on_error=sheet.tell)
        )

    def tell(self, error: Exception) -> None:
        """Show an error."""
        self.notice.emit(sentence(error), "error")
