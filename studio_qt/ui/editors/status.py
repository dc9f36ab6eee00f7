"""`EditorStatus`: what the status bar tells about the editor in front."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["LANGUAGES", "EditorStatus"]

LANGUAGES = {
    "json": "JSON",
    "markdown": "Markdown",
    "subagent": "Sub-agent Markdown",
    "yaml": "YAML",
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "python": "Python",
    "lua": "Lua",
    "text": "Plain text",
}
"""The names of the languages for the user."""

_ENDS = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


class EditorStatus(NamedTuple):
    """Line and column count from 1, in characters; `selected` is the length of the selection.

    `tokens` is the estimate for the document, None while it is reckoned. `problem` is the message
    of the line with the cursor, `spelling` why nothing is checked; both "" where there is none.
    """

    line: int
    column: int
    selected: int
    language: str
    encoding: str
    line_end: str
    indent: str
    tokens: int | None
    read_only: bool = False
    problem: str = ""
    spelling: str = ""

    @property
    def place(self) -> str:
        """Line, column and length of the selection in words."""
        chosen = f" ({self.selected:,} selected)" if self.selected else ""
        return f"Ln {self.line:,}, Col {self.column:,}{chosen}"

    @property
    def language_name(self) -> str:
        """The language for the user."""
        return LANGUAGES.get(self.language, self.language)

    @property
    def format(self) -> str:
        """Encoding and line ends in words."""
        mark = " with BOM" if self.encoding.endswith("-sig") else ""
        name = self.encoding.removesuffix("-sig").upper()
        return f"{name}{mark} · {_ENDS.get(self.line_end, self.line_end)}"

    @property
    def indentation(self) -> str:
        """The step of indentation in words."""
        return "Tabs" if self.indent == "\t" else f"Spaces: {len(self.indent)}"

    @property
    def weight(self) -> str:
        """The estimate of tokens in words; "" while it is reckoned."""
        if self.tokens is None:
            return ""
        return "1 token" if self.tokens == 1 else f"{self.tokens:,} tokens"
