"""The languages of a character's files: which a path has, and what an editor asks of each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

__all__ = ["FENCED", "LANGUAGES", "comment_marks", "is_prose", "language_of"]

LANGUAGES = (
    *("json", "markdown", "subagent", "yaml", "javascript", "typescript", "python", "lua"),
    "text",
)

_ENDINGS: Mapping[str, str] = {
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".webmanifest"), "json"),
    **dict.fromkeys((".md", ".markdown", ".mkd"), "markdown"),
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts", ".tsx"), "typescript"),
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"),
    ".lua": "lua",
}

FENCED: Mapping[str, str] = {
    **{name: name for name in LANGUAGES if name not in ("subagent", "text")},
    **dict.fromkeys(("js", "jsx", "mjs", "node"), "javascript"),
    **dict.fromkeys(("ts", "tsx"), "typescript"),
    **dict.fromkeys(("py", "python3"), "python"),
    **dict.fromkeys(("jsonc", "json5", "jsonl"), "json"),
    **dict.fromkeys(("yml",), "yaml"),
    **dict.fromkeys(("md",), "markdown"),
}
"""What may stand behind the marks of a fenced block in Markdown, in small letters."""

_MARKS: Mapping[str, tuple[str | None, tuple[str, str] | None]] = {
    "javascript": ("//", ("/*", "*/")),
    "typescript": ("//", ("/*", "*/")),
    "python": ("#", None),
    "lua": ("--", ("--[[", "]]")),
    "yaml": ("#", None),
    "subagent": ("#", None),
    "markdown": (None, ("<!--", "-->")),
}


def language_of(path: str) -> str:
    """Return the language of a file, one of `LANGUAGES`; "text" where the ending says nothing."""
    name = PurePosixPath(path.replace("\\", "/")).name.lower()
    if name.endswith(".subagent.md"):
        return "subagent"
    dot = name.rfind(".")
    return _ENDINGS.get(name[dot:], "text") if dot >= 0 else "text"


def comment_marks(language: str) -> tuple[str | None, tuple[str, str] | None]:
    """Return what begins a comment to the end of the line, and what encloses a longer one.

    Each is None where a language has none: JSON as characters use it has no comments. A
    `.subagent.md` has "#" in its frontmatter alone; ask `Highlighter.language_at` for the place.
    """
    return _MARKS.get(language, (None, None))


def is_prose(language: str) -> bool:
    """Say whether a language is mostly sentences: wrapped, with spelling, with macros."""
    return language in ("markdown", "subagent", "text")
