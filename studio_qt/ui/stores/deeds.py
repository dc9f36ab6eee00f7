"""`Deeds`: what can be done to the row that is chosen, in the tree that has the keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData, QModelIndex, QObject, Signal
from PySide6.QtWidgets import QApplication

from studio_qt.jsontext import JsonObject, JsonValue, decode, encode_pretty
from studio_qt.ui.stores import values
from studio_qt.ui.stores.model import LEFT, StoreModel
from studio_qt.ui.stores.pairing import Missing
from studio_qt.ui.stores.tree import StoreView
from studio_qt.ui.stores.values import Kind, Path

__all__ = ["Deeds"]

_KEY = "application/x-character-studio-store-key"

Apply = Callable[[int, JsonObject], None]


class Deeds(QObject):
    """Edits by path; `apply` takes the side and its new value. `notice` carries a sentence."""

    notice = Signal(str, str)

    def __init__(
        self, model: StoreModel, views: tuple[StoreView, StoreView], apply: Apply, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._model, self._views, self._apply = model, views, apply
        self._view = views[LEFT]
        for view in views:
            view.focused.connect(lambda it=view: self._take(it))
            view.activated_row.connect(self.activate)
            view.dropped.connect(self._on_dropped)
        model.typed.append(self._on_typed)
        model.named.append(self._on_named)

    @property
    def view(self) -> StoreView:
        """The tree that had the keyboard last."""
        return self._view

    @property
    def may_edit(self) -> bool:
        """Whether that side can be edited."""
        side = self._view.side
        return self._model.editable[side] and not isinstance(self._model.value(side), Missing)

    @property
    def chosen(self) -> tuple[Path, JsonValue] | None:
        """Path and value of the row that is chosen, where this side has it."""
        path = self._view.current_path
        if not path or self._model.node(self._view.currentIndex()).pair is None:
            return None
        return path, values.value_at(self._whole(), path)

    # What Enter does

    def activate(self, index: QModelIndex) -> None:
        """Open or close a row, turn a yes into a no, or let the value be typed over."""
        view = self._views[index.column()]
        value = self._model.node(index).value(index.column())
        if self._model.hasChildren(index.siblingAtColumn(LEFT)):
            view.toggle(index)
        elif isinstance(value, bool) and self._model.editable[view.side]:
            path = self._model.path(index)
            if path:
                self._on_typed(view.side, path, not value)
        else:
            view.edit_value()

    # Edits

    def add(self) -> None:
        """Add a value after the chosen one, and let its name or itself be typed."""
        path = self._view.current_path
        if not self.may_edit:
            return
        if not path:
            self._add_to((), len(self._children(())))
        else:
            self._add_to(path[:-1], self._position(path) + 1)

    def add_inside(self) -> None:
        """Add a value at the end of the chosen list or object."""
        if not self.may_edit:
            return
        path = self._view.current_path or ()
        if isinstance(values.value_at(self._whole(), path), (dict, list)):
            self._add_to(path, len(self._children(path)))
        else:
            self.add()

    def remove(self) -> None:
        """Remove the chosen value; the one after it is chosen then."""
        if self.may_edit and self.chosen is not None:
            path, _ = self.chosen
            row = self._view.currentIndex()
            self._change(values.removed(self._whole(), path))
            if not self._view.currentIndex().isValid() and row.isValid():
                self._view.setCurrentIndex(row)

    def rename(self) -> None:
        """Let the name of the chosen field be typed over."""
        if self.may_edit:
            self._view.edit_name()

    def edit(self) -> None:
        """Let the chosen value be typed over."""
        if self._view.currentIndex().isValid():
            self.activate(self._view.currentIndex())

    def move(self, by: int) -> None:
        """Move the chosen value up or down among its siblings."""
        if not self.may_edit or self.chosen is None:
            return
        path, _ = self.chosen
        position = self._position(path) + by
        if 0 <= position < len(self._children(path[:-1])):
            self._put_at(path, position)

    def change_kind(self, kind: Kind) -> None:
        """Make another kind of the chosen value, keeping what there is room for."""
        if self.may_edit and self.chosen is not None:
            path, value = self.chosen
            self._change(values.put(self._whole(), path, values.converted(value, kind)))

    def take_over(self) -> None:
        """Copy the chosen value to the same place on the other side."""
        side = self._view.side
        other = self._model.value(1 - side)
        if self.chosen is None or not self._model.editable[1 - side]:
            return
        path, value = self.chosen
        whole = {} if isinstance(other, Missing) else other
        fresh = _laid(whole, path, value)
        if fresh is None:
            self.notice.emit("The other side has no such place for it.", "info")
        else:
            self._apply(1 - side, fresh)

    # The clipboard

    def copy(self) -> None:
        """Copy the chosen value as JSON; without one the whole store."""
        path, value = self.chosen or ((), self._whole())
        data = QMimeData()
        data.setText(encode_pretty(value))
        if path and isinstance(path[-1], str):
            data.setData(_KEY, path[-1].encode())
        QApplication.clipboard().setMimeData(data)

    def cut(self) -> None:
        """Copy the chosen value, and remove it."""
        if self.may_edit and self.chosen is not None:
            self.copy()
            self.remove()

    def paste(self) -> None:
        """Put JSON from the clipboard into the chosen list or object, else after the value."""
        data = QApplication.clipboard().mimeData()
        if not self.may_edit or data is None:
            return
        try:
            value = decode(data.text())
        except ValueError:
            self.notice.emit("The clipboard holds no JSON; copy a value of a store first.", "info")
            return
        key = bytes(data.data(_KEY).data()).decode() or "pasted"
        chosen = self.chosen
        if chosen is None or isinstance(chosen[1], (dict, list)):
            holder = chosen[0] if chosen else ()
            position = len(self._children(holder))
        else:
            holder, position = chosen[0][:-1], self._position(chosen[0]) + 1
        self._insert(holder, position, key, value)

    # Helpers

    def _take(self, view: StoreView) -> None:
        self._view = view

    def _on_typed(self, side: int, path: Path, value: JsonValue) -> None:
        self._change(values.put(self._whole(side), path, value), side)

    def _on_named(self, side: int, path: Path, name: str) -> None:
        self._change(values.renamed(self._whole(side), path, name), side)
        self._views[side].select_path((*path[:-1], name))

    def _on_dropped(self, source: Path, _holder: Path, position: int) -> None:
        self._put_at(source, position)

    def _put_at(self, path: Path, position: int) -> None:
        self._change(values.moved(self._whole(), path, position))
        key = path[-1] if isinstance(path[-1], str) else position
        self._view.select_path((*path[:-1], key))

    def _add_to(self, holder: Path, position: int) -> None:
        if self._insert(holder, position, "field", ""):
            named = isinstance(values.value_at(self._whole(), holder), dict)
            (self._view.edit_name if named else self._view.edit_value)()

    def _insert(self, holder: Path, position: int, key: str, value: JsonValue) -> bool:
        held = values.value_at(self._whole(), holder)
        if not isinstance(held, (dict, list)):
            return False
        key = values.free_key(held, key)
        self._change(values.inserted(self._whole(), holder, position, key, value))
        self._view.select_path((*holder, key if isinstance(held, dict) else position))
        return True

    def _change(self, fresh: JsonValue, side: int | None = None) -> None:
        if isinstance(fresh, dict):
            self._apply(self._view.side if side is None else side, fresh)

    def _whole(self, side: int | None = None) -> JsonObject:
        value = self._model.value(self._view.side if side is None else side)
        return value if isinstance(value, dict) else {}

    def _children(self, path: Path) -> Sequence[values.Key]:
        held = values.value_at(self._whole(), path)
        if isinstance(held, dict):
            return list(held)
        return range(len(held)) if isinstance(held, list) else ()

    def _position(self, path: Path) -> int:
        return self._children(path[:-1]).index(path[-1])


def _laid(whole: JsonValue, path: Path, value: JsonValue) -> JsonObject | None:
    """Return a value with another at a path, made anew or at a list's end; None without a place."""
    try:
        holder = values.value_at(whole, path[:-1])
        if isinstance(holder, dict) and path[-1] not in holder:
            fresh = values.inserted(whole, path[:-1], len(holder), str(path[-1]), value)
        elif isinstance(holder, list) and int(path[-1]) >= len(holder):
            fresh = values.inserted(whole, path[:-1], len(holder), "", value)
        else:
            fresh = values.put(whole, path, value)
    except LookupError:
        return None
    return fresh if isinstance(fresh, dict) else None
