"""What a model's answer holds: text in fences and tags, files with a frontmatter, refusals."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from studio_qt.sentences import shortened

__all__ = ["Fence", "excerpt", "fences", "free_tag", "is_refusal", "prompt_files", "tagged"]

_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\r\n`]*)$")
_DESCRIPTION = re.compile(r"^\s*[\"']?description[\"']?\s*:", re.MULTILINE)
_PREFACE = re.compile(
    r"^(?:sure|certainly|of course|okay|ok|absolutely|below is"
    r"|here(?:'s| is| are| it is| you go))\b"
    r"[^\n]*[:.!]\s*\n+",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^\W*(?:i(?:'|’)?m (?:very |so )?sorry|i am (?:very |so )?sorry|sorry,|i can(?:'|’)?t|i cannot"
    r"|i(?:'|’)?m (?:not able|unable)|i am (?:not able|unable)|i won(?:'|’)?t"
    r"|as an ai\b|unfortunately, i\b)",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 1_200
_ALIKE = 8


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of code in an answer; `closed` is False where the answer ends inside it."""

    language: str
    text: str
    closed: bool = True


def fences(answer: str) -> list[Fence]:
    """Return the outermost blocks of code, in order.

    A fence with a language inside of a block opens an inner one, so that a Markdown file with
    code in it stays whole.
    """
    found: list[Fence] = []
    lines: list[str] = []
    marks: list[str] = []
    language = ""
    for line in _plain(answer).split("\n"):
        mark = _FENCE.match(line)
        if mark is None:
            lines.append(line)
        elif not marks:
            marks, language, lines = [mark[1]], mark[2].strip().lower(), []
        elif mark[2].strip():
            marks.append(mark[1])
            lines.append(line)
        elif mark[1][0] == marks[-1][0] and len(mark[1]) >= len(marks[-1]):
            marks.pop()
            if marks:
                lines.append(line)
            else:
                found.append(Fence(language, "\n".join(lines)))
        else:
            lines.append(line)
    if marks:
        found.append(Fence(language, "\n".join(lines), closed=False))
    return found


def prompt_files(answer: str) -> Iterator[str]:
    """Yield what may be a sub-agent's file, the likeliest last: with a frontmatter at its start.

    From blocks of code, from a frontmatter and a body in blocks of their own, and from the answer
    itself without what is said before the file.
    """
    plain = _plain(answer)
    if (start := _frontmatter(plain)) is not None:
        yield _without_stray_fence(plain[start:])
    blocks = fences(plain)
    for number, block in enumerate(blocks):
        text = block.text.strip("\n")
        if (start := _frontmatter(text)) is None:
            if block.language in ("yaml", "yml") and "description:" in text:
                text, start = f"---\n{text}\n---\n", 0
            else:
                continue
        text = text[start:]
        if number + 1 < len(blocks) and not _body(text).strip():
            text = f"{text.rstrip()}\n{blocks[number + 1].text.strip()}\n"
        yield text


def free_tag(text: str) -> str:
    """Return the name of a tag that a text can stand in, since the text itself has none of it."""
    lower, tag, number = text.lower(), "text", 1
    while f"<{tag}>" in lower or f"</{tag}>" in lower:
        number += 1
        tag = f"text{number}"
    return tag


def tagged(answer: str, like: str = "", tag: str = "text") -> str:
    """Return the text that an answer is about: what stands in `<text>`, else all that is no chat.

    A text that is `like` another may begin as that one does. Outer blanks are gone.
    """
    plain = answer.replace("\r\n", "\n")
    if (inside := _inside(plain, f"<{tag}>", f"</{tag}>")) is not None:
        return inside.strip()
    plain = plain.strip()
    if plain[:_ALIKE].lower() != like.strip()[:_ALIKE].lower():
        plain = _PREFACE.sub("", plain, count=1)
    blocks = fences(plain)
    if len(blocks) == 1 and plain.startswith(("```", "~~~")) and plain.endswith(("```", "~~~")):
        return blocks[0].text.strip()
    return plain.strip()


def is_refusal(answer: str) -> bool:
    """Whether a model says that it will not, instead of doing it."""
    return len(answer) <= _LONGEST_REFUSAL and _REFUSAL.match(answer.strip()) is not None


def excerpt(answer: str, most: int = 160) -> str:
    """Return the beginning of an answer in one line, for a sentence."""
    return shortened(" ".join(answer.split()), most)


def _plain(answer: str) -> str:
    """Return an answer with newlines alone, and without an indentation of all of it."""
    return textwrap.dedent(answer.lstrip("\ufeff").replace("\r\n", "\n"))


def _frontmatter(text: str) -> int | None:
    """Return where a frontmatter that says a description begins."""
    at = 0
    for line in text.split("\n"):
        if line.rstrip() == "---" and re.search(
            r"^\s*[\"']?description[\"']?\s*:", text[at:], re.M
        ):
            return at
        at += len(line) + 1
    return None


def _inside(text: str, opening: str, closing: str) -> str | None:
    """Return the longest stretch between two tags; one that is not closed goes on to the end."""
    lower, best, at = text.lower(), None, 0
    while (start := lower.find(opening, at)) >= 0:
        stop = lower.find(closing, start)
        at = len(text) if stop < 0 else stop
        found = text[start:at]
        found = found[found.lower().rfind(opening) + len(opening) :]
        if best is None or len(found) > len(best):
            best = found
    return best


def _body(text: str) -> str:
    """Return what follows the second fence of a frontmatter, "" where there is none."""
    parts = re.split(r"^---[ \t]*$", text, maxsplit=2, flags=re.MULTILINE)
    return parts[2] if len(parts) > 2 else ""


def _without_stray_fence(text: str) -> str:
    """Leave out a closing fence whose opening one stood before the file, and what follows it."""
    depth = 0
    kept: list[str] = []
    for line in text.split("\n"):
        if mark := _FENCE.match(line):
            depth += 1 if mark[2].strip() or depth == 0 else -1
            if depth == 1 and not mark[2].strip():
                return "\n".join(kept).rstrip() + "\n"
        kept.append(line)
    return "\n".join(kept)
