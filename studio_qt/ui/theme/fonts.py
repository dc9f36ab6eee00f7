"""The faces: Inter and JetBrains Mono where they are installed, else the system's own."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase

__all__ = [
    "BASE_SIZE",
    "CHAT_SIZE",
    "chat_font",
    "editor_font",
    "interface_font",
    "mono_families",
    "mono_font",
    "scaled",
]

BASE_SIZE = 13
"""Pixels of the interface for which all other sizes are given."""

CHAT_SIZE = 14
"""Pixels of the chat's prose."""

_LEAST = 8


def scaled(pixels: int, interface_size: int) -> int:
    """Return a size that is given for an interface of 13 px, for another interface size."""
    return max(min(pixels, _LEAST), round(pixels * interface_size / BASE_SIZE))


def interface_font(pixels: int = BASE_SIZE, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the face of labels, buttons and prose; `Theme.font` scales the size as well."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setFamilies(["Inter", *font.families()])
    font.setPixelSize(pixels)
    font.setWeight(weight)
    return font


def mono_font(pixels: int = 12, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the face of ids, tool names and code, without ligatures."""
    font = QFont(mono_families())
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPixelSize(pixels)
    font.setWeight(weight)
    for feature in ("liga", "calt"):
        font.setFeature(QFont.Tag(feature), 0)
    return font


def chat_font(face: str = "", pixels: int = CHAT_SIZE) -> QFont:
    """Return the face of the chat: `face` where it is installed, else that of the interface."""
    return _led_by(face, interface_font(pixels))


def editor_font(face: str = "", pixels: int = BASE_SIZE) -> QFont:
    """Return the face of the editors: `face` where it is installed, else the monospaced one."""
    return _led_by(face, mono_font(pixels))


def mono_families() -> list[str]:
    """Return the monospaced faces in order of preference."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    return ["JetBrains Mono", *system.families()]


def _led_by(face: str, font: QFont) -> QFont:
    if face:
        font.setFamilies([face, *font.families()])
    return font
