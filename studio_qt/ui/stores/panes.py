"""`StorePanes`: live and default side by side, their rows level, as trees or as texts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QModelIndex, QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from studio_qt.ui.actions import Place
from studio_qt.ui.desk import Desk
from studio_qt.ui.stores.deeds import Deeds
from studio_qt.ui.stores.model import LEFT, RIGHT, StoreModel
from studio_qt.ui.stores.pairing import Slot
from studio_qt.ui.stores.pane import StorePane
from studio_qt.ui.stores.raw import RawText
from studio_qt.ui.stores.tree import StoreView
from studio_qt.ui.stores.values import KINDS
from studio_qt.ui.widgets.bars import EmptyState
from studio_qt.ui.widgets.basics import IconButton

__all__ = ["StorePanes"]

_PLACE = Place("Edit", 12)
_AT_ONCE = 40
"""Rows up to which a store is opened when it is shown first."""


class StorePanes(QWidget):
    """Two panes on one model.

    `applied` carries a side and its new value, a JSON object; see `Deeds`. `undo_wanted`,
    `redo_wanted` carry the side.
    """

    applied = Signal(int, object)
    undo_wanted = Signal(int)
    redo_wanted = Signal(int)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self.setObjectName("storePanes")
        self.model = StoreModel(self)
        theme = desk.theme
        live = StoreView(theme, self.model, LEFT, "storeTree", "Live store, as a tree")
        shipped = StoreView(theme, self.model, RIGHT, "storeTreeDefault", "Default, as a tree")
        self.views = (live, shipped)
        own = RawText(desk, "storeEditor", "Live store, as text", own=True)
        theirs = RawText(desk, "storeEditorDefault", "Default, as text", own=False)
        self.raws = (own, theirs)
        empty = (
            EmptyState(
                theme,
                "database",
                "This store is empty",
                "Nothing is stored in this conversation yet.",
                "Add a field",
                name="storeEmpty",
            ),
            EmptyState(
                theme,
                "package",
                "No default is shipped",
                "Set default copies the store to here, to be pruned and saved.",
                name="storeNoDefault",
            ),
        )
        self.panes = (
            StorePane(theme, "storeLive", live, own, empty[0]),
            StorePane(theme, "storeDefault", shipped, theirs, empty[1]),
        )
        self.deeds = Deeds(self.model, self.views, self.applied.emit, self)
        self._buttons: list[tuple[int, IconButton]] = []
        self._build()
        self._level()
        self._add_actions()
        empty[0].wanted.connect(self._add_first)

    def show_values(self, left: Slot, right: Slot, *, editable: tuple[bool, bool]) -> None:
        """Show both sides; rows stay open where they were."""
        self.model.editable = list(editable)
        first = not self.model.rowCount()
        self.model.show(left, right)
        if first and self.model.rowCount():
            self.open_first()
        for side, button in self._buttons:
            button.setEnabled(editable[side])
        for pane, may in zip(self.panes, editable, strict=True):
            pane.show_buttons(shown=may)
        for view, may in zip(self.views, editable, strict=True):
            view.setAcceptDrops(may)

    def show_raw(self, *, raw: bool) -> None:
        """Show texts, or trees."""
        for pane in self.panes:
            pane.show_raw(raw=raw)

    def open_first(self) -> None:
        """Open rows, level by level, as long as all of them can be seen at once."""
        room = _AT_ONCE - self.model.rowCount()
        waiting = [QModelIndex()]
        while waiting and room > 0:
            above = waiting.pop(0)
            for row in range(min(self.model.rowCount(above), _AT_ONCE)):
                index = self.model.index(row, LEFT, above)
                below = self.model.rowCount(index)
                if 0 < below <= room:
                    room -= below
                    self.views[LEFT].expand(index)
                    waiting.append(index)

    # Building

    def _build(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 10, 20, 10)
        row.setSpacing(16)
        for pane in self.panes:
            row.addWidget(pane, 1)
        heads = (
            ("plus", "Add a value after the chosen one", "Add", self.deeds.add),
            ("trash", "Remove the chosen value", "Remove", self.deeds.remove),
            ("chevron-up", "Move the chosen value up", "Up", partial(self.deeds.move, -1)),
            ("chevron-down", "Move the chosen value down", "Down", partial(self.deeds.move, 1)),
        )
        for side, (pane, view) in enumerate(zip(self.panes, self.views, strict=True)):
            name = pane.objectName()
            for icon, tip, word, slot in heads:
                button = pane.add_button(icon, tip, f"{name}{word}")
                button.clicked.connect(
                    lambda _checked=False, v=view, act=slot: self._on_button(v, act)
                )
                self._buttons.append((side, button))
            undo = pane.add_button("undo", "Undo", f"{name}Undo")
            undo.clicked.connect(lambda _checked=False, at=side: self.undo_wanted.emit(at))
            self._buttons.append((side, undo))
            view.menu_wanted.connect(partial(self._show_menu, view))

    def _level(self) -> None:
        """Keep both trees open, scrolled and at the same row alike."""
        live, shipped = self.views
        for one, other in ((live, shipped), (shipped, live)):
            one.expanded.connect(lambda index, it=other: it.expand(index.siblingAtColumn(LEFT)))
            one.collapsed.connect(lambda index, it=other: it.collapse(index.siblingAtColumn(LEFT)))
            one.verticalScrollBar().valueChanged.connect(other.verticalScrollBar().setValue)
            one.selectionModel().currentChanged.connect(
                lambda now, _before, it=other: self._follow(it, now)
            )

    def _follow(self, view: StoreView, index: QModelIndex) -> None:
        there = index.siblingAtColumn(view.side)
        if there != view.currentIndex() and not view.is_typing:
            view.setCurrentIndex(there)

    def _add_actions(self) -> None:
        add, deeds = self._desk.actions.add, self.deeds
        for name, text, keys, slot in (
            ("storeAdd", "Add a value", "Ins", deeds.add),
            ("storeAddInside", "Add a value inside", "Shift+Ins", deeds.add_inside),
            ("storeEdit", "Edit the value", "F2", deeds.edit),
            ("storeRename", "Rename the field", "Shift+F2", deeds.rename),
            ("storeType", "Change the type…", "Ctrl+T", self._show_types),
            ("storeMoveUp", "Move the value up", "Alt+Up", partial(deeds.move, -1)),
            ("storeMoveDown", "Move the value down", "Alt+Down", partial(deeds.move, 1)),
            ("storeTakeOver", "Copy the value to the other side", "Ctrl+R", deeds.take_over),
            ("storeCut", "Cut the value", "Ctrl+X", deeds.cut),
            ("storeCopy", "Copy the value as JSON", "Ctrl+C", deeds.copy),
            ("storePaste", "Paste JSON", "Ctrl+V", deeds.paste),
            ("storeRemove", "Remove the value", "Del", deeds.remove),
            ("storeUndo", "Undo in the store", "Ctrl+Z", self._undo),
            ("storeRedo", "Redo in the store", "Ctrl+Shift+Z; Ctrl+Y", self._redo),
        ):
            add(name, text, partial(self._on_action, slot), place=_PLACE, keys=keys, owner=self)

    # Slots

    def _on_action(self, slot: Callable[[], object]) -> None:
        """Do it in the tree; texts have their own ways."""
        in_tree = any(pane.front is view for pane, view in zip(self.panes, self.views, strict=True))
        if in_tree and not self.deeds.view.is_typing:
            slot()

    def _on_button(self, view: StoreView, slot: Callable[[], object]) -> None:
        view.focused.emit()
        view.setFocus(Qt.FocusReason.OtherFocusReason)
        self._on_action(slot)

    def _undo(self) -> None:
        self.undo_wanted.emit(self.deeds.view.side)

    def _redo(self) -> None:
        self.redo_wanted.emit(self.deeds.view.side)

    def _add_first(self) -> None:
        self.panes[LEFT].show_empty(empty=False)
        self.views[LEFT].focused.emit()
        self.views[LEFT].setFocus(Qt.FocusReason.OtherFocusReason)
        self.deeds.add()

    def _show_types(self) -> None:
        view = self.deeds.view
        if self.deeds.chosen is not None and self.deeds.may_edit:
            rect = view.visualRect(view.currentIndex())
            menu = self._types_menu(QMenu(self))
            menu.aboutToHide.connect(menu.deleteLater)
            menu.popup(view.viewport().mapToGlobal(rect.bottomLeft() + QPoint(40, 0)))

    def _types_menu(self, menu: QMenu) -> QMenu:
        menu.setObjectName("storeTypes")
        menu.setAccessibleName("Type of the value")
        for kind in KINDS:
            entry = menu.addAction(kind.capitalize(), partial(self.deeds.change_kind, kind))
            entry.setObjectName(f"storeType{kind.replace('/', '').capitalize()}")
        return menu

    def _show_menu(self, view: StoreView, place: QPoint) -> None:
        view.focused.emit()
        menu = QMenu(self)
        menu.setObjectName("storeMenu")
        menu.setAccessibleName("Value")
        names = (
            ("storeEdit", "storeRename", "storeAdd", "storeAddInside", "storeType"),
            ("storeMoveUp", "storeMoveDown", "storeTakeOver"),
            ("storeCut", "storeCopy", "storePaste", "storeRemove"),
        )
        for group in names:
            for name in group:
                action = self._desk.actions.find(name)
                if action is not None:
                    menu.addAction(action)
            menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)
