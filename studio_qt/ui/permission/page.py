"""`PermissionSheet`: what the code of a character may do, and whether it may run (STU-07)."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from studio_qt.authoring.permissions import AgentPermissions, shown_name
from studio_qt.settings import PlayerSettings
from studio_qt.ui.guarding import Question
from studio_qt.ui.permission import wording
from studio_qt.ui.permission.reading import CodeReader
from studio_qt.ui.permission.words import Part, Words, joined
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import (
    IconButton,
    IconView,
    Separator,
    give_icon,
    label,
    text_button,
)
from studio_qt.ui.widgets.filekinds import KINDS
from studio_qt.ui.widgets.inputs import Pill
from studio_qt.ui.widgets.sheet import Sheet

__all__ = ["PermissionSheet"]

_MOST_ROWS = 24
_EDGE = 20
_GAP = 24
_SLACK = 6
"""Pixels more than the words need, so that rounding makes no scroll bar."""

_MINE = "The folder counts as made here, also where other programs change its code."
_ASKED_AGAIN = "You are asked again when these files change from outside."
_CAN = (
    "Keep a store for each conversation",
    "Show you notices and log lines",
    "Do what its line above says, no more",
)
_CANNOT = (
    "See your files or other agents' stores",
    "Start programs or reach the network",
    "See your key or choose a model",
)


class PermissionSheet(Sheet):
    """Tells what a character's code may do, and asks whether it may run.

    `agreed` is the user's yes, with whether the folder is their own work and whether the agents
    may read the web. `refused` is a no, also by Escape or the cross. Where everything is settled
    there is no question: `withdrawn` takes the yes back, `web_chosen` comes with each choice.
    `settings_wanted` names a page of the settings. The sheet deletes itself when it closes.
    """

    agreed = Signal(bool, bool)
    refused = Signal()
    withdrawn = Signal()
    web_chosen = Signal(bool)
    settings_wanted = Signal(str)
    widest = 660

    def __init__(
        self, theme: Theme, over: QWidget, question: Question, settings: PlayerSettings
    ) -> None:
        super().__init__(theme, over, wording.title(question))
        self.setObjectName("permissionSheet")
        self._question, self._settings = question, settings
        self._answered = False
        told = question.permissions
        self._allowed = question.record.web
        if self._allowed is None:
            self._allowed = settings.web_access
        self.pages = QStackedWidget()
        self.reader: CodeReader | None = None
        self.web = QCheckBox()
        self.mine = QCheckBox("It is my own work: never ask again", self)
        self.mine.hide()
        self.read_button = text_button("Read the code", "permissionRead", "quiet")
        self.no_button = text_button(self._no_words(), "permissionOpen")
        self.yes_button = text_button(self._yes_words(), "permissionTrust", "primary")
        self.read_button.setEnabled(bool(told.files))
        self._build()
        self._filling = self._fill()
        self._connect()
        self.setAccessibleDescription("".join(part.text for part in wording.lead(question)))
        self.finished.connect(self.deleteLater)

    @property
    def question(self) -> Question:
        """What is asked."""
        return self._question

    def pieces(self) -> Iterator[None]:
        """Make the next piece of what is told at each step, so that the loop never waits long."""
        return self._filling

    def ask(self, *, by_hand: bool) -> None:
        """Lay the sheet. Unless the user has asked for it, Enter is no yes: they may be typing."""
        for _ in self._filling:
            pass
        self.lay()
        first = self.yes_button if by_hand or self._question.settled else self.no_button
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def cover(self) -> None:
        """Take the height that the words need, as far as the window has it."""
        super().cover()
        width = self.card.width()
        self._stand_buttons(width)
        inside = self._inside.layout()
        wanted = self.card.height()
        if inside is not None:
            body = max(inside.totalHeightForWidth(width), self._inside.minimumSizeHint().height())
            layout = self._head.layout()
            head = layout.totalHeightForWidth(width) if layout is not None else 0
            head = max(head, self._head.sizeHint().height())
            wanted = head + body + self._foot.sizeHint().height() + 2
        if self.pages.currentIndex():
            wanted = max(wanted, self._theme.scaled(600))
        height = min(wanted + _SLACK, self._over.height() - 2 * _GAP)
        left = (self._over.width() - width) // 2
        top = max(8, (self._over.height() - height) // 2)
        self.card.setGeometry(QRect(left, top, width, height))
        overflows = wanted + _SLACK > height and not self.pages.currentIndex()
        focus = Qt.FocusPolicy.StrongFocus if overflows else Qt.FocusPolicy.NoFocus
        self._area.setFocusPolicy(focus)

    def done(self, result: int) -> None:
        """Close; what was not answered is a no."""
        if self.reader is not None:
            self.reader.close_reader()
        super().done(result)
        if not self._answered:
            self._answered = True
            if not self._question.settled:
                self.refused.emit()

    def _stand_buttons(self, width: int) -> None:
        """Stand the buttons on one another where they have no room beside one another."""
        buttons = (self.read_button, self.no_button, self.yes_button)
        needed = sum(each.sizeHint().width() + 8 for each in buttons if not each.isHidden())
        narrow = width < needed + 2 * _EDGE
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._buttons.setDirection(down if narrow else across)
        self._buttons.invalidate()

    # Slots

    def _on_yes(self) -> None:
        if self._question.settled:
            self.accept()
            return
        self._answered = True
        self.accept()
        self.agreed.emit(self.mine.isChecked(), self.web.isChecked())

    def _on_no(self) -> None:
        if self._question.settled:
            self._answered = True
            self.accept()
            self.withdrawn.emit()
            return
        self.reject()

    def _on_web(self) -> None:
        allowed = self.web.isChecked()
        self._web_text.setText(wording.web_line(self._question.permissions, allowed=allowed))
        if self._question.settled:
            self.web_chosen.emit(allowed)

    def _on_read(self) -> None:
        """Go to the code and back."""
        if self.reader is None:
            self.reader = CodeReader(self._theme, self._question.permissions.files)
            self.pages.addWidget(self.reader)
        to_code = self.pages.currentIndex() == 0
        self.pages.setCurrentIndex(1 if to_code else 0)
        words = "Back to the summary" if to_code else "Read the code"
        self.read_button.setText(words)
        self.read_button.setAccessibleName(words)
        give_icon(self._theme, self.read_button, "arrow-left" if to_code else "eye")
        self.cover()
        (self.reader.text if to_code else self.read_button).setFocus()

    # Building

    def _connect(self) -> None:
        self.yes_button.clicked.connect(self._on_yes)
        self.no_button.clicked.connect(self._on_no)
        self.read_button.clicked.connect(self._on_read)
        self.web.toggled.connect(self._on_web)

    def _build(self) -> None:
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self._head, self._foot = self._make_head(), self._make_foot()
        self._inside = QWidget()
        self._inside.setProperty("role", "inside")
        self._inside.setMinimumWidth(1)  # it makes do with the width that there is
        self._area = QScrollArea()
        self._area.setObjectName("permissionScroll")
        self._area.setAccessibleName("What the code may do")
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setWidget(self._inside)
        self.pages.addWidget(self._area)
        self.column.addWidget(self._head)
        self.column.addWidget(self.pages, 1)
        self.column.addWidget(self._foot)

    def _make_head(self) -> QWidget:
        head = QFrame()
        head.setProperty("role", "sheetHead")
        row = QHBoxLayout(head)
        row.setContentsMargins(_EDGE, 8, 12, 8)
        row.setSpacing(12)
        token = "ok" if self._question.settled else "warn"
        row.addWidget(IconView(self._theme, "shield", token, 20))
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(self.windowTitle(), "title", wrap=True, name="permissionTitle"))
        words.addWidget(label(wording.source_line(self._question), "second", wrap=True))
        row.addLayout(words, 1)
        close = IconButton(self._theme, "close", "Close", name="permissionClose", size=16)
        close.clicked.connect(self.reject)
        row.addWidget(close)
        return head

    def _make_foot(self) -> QWidget:
        foot = QFrame()
        foot.setProperty("role", "sheetFoot")
        give_icon(self._theme, self.read_button, "eye")
        row = self._buttons = QBoxLayout(QBoxLayout.Direction.LeftToRight, foot)
        row.setContentsMargins(_EDGE, 8, _EDGE, 8)
        row.setSpacing(8)
        row.addWidget(self.read_button)
        row.addStretch(1)
        row.addWidget(self.no_button)
        row.addWidget(self.yes_button)
        if self._question.settled:
            self.no_button.setProperty("kind", "danger")
            self.no_button.setHidden(not self._question.permissions.files)
        return foot

    def _fill(self) -> Iterator[None]:
        """Make what stands between head and foot, a piece at each step."""
        column = QVBoxLayout(self._inside)
        column.setContentsMargins(_EDGE, 16, _EDGE, 16)
        column.setSpacing(16)
        lead = Words(self._theme, wording.lead(self._question), name="permissionLead", size=13)
        column.addWidget(lead)
        if self._question.permissions.agents:
            yield from self._fill_agents(column)
        column.addLayout(self._make_limits())
        yield
        column.addWidget(self._make_choices())
        yield
        if self._question.permissions.digest:
            column.addWidget(self._make_digest())
        if not self._question.settled and self._question.place.suffix.lower() != ".zip":
            self.mine.setObjectName("permissionMine")
            self.mine.setAccessibleName(self.mine.text())
            self.mine.setAccessibleDescription(_MINE)
            self.mine.setToolTip(_MINE)
            column.addWidget(self.mine)
            self.mine.show()
        column.addStretch(1)

    def _fill_agents(self, column: QVBoxLayout) -> Iterator[None]:
        card = QFrame()
        card.setProperty("role", "card")
        rows = QVBoxLayout(card)
        rows.setContentsMargins(1, 1, 1, 1)
        rows.setSpacing(0)
        column.addWidget(card)
        agents = self._question.permissions.agents
        for at, agent in enumerate(agents[:_MOST_ROWS]):
            if at:
                rows.addWidget(Separator())
            rows.addWidget(self._make_agent(agent))
            yield
        if rest := agents[_MOST_ROWS:]:
            rows.addWidget(Separator())
            rows.addWidget(self._make_agent(_together(rest), f"{len(rest):,} more agents"))

    def _make_digest(self) -> QWidget:
        is_own = self._question.record.made_here
        end = "Its changes are not asked about." if is_own else _ASKED_AGAIN
        parts = [
            Part("Code fingerprint ", "fg3"),
            Part(wording.mark(self._question.permissions.digest), "fg2", mono=True),
            Part(f"  {end}", "fg3"),
        ]
        return Words(self._theme, parts, name="permissionDigest")

    def _make_agent(self, agent: AgentPermissions, title: str = "") -> QWidget:
        row = QFrame()
        row.setObjectName("permissionAgent")
        grid = QGridLayout(row)
        grid.setContentsMargins(14, 8, 14, 8)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        kind = KINDS[agent.language]
        icon = IconView(self._theme, kind.icon, kind.token, 15)
        grid.addWidget(icon, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        head = QHBoxLayout()
        head.setSpacing(8)
        name = label(title or shown_name(agent.id, 48), "name")
        head.addWidget(name)
        if not title:
            head.addWidget(Pill(kind.words, "quiet"))
        if agent.unlisted:
            head.addWidget(Pill("not listed", "warn"))
        head.addStretch(1)
        grid.addLayout(head, 0, 1)
        lines = list(wording.agent_lines(agent))
        grid.addWidget(Words(self._theme, joined(lines)), 1, 1)
        said = [f"{name.text()}, {kind.words}"]
        said += ["".join(part.text for part in parts) for parts in lines]
        row.setAccessibleName(". ".join(said))
        return row

    def _make_limits(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(_GAP)
        for words, icon, token, lines in (
            ("It can", "check", "ok", _CAN),
            ("It cannot", "info", "fg3", _CANNOT),
        ):
            column = QVBoxLayout()
            column.setSpacing(6)
            caps = label(words.upper(), "caps")
            caps.setAccessibleName(words)
            column.addWidget(caps)
            for text in lines:
                line = QHBoxLayout()
                line.setSpacing(10)
                line.addWidget(IconView(self._theme, icon, token, 13), 0, Qt.AlignmentFlag.AlignTop)
                line.addWidget(label(text, "second", wrap=True), 1)
                column.addLayout(line)
            column.addStretch(1)
            row.addLayout(column, 1)
        return row

    def _make_choices(self) -> QWidget:
        card = QFrame()
        card.setProperty("role", "card")
        column = QVBoxLayout(card)
        column.setContentsMargins(14, 4, 14, 4)
        column.setSpacing(0)
        caps = self._settings
        change = text_button("Change", "permissionCaps", "link")
        change.setAccessibleDescription("Opens the caps in the settings")
        change.clicked.connect(lambda: self.settings_wanted.emit("caps"))
        spends = (
            f"Spends at most {caps.agent_tokens_per_response:,} tokens a response and "
            f"{caps.agent_tokens_per_conversation:,} a conversation"
        )
        about = label(
            "Your caps from Settings; the character cannot raise them.", "second", wrap=True
        )
        column.addLayout(self._choice("gauge", spends, about, change))
        column.addWidget(Separator())
        told = self._question.permissions
        self.web.setObjectName("permissionWeb")
        self.web.setAccessibleName("Web access for this character")
        self.web.setChecked(bool(self._allowed))
        self._web_text = label(
            wording.web_line(told, allowed=bool(self._allowed)), "second", wrap=True
        )
        self.web.setAccessibleDescription(self._web_text.text())
        column.addLayout(
            self._choice("globe", "Web access for this character", self._web_text, self.web)
        )
        return card

    def _choice(self, icon: str, text: str, about: QWidget, control: QWidget) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(0, 8, 0, 8)
        row.setSpacing(12)
        row.addWidget(IconView(self._theme, icon, "fg2", 16))
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addWidget(label(text, "", wrap=True))
        words.addWidget(about)
        row.addLayout(words, 1)
        row.addWidget(control)
        return row

    # Words

    def _no_words(self) -> str:
        if self._question.settled:
            return "Stop trusting it"
        return "Keep what runs" if self._question.changed else "Open without playing"

    def _yes_words(self) -> str:
        if self._question.settled:
            return "Done"
        return "Trust and use" if self._question.changed else "Trust and play"


def _together(agents: tuple[AgentPermissions, ...]) -> AgentPermissions:
    """Return what many agents may, as if they were one."""

    def every(of: str) -> Iterator[str]:
        return (one for agent in agents for one in getattr(agent, of))

    return AgentPermissions(
        id="",
        file="",
        language=agents[0].language,
        tools=tuple(dict.fromkeys(every("tools"))),
        commands=tuple(dict.fromkeys(every("commands"))),
        apis=tuple(sorted(set(every("apis")))),
        hooks=tuple(dict.fromkeys(every("hooks"))),
        preload=any(agent.preload for agent in agents),
        libraries=tuple(dict.fromkeys(every("libraries"))),
    )
