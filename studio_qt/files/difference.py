"""What differs between two texts, line by line and word by word, in bounded time.

Lines that occur once in both texts are the anchors; between them `difflib` looks closer as long as
that is cheap. So ten thousand changed lines take no longer than ten thousand equal ones.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Block", "Span", "common_prefix", "common_suffix", "line_blocks", "word_spans"]

_CHEAP = 40_000
"""Pairs of lines up to which a stretch without anchors is compared line with line."""

_MOST_WORDS = 300
_LEAST_ALIKE = 0.3
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of lines: the same on both sides, or `left` replaced by `right`.

    The ranges count lines from 0; where lines differ one of them may be empty.
    """

    same: bool
    left: range
    right: range


Span = tuple[int, int]
"""Start and end of a stretch of characters in a line."""


def line_blocks(left: Sequence[str], right: Sequence[str]) -> list[Block]:
    """Return the blocks that make up both texts, in order; same and differing ones alternate."""
    return list(_joined(_blocks(left, right)))


def word_spans(left: str, right: str) -> tuple[list[Span], list[Span]]:
    """Return what differs within two lines; nothing where they have too little in common."""
    from difflib import SequenceMatcher  # not before somebody compares

    olds, news = _WORD.findall(left), _WORD.findall(right)
    if max(len(olds), len(news)) > _MOST_WORDS:
        return [], []
    matcher = SequenceMatcher(None, olds, news, autojunk=False)
    if matcher.ratio() < _LEAST_ALIKE:
        return [], []
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _spans(olds, [(start, end) for _, start, end, _, _ in changes]),
        _spans(news, [(start, end) for _, _, _, start, end in changes]),
    )


def _blocks(left: Sequence[str], right: Sequence[str]) -> Iterator[Block]:
    """Yield blocks, not yet joined; without recursion, so that no text is too deep."""
    waiting = [(range(len(left)), range(len(right)))]
    while waiting:
        old, new = waiting.pop()
        head = _equal_head(left, right, old, new)
        yield Block(True, old[:head], new[:head])
        old, new = old[head:], new[head:]
        tail = _equal_tail(left, right, old, new)
        rest_old, rest_new = old[: len(old) - tail], new[: len(new) - tail]
        if tail:
            waiting.append((old[len(old) - tail :], new[len(new) - tail :]))
        if not rest_old or not rest_new:
            yield Block(False, rest_old, rest_new)
        elif anchors := _anchors(left, right, rest_old, rest_new):
            waiting.extend(reversed(_between(anchors, rest_old, rest_new)))
        elif len(rest_old) * len(rest_new) <= _CHEAP:
            yield from _close_look(left, right, rest_old, rest_new)
        else:
            yield Block(False, rest_old, rest_new)


def _joined(blocks: Iterator[Block]) -> Iterator[Block]:
    last: Block | None = None
    for block in blocks:
        if not block.left and not block.right:
            continue
        if last is None:
            last = block
        elif last.same == block.same:
            last = Block(
                last.same,
                range(last.left.start, block.left.stop),
                range(last.right.start, block.right.stop),
            )
        else:
            yield last
            last = block
    if last is not None:
        yield last


def _equal_head(left: Sequence[str], right: Sequence[str], old: range, new: range) -> int:
    count = 0
    for a, b in zip(old, new, strict=False):
        if left[a] != right[b]:
            break
        count += 1
    return count


def _equal_tail(left: Sequence[str], right: Sequence[str], old: range, new: range) -> int:
    count = 0
    for a, b in zip(reversed(old), reversed(new), strict=False):
        if left[a] != right[b]:
            break
        count += 1
    return count


def _anchors(
    left: Sequence[str], right: Sequence[str], old: range, new: range
) -> list[tuple[int, int]]:
    """Return pairs of lines that occur once in each stretch, the longest row of them in order."""
    once_left = Counter(left[old.start : old.stop])
    once_right = Counter(right[new.start : new.stop])
    where = {right[b]: b for b in new if once_right[right[b]] == 1}
    pairs = [(a, where[left[a]]) for a in old if once_left[left[a]] == 1 and left[a] in where]
    return _longest_rising(pairs)


def _longest_rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest row of pairs whose second numbers rise, as the first do."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for index, (_, b) in enumerate(pairs):
        place = bisect_left(ends, b)
        before.append(at[place - 1] if place else -1)
        if place == len(ends):
            ends.append(b)
            at.append(index)
        else:
            ends[place], at[place] = b, index
    row: list[tuple[int, int]] = []
    index = at[-1] if at else -1
    while index >= 0:
        row.append(pairs[index])
        index = before[index]
    return row[::-1]


def _between(
    anchors: Sequence[tuple[int, int]], old: range, new: range
) -> list[tuple[range, range]]:
    """Return the stretches that begin at each anchor, and the one before the first."""
    starts = [(old.start, new.start), *anchors]
    stops = [*anchors, (old.stop, new.stop)]
    return [
        (range(a, a_end), range(b, b_end))
        for (a, b), (a_end, b_end) in zip(starts, stops, strict=True)
    ]


def _close_look(
    left: Sequence[str], right: Sequence[str], old: range, new: range
) -> Iterator[Block]:
    from difflib import SequenceMatcher

    olds, news = left[old.start : old.stop], right[new.start : new.stop]
    matcher = SequenceMatcher(None, olds, news, autojunk=False)
    for kind, a, a_end, b, b_end in matcher.get_opcodes():
        yield Block(kind == "equal", old[a:a_end], new[b:b_end])


def _spans(words: Sequence[str], changes: Sequence[tuple[int, int]]) -> list[Span]:
    places = [0]
    for word in words:
        places.append(places[-1] + len(word))
    spans = [(places[start], places[end]) for start, end in changes if start < end]
    joined: list[Span] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def common_prefix(one: str, other: str) -> int:
    """Return the length of what both begin with, found by halving: comparing slices is fast."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def common_suffix(one: str, other: str) -> int:
    """Return the length of what both end with."""
    low, high = 0, min(len(one), len(other))
    if one[len(one) - high :] == other[len(other) - high :]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle
    return low
