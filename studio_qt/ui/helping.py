"""`Helping`: Generate and Polish in the window: who is asked, and where results go."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from studio_qt.authoring.generating_code import Example
from studio_qt.ui.compare.page import ComparePage
from studio_qt.ui.generating.change import Comparison
from studio_qt.ui.generating.page import Generating

if TYPE_CHECKING:
    from studio_qt.ui.pages import Pages
    from studio_qt.ui.window import StudioWindow

__all__ = ["Helping"]


class Helping(QObject):
    """`generating` is the feature itself; `open_settings` shows a page of the settings."""

    def __init__(
        self, window: StudioWindow, pages: Pages, open_settings: Callable[[str], None]
    ) -> None:
        super().__init__(pages)
        self._pages = pages
        inside = window.inside
        self._desk, self._session = inside.desk, inside.session
        self.generating = Generating(
            self._desk, self._session.documents, pages.editors, window, self._comparison
        )
        self.generating.settings_wanted.connect(lambda: open_settings("connections"))
        self._connect()

    def _connect(self) -> None:
        pages, session, generating = self._pages, self._session, self.generating
        generating.notice.connect(pages.toasts.show_text)
        generating.done.connect(self._on_done)
        generating.examples_made.connect(self._on_examples)
        session.opening.connect(lambda _name: generating.close())
        session.opened.connect(lambda: generating.show_player(session.player))
        session.project_changed.connect(generating.refresh)
        session.reloaded.connect(generating.refresh)
        pages.project.generate_wanted.connect(lambda: generating.generate("subagent"))
        builder = pages.building.builder
        generating.set_builder(builder.open_new)
        builder.polish_wanted.connect(self._on_polish)
        builder.offer_polish()
        if session.player is not None:
            generating.show_player(session.player)

    def _on_polish(self, body: str) -> None:
        builder = self._pages.building.builder
        if (sheet := builder.sheet) is not None:
            self.generating.polish_body(body, builder.take_body, sheet.prompt.polish)

    def _on_done(self, text: str, undo: Callable[[], Awaitable[object]]) -> None:
        def take_back() -> None:
            self._desk.tasks.start(self._take_back(undo), name="undo")

        self._pages.toasts.show_text(text, "ok", "Undo", take_back)

    @staticmethod
    async def _take_back(undo: Callable[[], Awaitable[object]]) -> None:
        await undo()

    def _on_examples(self, agent_id: str, examples: Sequence[Example]) -> None:
        calls = [(example.tool, example.args, example.result) for example in examples]
        self._desk.tasks.start(self._pages.tester.keep(agent_id, calls), name="keep examples")

    def _comparison(self) -> tuple[QWidget, Comparison]:
        page = ComparePage(self._desk, acts=False)
        return page, page
