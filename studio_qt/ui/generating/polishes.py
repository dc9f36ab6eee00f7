"""`Polishes`: what is improved, by which model, and where the result goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from studio_qt.authoring.asking import Stream
from studio_qt.authoring.polishing import ACTIONS, Polish, actions_for, find_scope, polish
from studio_qt.authoring.textkinds import TextKind
from studio_qt.errors import StudioError
from studio_qt.ui.actions import Place
from studio_qt.ui.generating.bench import NO_PLAYER, WritingBench
from studio_qt.ui.generating.change import ChangeSheet
from studio_qt.ui.generating.project import selection_of
from studio_qt.ui.generating.tools import EditorTools
from studio_qt.ui.widgets.sheet import MessageSheet
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["Polishes"]


class Polishes(QObject):
    """Polish for the file in front, and for a prompt that is in no file yet."""

    def __init__(self, bench: WritingBench) -> None:
        super().__init__(bench)
        self._bench = bench
        self._actions = self._make_actions()

    def fit(self) -> None:
        """Enable the actions that fit what is in front."""
        kind = self._kind()
        fitting = {action.key for action in actions_for(kind)} if kind is not None else set()
        for key, action in self._actions.items():
            action.setEnabled(key in fitting)

    def offer(self, at: QWidget | None = None) -> None:
        """Open the menu of what can be done with the text in front, below `at` or its button."""
        kind = self._kind()
        if kind is None:
            self._bench.notice.emit(
                "Open a sub-agent or one of the character's texts first; Polish works on what is "
                "in front.",
                "info",
            )
            return
        seen = (one.polish for one in self._bench.over.findChildren(EditorTools))
        place = at or next((one for one in seen if one.isVisible()), self._bench.over)
        menu = _menu(place)
        for action in actions_for(kind):
            menu.addAction(self._actions[action.key])
        menu.popup(place.mapToGlobal(place.rect().bottomLeft()))

    def run(self, key: str) -> None:
        """Improve the text in front, or what is selected of it, by an action's key."""
        bench = self._bench
        path, editor, kind = bench.editors.current_path, bench.editors.editor, self._kind()
        document = bench.documents.find(path) if path is not None else None
        if document is None or editor is None or kind is None:
            self.offer()
            return
        action, whole = _action(key), document.plain
        try:
            if editor.isReadOnly():
                raise StudioError(f"{document.path} cannot be changed, nor polished.")
            scope = find_scope(whole, kind, selection_of(editor.textCursor()))
        except StudioError as error:
            bench.tell(error)
            return
        if (stream := self._stream()) is not None:
            sheet = bench.change_sheet(action.words, action.about)
            bench.put_when_accepted(sheet, document, (scope.start, scope.stop))
            _run(sheet, stream, action, whole[scope.start : scope.stop], kind, part=scope.part)

    def offer_body(self, body: str, take: Callable[[str], None], at: QWidget) -> None:
        """Offer to polish a prompt; `take` gets the whole of it when a change is accepted."""
        menu = _menu(at)
        for action in actions_for("subagent"):
            entry = menu.addAction(action.words.replace("&", "&&"))
            entry.setToolTip(plain_tip(action.about))
            entry.triggered.connect(partial(self._run_body, action, body, take))
        menu.popup(at.mapToGlobal(at.rect().bottomLeft()))

    # Inside

    def _run_body(
        self, action: Polish, body: str, take: Callable[[str], None], _checked: object = None
    ) -> None:
        """Polish what is in no file; the blanks around it stay."""
        try:
            scope = find_scope(body, "context")  # a kind without a frontmatter
        except StudioError as error:
            self._bench.tell(error)
            return
        if (stream := self._stream()) is None:
            return
        sheet = self._bench.change_sheet(action.words, action.about)

        def accept(new: str) -> None:
            sheet.accept()
            take(body[: scope.start] + new + body[scope.stop :])

        sheet.accepted_text.connect(accept)
        _run(sheet, stream, action, body[scope.start : scope.stop], "subagent", part=False)

    def _stream(self) -> Stream | None:
        """Return who is asked; where nobody can be, say so."""
        bench = self._bench
        if bench.player is None:
            bench.tell(StudioError(NO_PLAYER))
        elif not bench.has_model:
            sheet = MessageSheet(
                bench.desk.theme,
                bench.over,
                "Polish needs a language model",
                "Rehearsal answers at the moment: it plays every tool and hook, but it cannot "
                "judge or write a text. Connect a model, on this computer or elsewhere, then come "
                "back.",
                name="polishNeedsModel",
                yes="Connect a model…",
            )
            sheet.accepted.connect(bench.settings_wanted)
            sheet.lay()
        return bench.stream()

    def _kind(self) -> TextKind | None:
        return self._bench.kind(self._bench.editors.current_path)

    def _make_actions(self) -> Mapping[str, QAction]:
        add = self._bench.desk.actions.add
        add("polish", "&Polish…", self.offer, place=Place("Tools", 4), keys="Ctrl+Alt+P")
        made = {}
        for action in ACTIONS:
            made[action.key] = add(
                f"polish{action.key.capitalize()}",
                action.words.replace("&", "&&"),
                partial(self.run, action.key),
                place=Place("Tools", 5),
            )
            made[action.key].setToolTip(plain_tip(action.about))
        return made


def _run(
    sheet: ChangeSheet, stream: Stream, action: Polish, text: str, kind: TextKind, *, part: bool
) -> None:
    sheet.lay()
    sheet.run(stream, lambda talk: polish(talk, action, text, kind, part=part), text)


def _action(key: str) -> Polish:
    return next(action for action in ACTIONS if action.key == key)


def _menu(owner: QWidget) -> QMenu:
    menu = QMenu(owner)
    menu.setObjectName("polishMenu")
    menu.setAccessibleName("Polish")
    menu.setToolTipsVisible(True)
    menu.aboutToHide.connect(menu.deleteLater)
    return menu
