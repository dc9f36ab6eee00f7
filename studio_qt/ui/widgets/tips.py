"""Tooltips that show a text as it is.

Qt takes a tip with a tag in it for rich text: a file name, a description or a line of an agent
could then draw itself as it likes, and have pictures read from the disk or over the network.
"""

from __future__ import annotations

from PySide6.QtGui import Qt  # only this one knows rich text

__all__ = ["plain_tip"]


def plain_tip(text: str) -> str:
    """Return what a tooltip has to be given so that it shows `text`, letter by letter."""
    if not Qt.mightBeRichText(text):
        return text
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<span style="white-space: pre-wrap">{escaped}</span>'
