"""A conversation as one HTML file: no script, nothing from elsewhere, light and dark."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from studio_qt.engine.export_parts import About, Chosen, Part, parts_of, plain, time_words
from studio_qt.jsontext import JsonObject

__all__ = ["html_pieces"]

_STYLE = """
:root { color-scheme: light dark; --page: #fbfbfd; --card: #ffffff; --user: #eeebfb;
  --text: #1d1c24; --quiet: #5c5a6b; --line: #dcdae6; --accent: #5641c4; --code: #f1f0f6; }
@media (prefers-color-scheme: dark) { :root { --page: #17161c; --card: #201f27; --user: #2c2748;
  --text: #e9e7f2; --quiet: #a3a0b5; --line: #34323f; --accent: #b3a5ff; --code: #131217; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.6 Inter, system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
header p, .time, .note { color: var(--quiet); font-size: .85rem; }
header p { margin: 0 0 2rem; }
article { margin: 0 0 1.25rem; }
article > p { margin: 0 0 .3rem; }
.name { font-weight: 600; }
.time, .note { margin-inline-start: .6rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.user .text { background: var(--user); border-radius: .6rem; padding: .6rem .9rem; }
.aside { opacity: .75; border-inline-start: 3px solid var(--line); padding-inline-start: .9rem; }
.log { color: var(--quiet); font-size: .88rem; border-inline-start: 3px solid var(--line);
  padding-inline-start: .9rem; }
.inner { margin-inline-start: 1.5rem; }
.tool { border: 1px solid var(--line); border-radius: .6rem; padding: .5rem .9rem;
  background: var(--card); font-size: .88rem; }
.tool .name { font-family: "JetBrains Mono", ui-monospace, monospace; color: var(--accent); }
pre, code { font-family: "JetBrains Mono", ui-monospace, Consolas, monospace; font-size: .86em; }
pre { background: var(--code); border-radius: .4rem; padding: .6rem .8rem; margin: .4rem 0;
  white-space: pre-wrap; overflow-wrap: anywhere; }
code { background: var(--code); border-radius: .25rem; padding: .1em .3em; }
pre code { padding: 0; background: none; }
@media print { .user .text, .tool, pre { break-inside: avoid; } }
"""
_HEAD = """<!DOCTYPE html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<header>
<h1 dir="auto">{title}</h1>
<p>{facts}</p>
</header>
"""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_INLINE = re.compile(
    r"(?<!`)(?P<tick>`{1,32})(?!`)(?P<code>.{1,2000}?)(?<!`)(?P=tick)(?!`)"
    r"|\*\*(?=[^\s*])(?P<strong>[^*`]{1,2000}?)(?<=[^\s*])\*\*"
    r"|(?<![\w*])\*(?=[^\s*])(?P<em>[^*`]{1,2000}?)(?<=[^\s*])\*(?![\w*])"
)
_LONGEST = 20_000
"""Letters of a line in which marks are looked for."""


def html_pieces(entries: Sequence[JsonObject], about: About, chosen: Chosen) -> Iterator[str]:
    """Yield the file in pieces, about one an entry."""
    facts = (about.character, about.conversation_id, time_words(about.updated, about.zone))
    yield _HEAD.format(
        title=_word(about.heading),
        style=_STYLE,
        facts=" · ".join(f"<bdi>{_word(fact)}</bdi>" for fact in facts if fact),
    )
    for part in parts_of(entries, about, chosen):
        yield _tool(part) if part.kind == "tool" else _said(part)
    yield "</main>\n</body>\n</html>\n"


def _said(part: Part) -> str:
    aside = " aside" if part.note == "put aside" else ""
    return (
        f'<article class="{part.kind}{aside}">\n{_line_of(part)}'
        f'<div class="text" dir="auto">{_shown(part.text)}</div>\n</article>\n'
    )


def _tool(part: Part) -> str:
    blocks = "".join(
        f'<pre dir="auto">{_escaped(text)}</pre>\n' for text in (part.given, part.text) if text
    )
    inner = " inner" if part.inner else ""
    return f'<article class="tool{inner}">\n{_line_of(part)}{blocks}</article>\n'


def _line_of(part: Part) -> str:
    words = [f'<bdi class="name">{_word(part.name)}</bdi>']
    for kind, text in (("time", part.time), ("note", part.note)):
        if text:
            words.append(f'<span class="{kind}">{_word(text)}</span>')
    return f"<p>{''.join(words)}</p>\n"


def _shown(text: str) -> str:
    """Return what was written, line by line as it stands; code and stress are marked."""
    shown: list[str] = []
    code: list[str] = []
    fence = ""
    for line in plain(text).strip("\n").split("\n"):
        found = _FENCE.fullmatch(line)
        if fence and found and found[1].startswith(fence) and not found[2].strip():
            shown.append(_block(code))
            code, fence = [], ""
        elif fence:
            code.append(line)
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
            shown.append(f'<span class="note">{_word(found[2])}</span>' if found[2].strip() else "")
        else:
            shown.append(_marked(line))
    if fence:
        shown.append(_block(code))
    return "\n".join(shown)


def _block(lines: Sequence[str]) -> str:
    return f"<pre><code>{_escaped(chr(10).join(lines))}</code></pre>"


def _marked(line: str) -> str:
    if len(line) > _LONGEST:
        return _escaped(line)
    pieces = []
    at = 0
    for found in _INLINE.finditer(line):
        pieces.append(_escaped(line[at : found.start()]))
        kind = "code" if found["tick"] else str(found.lastgroup)
        pieces.append(f"<{kind}>{_escaped(found[kind])}</{kind}>")
        at = found.end()
    return "".join([*pieces, _escaped(line[at:])])


def _escaped(text: str) -> str:
    return escape(plain(text), quote=True)


def _word(text: str) -> str:
    return _escaped(" ".join(text.split()))
