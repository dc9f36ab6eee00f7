"""`Actions`: every action of the window, each named once with its words, keys and menu."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcutEvent
from PySide6.QtWidgets import QApplication, QWidget

__all__ = ["MENUS", "Actions", "Place", "keys_text", "plain_title", "title"]

MENUS = ("File", "Edit", "View", "Character", "Conversation", "Tools", "Help")
"""The titles of the menus, from left to right."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an action stands: the menu's title, and which of its sections, from the top.

    Raises ValueError for a menu that is not one of `MENUS`.
    """

    menu: str
    section: int = 0

    def __post_init__(self) -> None:
        if self.menu not in MENUS:
            raise ValueError(f"There is no menu {self.menu!r}; take one of {', '.join(MENUS)}.")


class Actions(QObject):
    """The window's actions in the order in which they came; menus and palette are made from them.

    Keys that several actions have go to the one whose owner is nearest to the focus; the window's
    own come last. `added` and `removed` carry the QAction.
    """

    added = Signal(QAction)
    removed = Signal(QAction)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._named: dict[str, QAction] = {}
        self._places: dict[QAction, Place] = {}
        self._owners: dict[QAction, QWidget | None] = {}

    def add(
        self,
        name: str,
        text: str,
        slot: Callable[[], object],
        *,
        place: Place,
        keys: str = "",
        owner: QWidget | None = None,
        checkable: bool = False,
        role: QAction.MenuRole = QAction.MenuRole.NoRole,
    ) -> QAction:
        """Make an action and return it.

        `name` is its objectName, unique in the window; `keys` as QKeySequence reads them, several
        separated by "; ". With an `owner` the keys work only while it, or what is in it, has the
        focus. `role` moves it into the application's menu on macOS. Raises ValueError for a name
        that is taken, and for keys that Qt does not read.
        """
        if self.find(name) is not None:
            raise ValueError(f"There is an action {name!r} already.")
        action = QAction(text, self)
        action.setObjectName(name)
        action.setCheckable(checkable)
        action.setMenuRole(role)
        action.setShortcuts([_read_keys(one) for one in keys.split("; ") if one])
        if owner is not None:
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        (owner or self._window).addAction(action)
        action.triggered.connect(lambda _checked=False: slot())
        action.installEventFilter(self)
        self._named[name] = action
        self._places[action] = place
        self._owners[action] = owner
        self.added.emit(action)
        return action

    def remove(self, name: str) -> None:
        """Take an action out of menus, palette and keys; a name that is not there is no error."""
        action = self.find(name)
        if action is not None:
            del self._named[name], self._places[action], self._owners[action]
            self.removed.emit(action)
            action.deleteLater()

    def find(self, name: str) -> QAction | None:
        """Return an action by its name."""
        return self._named.get(name)

    def all(self) -> list[QAction]:
        """Return all actions in the order in which they came."""
        return list(self._places)

    def place(self, action: QAction) -> Place:
        """Return where an action stands; raises KeyError for a foreign one."""
        return self._places[action]

    def clashes(self) -> list[tuple[str, str, str]]:
        """Return the keys that two actions of one owner share, with their names."""
        return [
            (keys.toString(), first.objectName(), second.objectName())
            for first, second in combinations(self._places, 2)
            for keys in _shared(first, second)
            if self._owners[first] is self._owners[second]
        ]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Give keys that several actions have to one of them; Qt itself would run none."""
        if isinstance(event, QShortcutEvent) and event.isAmbiguous() and watched in self._places:
            nearest = self._nearest(event.key())
            if nearest is not None:
                nearest.trigger()
                return True
        return False

    def _nearest(self, keys: QKeySequence) -> QAction | None:
        """Return the action with these keys that is nearest to the focus."""
        heard = [
            action
            for action, owner in self._owners.items()
            if action.isEnabled() and keys in action.shortcuts() and _hears(owner)
        ]
        return max(heard, key=lambda action: _depth(self._owners[action]), default=None)


def title(action: QAction) -> str:
    """Return an action's words without the mark of its letter: "Open folder…"."""
    return action.text().replace("&&", "\0").replace("&", "").replace("\0", "&")


def plain_title(action: QAction) -> str:
    """Return an action's words for a list: "Open folder"."""
    return title(action).removesuffix("…")


def keys_text(action: QAction) -> str:
    """Return an action's keys as this system writes them, the first first; "" without."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(keys.toString(native) for keys in action.shortcuts())


def _read_keys(text: str) -> QKeySequence:
    keys = QKeySequence(text)
    if not keys.toString():
        raise ValueError(f"Qt does not read the keys {text!r}.")
    return keys


def _shared(first: QAction, second: QAction) -> Iterator[QKeySequence]:
    return (keys for keys in first.shortcuts() if keys in second.shortcuts())


def _hears(owner: QWidget | None) -> bool:
    """Whether the focus is in a widget; always for the window, which None stands for."""
    focus = QApplication.focusWidget()
    return owner is None or (focus is not None and (owner is focus or owner.isAncestorOf(focus)))


def _depth(owner: QWidget | None) -> int:
    """Return how many widgets a widget lies in; -1 for the window."""
    depth = -1
    while owner is not None:
        owner, depth = owner.parentWidget(), depth + 1
    return depth
