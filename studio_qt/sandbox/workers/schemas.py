"""The service of the schema worker: checks arguments, with patterns as ECMAScript means them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import _quickjs  # type: ignore[import-not-found]  # without the pool that `quickjs` starts
import jsonschema
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from studio_qt.jsontext import JsonObject, decode_object, encode
from studio_qt.sandbox import arguments
from studio_qt.sandbox.workers.channel import Channel

__all__ = ["serve"]

_MATCHER = """(source, text) => {
  const [pattern, value] = [JSON.parse(source), JSON.parse(text)];
  for (const flags of ["u", ""]) {
    let regex;
    try { regex = new RegExp(pattern, flags); } catch { continue; }
    return regex.test(value);
  }
  return null;
}"""


def serve(channel: Channel) -> None:
    """Answer check frames until the host closes; a check that hangs is ended from outside."""
    checker = extend(  # type: ignore[no-untyped-call]
        jsonschema.Draft202012Validator,
        {
            "pattern": _pattern,
            "patternProperties": _pattern_properties,
            "additionalProperties": _additional_properties,
        },
    )
    while (frame := channel.read()) is not None:
        if frame.op != "check":
            continue
        split = frame.integer("split")
        schema, given = decode_object(frame.blob[:split]), decode_object(frame.blob[split:])
        answer: JsonObject = {"op": "done", "call": frame.integer("call"), "cause": "finished"}
        channel.send(answer | {"value": arguments.check(checker, schema, given)})


@lru_cache(maxsize=1)
def _matcher() -> Any:
    context = _quickjs.Context()
    return context, context.eval(_MATCHER)


def _matches(pattern: str, text: str) -> bool:
    """Whether an ECMAScript regex finds something; one that is not a regex matches everything."""
    try:
        found = _matcher()[1](encode(pattern), encode(text))
    except _quickjs.JSException:
        return False
    return found is not False


def _pattern(_: Any, pattern: str, given: object, __: object) -> Iterator[ValidationError]:
    if isinstance(given, str) and not _matches(pattern, given):
        yield ValidationError(f"{given!r} does not match {pattern!r}")


def _pattern_properties(
    checker: Any, patterns: JsonObject, given: object, _: object
) -> Iterator[ValidationError]:
    if not isinstance(given, dict):
        return
    for pattern, below in patterns.items():
        for key, value in given.items():
            if _matches(pattern, key):
                yield from checker.descend(value, below, path=key, schema_path=pattern)


def _additional_properties(
    checker: Any, rule: object, given: object, schema: JsonObject
) -> Iterator[ValidationError]:
    if not isinstance(given, dict):
        return
    known, patterns = schema.get("properties"), schema.get("patternProperties")
    for key, value in given.items():
        named = isinstance(known, dict) and key in known
        if named or (isinstance(patterns, dict) and any(_matches(p, key) for p in patterns)):
            continue
        if rule is False:
            yield ValidationError(f"{key!r} is not allowed")
        elif isinstance(rule, dict):
            yield from checker.descend(value, rule, path=key)
