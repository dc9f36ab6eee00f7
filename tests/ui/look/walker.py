"""Walks over the controls that are shown and tells what is wrong with their look.

Each check takes a widget that is shown, looks at everything visible in it, and returns `Fault`s.
`walk` runs them all. A widget with the property `floating` (and sheets, toasts, buttons that
float) may lie over others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible, QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListView,
    QMenuBar,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QScrollArea,
    QScrollBar,
    QStyledItemDelegate,
    QTabBar,
    QTableView,
    QTextEdit,
    QToolButton,
    QTreeView,
    QWidget,
)

__all__ = [
    "Fault",
    "clipped",
    "controls",
    "elided",
    "low_rows",
    "overlapping",
    "shown",
    "top_of",
    "unnamed",
    "unreachable",
    "words_of",
]

_CONTROLS = (
    QAbstractButton,
    QLineEdit,
    QComboBox,
    QAbstractSpinBox,
    QAbstractItemView,
    QPlainTextEdit,
    QTextEdit,
    QAbstractSlider,
    QTabBar,
)
_INSIDE_OTHERS = (QAbstractSpinBox, QComboBox, QLineEdit, QTabBar, QMenuBar, QHeaderView)
_SLACK = 1


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: its kind, where, and how."""

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


def top_of(window: QWidget) -> QWidget:
    """Return what can be used of a window: the sheet that lies over it, or all of it."""
    sheets = [one for one in window.findChildren(QDialog) if one.isVisible() and not one.isWindow()]
    return sheets[-1] if sheets else window


def shown(root: QWidget) -> Iterator[QWidget]:
    """Yield every widget in `root` of which at least a part can be seen."""
    for widget in root.findChildren(QWidget):
        if widget.isVisibleTo(root) and not widget.visibleRegion().isEmpty():
            yield widget


def controls(root: QWidget) -> Iterator[QWidget]:
    """Yield what can be used by mouse or keyboard, without the parts that Qt makes itself."""
    for widget in shown(root):
        usable = isinstance(widget, _CONTROLS) and not isinstance(widget, QHeaderView)
        if usable and not _made_by_qt(widget):
            yield widget


def words_of(widget: QWidget) -> str:
    """Return the text that a widget draws itself, "" for none."""
    if isinstance(widget, QLabel):
        return widget.text() if widget.pixmap().isNull() else ""
    if isinstance(widget, QAbstractButton):
        icons_only = (
            isinstance(widget, QToolButton)
            and widget.toolButtonStyle() == Qt.ToolButtonStyle.ToolButtonIconOnly
            and not widget.icon().isNull()
        )
        return "" if icons_only else widget.text().replace("&&", "\0").replace("&", "")
    if isinstance(widget, QLineEdit):
        return widget.displayText() or widget.placeholderText()
    if isinstance(widget, QComboBox):
        return widget.currentText()
    return ""


def clipped(root: QWidget) -> list[Fault]:
    """Find words that have less room than they need."""
    faults = []
    for widget in shown(root):
        if _made_by_qt(widget):
            continue
        if isinstance(widget, QMenuBar):
            more = widget.findChild(QToolButton, "qt_menubar_ext_button")
            if more is not None and more.isVisible():
                faults.append(_fault("clipped", widget, "menus do not fit"))
        if isinstance(widget, QHeaderView):
            faults += _clipped_sections(widget)
        if words_of(widget) or isinstance(widget, _CONTROLS):
            if cut := _cut_by_parent(widget, root):
                faults.append(_fault("clipped", widget, cut))
            elif words_of(widget) and (lack := _lack(widget)):
                faults.append(_fault("clipped", widget, lack))
    return faults


def overlapping(root: QWidget) -> list[Fault]:
    """Find labels, buttons and fields that lie on one another."""
    leaves = [
        (widget, _seen_rect(widget, root))
        for widget in shown(root)
        if not _made_by_qt(widget)
        and not _floats(widget, root)
        and (words_of(widget) or (isinstance(widget, _CONTROLS) and not _holds_others(widget)))
    ]
    faults = []
    for place, (one, rect) in enumerate(leaves):
        for other, its in leaves[place + 1 :]:
            both = rect.intersected(its)
            if both.width() <= _SLACK or both.height() <= _SLACK:
                continue
            if not one.isAncestorOf(other) and not other.isAncestorOf(one):
                what = f"lies {both.width()} by {both.height()} px over {_name(other)}"
                faults.append(_fault("overlapping", one, what))
    return faults


def elided(root: QWidget) -> list[Fault]:
    """Find words that end in … for want of room, without a tip that has the whole text."""
    faults = []
    for widget in shown(root):
        if isinstance(widget, QLabel):
            shortened = widget.text().endswith("…") and widget.accessibleName() not in {
                "",
                widget.text(),
            }
            if shortened and not widget.toolTip():
                faults.append(_fault("elided", widget, "has no tip with the whole text"))
        elif isinstance(widget, QAbstractItemView):
            faults += _elided_items(widget)
        elif isinstance(widget, QTabBar):
            faults += _elided_tabs(widget)
    return faults


