"""What only the picture tells: contrast of words, and whether focus can be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPalette, QTextBlock
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from studio_qt.ui.theme import tokens
from tests.ui.look.walker import Fault, _fault, _items, _seen_rect, controls, shown, words_of

__all__ = ["HIGH", "LEAST", "no_ring", "poor_contrast"]

LEAST, HIGH = 4.45, 6.95
"""4.5, and 7 for high contrast, with room for rounding to eight bits."""

_ZOOM = 2
_RING_PIXELS = 24
_PIECE = 256
"""Bytes that are compared at once."""

contrast = cache(tokens.contrast)  # the same few pairs come again in every picture


def poor_contrast(root: QWidget, least: float = LEAST) -> list[Fault]:
    """Find words whose colour is too near to what they stand on, measured on the picture.

    The picture is twice as large, so that strokes of letters reach their full colour.
    """
    picture = _picture(root, _ZOOM)
    faults = []
    for widget, rect in _worded(root):
        ratio, on, under = _measure(picture, rect)
        if ratio < least:
            faults.append(_fault("contrast", widget, f"{ratio:.2f} ({on} on {under})"))
    for widget in shown(root):
        if isinstance(widget, QPlainTextEdit | QTextEdit):
            faults += _poor_passages(widget, picture, root, least)
    return faults


def no_ring(root: QWidget) -> list[Fault]:
    """Find controls that look the same with the focus as without; the focus is put back.

    A field for more than one line may show its caret alone. Raises AssertionError while the window
    is not the active one: nothing has the focus then.
    """
    assert root.isActiveWindow(), "the window is not active"
    before = QApplication.focusWidget()
    faults = []
    for widget in list(controls(root)):
        if not widget.isEnabled() or not widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            continue
        if isinstance(widget, QPlainTextEdit | QTextEdit) or _is_empty(widget):
            continue
        if _focus_is_hidden(widget, root):
            faults.append(_fault("no ring", widget, "focus cannot be seen"))
    if before is not None:
        before.setFocus()
    return faults


# Helpers


def _worded(root: QWidget) -> Iterator[tuple[QWidget, QRect]]:
    """Yield the places with words: widgets that draw some, and rows of views."""
    for widget in shown(root):
        if isinstance(widget, QAbstractItemView):
            seen = widget.viewport().visibleRegion().boundingRect()
            for text, rect, _tip in _items(widget):
                if text and seen.contains(rect):
                    place = widget.viewport().mapTo(root, rect.topLeft())
                    yield widget, QRect(place, rect.size()).adjusted(3, 3, -3, -3)
        elif words_of(widget).strip() and _mostly_seen(widget):
            edge = 0 if isinstance(widget, QLabel) and not widget.property("role") else 3
            side = 34 if isinstance(widget, QLineEdit) and widget.actions() else edge
            yield widget, _seen_rect(widget, root).adjusted(side, edge, -side, -edge)


def _mostly_seen(widget: QWidget) -> bool:
    """Whether a widget is not scrolled out of sight but for an edge."""
    seen = widget.visibleRegion().boundingRect()
    return seen.height() > 0.7 * widget.height() and seen.width() > 0.3 * widget.width()


def _picture(root: QWidget, zoom: float) -> QImage:
    image = QImage(root.size() * zoom, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(zoom)
    root.render(image, QPoint())
    return image


def _measure(picture: QImage, rect: QRect) -> tuple[float, str, str]:
    """Return the contrast in a place, its strongest colour, and the one it mostly has."""
    zoom = round(picture.devicePixelRatio())
    place = QRect(rect.topLeft() * zoom, rect.size() * zoom)
    colours = _colours(picture.copy(place.intersected(picture.rect())))
    if len(colours) < 2:
        return 21.0, "", ""
    under = colours.most_common(1)[0][0]
    ranked = sorted(colours, key=lambda colour: contrast(colour, under), reverse=True)
    seen = 0
    for colour in ranked:  # the strongest that is not a stray pixel
        seen += colours[colour]
        if seen >= 8:
            return contrast(colour, under), colour, under
    return 21.0, "", ""


def _colours(image: QImage) -> Counter[str]:
    if image.isNull():
        return Counter()
    counted = Counter(memoryview(image.constBits()).cast("I"))
    colours: Counter[str] = Counter()
    for pixel, count in counted.items():
        colours[f"#{pixel & 0xFFFFFF:06x}"] += count
    return colours


def _poor_passages(
    area: QPlainTextEdit | QTextEdit, picture: QImage, root: QWidget, least: float
) -> list[Fault]:
    """Check the colours of the formats that can be seen against what the area mostly shows."""
    zoom = round(picture.devicePixelRatio())
    rect = _seen_rect(area.viewport(), root)
    place = QRect(rect.topLeft() * zoom, rect.size() * zoom).intersected(picture.rect())
    colours = _colours(picture.copy(place).scaled(place.size() / 8))
    if not colours:
        return []
    under = colours.most_common(1)[0][0]
    usual = area.palette().color(QPalette.ColorRole.Text)
    poor = {}
    for block in _seen_blocks(area):
        for words, on, behind in _passages(block, usual):
            ratio = contrast(on, behind or under)
            if words.strip() and ratio < least:
                poor[on, behind or under] = f"{ratio:.2f} “{words.strip()[:30]}”"
    return [_fault("contrast", area, f"{what} {pair}") for pair, what in poor.items()]


def _seen_blocks(area: QPlainTextEdit | QTextEdit) -> Iterator[QTextBlock]:
    seen = area.viewport().rect()
    block = area.cursorForPosition(seen.topLeft()).block()
    last = area.cursorForPosition(seen.bottomRight()).block().blockNumber()
    while block.isValid() and block.blockNumber() <= last:
        yield block
        block = block.next()


def _passages(block: QTextBlock, usual: QColor) -> Iterator[tuple[str, str, str]]:
    """Yield the words of a block with their colour, and that of their plate or ""."""
    cursor = block.begin()
    while not cursor.atEnd():
        piece = cursor.fragment()
        shape = piece.charFormat()
        on = (
            shape.foreground().color()
            if shape.hasProperty(shape.Property.ForegroundBrush)
            else usual
        )
        yield piece.text(), on.name(), _behind(shape)
        cursor += 1
    layout = block.layout()
    for span in layout.formats() if layout is not None else []:
        shape = span.format
        if shape.hasProperty(shape.Property.ForegroundBrush):
            words = block.text()[span.start : span.start + span.length]
            yield words, shape.foreground().color().name(), _behind(shape)


def _behind(shape: object) -> str:
    brush = shape.background()  # type: ignore[attr-defined]
    return brush.color().name() if brush.style() != Qt.BrushStyle.NoBrush else ""


def _is_empty(widget: QWidget) -> bool:
    if not isinstance(widget, QAbstractItemView):
        return False
    model = widget.model()
    return model is None or model.rowCount(widget.rootIndex()) == 0


def _focus_is_hidden(widget: QWidget, root: QWidget) -> bool:
    """Whether too few pixels change by much when the widget gets the focus."""
    around = _seen_rect(widget, root).adjusted(-12, -12, 12, 48)
    around = around.intersected(root.rect())
    focused = QApplication.focusWidget()
    if focused is not None:
        focused.clearFocus()
    without = _grab(root, around)
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    with_focus = _grab(root, around)
    changed = Counter(_changes(without, with_focus))
    strong = sum(
        count
        for (first, second), count in changed.items()
        if contrast(f"#{first:06x}", f"#{second:06x}") >= 1.6
    )
    return strong < _RING_PIXELS


def _grab(root: QWidget, rect: QRect) -> QImage:
    return root.grab(rect).toImage().convertToFormat(QImage.Format.Format_RGB32)


def _changes(before: QImage, after: QImage) -> Iterator[tuple[int, int]]:
    """Yield the pixels that differ; most do not, and pieces that are alike are told at once."""
    one, other = bytes(before.constBits()), bytes(after.constBits())
    assert len(one) == len(other)
    for start in range(0, len(one), _PIECE):
        first, second = one[start : start + _PIECE], other[start : start + _PIECE]
        if first != second:
            pixels = zip(memoryview(first).cast("I"), memoryview(second).cast("I"), strict=True)
            yield from ((a & 0xFFFFFF, b & 0xFFFFFF) for a, b in pixels if a != b)
