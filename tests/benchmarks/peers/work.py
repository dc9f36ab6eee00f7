"""The work that both sides do: an agent in each language, and the stores that it changes."""

from __future__ import annotations

import json

from studio_qt.jsontext import JsonValue

__all__ = ["LANGUAGES", "SOURCES", "SUFFIXES", "stores"]

LANGUAGES = ("javascript", "lua", "python")
SUFFIXES = {"javascript": "js", "lua": "lua", "python": "py"}
SOURCES = {
    "javascript": 'export function change(store) { store.values[7] += 1; return "ok"; }\n',
    "lua": 'function change(store) store.values[8] = store.values[8] + 1 return "ok" end\n',
    "python": 'def change(store):\n    store["values"][7] += 1\n    return "ok"\n',
}


def stores() -> dict[str, str]:
    """Return the texts of a store of 200 integers and of two of 100 KB.

    In the second, the value that changes stands in the one member that holds everything.
    """
    rows: list[JsonValue] = [
        {"id": n, "name": f"character number {n}", "tags": ["a", "b"], "score": n * 1.5}
        for n in range(1500)
    ]
    small: JsonValue = {"values": list(range(200))}
    large: JsonValue = {"values": list(range(10)), "rows": rows}
    single: JsonValue = {"values": [*range(10), *rows]}
    texts = {"200 integers": small, "100 KB": large, "100 KB in one": single}
    return {name: _text(value) for name, value in texts.items()}


def _text(value: JsonValue) -> str:
    return json.dumps(value, separators=(",", ":"))
