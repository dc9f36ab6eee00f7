"""Arguments for a tool, made from a user's words so that they fit the tool's schema.

Required parameters are always filled, from the text where something in it fits, else with the
schema's own default or example or the plainest valid value. Optional ones are filled only where
the text mentions them. Each value is checked before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.rehearsal import numbers, texts
from studio_qt.providers.rehearsal.numbers import Dice, Figure
from studio_qt.providers.rehearsal.phrases import Action, actions_of_words
from studio_qt.providers.rehearsal.schema import (
    Budget,
    Schema,
    TooMuchError,
    examples_of,
    fits,
    resolve,
)
from studio_qt.providers.rehearsal.words import fold, split_name, stem, stem_set, stems, word_set

__all__ = ["Wish", "fill_arguments"]

_MOST_PROPERTIES = 60
_MOST_BRANCHES = 8
_NO_OPTION = word_set("a an i the to of it is")
_NEGATIONS = word_set("no not without never don't false off disable disabled")
_COUNTS = stem_set("count number times amount quantity dice num n")
_SIDES = stem_set("sides side faces face size type kind die")
_EXTRAS = stem_set("modifier bonus plus offset")


@dataclass(slots=True)
class Wish:
    """What the user's words offer to fill in; figures and quotes are used up as they are taken.

    `said` is the clause as written, `matter` what it is about, `topic` that without articles;
    `known` are the stems that the tool itself speaks of.
    """

    said: str
    matter: str
    topic: str
    action: Action = Action.NONE
    quotes: list[str] = field(default_factory=list)
    known: frozenset[str] = frozenset()
    figures: list[Figure] = field(init=False)
    dice: Dice | None = field(init=False)
    words: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.figures = numbers.figures(self.said)
        self.dice = numbers.read_dice(self.said)
        self.words = stems(self.said)


class _UnfillableError(Exception):
    """A required value cannot be made valid."""


def fill_arguments(parameters: Schema, wish: Wish) -> JsonObject | None:
    """Return arguments that fit `parameters`, None where none could be made.

    The work is bounded whatever the schema is.
    """
    if parameters is None or parameters == {}:
        return {}
    budget = Budget(parameters)
    try:
        made = _Filler(wish, budget).value("", parameters, required=True, depth=0, kind="object")
        return made if isinstance(made, dict) and fits(made, parameters, budget) else None
    except (_UnfillableError, TooMuchError, RecursionError):
        return None


class _Missing:
    """An optional value that the text does not mention."""


_MISSING = _Missing()
_Made: TypeAlias = "JsonValue | _Missing"


class _Filler:
    def __init__(self, wish: Wish, budget: Budget) -> None:
        self._wish = wish
        self._budget = budget
        self._noted = False  # dice have gone into a notation, and need no count beside it

    def value(
        self, name: str, schema: Schema, *, required: bool, depth: int, kind: str | None = None
    ) -> _Made:
        """Return a value, `_MISSING` for an optional one; raises as `_needed` does."""
        self._budget.step(depth)
        last: Exception = _UnfillableError()
        for branch in self._branches(schema, depth):
            try:
                made = self._plain(name, branch, depth + 1, kind, required=required)
            except _UnfillableError as error:
                last = error
                continue
            if isinstance(made, _Missing) or fits(made, schema, self._budget, depth):
                return made
        if required:
            raise last
        return _MISSING

    def _branches(self, schema: Schema, depth: int) -> Iterator[JsonObject]:
        """Yield the schema with one branch of each choice taken in and `allOf` merged."""
        self._budget.step(depth)
        schema = resolve(schema, self._budget)
        if not isinstance(schema, dict):
            if schema is not False:
                yield {}
            return
        for key in ("allOf", "anyOf", "oneOf"):
            parts = schema.get(key)
            if isinstance(parts, list):
                rest = {name: part for name, part in schema.items() if name != key}
                taken = [parts] if key == "allOf" else [[part] for part in parts[:_MOST_BRANCHES]]
                for some in taken:
                    merged: JsonObject = rest
                    for part in some[:_MOST_BRANCHES]:
                        merged = _merged(merged, resolve(part, self._budget))
                    yield from self._branches(merged, depth + 1)
                return
        yield schema

    def _plain(
        self, name: str, schema: JsonObject, depth: int, kind: str | None, *, required: bool
    ) -> _Made:
        if "const" in schema:
            return schema["const"] if required or self._mentions(name) else _MISSING
        options = schema.get("enum")
        if isinstance(options, list):
            return self._option(schema, options, required=required)
        match kind or _kind(schema):
            case "object":
                return self._object(name, schema, depth, required=required)
            case "array":
                return self._array(name, schema, depth, required=required)
            case "integer" | "number" as which:
                return self._number(name, schema, required=required, whole=which == "integer")
            case "boolean":
                return self._boolean(name, schema, required=required)
            case "null":
                return None if required else _MISSING
        return self._string(name, schema, required=required)

    def _option(self, schema: JsonObject, options: list[JsonValue], *, required: bool) -> _Made:
        found = self._mentioned_options(options)
        if found:
            return max(found, key=lambda option: len(str(option)))
        if not required:
            return _MISSING
        return self._fallback(schema, options[:_MOST_PROPERTIES])

    def _mentioned_options(self, options: list[JsonValue]) -> list[JsonValue]:
        return [option for option in options[:200] if self._is_mentioned(option)]

    def _is_mentioned(self, option: JsonValue) -> bool:
        if isinstance(option, bool) or option is None:
            return False
        if isinstance(option, (int, float)):
            sides = self._wish.dice.sides if self._wish.dice else None
            return option == sides or any(option == one.value for one in self._wish.figures)
        if not isinstance(option, str) or fold(option) in _NO_OPTION:
            return False
        parts = split_name(option)
        if self._wish.action in actions_of_words(parts):
            return True
        return bool(parts) and all(stem(part) in self._wish.words for part in parts)

    def _mentions(self, name: str) -> bool:
        parts = [stem(part) for part in split_name(name)]
        return bool(parts) and all(part in self._wish.words for part in parts)

    def _boolean(self, name: str, schema: JsonObject, *, required: bool) -> _Made:
        parts = [stem(part) for part in split_name(name) if part not in ("is", "with", "has")]
        words = self._wish.words
        if parts and parts[-1] in words:
            at = words.index(parts[-1])
            before = set(words[max(at - 3, 0) : at]) | set(words[at + 1 : at + 2])
            return not before & {stem(word) for word in _NEGATIONS}
        return self._fallback(schema, [False, True]) if required else _MISSING

    def _number(self, name: str, schema: JsonObject, *, required: bool, whole: bool) -> _Made:
        found = self._said_number(name, required=required)
        if found is not None:
            bounded = _bounded(int(found) if whole else found, schema)
            if fits(bounded, schema, self._budget):
                return bounded
        if not required:
            return _MISSING
        return self._fallback(schema, _plain_numbers(name, schema))

    def _said_number(self, name: str, *, required: bool) -> int | float | None:
        parts = {stem(part) for part in split_name(name)}
        dice = self._wish.dice
        if self._noted and not required:
            return None
        if dice is not None and parts & (_COUNTS | _SIDES | _EXTRAS):
            return _of_dice(dice, parts)
        near = self._near_figure(parts)
        if near is None and required and dice is None and self._wish.figures:
            near = self._wish.figures[0]
        if near is None:
            return None
        self._wish.figures.remove(near)
        return near.value

    def _near_figure(self, parts: set[str]) -> Figure | None:
        """Return the figure that stands beside a word of the parameter's name."""
        folded = fold(self._wish.said)
        for figure in self._wish.figures:
            before = stems(folded[max(figure.start - 24, 0) : figure.start])[-2:]
            after = stems(folded[figure.end : figure.end + 24])[:3]
            if parts & {*before, *after}:
                return figure
        return None

    def _array(self, name: str, schema: JsonObject, depth: int, *, required: bool) -> _Made:
        if not required and not self._mentions(name):
            return _MISSING
        items = schema.get("items", True)
        made = self._listed(items, depth)
        least = schema.get("minItems", 0)
        leading = schema.get("prefixItems")
        if isinstance(leading, list):
            made = [self._needed(name, part, depth) for part in leading[:_MOST_PROPERTIES]]
        while isinstance(least, (int, float)) and len(made) < least:
            self._budget.step(depth)
            made.append(self._needed(name, items, depth))
        most = schema.get("maxItems")
        if isinstance(most, (int, float)):
            made = made[: max(int(most), 0)]
        return self._fallback(schema, [made, []])

    def _listed(self, items: Schema, depth: int) -> list[JsonValue]:
        """Return what the text lists: options, figures, or words between commas and `and`."""
        plain = next(self._branches(items, depth), {})
        options = plain.get("enum")
        if isinstance(options, list):
            found = self._mentioned_options(options)
        elif _kind(plain) in ("integer", "number"):
            found = [figure.value for figure in self._wish.figures]
        elif _kind(plain) == "string":
            found = list(texts.listed(self._wish.topic, self._wish.quotes))
        else:
            found = []
        fitting = [one for one in found[:20] if fits(one, items, self._budget, depth)]
        return [one for at, one in enumerate(fitting) if one not in fitting[:at]]

    def _needed(self, name: str, schema: Schema, depth: int) -> JsonValue:
        made = self.value(name, schema, required=True, depth=depth + 1)
        if isinstance(made, _Missing):
            raise _UnfillableError
        return made

    def _object(self, name: str, schema: JsonObject, depth: int, *, required: bool) -> _Made:
        if not required and not self._mentions(name):
            return _MISSING
        known = _properties(schema)
        needed = _required(schema) or self._only_text(known)
        made: JsonObject = {}
        for key in needed:
            made[key] = self._needed(key, known.get(key, _other(schema)), depth)
        for key, part in sorted(list(known.items())[:_MOST_PROPERTIES], key=texts.is_not_notation):
            if key not in made:
                value = self.value(key, part, required=False, depth=depth + 1)
                if not isinstance(value, _Missing):
                    made[key] = value
        self._reach_least(schema, made, depth)
        return self._fallback(schema, [made])

    def _only_text(self, known: JsonObject) -> list[str]:
        """Return the one parameter of a tool that needs none, where the text is about something."""
        alone = list(known.items())
        is_text = (
            len(alone) == 1 and isinstance(alone[0][1], dict) and _kind(alone[0][1]) == "string"
        )
        return [alone[0][0]] if is_text and self._wish.matter else []

    def _reach_least(self, schema: JsonObject, made: JsonObject, depth: int) -> None:
        least = schema.get("minProperties", 0)
        if not isinstance(least, (int, float)):
            return
        for key, part in _properties(schema).items():
            if len(made) >= least:
                return
            if key not in made:
                made[key] = self._needed(key, part, depth)

    def _string(self, name: str, schema: JsonObject, *, required: bool) -> _Made:
        role = texts.role_of(name, schema)
        for candidate in texts.candidates(self._wish, role, name, schema, required=required):
            if self._fits_plainly(candidate, schema):
                self._noted |= role is texts.Role.NOTATION
                if candidate in self._wish.quotes:
                    self._wish.quotes.remove(candidate)
                return candidate
        if not required:
            return _MISSING
        return self._fallback(schema, texts.plain_strings(self._wish, schema))

    def _fits_plainly(self, value: JsonValue, schema: JsonObject) -> bool:
        return fits(value, schema, self._budget)

    def _fallback(self, schema: JsonObject, plain: list[JsonValue]) -> JsonValue:
        """Return the first of made values, defaults and examples that fits the whole schema."""
        own = examples_of(schema)
        for candidate in [*plain, *own] if _is_made(plain) else [*own, *plain]:
            if self._fits_plainly(candidate, schema):
                return candidate
        raise _UnfillableError


