"""The cards of the start page: a project, a template, a first step."""

from __future__ import annotations

import zlib

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QLinearGradient,
    QPainter,
    QPaintEvent,
    QTextLayout,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from studio_qt.ui.start.facts import ProjectFacts, TemplateFacts
from studio_qt.ui.theme.icons import make_pixmap
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import ElidedLabel, IconView, initials, label, text_button
from studio_qt.ui.widgets.inputs import Card
from studio_qt.ui.widgets.tips import plain_tip

__all__ = ["Clamped", "GoneTile", "Mark", "ProjectTile", "StepTile", "TemplateTile"]

_SECONDS = ("warnfill", "err", "okfill", "info", "accent2")
_ICONS = {
    "blank": "file",
    "lantern-keeper": "lantern",
    "name-finder": "tag",
    "confidant": "lock",
    "lorekeeper": "book",
}


class Mark(QWidget):
    """A letter, or an icon, on a plate whose colours follow from a name."""

    def __init__(self, theme: Theme, name: str, size: int, *, icon: str = "") -> None:
        super().__init__()
        self._theme, self._icon = theme, icon
        self._letter = initials(name)[0]
        self._second = _SECONDS[zlib.crc32(name.encode()) % len(_SECONDS)] if not icon else ""
        self.setFixedSize(size, size)
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        size = self.width()
        end = size if self._icon else size * 1.3
        fill = QLinearGradient(QPointF(size * 0.3, size * 0.3), QPointF(end, end))
        fill.setColorAt(0, self._theme.colour("btn"))
        fill.setColorAt(1, self._theme.colour(self._second or "quote"))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(QRectF(0, 0, size, size), size * 0.22, size * 0.22)
        if self._icon:
            inner = round(size * 0.66)
            colour = self._theme.tokens["onaccent"]
            picture = make_pixmap(self._icon, colour, inner, self.devicePixelRatioF())
            painter.drawPixmap((size - inner) // 2, (size - inner) // 2, picture)
            return
        painter.setPen(self._theme.colour("onaccent"))
        font = self._theme.font(13, QFont.Weight.DemiBold)
        font.setPixelSize(round(size * 0.44))
        painter.setFont(font)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._letter)


