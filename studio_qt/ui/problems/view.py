"""`ProblemTree`: problems below their files, each with its whole sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from studio_qt.errors import Problem
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.filekinds import KINDS, kind_of
from studio_qt.ui.widgets.rowpainting import MARGIN, ROW, Index, RowDelegate

__all__ = ["ProblemRole", "ProblemTree"]

ProblemRole = int(Qt.ItemDataRole.UserRole)
"""The `Problem` of a row; None for a file."""

_LOOKS = {"error": ("alert", "err"), "warning": ("warning", "warn")}
_TEXT_AT = 56


class ProblemTree(QTreeWidget):
    """The list. `jump` carries the row that Enter or a double click chose."""

    jump = Signal(QTreeWidgetItem)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("problemsView")
        self.setAccessibleName("Problems of the package")
        self.setAccessibleDescription("Enter goes to the line.")
        self.setHeaderHidden(True)
        self.setColumnCount(1)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setExpandsOnDoubleClick(False)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_Rows(theme, self))

    def add_file(self, path: str, problems: Sequence[Problem]) -> QTreeWidgetItem:
        """Add a file with its problems; returns its row."""
        file = QTreeWidgetItem(self, [path])
        count = f"{len(problems)} {'problem' if len(problems) == 1 else 'problems'}"
        file.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{path}, {count}")
        for problem in problems:
            item = QTreeWidgetItem(file, [_words(problem)])
            item.setData(0, ProblemRole, problem)
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, str(problem))
        return file

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._activate(self.currentItem())
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        item = self.itemAt(event.position().toPoint())
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        left = event.button() == Qt.MouseButton.LeftButton
        if item is not None and item.childCount() and plain and left:
            item.setExpanded(not item.isExpanded())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(event.position().toPoint())
        if item is not None and not item.childCount():
            self._activate(item)
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()  # sentences break elsewhere

    def _activate(self, item: QTreeWidgetItem | None) -> None:
        if item is None:
            return
        if item.childCount():
            item.setExpanded(not item.isExpanded())
        else:
            self.jump.emit(item)


class _Rows(RowDelegate):
    """Paints files, and problems with their sentence on as many lines as it takes."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: Index) -> QSize:
        least = self.row_height
        problem = index.data(ProblemRole)
        if not isinstance(problem, Problem):
            return QSize(120, least)
        width = self._view.viewport().width() - _TEXT_AT - self._line_width(problem)
        bounds = self._view.fontMetrics().boundingRect(
            QRect(0, 0, max(80, width), 10_000), int(Qt.TextFlag.TextWordWrap), _words(problem)
        )
        return QSize(120, max(least, bounds.height() + 9))

    def paint_row(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = QRect(option.rect)
        self.paint_plate(painter, option, row, index)
        problem = index.data(ProblemRole)
        if isinstance(problem, Problem):
            self._problem(painter, row, problem)
        else:
            self._file(painter, row, index)

    def _file(self, painter: QPainter, row: QRect, index: Index) -> None:
        path = str(index.data())
        self.paint_chevron(painter, row, row.left() + 12, index)
        kind = KINDS[kind_of(path)]
        self.paint_icon(painter, kind.icon, kind.token, row.left() + 30, row, 16)
        folder, _, name = path.rpartition("/")
        font = self.face(QFont.Weight.Medium)
        left = row.left() + _TEXT_AT - 4
        for text, token, face in (
            (name, "fg", font),
            (folder, "fg3", self.face(small=True)),
            (str(index.model().rowCount(index)), "fg3", self.face(small=True)),
        ):
            place = QRect(left, row.top(), row.right() - MARGIN - left, row.height())
            self.write(painter, place, text, token, face)
            left += QFontMetrics(face).horizontalAdvance(text) + (8 if text else 0)

    def _problem(self, painter: QPainter, row: QRect, problem: Problem) -> None:
        icon, token = _LOOKS[problem.severity]
        first = QRect(row.left(), row.top(), row.width(), min(row.height(), ROW))
        self.paint_icon(painter, icon, token, row.left() + 32, first, 15)
        reserved = self._line_width(problem)
        place = QRect(
            row.left() + _TEXT_AT, row.top(), row.width() - _TEXT_AT - reserved, row.height()
        )
        painter.setFont(self.face())
        painter.setPen(self._theme.colour("fg"))
        flags = int(Qt.AlignmentFlag.AlignVCenter) | int(Qt.TextFlag.TextWordWrap)
        painter.drawText(place, flags, _words(problem))
        painter.setFont(self.face(small=True))
        painter.setPen(self._theme.colour("fg3"))
        right = QRect(row.left(), row.top(), row.width() - MARGIN - 8, first.height())
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
        painter.drawText(right, flags, _line_words(problem))

    def _line_width(self, problem: Problem) -> int:
        words = _line_words(problem)
        metrics = QFontMetrics(self.face(small=True))
        return metrics.horizontalAdvance(words) + MARGIN + 20


def _words(problem: Problem) -> str:
    """Return the message without the file and the line, which stand above and beside it."""
    words = problem.message.removeprefix(problem.file or "")
    if problem.file and words != problem.message:
        words = words.removeprefix(f", line {problem.line}").removeprefix(":").lstrip()
        return words[:1].upper() + words[1:] or problem.message
    return problem.message


def _line_words(problem: Problem) -> str:
    return "" if problem.line is None else f"line {problem.line}"