def _is_made(plain: list[JsonValue]) -> bool:
    return bool(plain) and isinstance(plain[0], (dict, list))


def _kind(schema: JsonObject) -> str:
    """Return the JSON type to make, guessed from other keywords where none is given."""
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return kinds
    if isinstance(kinds, list):
        return next((str(one) for one in kinds if one != "null"), "null")
    for kind, keys in _TELLING.items():
        if keys & schema.keys():
            return kind
    return "string"


_TELLING = {
    "object": {"properties", "required", "additionalProperties", "patternProperties"},
    "array": {"items", "prefixItems", "minItems", "maxItems", "uniqueItems"},
    "number": {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"},
}


def _merged(base: JsonObject, part: Schema) -> JsonObject:
    """Return both schemas in one; raises `_UnfillableError` where the part is false."""
    if part is False:
        raise _UnfillableError
    if not isinstance(part, dict):
        return base
    merged: JsonObject = {**base, **part}
    if "properties" in base or "properties" in part:
        merged["properties"] = {**_properties(base), **_properties(part)}
    if "required" in base or "required" in part:
        merged["required"] = list(dict.fromkeys([*_required(base), *_required(part)]))
    both = [one["allOf"] for one in (base, part) if isinstance(one.get("allOf"), list)]
    if both:
        merged["allOf"] = [one for some in both if isinstance(some, list) for one in some]
    return merged


def _properties(schema: Mapping[str, JsonValue]) -> JsonObject:
    known = schema.get("properties")
    return known if isinstance(known, dict) else {}


def _required(schema: Mapping[str, JsonValue]) -> list[str]:
    names = schema.get("required")
    if not isinstance(names, list):
        return []
    if len(names) > _MOST_PROPERTIES:
        raise TooMuchError
    return [name for name in names if isinstance(name, str)]


def _other(schema: JsonObject) -> Schema:
    return schema.get("additionalProperties", True)


def _of_dice(dice: Dice, parts: set[str]) -> int | None:
    if parts & _EXTRAS:
        return dice.extra or None
    if parts & _COUNTS:
        return dice.count
    return dice.sides


def _bounded(value: int | float, schema: JsonObject) -> int | float:
    """Return the nearest value within minimum and maximum."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(low, (int, float)) and value < low:
        value = low
    if isinstance(high, (int, float)) and value > high:
        value = high
    return value


def _plain_numbers(name: str, schema: JsonObject) -> list[JsonValue]:
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


_ENDS = {"minimum": 1, "exclusiveMinimum": 1, "maximum": -1, "exclusiveMaximum": -1}


def _whole(value: int | float) -> int | float:
    return int(value) if isinstance(value, float) and value.is_integer() else value