class Clamped(QWidget):
    """A text of `least` to `most` lines, as high as it needs to be; … ends one that is longer."""

    def __init__(
        self, theme: Theme, most: int, *, least: int = 1, token: str = "fg2", pixels: int = 12
    ) -> None:
        super().__init__()
        self._theme, self._token, self._pixels = theme, token, pixels
        self._most, self._least = most, least
        self._text = ""
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        theme.changed.connect(self.updateGeometry)

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Show another text."""
        self._text = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._step() * max(self._least, len(self._lines(width)))

    def sizeHint(self) -> QSize:
        return QSize(120, self.heightForWidth(240))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self._step() * self._least)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = self._font()
        painter.setFont(font)
        painter.setPen(self._theme.colour(self._token if self.isEnabled() else "fg3"))
        ascent = QFontMetrics(font).ascent()
        for at, line in enumerate(self._lines(self.width())):
            painter.drawText(QPointF(0, at * self._step() + ascent), line)

    def _lines(self, width: int) -> list[str]:
        """Break the text into lines of a width; the last has the rest, shortened."""
        font = self._font()
        lines: list[str] = []
        layout = QTextLayout(self._text, font)
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            start = line.textStart()
            if len(lines) == self._most - 1:
                metrics, rest = QFontMetrics(font), self._text[start:]
                lines.append(metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width))
                break
            lines.append(self._text[start : start + line.textLength()].rstrip())
        layout.endLayout()
        return lines

    def _font(self) -> QFont:
        return self._theme.font(self._pixels)

    def _step(self) -> int:
        return round(QFontMetrics(self._font()).height() * 1.08)


class ProjectTile(Card):
    """A project that can be opened: Enter or a click; Delete takes it from the list.

    `remove_wanted` asks for the latter.
    """

    remove_wanted = Signal()

    def __init__(self, theme: Theme, name: str, when: str) -> None:
        super().__init__("recentProject", name)
        self._when = when
        self._place_for_mark = QVBoxLayout()
        self._mark = Mark(theme, name, 44)
        self._theme = theme
        self._name = ElidedLabel(name, "name")
        self._text = Clamped(theme, 2, least=2)
        self._counts = ElidedLabel("", "quiet")
        self._build()
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)

    def show_facts(self, facts: ProjectFacts) -> None:
        """Show what was read of the project."""
        self._name.set_whole(facts.name)
        self._text.set_text(facts.description)
        self._counts.set_whole(facts.counts)
        mark = Mark(self._theme, facts.name, 44)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._place_for_mark.replaceWidget(self._mark, mark)
        self._mark.deleteLater()
        self._mark = mark
        self.setAccessibleName(f"{facts.name}, {self._when}")
        self.setAccessibleDescription(f"{facts.description} {facts.counts}".strip())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Delete:
            self.remove_wanted.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.addAction("Open", self.click)
        menu.addAction("Remove from this list", self.remove_wanted.emit)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(event.globalPos())

    def _build(self) -> None:
        inside = QWidget()
        row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        self._place_for_mark.addWidget(self._mark)
        self._place_for_mark.addStretch(1)
        row.addLayout(self._place_for_mark)
        words = QVBoxLayout()
        words.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._name, 1)
        head.addWidget(label(self._when, "quiet"))
        words.addLayout(head)
        words.addWidget(self._text)
        words.addSpacing(8)
        words.addWidget(self._counts)
        row.addLayout(words, 1)
        self.add(inside)
        for child in self.findChildren(QWidget):
            child.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)


class GoneTile(QFrame):
    """A project that is not there any more; it can be taken from the list."""

    remove_wanted = Signal()

    def __init__(self, theme: Theme, facts: ProjectFacts) -> None:
        super().__init__()
        self.setObjectName("recentGone")
        self.setProperty("role", "card")
        self.setAccessibleName(f"{facts.name} is not there any more")
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 10, 10)
        column.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(IconView(theme, "broken-chain", "fg3", 14))
        head.addWidget(ElidedLabel(facts.name, "quiet"), 1)
        column.addLayout(head)
        text = Clamped(theme, 2, least=2, token="fg3")
        text.set_text(facts.description)
        column.addWidget(text)
        remove = text_button("Remove", "recentRemove", "link")
        remove.setAccessibleName(f"Remove {facts.name} from the list")
        remove.clicked.connect(self.remove_wanted)
        column.addWidget(remove, 0, Qt.AlignmentFlag.AlignRight)


class TemplateTile(Card):
    """A template; a click asks for a name and a place."""

    def __init__(self, theme: Theme, facts: TemplateFacts) -> None:
        super().__init__(f"template-{facts.name}", f"New character from {facts.title}")
        self.name = facts.name
        self.setAccessibleDescription(f"{facts.description} {facts.counts}".strip())
        self.setToolTip(plain_tip(facts.description))
        self.add(IconView(theme, _ICONS.get(facts.name, "file-text"), "accent2", 16))
        self.column.addSpacing(4)
        self.add(ElidedLabel(facts.title, "name"))
        text = Clamped(theme, 6, least=2)
        text.set_text(facts.description)
        self.add(text)
        self.column.addSpacing(6)
        self.column.addStretch(1)
        self.add(ElidedLabel(facts.counts, "quiet"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class StepTile(Card):
    """One of the first things to do, and how long it takes."""

    def __init__(self, name: str, number: int, title: str, text: str, takes: str) -> None:
        super().__init__(name, f"Step {number}: {title}")
        self.setAccessibleDescription(f"{text} {takes}")
        inside = QWidget()
        row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        count = label(str(number), "pill")
        count.setAlignment(Qt.AlignmentFlag.AlignCenter)
        row.addWidget(count, 0, Qt.AlignmentFlag.AlignVCenter)
        words = QVBoxLayout()
        words.setSpacing(1)
        words.addStretch(1)
        words.addWidget(ElidedLabel(title, "name"))
        words.addWidget(label(text, "second", wrap=True))
        words.addStretch(1)
        row.addLayout(words, 1)
        row.addWidget(label(takes, "quiet"))
        self.add(inside)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)
