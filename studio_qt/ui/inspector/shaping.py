"""A request as rows of cards, with marks against another one. Runs in a thread, without Qt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from studio_qt.engine.inspecting import BlockPart, InspectedRequest, RequestBlock
from studio_qt.ui.inspector.wording import listed

__all__ = ["TONES", "Mark", "Piece", "Row", "shape"]

Mark = Literal["", "new", "changed", "gone"]

TONES = {
    "tools": "info",
    "system": "accent",
    "context": "key",
    "persona": "quote",
    "preload": "ok",
    "intro": "nu",
    "turns": "accent2",
}
"""What has a colour of its own, in the order of the request."""

_TITLES = {
    "system": "System prompt",
    "context": "Context",
    "persona": "Persona",
    "preload": "Preload",
    "intro": "Intro",
}
_PREVIEW = 240


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row with its origin; `before` is its text in the other request, None for none.

    `kind` and `name` are those of a `BlockPart`.
    """

    kind: str
    name: str
    text: str
    before: str | None


@dataclass(frozen=True, slots=True)
class Row:
    """A card of the list. `key` stays the same from one request to the next.

    `tone` names its colour in `TONES`; `rows` are those that it unfolds to; `turns` is whether it
    stands for turns that are as they were.
    """

    key: str
    title: str
    role: str
    side: str
    preview: str
    tokens: int
    tone: str
    pieces: tuple[Piece, ...]
    mark: Mark = ""
    is_file: bool = False
    cut: str = ""
    rows: tuple[Row, ...] = ()
    depth: int = 0

    @property
    def text(self) -> str:
        """The whole text, for copying and searching."""
        return "\n\n".join(piece.text for piece in self.pieces)


def shape(request: InspectedRequest, other: InspectedRequest | None) -> tuple[Row, ...]:
    """Return the rows of a request; `other` is what marks compare with."""
    before = {block.key: block for block in other.blocks if not block.cut} if other else {}
    rows = [_row(block, before if other else None) for block in request.blocks]
    if other:
        rows = _with_gone(rows, request, before)
    return tuple(_grouped(rows, request.blocks))


def _row(block: RequestBlock, before: Mapping[str, RequestBlock] | None) -> Row:
    old = before.get(block.key) if before is not None else None
    mark: Mark = ""
    if before is not None and not block.cut:
        mark = "new" if old is None else "changed" if _differs(block, old) else ""
    pieces = tuple(_pieces(block, old))
    return Row(
        key=block.key,
        title=_title(block),
        role=block.role,
        side=_side(block),
        preview=block.cut or _preview(block),
        tokens=block.tokens,
        tone=block.kind if block.kind in TONES else "turns",
        pieces=pieces,
        mark=mark,
        is_file=block.is_file,
        cut=block.cut,
        rows=tuple(_part_rows(block, pieces)) if len(block.parts) > 1 else (),
    )


def _differs(block: RequestBlock, old: RequestBlock) -> bool:
    if block.kind == "tools":
        return [part.text for part in block.parts] != [part.text for part in old.parts]
    return (block.text, block.role, block.is_file) != (old.text, old.role, old.is_file)


def _pieces(block: RequestBlock, old: RequestBlock | None) -> Iterator[Piece]:
    """Yield the parts, each beside the one of the same origin in the other request."""
    if len(block.parts) < 2:
        kind, name = (block.parts[0].kind, block.parts[0].name) if block.parts else ("", "")
        yield Piece(kind, name, block.text, old.text if old else None)
        return
    waiting = list(old.parts) if old else []
    for part in block.parts:
        match = next((one for one in waiting if _same_origin(one, part)), None)
        if match is not None:
            waiting.remove(match)
        yield Piece(part.kind, part.name, part.text, match.text if match else None)
    for gone in waiting:
        yield Piece(gone.kind, gone.name, "", gone.text)


def _same_origin(one: BlockPart, other: BlockPart) -> bool:
    return (one.kind, one.name) == (other.kind, other.name)


def _part_rows(block: RequestBlock, pieces: Sequence[Piece]) -> Iterator[Row]:
    for at, (part, piece) in enumerate(zip(block.parts, pieces, strict=False)):
        changed = piece.before is not None and piece.before != piece.text
        yield Row(
            key=f"{block.key}/{at}",
            title=part.name or _anonymous(part),
            role="",
            side="",
            preview=_short(part.text),
            tokens=part.tokens,
            tone=block.kind,
            pieces=(piece,),
            mark="changed" if changed else "",
            depth=1,
        )


