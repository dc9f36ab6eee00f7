"""`Looking`: finding, going to a line, and the size of the text, for whichever tab is in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from studio_qt.ui.theme.theme import Theme

if TYPE_CHECKING:
    from studio_qt.ui.editors.goto import GotoSheet
    from studio_qt.ui.editors.page import EditorsPage
    from studio_qt.ui.editors.searching import Query

__all__ = ["Looking"]

_LEAST_ZOOM, _MOST_ZOOM = -6, 24


class Looking(QObject):
    """What was looked for last, and the zoom, are those of all tabs."""

    def __init__(self, theme: Theme, page: EditorsPage) -> None:
        super().__init__(page)
        self._theme, self._page = theme, page
        self._query: Query | None = None
        self._sheet: GotoSheet | None = None
        self.zoom = 0

    def find(self, *, replace: bool = False) -> None:
        """Show the find bar of the file in front."""
        if (view := self._page.current) is not None and view.body is not None:
            view.body.find_bar.open(replace=replace, earlier=self._query)

    def step(self, by: int) -> None:
        """Go to the next or the earlier match of what was looked for last."""
        view = self._page.current
        if view is None or view.body is None:
            return
        bar = view.body.find_bar
        if not bar.isVisible() and self._query is not None:
            bar.finder.search(self._query)
        if bar.finder.query.pattern:
            bar.step(by)
        else:
            self.find()

    def remember(self, query: Query) -> None:
        """Take what was looked for, for F3 and for the other tabs."""
        self._query = query

    def go_to_line(self) -> None:
        """Ask for a line, and go there."""
        page = self._page
        if self._sheet is not None:
            self._sheet.come_up()
            return
        if (editor := page.editor) is None or (view := page.current) is None:
            return
        from studio_qt.ui.editors.goto import GotoSheet

        sheet = GotoSheet(self._theme, page.window(), editor.place[0], editor.blockCount())
        sheet.chosen.connect(view.go_to)
        sheet.rejected.connect(view.take_focus)
        sheet.finished.connect(self._forget_sheet)
        self._sheet = sheet
        sheet.lay()

    def zoom_by(self, by: int) -> None:
        """Write larger or smaller in all editors."""
        self.zoom_to(self.zoom + by)

    def zoom_to(self, zoom: int) -> None:
        """Write so many pixels larger than the user prefers."""
        self.zoom = max(_LEAST_ZOOM, min(_MOST_ZOOM, zoom))
        for view in self._page.views:
            if view.body is not None:
                view.body.set_zoom(self.zoom)

    def _forget_sheet(self) -> None:
        self._sheet = None
