"""Colours for the texts of a character: which language a file has, and what stands where in it."""

from studio_qt.ui.highlight.highlighter import LONGEST_LINE, Highlighter
from studio_qt.ui.highlight.languages import LANGUAGES, comment_marks, is_prose, language_of

__all__ = ["LANGUAGES", "LONGEST_LINE", "Highlighter", "comment_marks", "is_prose", "language_of"]