def low_rows(root: QWidget) -> list[Fault]:
    """Find rows of lists that are less than 22 px high: made before the stylesheet was known."""
    faults = []
    for view in shown(root):
        if isinstance(view, QAbstractItemView) and not _made_by_qt(view):
            heights = {rect.height() for _text, rect, _tip in _items(view)}
            if heights and min(heights) < 22:
                faults.append(_fault("low rows", view, f"rows of {min(heights)} px"))
    return faults


def unnamed(root: QWidget) -> list[Fault]:
    """Find controls that assistive technology cannot name, or tests cannot find."""
    faults = []
    for widget in controls(root):
        owner = widget.parentWidget() if widget.objectName() == "qt_tabwidget_tabbar" else widget
        if owner is None or not owner.objectName() or owner.objectName().startswith("qt_"):
            faults.append(_fault("unnamed", widget, "has no object name"))
        face = QAccessible.queryAccessibleInterface(widget)
        spoken = face.text(QAccessible.Text.Name) if face is not None else ""
        tabs = isinstance(widget, QTabBar) and widget.count() > 0
        if not spoken.strip() and not tabs:
            faults.append(_fault("unnamed", widget, "has no accessible name"))
    return faults


def unreachable(root: QWidget) -> list[Fault]:
    """Find controls that neither Tab nor the arrows of a group reach.

    A list that the keys of a field move has the property `ledBy`.
    """
    return [
        _fault("unreachable", widget, "Tab does not come to it")
        for widget in controls(root)
        if widget.isEnabled()
        and not widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.focusProxy() is None
        and not widget.property("ledBy")
        and not _led_by_arrows(widget)
    ]


# Helpers


def _fault(kind: str, widget: QWidget, what: str) -> Fault:
    return Fault(kind, _name(widget), what)


def _name(widget: QWidget) -> str:
    kind = type(widget).__name__
    parent = widget
    while not parent.objectName() and parent.parentWidget() is not None:
        parent = parent.parentWidget()
    place = parent.objectName() if parent is widget else f"in {parent.objectName()}"
    words = words_of(widget)
    return f"{kind} {place}" + (f" “{words[:40]}”" if words else "")


def _made_by_qt(widget: QWidget) -> bool:
    """Whether a widget is a part of another control: the field of a spin box, a scroll bar."""
    if isinstance(widget, QScrollBar):
        return True
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, _INSIDE_OTHERS):
            return True
        if isinstance(parent, QAbstractItemView) and isinstance(widget, QAbstractButton):
            return widget.objectName() == ""  # the button at the corner of a table
        parent = parent.parentWidget() if not parent.isWindow() else None
    return False


def _holds_others(widget: QWidget) -> bool:
    return isinstance(widget, QAbstractItemView | QPlainTextEdit | QTextEdit | QScrollArea)


def _floats(widget: QWidget, root: QWidget) -> bool:
    while widget is not root:
        if widget.property("floating") or widget.property("kind") == "float":
            return True
        if widget.objectName() == "toasts":
            return True
        parent = widget.parentWidget()
        if parent is None:
            return False
        widget = parent
    return False


def _seen_rect(widget: QWidget, root: QWidget) -> QRect:
    seen = widget.visibleRegion().boundingRect()
    return QRect(widget.mapTo(root, seen.topLeft()), seen.size())


def _cut_by_parent(widget: QWidget, root: QWidget) -> str:
    """Tell how many pixels of a widget cannot be seen, and cannot be scrolled to either."""
    if widget is root or _floats(widget, root):
        return ""
    whole = QRect(widget.mapTo(root, widget.rect().topLeft()), widget.size())
    elsewhere = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignHCenter
    if isinstance(widget, QLabel) and not widget.alignment() & elsewhere:
        whole.setWidth(min(whole.width(), widget.sizeHint().width()))
    seen, across, down = QRect(whole), True, True
    parent = widget.parentWidget()
    while parent is not None:
        area = parent.parentWidget()
        if isinstance(area, QAbstractScrollArea) and area.viewport() is parent:
            across &= not _moves(area.horizontalScrollBar(), area.horizontalScrollBarPolicy())
            down &= not _moves(area.verticalScrollBar(), area.verticalScrollBarPolicy())
        place = QRect(parent.mapTo(root, parent.rect().topLeft()), parent.size())
        if not across:
            place.setLeft(min(place.left(), seen.left()))
            place.setRight(max(place.right(), seen.right()))
        if not down:
            place.setTop(min(place.top(), seen.top()))
            place.setBottom(max(place.bottom(), seen.bottom()))
        seen = seen.intersected(place)
        if parent is root:
            break
        parent = area
    wide, high = whole.width() - seen.width(), whole.height() - seen.height()
    if wide > _SLACK or high > _SLACK:
        return f"{wide} by {high} px lie outside of what holds it"
    return ""


def _moves(bar: QScrollBar, policy: Qt.ScrollBarPolicy) -> bool:
    return bar.maximum() > bar.minimum() and policy is not Qt.ScrollBarPolicy.ScrollBarAlwaysOff


