"""Large stores of JavaScript agents: parsed and written in parts, which nobody may notice."""

from __future__ import annotations

import json

import pytest

from studio_qt.jsontext import JsonValue
from studio_qt.sandbox import SandboxHost
from tests.support.sandbox import Guest, load

LARGE: dict[str, JsonValue] = {
    "n": 1,
    "7": "first",
    "rows": [{"id": n, "name": f"row {n}", "tags": ["a", "b"]} for n in range(300)],
    "text": "ä\u2028 " * 800,
    "__proto__": {"not": "a prototype", "pad": "x" * 2000},
    "odd key \"'\n": {"deep": [[["x" * 1500]]]},
    "gone": ["y" * 1500],
    "last": None,
}
TOUCHES = {
    "one small member": "store.n++",
    "one large member": "store.rows[5].name = 'other'",
    "two large members": "store.rows.push(1); store.text += '!'",
    "a member before it is read": "store.rows = []",
    "a member taken away": "delete store.gone",
    "a member taken away and put back": "delete store.gone; store.gone = 1",
    "a new member": "store.added = { a: 'z'.repeat(2000) }",
    "all members, read and written": "for (const k in store) store[k] = store[k]; store.n = 9",
    "a copy within": "store.copy = { ...store }",
    "a member called __proto__": "Object.entries(store).find(([k]) => k[0] === '_')[1].not = 1",
    "members moved": "const { rows } = store; delete store.rows; store.rows = rows",
    "what JSON drops": "store.f = () => 1; store.u = undefined; store.rows[0] = undefined",
    "numbers that JSON has not": "store.rows = [NaN, Infinity]",
    "a toJSON of its own": "store.toJSON = () => ({ mine: store.rows.length })",
    "a toJSON inside": "store.rows.toJSON = (key) => key",
    "a getter": "Object.defineProperty(store, 'rows', { get() { return store.n; } })",
    "a hidden member": "Object.defineProperty(store, 'rows', { enumerable: false })",
    "a member with a new value by definition": "Object.defineProperty(store, 'rows', { value: 1 })",
    "an array emptied": "store.rows.length = 0",
    "everything frozen": "store.n = 5; Object.freeze(store)",
    "a copy by JSON": "store.rows = JSON.parse(JSON.stringify(store)).rows.slice(3)",
    "a structured clone": "store.rows = structuredClone(store).rows.slice(1)",
    "inherited members": "const o = Object.create(store); o.rows = 1; store.m = o.text.length",
    "many members": "for (let i = 0; i < 100; i++) store['k' + i] = i",
    "no members": "for (const key of Object.keys(store)) delete store[key]",
    "a text that looks like another": "store.text = JSON.stringify(store.rows)",
    "members by Reflect": "Reflect.set(store, 'rows', 2); Reflect.deleteProperty(store, 'gone')",
    "members by a receiver": "Reflect.set(store, 'rows', 2, {}); store.m = store.rows.length",
}
READS = """
export const look = (store) => [
  Object.keys(store), 'rows' in store, 'none' in store, Object.hasOwn(store, 'gone'),
  Object.entries(store).length, JSON.stringify(store), Array.isArray(store), String(store),
  Object.getOwnPropertyDescriptor(store, 'rows'), Object.isFrozen(store),
  Object.getPrototypeOf(store) === Object.prototype, typeof store.rows, store.rows === store.rows,
];
"""


async def touched(host: SandboxHost, action: str, *, in_parts: bool) -> Guest:
    """An agent that has done `action` to the large store, held in parts or fresh."""
    guest = await load(
        host,
        f"{READS}export const f = (store) => {{ {action}; }}; export const g = (s) => {{ s.n++; }}",
    )
    guest.store = json.dumps(LARGE, separators=(",", ":"), ensure_ascii=False)
    if in_parts:
        await guest.call("g")
    else:
        guest.store = guest.store.replace('"n":1', '"n":2', 1)
    assert (await guest.call("f")).ok
    return guest


@pytest.mark.clause("EXP-06")
@pytest.mark.parametrize("action", TOUCHES.values(), ids=TOUCHES)
async def test_a_store_in_parts_is_written_as_a_whole_one_is(
    host: SandboxHost, action: str
) -> None:
    whole = await touched(host, action, in_parts=False)
    parts = await touched(host, action, in_parts=True)
    assert json.loads(parts.store) == json.loads(whole.store)
    assert list(json.loads(parts.store)) == list(json.loads(whole.store))
    await whole.call("g")
    await parts.call("g")
    assert json.loads(parts.store) == json.loads(whole.store)


@pytest.mark.clause("EXP-06")
async def test_a_store_in_parts_looks_like_a_whole_one(host: SandboxHost) -> None:
    whole = await touched(host, "store.n = 3", in_parts=False)
    parts = await touched(host, "store.n = 3", in_parts=True)
    whole.store += " "  # is not held: it comes as text
    assert await parts.value("look") == await whole.value("look")


@pytest.mark.clause("EXP-06")
async def test_a_large_store_that_is_only_read_does_not_come_out(host: SandboxHost) -> None:
    guest = await load(host, READS + "export const g = (s) => { s.n++; }")
    guest.store = json.dumps(LARGE, indent=1)  # not as an agent would spell it
    for _ in range(3):
        assert (await guest.call("look")).store is None
    assert (await guest.call("g")).store is not None
    assert (await guest.call("look")).store is None


@pytest.mark.clause("EXP-06")
async def test_after_a_failed_call_a_large_store_is_what_it_was(host: SandboxHost) -> None:
    guest = await load(
        host,
        "let kept; export const g = (s) => { s.n++; };"
        "export const f = (s) => { kept = s; s.rows.length = 0; delete s.gone; throw Error(); };"
        "export const late = (s) => { kept.rows.push(9); kept.gone = 2; return s.rows.length; };",
    )
    guest.store = json.dumps(LARGE)
    await guest.call("g")
    assert not (await guest.call("f")).ok
    assert await guest.value("late") == 300
    await guest.call("g")
    assert guest.kept == {**LARGE, "n": 3}


@pytest.mark.clause("EXP-06", "BOX-01")
async def test_a_store_in_parts_trusts_nothing_that_an_agent_can_patch(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export const g = (s) => { s.n++; };"
        "export const patch = () => { for (const root of [JSON, Reflect, Object, Array.prototype,"
        " String.prototype, Function.prototype])"
        " for (const name of Object.getOwnPropertyNames(root))"
        " try { root[name] = () => { throw Error(name); }; } catch {}"
        " Array.prototype[Symbol.iterator] = null; globalThis.Proxy = null; };"
        "export const f = (s) => { s.rows[0] = s.text[0]; delete s.gone; };",
    )
    guest.store = json.dumps(LARGE)
    await guest.call("g")
    await guest.call("patch")
    assert (await guest.call("f")).ok
    assert (await guest.call("g")).ok
    rest = {key: value for key, value in LARGE.items() if key != "gone"}
    assert guest.kept == {**rest, "n": 3, "rows": ["ä", *LARGE["rows"][1:]]}  # type: ignore[index]
