"""Schemas and patterns that are made to hang whoever checks arguments against them.

Each row is a schema, the arguments, and whether an answer that they fit is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from studio_qt.jsontext import JsonObject

__all__ = ["SCHEMAS"]


def _of(rule: JsonObject) -> JsonObject:
    return {"type": "object", "properties": {"a": rule}}


def _doubling(word: str, depth: int) -> JsonObject:
    defs: JsonObject = {f"d{n}": {word: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(depth)}
    return {"$defs": defs | {f"d{depth}": {}}, "$ref": "#/$defs/d0"}


def _nested(depth: int) -> JsonObject:
    rule: JsonObject = {"type": "string"}
    for _ in range(depth):
        rule = {"not": {"not": rule}}
    return _of(rule)


_AS = "a" * 60 + "!"

SCHEMAS: Mapping[str, tuple[JsonObject, JsonObject, bool]] = MappingProxyType(
    {
        "pattern (a+)+": (_of({"pattern": "^(a+)+$"}), {"a": _AS}, False),
        "pattern (a|aa)+": (_of({"pattern": "^(a|aa)+$"}), {"a": _AS}, False),
        "pattern with references": (_of({"pattern": r"^(a*)*\1*$"}), {"a": _AS}, False),
        "pattern that counts": (
            _of({"pattern": "^((a{1,100}){1,100}){1,100}$"}),
            {"a": _AS},
            False,
        ),
        "names by a pattern": ({"patternProperties": {"^(a+)+$": False}}, {_AS: 1}, False),
        "pattern that is none": (_of({"pattern": "(" * 50_000}), {"a": "x"}, True),
        "pattern of 100 KB": (_of({"pattern": "(a?){9}" * 14_000}), {"a": "b"}, True),
        "doubling allOf": (_doubling("allOf", 40), {}, False),
        "doubling anyOf": (_doubling("anyOf", 40), {}, True),
        "doubling oneOf": (_doubling("oneOf", 40), {}, False),
        "reference to itself": ({"$ref": "#"}, {}, False),
        "reference in a circle": (
            {
                "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
                "$ref": "#/$defs/a",
            },
            {},
            False,
        ),
        "reference to a file": ({"$ref": "file:///etc/passwd"}, {}, False),
        "reference to the network": ({"$ref": "http://127.0.0.1:9/x.json"}, {}, False),
        "dynamic reference": ({"$dynamicRef": "#", "$dynamicAnchor": "a"}, {}, False),
        "unique items": (
            _of({"uniqueItems": True}),
            {"a": [{"k": [n]} for n in range(30_000)]},
            False,
        ),
        "format": (_of({"format": "regex"}), {"a": "(" * 100_000}, True),
        "enum of 100,000": (_of({"enum": [{"n": n} for n in range(100_000)]}), {"a": {}}, False),
        "deep not": (_nested(300), {"a": "x"}, True),
        "10,000 required": (
            {"required": [f"n{n}" for n in range(10_000)]},
            {f"n{n}": n for n in range(10_000)},
            True,
        ),
        "multiple of little": (_of({"multipleOf": 1e-300}), {"a": 1e300}, True),
        "type that is none": (_of({"type": "root"}), {"a": 1}, False),
        "__proto__ as a property": (
            {"properties": {"__proto__": {"type": "string"}}},
            {"__proto__": {"x": 1}},
            False,
        ),
        "deep arguments": (_of({"pattern": "a"}), {"a": [[[[[[[[[[0]]]]]]]]]]}, True),
        "arguments of 8 MB": (_of({"pattern": "^x*$"}), {"a": "x" * (8 << 20)}, True),
    }
)
