"""`Detail`: one character of the library in full, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from studio_qt.ui.library.model import Shelved, count_words, when_words
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import give_icon, label, text_button
from studio_qt.ui.widgets.portrait import Portrait

__all__ = ["Detail"]

_PICTURE = 96


class Detail(QFrame):
    """Tells what is wanted for the character that is shown."""

    open_wanted = Signal()
    studio_wanted = Signal()
    show_wanted = Signal()
    find_wanted = Signal()
    forget_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("libraryDetail")
        self.setAccessibleName("The chosen character")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setProperty("role", "pane")
        self._portrait = Portrait("?", size=theme.scaled(_PICTURE))
        self._name = label("", "title", wrap=True, name="libraryName")
        self._kind = label("", "second", wrap=True)
        self._text = label("", "", wrap=True, name="libraryDescription")
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._facts = [label("", "", wrap=True) for _ in range(4)]
        self._titles = [label(text, "second") for text in _TITLES]
        self.open_button = text_button("Play", "libraryOpen", "primary")
        self.studio = text_button("Open in the Studio", "libraryStudio")
        self.find_button = text_button("Find it…", "libraryFind", "primary")
        self.show_button = text_button("Show in the folder", "libraryShow")
        self.forget = text_button("Forget", "libraryForget")
        give_icon(theme, self.open_button, "play", "onaccent")
        give_icon(theme, self.find_button, "search", "onaccent")
        give_icon(theme, self.studio, "pencil")
        give_icon(theme, self.show_button, "folder")
        give_icon(theme, self.forget, "close")
        self.forget.setAccessibleDescription("Takes it from the list; its files are left alone.")
        self._build()
        self._connect()

    def show_one(self, one: Shelved | None) -> None:
        """Show a character; None hides everything."""
        self._inside.setVisible(one is not None)
        if one is None:
            return
        facts = one.facts
        self._portrait.set_name(facts.name)
        self._portrait.set_picture(one.picture)
        self._name.setText(facts.name)
        self._kind.setText("A zip, which is only played" if facts.is_zip else "A project")
        if not facts.there:
            self._kind.setText("Not there any more")
            self._text.setText(
                "It was moved, renamed or deleted. Find it again, or forget it; conversations of "
                "a zip stay and come back with it."
            )
        else:
            self._text.setText(facts.fault or facts.description or "It has no description.")
        played = when_words(facts.played) if facts.played else "not yet"
        told = (played, count_words(one), _agents(one), _breaking(str(one.path)))
        for at, (shown, words) in enumerate(zip(self._facts, told, strict=True)):
            shown.setText(words)
            is_known = facts.there or at == len(told) - 1
            shown.setVisible(is_known)
            self._titles[at].setVisible(is_known)
        self.open_button.setText("Play" if facts.is_zip else "Open")
        self.open_button.setAccessibleName(self.open_button.text())
        self.open_button.setVisible(facts.there)
        self.studio.setVisible(facts.there and facts.is_zip)
        self.show_button.setVisible(facts.there)
        self.find_button.setVisible(not facts.there)

    def _connect(self) -> None:
        for button, told in (
            (self.open_button, self.open_wanted),
            (self.studio, self.studio_wanted),
            (self.find_button, self.find_wanted),
            (self.show_button, self.show_wanted),
            (self.forget, self.forget_wanted),
        ):
            button.clicked.connect(told)

    def _build(self) -> None:
        self._inside = QWidget()
        self._inside.setProperty("role", "inside")
        column = QVBoxLayout(self._inside)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(16)
        head.addWidget(self._portrait, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addStretch(1)
        words.addWidget(self._name)
        words.addWidget(self._kind)
        words.addStretch(1)
        head.addLayout(words, 1)
        column.addLayout(head)
        column.addWidget(self._text)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for at, (title, shown) in enumerate(zip(self._titles, self._facts, strict=True)):
            grid.addWidget(title, at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(shown, at, 1)
        column.addLayout(grid)
        column.addSpacing(4)
        for button in (
            self.open_button,
            self.find_button,
            self.studio,
            self.show_button,
            self.forget,
        ):
            column.addWidget(button)
        column.addStretch(1)
        area = QScrollArea()
        area.setObjectName("libraryDetailArea")
        area.setAccessibleName("The chosen character")
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)
        self._inside.hide()


_TITLES = ("Last played", "Talks", "Agents", "Where")


def _breaking(path: str) -> str:
    """Return a path that a label may break after each separator."""
    return path.replace("/", "/\u200b").replace("\\", "\\\u200b")


def _agents(one: Shelved) -> str:
    facts, words = one.facts, []
    if facts.agents:
        words.append(f"{facts.agents:,} agent{'' if facts.agents == 1 else 's'}")
    if facts.sub_agents:
        words.append(f"{facts.sub_agents:,} sub-agent{'' if facts.sub_agents == 1 else 's'}")
    return ", ".join(words) or "none"
