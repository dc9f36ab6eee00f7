"""The faces: Inter and JetBrains Mono where they are installed, else the system's own."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontDatabase

__all__ = ["CHAT_SIZE", "interface_font", "mono_families", "mono_font"]

CHAT_SIZE = 14
"""Pixels of the chat's prose."""


def interface_font(pixels: int = 13, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the face of labels, buttons and prose."""
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


def mono_families() -> list[str]:
    """Return the monospaced faces in order of preference."""
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    return ["JetBrains Mono", *system.families()]
