"""`Workbench`: where the pages of an open project stand, and which of them are shown."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QWidget

from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.theme.dressing import hold, wear
from studio_qt.ui.widgets.basics import IconButton
from studio_qt.ui.widgets.stilltabs import StillTabs
from studio_qt.ui.workbench.rail import WIDTH, Rail

__all__ = ["PLAYING", "Workbench"]

PLAYING = frozenset({"conversations"})
"""The side pages that belong to playing, and not to editing."""

_SIDE, _CHAT, _BOTTOM = 288, 540, 210
_LEAST_SIDE, _LEAST_MIDDLE, _LEAST_CHAT, _LEAST_EDITOR = 200, 320, 380, 120


class Workbench(QWidget):
    """Rail and side pane at the left, editors over the bottom panel, the chat at the right.

    A large page takes the place of the editors, and of the side pane as long as it is shown.

    Without `editing` (a character in a zip) only the chat is shown, and what page of `PLAYING` or
    large one is asked for.
    """

    def __init__(self, desk: Desk, chat: QWidget) -> None:
        super().__init__()
        self._desk = desk
        self._side_names: list[str] = []
        self._bottom_names: list[str] = []
        self._large_names: list[str] = []
        self._chat = chat
        self._editing, self._furnished = True, False
        self._wanted: dict[str, str] = {}
        self.setObjectName("workbench")
        self.setAccessibleName("Project")
        self.rail = Rail(desk.theme)
        self.side = QStackedWidget()
        self.middle = QSplitter(Qt.Orientation.Vertical)
        self.large = QStackedWidget()
        self.bottom = StillTabs(self)
        self._ground = QWidget()
        self.across = QSplitter(Qt.Orientation.Horizontal)
        self._build()
        self._add_actions()

    @property
    def frame(self) -> tuple[QWidget, ...]:
        """What holds the pages and has no look of its own."""
        return (self, self.across, self.middle, self.side, self.large)

    # Filling

    def add_side(self, name: str, icon: str, text: str, keys: str, page: QWidget) -> None:
        """Add a page to the side pane, with its button in the rail and its entry in View."""
        self._side_names.append(name)
        self.side.addWidget(page)
        self.rail.add_page(name, icon, f"{text} ({keys})")
        if self._wanted.get("side") == name:
            self._edited_side = self.side.indexOf(page)
            self._take_side()
        elif name in PLAYING:
            self._take_playing()
        self._desk.actions.add(
            f"show{name.capitalize()}",
            text,
            lambda: self.show_side(name),
            place=Place("View", 1),
            keys=keys,
        )
        self._mark()

    def add_bottom(self, name: str, text: str, keys: str, page: QWidget) -> None:
        """Add a page to the bottom panel, with its entry in View."""
        self._bottom_names.append(name)
        self.bottom.addTab(page, text)
        if self._wanted.get("bottom") == name:
            self.bottom.setCurrentWidget(page)
        self._desk.actions.add(
            f"show{name.capitalize()}",
            text,
            lambda: self.show_bottom(name),
            place=Place("View", 2),
            keys=keys,
        )

    def add_large(self, name: str, icon: str, text: str, keys: str, page: QWidget) -> None:
        """Add a page that covers the editors, with its button in the rail and its entry in View."""
        self._large_names.append(name)
        self.large.addWidget(page)
        self.rail.add_page(name, icon, f"{text} ({keys})")
        self._desk.actions.add(
            f"show{name.capitalize()}",
            text,
            lambda: self.show_large(name),
            place=Place("View", 1),
            keys=keys,
        )
        self._mark()

    def set_editors(self, editors: QWidget) -> None:
        """Put the editors above the bottom panel."""
        self.large.setMinimumWidth(_LEAST_MIDDLE)
        self.large.insertWidget(0, editors)
        self.middle.insertWidget(0, self.large)
        self.middle.setCollapsible(0, False)
        self.middle.setStretchFactor(0, 1)
        self.middle.setSizes([600, _BOTTOM])

    def set_bottom_text(self, name: str, text: str) -> None:
        """Give a page of the bottom panel another title, as with a count."""
        self.bottom.setTabText(self._bottom_names.index(name), text)

    def furnish(self) -> None:
        """Show the rail and the bottom panel, whose places are kept until then."""
        shown = not self._ground.isHidden()
        self.middle.replaceWidget(self.middle.indexOf(self._ground), self.bottom)
        self._ground.deleteLater()
        self.bottom.setVisible(shown)
        self._furnished = True
        self._show_rail()

    # Showing

    @property
    def shown_side(self) -> str | None:
        """The name of the page in the side pane; None where it is closed."""
        at = self.side.currentIndex()
        return None if self.side.isHidden() or at < 0 else self._side_names[at]

    @property
    def _shown_bottom(self) -> str:
        """The name of the page in the bottom panel, or of the one that is to come to the front."""
        if self._bottom_names:
            return self._bottom_names[self.bottom.currentIndex()]
        return self._wanted.get("bottom", "")

    @property
    def _foot(self) -> QWidget:
        """What stands below the editors: the bottom panel, or what keeps its place."""
        return self.bottom if self._furnished else self._ground

    def show_side(self, name: str) -> None:
        """Show a page of the side pane and give it the focus; a large page makes way.

        Without editing only those of `PLAYING` are shown.
        """
        if not self._editing and name not in PLAYING:
            return
        self._leave_large()
        self._wanted.pop("side", None)
        self.side.setCurrentIndex(self._side_names.index(name))
        self._ask_side()
        _focus(self.side.currentWidget())

    @property
    def shown_large(self) -> str | None:
        """The name of the page that covers the editors; None where there is none."""
        at = self.large.currentIndex()
        return self._large_names[at - 1] if at > 0 else None

    def show_large(self, name: str) -> None:
        """Cover the editors with a page and give it the focus; the side pane makes way."""
        self.large.setCurrentIndex(self._large_names.index(name) + 1)
        self.middle.show()  # beside the chat of a zip, too
        self.side.hide()
        self._mark()
        _focus(self.large.currentWidget())

    def show_bottom(self, name: str) -> None:
        """Show a page of the bottom panel and give it the focus."""
        self._wanted.pop("bottom", None)
        self.bottom.setCurrentIndex(self._bottom_names.index(name))
        self._foot.show()
        _focus(self.bottom.currentWidget())

    def show_editors(self) -> None:
        """Bring the editors to the front, with room where the bottom panel had taken all of it."""
        self._leave_large()
        sizes = self.middle.sizes()
        if sizes and sizes[0] < _LEAST_EDITOR:
            self.middle.setSizes([sum(sizes) - _BOTTOM, _BOTTOM])

    def set_editing(self, *, editing: bool) -> None:
        """Show everything, or the chat alone."""
        if self._editing and not editing:
            self._across = self._widths()
        other = editing != self._editing
        if other and not editing:
            self._edited_side = self.side.currentIndex()
        self._editing = editing
        self._show_rail()
        if other:
            self._take_side()
        self.middle.setVisible(editing)
        self.side.setVisible(self._side_open and self._has_side and not self._tight)
        self._make_way()
        self._mark()
        if other:
            self._take_widths()

    @property
    def _has_side(self) -> bool:
        """Whether there is a page that the side pane may show now."""
        return self._editing or not PLAYING.isdisjoint(self._side_names)

    def _take_side(self) -> None:
        """Bring the page to the front that playing, or editing, had there."""
        if self._editing:
            self.side.setCurrentIndex(max(0, self._edited_side))
            return
        self._take_playing()

    def _take_playing(self) -> None:
        """Bring the page to the front that belongs to playing, where nothing is edited."""
        if self._editing:
            return
        playing = [at for at, name in enumerate(self._side_names) if name in PLAYING]
        if playing:
            self.side.setCurrentIndex(playing[0])
            self.side.setVisible(self._side_open and not self._tight)

    def state(self) -> dict[str, object]:
        """Return how the panes stand, for `restore`."""
        at = self.side.currentIndex() if self._editing else self._edited_side
        return {
            "across": self._widths(),
            "middle": self.middle.sizes(),
            "side": self._side_names[at] if self._side_names else None,
            "sideOpen": self._side_open,
            "bottom": self._shown_bottom,
            "bottomOpen": not self._foot.isHidden(),
            "chatOpen": not self._chat.isHidden() or self._chat_made_way,
        }

    def restore(self, state: Mapping[str, object]) -> None:
        """Take up an earlier state; what is not usable of it is left as it is.

        A page that is added later comes to the front then, if nothing else was asked for.
        """
        side, bottom = state.get("side"), state.get("bottom")
        self._wanted = {"side": str(side), "bottom": str(bottom)}
        if side in self._side_names:
            self._edited_side = self._side_names.index(str(side))
            self._take_side()
        if bottom in self._bottom_names:
            self.bottom.setCurrentIndex(self._bottom_names.index(str(bottom)))
        self._open_side(opened=state.get("sideOpen") is not False)
        self._foot.setVisible(state.get("bottomOpen") is not False)
        self._chat.setVisible(state.get("chatOpen") is not False)
        self._across = _sizes(state.get("across"), self._across)
        self._take_widths()
        self.middle.setSizes(_sizes(state.get("middle"), self.middle.sizes()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_way()
        if not self._moved:
            self._take_widths()

    # Building

    def _build(self) -> None:
        self.side.setObjectName("sidePane")
        self.side.setAccessibleName("Side pane")
        self.side.setMinimumWidth(_LEAST_SIDE)
        self.large.setObjectName("largePane")
        self.large.setAccessibleName("Editors")
        self.bottom.setObjectName("bottomPanel")
        self.bottom.setAccessibleName("Bottom panel")
        self.bottom.setDocumentMode(True)
        hold(self.bottom, *self.bottom.findChildren(QStackedWidget))
        hide = IconButton(
            self._desk.theme, "chevron-down", "Hide the bottom panel", name="bottomHide"
        )
        hide.clicked.connect(self._toggle_bottom)
        self.bottom.setCornerWidget(hide)
        wear("base", "buttons", "views", widgets=[hide, self.bottom.tabBar()])
        self._chat.setMinimumWidth(_LEAST_CHAT)
        self.middle.setObjectName("middlePane")
        self._ground.setProperty("undressed", True)
        self.bottom.hide()
        self.middle.addWidget(self._ground)
        self.middle.setCollapsible(0, False)
        self.across.setObjectName("panes")
        for pane in (self.side, self.middle, self._chat):
            self.across.addWidget(pane)
            self.across.setCollapsible(self.across.count() - 1, False)
        self.across.setStretchFactor(1, 1)
        self._across = [_SIDE, 600, _CHAT]
        self._side_open = True
        self._edited_side = 0
        self._moved = self._tight = self._chat_made_way = False
        self.across.setSizes(self._across)
        self._row = QHBoxLayout(self)
        self._row.setSpacing(0)
        self._row.addWidget(self.rail)
        self._row.addWidget(self.across, 1)
        self._show_rail()
        self.rail.chosen.connect(self._on_chosen)
        self.across.splitterMoved.connect(self._on_moved)

    def _add_actions(self) -> None:
        for name, text, keys, slot in (
            ("toggleSide", "Side pane", "Ctrl+B", self._toggle_side),
            ("toggleBottom", "Bottom panel", "Ctrl+J", self._toggle_bottom),
            ("toggleChat", "Chat", "Ctrl+Alt+B", self._toggle_chat),
        ):
            place = Place("View", 3)
            self._desk.actions.add(name, f"Show or hide: {text}", slot, place=place, keys=keys)

    def _show_rail(self) -> None:
        self._row.setContentsMargins(0 if self._furnished else WIDTH, 0, 0, 0)
        self.rail.setVisible(self._furnished)
        self.rail.offer(None if self._editing else PLAYING)

    # Slots

    def _on_chosen(self, name: str) -> None:
        if name in self._large_names:
            if name == self.shown_large:
                self._leave_large()
            else:
                self.show_large(name)
        elif name == self.shown_side and self.shown_large is None:
            self._open_side(opened=False)
        else:
            self.show_side(name)

    def _toggle_side(self) -> None:
        if self.side.isHidden():
            self._ask_side()
        else:
            self._open_side(opened=False)

    def _toggle_bottom(self) -> None:
        self._foot.setVisible(self._foot.isHidden())

    def _toggle_chat(self) -> None:
        self._chat.setVisible(self._chat.isHidden())
        self._chat_made_way = False
        self._make_way()

    def _on_moved(self) -> None:
        self._moved = True

    def _widths(self) -> list[int]:
        """Return the widths as they are, but not those that a small window presses them to."""
        side, _, chat = self._across
        pressed = not self._moved and self.across.width() < side + chat + _LEAST_MIDDLE
        return self.across.sizes() if self._editing and not pressed else self._across

    def _take_widths(self) -> None:
        """Give side and chat their widths and the editors the rest, until the user moves them."""
        side, _, chat = self._across
        self._moved = False
        if not self._editing:
            self.across.setSizes([side, 0, max(self.across.width() - side, 0)])
            return
        self.across.setSizes([side, max(self.across.width() - side - chat, 0), chat])

    def _open_side(self, *, opened: bool) -> None:
        self._side_open = opened
        self.side.setVisible(opened and self._has_side and not self._tight)
        self._mark()

    def _ask_side(self) -> None:
        """Open the side pane because it was asked for: in a narrow window the chat makes way."""
        if self._tight and self._has_side:
            self._tight, self._chat_made_way = False, True
            self._chat.hide()
        self._open_side(opened=True)

    def _make_way(self) -> None:
        """Close the side pane where three have no room, and open again what was closed for that."""
        middle = _LEAST_MIDDLE if self._editing else 0
        least = self.rail.width() + _LEAST_SIDE + middle + _LEAST_CHAT
        if self._chat_made_way and self.width() >= least:
            self._chat_made_way = False
            self._chat.show()
        tight = self.width() < least and not self._chat.isHidden()
        if tight == self._tight:
            return
        self._tight = tight
        if self._has_side and self._side_open and self.shown_large is None:
            self.side.setVisible(not tight)
            self._mark()

    def _leave_large(self) -> None:
        if self.shown_large is not None:
            self.large.setCurrentIndex(0)
            self.middle.setVisible(self._editing)
            self._open_side(opened=self._side_open)

    def _mark(self) -> None:
        self.rail.mark(self.shown_large or self.shown_side)


def _focus(page: QWidget | None) -> None:
    if page is not None:
        page.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _sizes(given: object, otherwise: list[int]) -> list[int]:
    """Return sizes that were kept, where they are usable for as many panes."""
    if not isinstance(given, list) or len(given) != len(otherwise):
        return otherwise
    sizes = [size for size in given if isinstance(size, int) and size >= 0]
    return sizes if len(sizes) == len(given) and any(sizes) else otherwise
