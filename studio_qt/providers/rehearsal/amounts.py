"""Numbers for parameters: which figure of the user's words a parameter wants."""

from __future__ import annotations

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.rehearsal.numbers import Dice, Figure
from studio_qt.providers.rehearsal.wish import Wish
from studio_qt.providers.rehearsal.words import fold, split_name, stem, stem_set, stems

__all__ = ["bounded", "plain_numbers", "said_number"]

_COUNTS = stem_set("count number times amount quantity dice num n")
_SIDES = stem_set("sides side faces face size type kind die")
_EXTRAS = stem_set("modifier bonus plus offset")
_ENDS = {"minimum": 1, "exclusiveMinimum": 1, "maximum": -1, "exclusiveMaximum": -1}


def said_number(wish: Wish, name: str, *, required: bool) -> int | float | None:
    """Return the number that was said for a parameter and use it up; None without one.

    A required parameter takes any figure, an optional one only a figure beside its name.
    """
    parts = {stem(part) for part in split_name(name)}
    if wish.dice is not None and parts & (_COUNTS | _SIDES | _EXTRAS):
        return _of_dice(wish.dice, parts)
    near = _near_figure(wish, parts)
    if near is None and required and wish.dice is None and wish.figures:
        near = wish.figures[0]
    if near is None:
        return None
    wish.figures.remove(near)
    return near.value


def bounded(value: int | float, schema: JsonObject) -> int | float:
    """Return the nearest value within minimum and maximum."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, (int, float)) and value < low:
        value = low
    if isinstance(high, (int, float)) and value > high:
        value = high
    return value


def plain_numbers(name: str, schema: JsonObject) -> list[JsonValue]:
    """Return numbers to try: what the name suggests, then the ends of the range."""
    tried: list[JsonValue] = [6] if {stem(part) for part in split_name(name)} & _SIDES else []
    tried += [1, 0]
    step = schema.get("multipleOf", 1)
    size = step if isinstance(step, (int, float)) and step > 0 else 1
    for key, way in _ENDS.items():
        bound = schema.get(key)
        if not isinstance(bound, (int, float)) or isinstance(bound, bool) or abs(bound) > 1e15:
            continue
        nearest = (bound // size) * size
        tried += [bound, *(_whole(nearest + way * some * size) for some in (0, 1, 2, -1))]
        tried += [bound + way * 0.5, bound + way * 0.001]
    return tried


def _whole(value: int | float) -> int | float:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _near_figure(wish: Wish, parts: set[str]) -> Figure | None:
    """Return the figure that stands beside a word of the parameter's name."""
    folded = fold(wish.said)
    for figure in wish.figures:
        before = stems(folded[max(figure.start - 24, 0) : figure.start])[-2:]
        after = stems(folded[figure.end : figure.end + 24])[:3]
        if parts & {*before, *after}:
            return figure
    return None


def _of_dice(dice: Dice, parts: set[str]) -> int | None:
    if parts & _EXTRAS:
        return dice.extra or None
    if parts & _COUNTS:
        return dice.count
    return dice.sides
