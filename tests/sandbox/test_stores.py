"""A call is a transaction over its store."""

from __future__ import annotations

import json

import pytest

from studio_qt.sandbox import Cause, SandboxHost
from tests.support.sandbox import load


@pytest.mark.clause("EXP-06")
async def test_a_store_is_mutated_in_place_and_comes_out_as_text(host: SandboxHost) -> None:
    guest = await load(host, "export function f(store) { store.n = (store.n ?? 0) + 1; }")
    for _ in range(3):
        await guest.call("f")
    assert guest.store == '{"n":3}'


@pytest.mark.clause("EXP-06")
@pytest.mark.parametrize("text", ["{}", '{"n":1}', '{ "big": 12345678901234567890, "f": 1.0 }'])
async def test_an_untouched_store_does_not_come_out(host: SandboxHost, text: str) -> None:
    guest = await load(host, "export function f(store) { return Object.keys(store).length; }")
    guest.store = text
    for _ in range(2):
        assert (await guest.call("f")).store is None


@pytest.mark.clause("EXP-06")
async def test_each_call_works_on_the_store_that_it_is_given(host: SandboxHost) -> None:
    guest = await load(host, "export function f(store) { store.n++; return store.n; }")
    texts = ['{"n":1}', '{"n":5}', '{"n":6}', '{"n":5}', '{"n":5}', '{"n":1}']
    seen = []
    for text in texts:
        guest.store = text
        seen.append(await guest.value("f"))
    assert seen == [2, 6, 7, 6, 6, 2]


@pytest.mark.clause("EXP-06")
async def test_a_store_object_kept_by_the_agent_is_not_the_next_calls_store(
    host: SandboxHost,
) -> None:
    guest = await load(
        host, "let old; export function f(store) { if (old) old.x = 1; old = store; store.n = 1; }"
    )
    await guest.call("f")
    assert (await guest.call("f")).store is None
    assert guest.kept == {"n": 1}


@pytest.mark.clause("EXP-06")
async def test_what_json_drops_is_dropped_and_dates_become_text(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export function f(store) {"
        " Object.assign(store, { u: undefined, f() {}, d: new Date(0), keep: [1, undefined] }); }",
    )
    await guest.call("f")
    assert guest.kept == {"d": "1970-01-01T00:00:00.000Z", "keep": [1, None]}


@pytest.mark.clause("EXP-06")
@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
async def test_numbers_that_json_lacks_become_null_with_a_log_line(
    host: SandboxHost, number: str
) -> None:
    guest = await load(host, f"export function f(store) {{ store.a = [{{ n: {number} }}]; }}")
    outcome = await guest.call("f")
    assert outcome.store == '{"a":[{"n":null}]}'
    assert "NaN or Infinity" in outcome.logs[0]


async def test_a_null_in_a_store_is_not_worth_a_line(host: SandboxHost) -> None:
    guest = await load(host, "export function f(store) { store.n = null; store.t = 'null'; }")
    assert (await guest.call("f")).logs == ()


@pytest.mark.clause("EXP-06", "BOX-02")
@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("store.self = store", "circular"),
        ("store.n = 10n", "BigInt"),
        ("store.toJSON = () => [1]", "object"),
        ("store.toJSON = () => undefined", "object"),
        (
            "Object.defineProperty(store, 'x', {enumerable: true, get() { throw Error('no'); }})",
            "no",
        ),
        ("let a = store; for (let i = 0; i < 600; i++) a = a.a = {}", "nested"),
        ("let a = []; for (let i = 0; i < 1e5; i++) a = [a]; store.a = a", "store"),
        ("store.t = 'x'.repeat(17e6)", "16 MB"),
        ("store.t = '€'.repeat(6e6)", "16 MB"),
    ],
)
async def test_a_store_that_cannot_be_saved_fails_the_call_and_stays(
    host: SandboxHost, change: str, word: str
) -> None:
    guest = await load(
        host,
        f"export function bad(store) {{ {change}; return 'done'; }}"
        "export function good(store) { store.n++; return store.n; }",
    )
    guest.store = '{"n":1}'
    outcome = await guest.call("bad")
    assert (outcome.cause, outcome.store) == (Cause.FAILED, None)
    assert word in str(outcome.error)
    assert await guest.value("good") == 2


@pytest.mark.clause("EXP-06", "EXP-02")
async def test_a_throw_leaves_the_store_as_it_was(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export async function f(store, bad) { store.n = 9; await 1; throw new Error('no'); }"
        "export function g(store) { return store; }",
    )
    guest.store = '{"n":1}'
    outcome = await guest.call("f")
    assert (outcome.cause, outcome.store) == (Cause.FAILED, None)
    assert await guest.value("g") == {"n": 1}


@pytest.mark.clause("EXP-06")
async def test_the_store_is_taken_at_the_moment_the_handler_settles(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export async function f(store) { store.n = 1;"
        " setTimeout(() => { store.n = 2; }, 0);"
        " Promise.resolve().then(() => 0).then(() => 0).then(() => 0).then(() => { store.n = 3; });"
        " return 'x'; }",
    )
    await guest.call("f")
    assert guest.kept == {"n": 1}


async def test_nesting_up_to_500_is_kept_even_with_brackets_in_strings(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "export function f(depth, store) {"
        " let a = store; for (let i = 1; i < depth; i++) a = a['[{\\\\\"'] = { t: ']}'.repeat(9) };"
        "}",
    )
    assert (await guest.call("f", 500)).ok
    assert not (await guest.call("f", 501)).ok


async def test_a_large_store_makes_the_trip(host: SandboxHost) -> None:
    guest = await load(host, "export function f(store) { store.n = store.rows.length; }")
    guest.store = json.dumps({"rows": ["x" * 1000] * 5000})
    await guest.call("f")
    assert guest.kept == {"rows": ["x" * 1000] * 5000, "n": 5000}


async def test_a_store_with_a_proto_key_pollutes_nothing(host: SandboxHost) -> None:
    guest = await load(
        host, "export function f(store) { store.n = 1; return ({}).evil ?? 'clean'; }"
    )
    guest.store = '{"__proto__":{"evil":1}}'
    assert await guest.value("f") == "clean"
    assert guest.store == '{"__proto__":{"evil":1},"n":1}'