def _lack(widget: QWidget) -> str:
    """Tell how much room the words of a widget lack."""
    if isinstance(widget, QLabel):
        return _label_lack(widget)
    metrics = QFontMetrics(widget.font())
    needed = max(metrics.horizontalAdvance(line) for line in words_of(widget).split("\n"))
    if isinstance(widget, QPushButton | QCheckBox | QRadioButton | QToolButton):
        needed += widget.sizeHint().width() - _words_in_hint(widget, metrics)
        return _less(needed - _own_padding(widget), widget.width())
    if isinstance(widget, QComboBox):
        return _less(needed, widget.width() - 40)
    if isinstance(widget, QLineEdit):
        if widget.text():  # what is typed scrolls
            return ""
        margins = widget.textMargins()
        return _less(needed, widget.width() - margins.left() - margins.right() - 12)
    return ""


def _label_lack(widget: QLabel) -> str:
    room = widget.contentsRect()
    if widget.wordWrap():
        needed = widget.heightForWidth(widget.width())
        if needed > widget.height() + _SLACK:
            return f"needs {needed} px of height and has {widget.height()}"
        return ""
    if needed := _less(widget.sizeHint().width(), widget.width()):
        return needed
    high = QFontMetrics(widget.font()).height()
    return f"is {room.height()} px high, its letters {high}" if room.height() < high - 2 else ""


def _words_in_hint(widget: QAbstractButton, metrics: QFontMetrics) -> int:
    return max(metrics.horizontalAdvance(line) for line in words_of(widget).split("\n"))


def _own_padding(widget: QAbstractButton) -> int:
    """What a button can do without before its words are cut: most of the air around them."""
    return 8 if isinstance(widget, QPushButton | QToolButton) else 0


def _less(needed: int, room: int) -> str:
    return f"needs {needed} px and has {room}" if needed > room + _SLACK else ""


def _clipped_sections(header: QHeaderView) -> list[Fault]:
    faults = []
    if header.orientation() is not Qt.Orientation.Horizontal or header.model() is None:
        return faults
    metrics = QFontMetrics(header.font())
    for section in range(header.count()):
        words = str(header.model().headerData(section, header.orientation()) or "")
        room = header.sectionSize(section) - 20
        lack = _less(metrics.horizontalAdvance(words), room)
        if lack and words and not header.isSectionHidden(section):
            faults.append(Fault("clipped", f"{_name(header)}: “{words}”", lack))
    return faults


def _items(view: QAbstractItemView) -> Iterator[tuple[str, QRect, str]]:
    """Yield text, place and tip of each item that can be seen."""
    model = view.model()
    if model is None:
        return
    seen = view.viewport().rect()
    todo = [view.rootIndex()]
    while todo:
        parent = todo.pop()
        for row in range(min(model.rowCount(parent), 500)):
            for column in _columns(view):
                index = model.index(row, column, parent)
                rect = view.visualRect(index)
                if rect.isValid() and rect.intersects(seen):
                    text = index.data(Qt.ItemDataRole.DisplayRole)
                    tip = index.data(Qt.ItemDataRole.ToolTipRole)
                    yield str(text or ""), rect, str(tip or "")
                if isinstance(view, QTreeView) and column == 0 and view.isExpanded(index):
                    todo.append(index)


def _columns(view: QAbstractItemView) -> Sequence[int]:
    if isinstance(view, QListView):
        return [view.modelColumn()]
    if isinstance(view, QTreeView):
        return range(view.header().count())
    return range(view.horizontalHeader().count()) if isinstance(view, QTableView) else [0]


def _elided_items(view: QAbstractItemView) -> list[Fault]:
    if type(view.itemDelegate()) is not QStyledItemDelegate:
        return []  # who paints by itself elides by itself
    metrics = QFontMetrics(view.font())
    seen = view.viewport().width()
    stays = view.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    return [
        _fault("elided", view, f"“{text[:40]}” has no tip with the whole text")
        for text, rect, tip in _items(view)
        if not tip and metrics.horizontalAdvance(text) + 12 > _room(rect, seen, stays=stays)
    ]


def _room(rect: QRect, seen: int, *, stays: bool) -> int:
    return min(rect.width(), seen) if stays else rect.width()


def _elided_tabs(tabs: QTabBar) -> list[Fault]:
    metrics = QFontMetrics(tabs.font())
    return [
        _fault("elided", tabs, f"“{tabs.tabText(tab)}” has no tip with the whole text")
        for tab in range(tabs.count())
        if metrics.horizontalAdvance(tabs.tabText(tab)) > tabs.tabRect(tab).width() - 4
        and tabs.tabToolTip(tab) in {"", tabs.tabText(tab)[:0]}
    ]


def _led_by_arrows(widget: QWidget) -> bool:
    """Whether a button is one of a group in which arrows go from one to the next."""
    if not isinstance(widget, QAbstractButton):
        return False
    group = widget.group()
    return widget.autoExclusive() or (group is not None and group.exclusive())
