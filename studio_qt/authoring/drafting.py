"""Drafts without a model: a sub-agent or an agent from the author's own words, ready to edit.

What Generate gives while Rehearsal answers; nothing in it is invented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from studio_qt.authoring.checking import check_prompt
from studio_qt.authoring.generating import Generated, Wish
from studio_qt.authoring.inventory import Inventory
from studio_qt.authoring.scaffolding import scaffold_text
from studio_qt.jsontext import JsonValue
from studio_qt.package.model import Language
from studio_qt.package.subagents import write_frontmatter

__all__ = ["draft_agent", "draft_sub_agent"]

_SUFFIXES: Mapping[Language, str] = {
    "javascript": ".js",
    "typescript": ".ts",
    "python": ".py",
    "lua": ".lua",
}
_ANSWER_TOKENS = 500
_WORDS = re.compile(r"[^\W_]{3,}")
_ABOUT = "Says in one sentence what this agent adds to the character."
_WHEN = "Says when the model should call this tool, and for what."

_BODY = """\
You are {title}, a specialist whom the narrator of a story consults.

## Your task
{wish}
{reference}
## Rules
- Answer the request alone, in a few sentences; the narrator reads the answer, not a person.
- {source}
- Say so when you do not know."""


def draft_sub_agent(wish: Wish, inventory: Inventory) -> Generated:
    """Return a sub-agent that says what its author wished for; it loads as it is.

    Context files whose names the wish speaks of are bound.
    """
    words = " ".join(wish.text.replace("%%", "").split())
    files = _spoken_of(words, inventory)
    source = "Use only what the request tells." if not files else "Use only the reference above."
    body = _BODY.format(
        title=_title(wish.name),
        wish=_paragraph(wish.text),
        reference="\n## Reference\n%%CONTEXT%%\n" if files else "",
        source=source,
    )
    description = f"{_sentence(words)} Call this whenever that is asked for or matters to a scene."
    fields: dict[str, JsonValue] = {
        "description": description,
        "contextFiles": [*files],
        "maxTokens": _ANSWER_TOKENS,
    }
    text = f"{write_frontmatter(fields)}{body}\n"
    checked = check_prompt(text, wish.name, inventory).settled()
    notes = ["This is a draft in your own words: no language model is connected to write it."]
    return Generated(
        f"agents/{wish.name}.subagent.md", checked.text, (*notes, *checked.notes), draft=True
    )


def draft_agent(wish: Wish, language: Language) -> Generated:
    """Return the working frame of an agent in code, with the wish as its descriptions."""
    suffix = _SUFFIXES[language]
    words = _plain(wish.text)
    text = scaffold_text(f"agent{suffix}", wish.name)
    text = text.replace(_ABOUT, words)
    text = text.replace(_WHEN, f"{words} Call it whenever that is asked for.")
    note = (
        "This is the frame of an agent that notes down what it is given: no language model is "
        "connected to write what you wish for."
    )
    return Generated(f"agents/{wish.name}{suffix}", text, (note,), draft=True)


def _title(name: str) -> str:
    return re.sub(r"[-_\s]+", " ", name.rpartition(".")[2]).strip() or name


def _sentence(words: str) -> str:
    """Return words as a sentence: a capital at the beginning, a stop at the end."""
    words = words.strip()
    ended = words if words.endswith((".", "!", "?", "…", "。")) else f"{words}."
    return ended[:1].upper() + ended[1:]


def _paragraph(text: str) -> str:
    """Return a wish as it stands, without macros and without lines that would end a file's head."""
    return "\n".join(line.rstrip() for line in text.replace("%%", "").strip().splitlines())


def _plain(text: str) -> str:
    """Return a wish in one line that can stand in a comment of any language."""
    words = " ".join(text.split())
    for sign in ("*/", "]]", '"""', "\\", "@"):
        words = words.replace(sign, " ")
    return _sentence(" ".join(words.split())[:400])


def _spoken_of(words: str, inventory: Inventory) -> list[str]:
    said = {word.lower() for word in _WORDS.findall(words)}
    found = []
    for file in inventory.context_files:
        stem = file.strip(".").rpartition(".")[0] or file.strip(".")
        parts = {word.lower() for word in _WORDS.findall(stem)}
        if file in words or (parts and parts <= said):
            found.append(file)
    return found[:5]