def _anonymous(part: BlockPart) -> str:
    return "Your persona" if part.kind == "settings" else "Words of the Studio"


def _with_gone(
    rows: list[Row], request: InspectedRequest, before: Mapping[str, RequestBlock]
) -> list[Row]:
    """Add what was sent then and is neither sent nor told of now; turns that were cut are told."""
    now = {block.key for block in request.blocks}
    cut = {block.to_turn for block in request.blocks if block.key == "cut"}
    last_cut = max(cut, default=0)
    gone = [
        block
        for key, block in before.items()
        if key not in now and not 0 < block.turn <= last_cut and not key.startswith("turn ")
    ]
    for at, block in enumerate(gone):
        row = _row(block, None)
        pieces = tuple(Piece(p.kind, p.name, "", p.text) for p in row.pieces)
        sentence = "Not sent any more; it was in the request that marks compare with."
        rows.insert(
            at if block.kind in TONES else len(rows),
            replace(
                row,
                key=f"gone {block.key}",
                mark="gone",
                cut=sentence,
                preview=sentence,
                pieces=pieces,
                rows=(),
            ),
        )
    return rows


def _grouped(rows: Sequence[Row], blocks: Sequence[RequestBlock]) -> Iterator[Row]:
    """Join stretches of past messages that are as they were under one row."""
    turns = {block.key: block.turn for block in blocks if block.kind == "past"}

    def quiet(row: Row) -> bool:
        return row.key in turns and not row.mark and not row.cut

    for together, stretch in groupby(rows, quiet):
        found = tuple(stretch)
        if together and len(found) > 2:
            yield _turns(found, turns[found[0].key], turns[found[-1].key])
        else:
            yield from found


def _turns(rows: tuple[Row, ...], first: int, last: int) -> Row:
    return Row(
        key=f"turns {rows[0].key}",
        title=f"Turn {first}" if first == last else f"Turns {first} to {last}",
        role="both",
        side=f"{len(rows)} messages; tool calls and log entries left out",
        preview=_short(rows[0].pieces[0].text),
        tokens=sum(row.tokens for row in rows),
        tone="turns",
        pieces=tuple(piece for row in rows for piece in row.pieces),
        rows=tuple(replace(row, depth=1) for row in rows),
    )


def _title(block: RequestBlock) -> str:
    if block.kind == "tools":
        return "1 tool" if block.entries == 1 else f"{block.entries} tools"
    if block.kind == "system" and len(block.parts) > 1:
        return "System prompt with instructions"
    if block.kind in _TITLES:
        return _TITLES[block.kind]
    if block.cut:
        return _cut_title(block)
    if block.role == "tool":
        return f"Answer of {listed(block.calls) or 'a tool'}"
    if block.calls:
        return f"Call of {listed(block.calls)}"
    if block.kind == "agent":
        return {"system": "System prompt", "assistant": "Model"}.get(block.role, "Message")
    if block.kind == "running" and not block.turn:
        return "Your message"
    return f"Turn {block.turn}"


def _cut_title(block: RequestBlock) -> str:
    if block.key.startswith("rejected"):
        return f"Turn {block.turn}, rejected response"
    if block.key.startswith("earlier"):
        return f"Turn {block.turn}, other responses"
    return f"Turns {block.turn} to {block.to_turn}" if block.to_turn > block.turn else "Turn 1"


def _side(block: RequestBlock) -> str:
    names = list(dict.fromkeys(part.name for part in block.parts if part.name))
    if block.kind == "tools":
        return "in load order"
    if block.kind == "context":
        return "1 file" if len(names) == 1 else f"{len(names)} files"
    if block.kind == "persona":
        return "your settings"
    if block.cut and block.kind == "past":
        return "1 entry" if block.entries == 1 else f"{block.entries} entries"
    if block.kind == "running":
        return "this turn"
    if block.kind == "past":
        return "you" if block.role == "user" else "the answer"
    return listed(names, 3)


def _preview(block: RequestBlock) -> str:
    if block.kind in {"tools", "context"}:
        names = [part.name for part in block.parts if part.name]
        return listed([name.rpartition("/")[2] for name in names], 9)
    return _short(block.text)


def _short(text: str) -> str:
    return " ".join(text[:_PREVIEW].split())
