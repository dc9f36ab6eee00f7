"""Arguments for a tool, made from a user's words so that they fit the tool's schema.

Required parameters are always filled, from the text where something in it fits, else with the
schema's own default or example or the plainest valid value. Optional ones are filled only where
the text mentions them. Each value is checked before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TypeAlias

from studio_qt.jsontext import JsonObject, JsonValue
from studio_qt.providers.rehearsal import amounts, texts
from studio_qt.providers.rehearsal.schema import (
    Budget,
    Schema,
    TooMuchError,
    examples_of,
    fits,
    resolve,
)
from studio_qt.providers.rehearsal.shapes import (
    MOST_PROPERTIES,
    UnfillableError,
    kind_of,
    merged,
    other_of,
    properties_of,
    required_of,
)
from studio_qt.providers.rehearsal.wish import Wish

__all__ = ["fill_arguments"]

_MOST_BRANCHES = 8


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
    except (UnfillableError, TooMuchError, RecursionError, OverflowError):
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
        last: Exception = UnfillableError()
        for branch in self._branches(schema, depth):
            try:
                made = self._plain(name, branch, depth + 1, kind, required=required)
            except UnfillableError as error:
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
                    with suppress(UnfillableError):  # a branch that nothing fits is no branch
                        whole: JsonObject = rest
                        for part in some[:_MOST_BRANCHES]:
                            whole = merged(whole, resolve(part, self._budget))
                        yield from self._branches(whole, depth + 1)
                return
        yield schema

    def _plain(
        self, name: str, schema: JsonObject, depth: int, kind: str | None, *, required: bool
    ) -> _Made:
        if "const" in schema:
            return schema["const"] if required or self._wish.mentions(name) else _MISSING
        options = schema.get("enum")
        if isinstance(options, list):
            return self._option(schema, options, required=required)
        match kind or kind_of(schema):
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
        return self._fallback(schema, options[:MOST_PROPERTIES])

    def _mentioned_options(self, options: list[JsonValue]) -> list[JsonValue]:
        return [option for option in options[:200] if self._wish.mentions_option(option)]

    def _boolean(self, name: str, schema: JsonObject, *, required: bool) -> _Made:
        switch = self._wish.switch(name)
        if switch is not None:
            return switch
        return self._fallback(schema, [False, True]) if required else _MISSING

    def _number(self, name: str, schema: JsonObject, *, required: bool, whole: bool) -> _Made:
        unwanted = self._noted and not required
        found = None if unwanted else amounts.said_number(self._wish, name, required=required)
        if found is not None:
            bounded = amounts.bounded(int(found) if whole else found, schema)
            if fits(bounded, schema, self._budget):
                return bounded
        if not required:
            return _MISSING
        return self._fallback(schema, amounts.plain_numbers(name, schema))

    def _array(self, name: str, schema: JsonObject, depth: int, *, required: bool) -> _Made:
        if not required and not self._wish.mentions(name):
            return _MISSING
        items = schema.get("items", True)
        made = self._listed(items, depth)
        least = schema.get("minItems", 0)
        leading = schema.get("prefixItems")
        if isinstance(leading, list):
            made = [self._needed(name, part, depth) for part in leading[:MOST_PROPERTIES]]
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
        elif kind_of(plain) in ("integer", "number"):
            found = [figure.value for figure in self._wish.figures]
        elif kind_of(plain) == "string":
            found = list(texts.listed(self._wish.topic, self._wish.quotes))
        else:
            found = []
        fitting = [one for one in found[:20] if fits(one, items, self._budget, depth)]
        return [one for at, one in enumerate(fitting) if one not in fitting[:at]]

    def _needed(self, name: str, schema: Schema, depth: int) -> JsonValue:
        made = self.value(name, schema, required=True, depth=depth + 1)
        if isinstance(made, _Missing):
            raise UnfillableError
        return made

    def _object(self, name: str, schema: JsonObject, depth: int, *, required: bool) -> _Made:
        if not required and not self._wish.mentions(name):
            return _MISSING
        known = properties_of(schema)
        needed = required_of(schema) or self._only_text(known)
        made: JsonObject = {}
        for key in needed:
            made[key] = self._needed(key, known.get(key, other_of(schema)), depth)
        for key, part in sorted(list(known.items())[:MOST_PROPERTIES], key=texts.is_not_notation):
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
            len(alone) == 1 and isinstance(alone[0][1], dict) and kind_of(alone[0][1]) == "string"
        )
        return [alone[0][0]] if is_text and self._wish.matter else []

    def _reach_least(self, schema: JsonObject, made: JsonObject, depth: int) -> None:
        least = schema.get("minProperties", 0)
        if not isinstance(least, (int, float)):
            return
        for key, part in properties_of(schema).items():
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
        raise UnfillableError


def _is_made(plain: list[JsonValue]) -> bool:
    return bool(plain) and isinstance(plain[0], (dict, list))
