"""What an author means by the text after `name:`, also where YAML would refuse it or read another.

A field is known to be text, a list or a number before it is read, so that no type is guessed:
`description: no` is the text "no", and `description: Finds: a name` is a sentence. Quoted and
block scalars mean what YAML says; PyYAML reads them, and where it cannot, the text counts as it
stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import yaml

__all__ = ["clean", "content_of", "indent_of", "list_items", "scalar_text", "without_comment"]

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*$")
_COMMENT_IN_TEXT = re.compile(r"(?:^|(?<=[ \t]))#(?![0-9]).*$")
_HEADER = re.compile(r"(?P<kind>[|>])(?:(?P<chomp>[+-])[1-9]?|[1-9](?P<late>[+-])?)?(?:[ \t]+#.*)?")
_HALF_HEADER = re.compile(r"[|>][+-]?[ \t]+(?=\S)")
_SURROGATES = re.compile("[\ud800-\udfff]")
_PART = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\]]*)\s*[^,\]]*""", re.DOTALL)


def scalar_text(lines: Sequence[str]) -> str:
    """Return the text that a field's lines spell; the first one is what follows the colon."""
    head = _head(lines)
    if head[:1] in ('"', "'") or _HEADER.fullmatch(head):
        found = _strictly(lines)
        if found is not None:
            return found
        if _HEADER.fullmatch(head):
            return _block(lines)
    text = _folded(lines)
    if text[:1] in (">", "|") and len(content_of(lines)) > 1:
        return _HALF_HEADER.sub("", text, count=1)  # the text begins on the header's own line
    return clean(_unquoted(text))


def list_items(lines: Sequence[str]) -> list[str]:
    """Return the texts of a list in brackets, of `- item` lines, or of names between commas."""
    content = content_of(lines)
    if not content:
        return []
    if content[0].lstrip().startswith("["):
        inner = " ".join(without_comment(line).strip() for line in content).lstrip("[")
        return _parts(inner)
    if content[0].lstrip().startswith("-"):
        return _dashed(content)
    text = scalar_text(lines)
    if content[0].strip()[:1] in ('"', "'"):
        return [text] if text else []
    return [part for piece in text.split(",") if (part := piece.strip())]


def content_of(lines: Sequence[str]) -> list[str]:
    """Return the lines that hold more than blanks and a comment."""
    return [line for line in lines if without_comment(line).strip()]


def without_comment(line: str, *, in_text: bool = False) -> str:
    """Return a line without its comment; in running text `#1` is no comment."""
    return (_COMMENT_IN_TEXT if in_text else _COMMENT).sub("", line)


def indent_of(line: str) -> int:
    """Return the column at which a line's text begins; a tab is as wide as four blanks."""
    blanks = line[: len(line) - len(line.lstrip(" \t"))]
    return len(blanks.expandtabs(4))


def clean(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, which no request could carry."""
    return _SURROGATES.sub("\ufffd", text)


def _head(lines: Sequence[str]) -> str:
    return next((line.strip() for line in content_of(lines)), "")


def _strictly(lines: Sequence[str]) -> str | None:
    """Return what YAML reads, None where the lines are not one quoted or block scalar."""
    text = "\n".join(["k: " + lines[0].lstrip(), *lines[1:]])
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        return None
    if not isinstance(root, yaml.MappingNode) or len(root.value) != 1:
        return None
    value = root.value[0][1]
    if not isinstance(value, yaml.ScalarNode) or value.style not in ("'", '"', "|", ">"):
        return None
    return clean(str(value.value))


def _folded(lines: Sequence[str]) -> str:
    """Join the lines as YAML joins a plain scalar: a break is a blank, an empty line a break."""
    paragraphs: list[list[str]] = [[]]
    for number, line in enumerate(lines):
        is_comment = number > 0 and line.lstrip().startswith("#")
        text = "" if is_comment else without_comment(line, in_text=True).strip()
        if text:
            paragraphs[-1].append(text)
        elif not line.strip() and number > 0:
            paragraphs.append([])
    return "\n".join(" ".join(words) for words in paragraphs).strip()


def _unquoted(text: str) -> str:
    """Take off quotes that only seem to be YAML's, as in `"He said "no""`."""
    if len(text) < 2 or text[0] != text[-1] or text[0] not in ('"', "'"):
        return text
    inner = text[1:-1]
    return inner.replace("''", "'") if text[0] == "'" else inner.replace('\\"', '"')


def _block(lines: Sequence[str]) -> str:
    """Read a block scalar whose lines are not indented as YAML demands."""
    at = next(number for number, line in enumerate(lines) if without_comment(line).strip())
    header = _HEADER.fullmatch(lines[at].strip())
    content = [line.rstrip() for line in lines[at + 1 :] if not line.startswith("#")]
    margin = min((indent_of(line) for line in content if line), default=0)
    texts = [_shifted(line, margin) for line in content]
    if header is None or header["kind"] == ">":
        text = "\n".join(" ".join(paragraph) for paragraph in _paragraphs(texts))
    else:
        text = "\n".join(texts)
    chomp = header and (header["chomp"] or header["late"])
    return clean(text.strip("\n") + ("" if chomp == "-" or not text.strip() else "\n"))


def _shifted(line: str, margin: int) -> str:
    return " " * max(0, indent_of(line) - margin) + line.lstrip() if line else ""


def _paragraphs(texts: Sequence[str]) -> list[list[str]]:
    paragraphs: list[list[str]] = [[]]
    for text in texts:
        if text:
            paragraphs[-1].append(text)
        else:
            paragraphs.append([])
    return paragraphs


def _parts(inner: str) -> list[str]:
    """Return the parts between commas; a comma in quotes is none, and `]` ends the list."""
    parts, at = [], 0
    while at <= len(inner):
        found = _PART.match(inner, at)
        if found is None:
            break
        if text := found[1].strip():
            parts.append(scalar_text([text]))
        at = found.end() + 1
        if inner[found.end() : at] != ",":
            break
    return parts


def _dashed(content: Sequence[str]) -> list[str]:
    items: list[list[str]] = []
    for line in content:
        text = line.strip()
        if text == "-" or text[:2] in ("- ", "-\t"):
            items.append([text[1:].lstrip()])
        elif items:
            items[-1].append(text)
        else:
            items.append([text.removeprefix("-")])
    return [text for item in items if (text := scalar_text(item).strip())]
