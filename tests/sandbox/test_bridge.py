"""The studio object: messages out, promises in, and a gate on both sides."""

from __future__ import annotations

import asyncio

import pytest

from studio_qt.errors import AgentError
from studio_qt.sandbox import BridgeCall, Cause, Limits, SandboxHost
from tests.support.sandbox import SHORT, Bridge, load

CALLS = {
    "history.search": ("studio.history.search('q')", ("q",)),
    "history.range": ("studio.history.range(1, 3)", (1, 3)),
    "context.readFile": ("studio.context.readFile('a.txt')", ("a.txt",)),
    "callModel": (
        "studio.callModel('s', [{role: 'user', content: 'c'}], 9, {model: 'main'})",
        ("s", [{"role": "user", "content": "c"}], 9, {"model": "main"}),
    ),
    "grants.readStore": ("studio.grants.readStore('r')", ("r",)),
    "web.fetch": ("studio.web.fetch('http://x', {maxChars: 5})", ("http://x", {"maxChars": 5})),
}
NAMESPACES = {method: method.split(".")[0] for method in CALLS} | {"callModel": "model"}


@pytest.mark.clause("BR-03", "BR-04", "BR-05", "BR-06", "BR-07", "BR-08")
@pytest.mark.parametrize("method", CALLS)
async def test_a_declared_method_reaches_the_host_and_its_answer_comes_back(
    host: SandboxHost, method: str
) -> None:
    call, arguments = CALLS[method]
    guest = await load(
        host, f"export const f = async (store, studio) => await {call};", NAMESPACES[method]
    )
    guest.bridge = Bridge(**{method: {"text": "ä", "list": [1, None]}})
    assert await guest.value("f") == {"text": "ä", "list": [1, None]}
    assert guest.bridge.calls == [BridgeCall(method, arguments)]


@pytest.mark.clause("BR-09")
@pytest.mark.parametrize("method", CALLS)
async def test_an_undeclared_namespace_rejects_with_the_missing_line(
    host: SandboxHost, method: str
) -> None:
    others = set(NAMESPACES.values()) - {NAMESPACES[method]}
    guest = await load(
        host,
        "export async function f(store, studio) {"
        f" try {{ await {CALLS[method][0]}; }} catch (error) {{ return error.message; }} }}",
        *others,
    )
    assert f"@api studio.{NAMESPACES[method]}" in str(await guest.value("f"))
    assert guest.bridge.calls == []


@pytest.mark.clause("BR-01", "BR-02")
async def test_toast_and_log_need_no_declaration_and_no_await_and_keep_their_order(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "export function f(store, studio) {"
        " studio.log('one'); studio.toast('two'); studio.log(3); return 'x'; }",
    )
    await guest.call("f")
    assert guest.bridge.said == ["log: one", "toast: two", "log: 3"]


@pytest.mark.clause("BR-02")
async def test_what_was_logged_before_a_failure_or_a_timeout_is_delivered(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "export function f(store, studio) { studio.log('a'); throw new Error('no'); }"
        "export function g(store, studio) { studio.log('b'); for (;;); }",
    )
    await guest.call("f")
    await guest.call("g", limits=SHORT)
    assert guest.bridge.said == ["log: a", "log: b"]


@pytest.mark.clause("BR-02")
async def test_a_log_entry_is_delivered_before_the_call_ends(host: SandboxHost) -> None:
    guest = await load(host, "export function f(store, studio) { studio.log('a'); }")
    done = []

    async def bridge(call: BridgeCall) -> None:
        await asyncio.sleep(0.05)
        done.append(call.arguments[0])

    guest.bridge = bridge  # type: ignore[assignment]
    await guest.call("f")
    assert done == ["a"]


@pytest.mark.clause("BR-10")
async def test_a_missing_method_can_be_tested_for(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export const f = (store, studio) =>"
        " [typeof studio.conversation?.collapse, typeof studio.context?.readFile];",
    )
    assert await guest.value("f") == ["undefined", "function"]


async def test_the_studio_object_cannot_be_changed(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export function f(store, studio) { const tries = ["
        "() => { studio.log = 1; }, () => { studio.web.fetch = 1; }, () => { studio.x = 1; }];"
        " return tries.map((go) => { try { go(); return 'changed'; } catch { return 'frozen'; } });"
        "}",
    )
    assert await guest.value("f") == ["frozen", "frozen", "frozen"]


async def test_an_error_of_the_host_becomes_a_rejection(host: SandboxHost) -> None:
    guest = await load(
        host, "export const f = (store, studio) => studio.callModel('s', []);", "model"
    )
    guest.bridge = Bridge(callModel=AgentError("budget exhausted for this response"))
    outcome = await guest.call("f")
    assert outcome.cause is Cause.FAILED
    assert "budget exhausted for this response" in str(outcome.error)


async def test_a_bug_of_the_host_fails_the_request_and_not_the_call(
    host: SandboxHost, caplog: pytest.LogCaptureFixture
) -> None:
    guest = await load(
        host,
        "export const f = (store, studio) => studio.callModel('s', []).catch((e) => e.message);",
        "model",
    )
    guest.bridge = Bridge(callModel=lambda *_: 1 // 0)
    assert "failed to answer" in str(await guest.value("f"))
    assert "ZeroDivisionError" in caplog.text


async def test_requests_in_flight_are_answered_side_by_side(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export async function f(store, studio) { return await Promise.all("
        " ['a', 'b', 'c'].map((name) => studio.context.readFile(name))); }",
        "context",
    )
    all_there = asyncio.Barrier(3)

    async def bridge(call: BridgeCall) -> str:
        await all_there.wait()
        return f"text of {call.arguments[0]}"

    guest.bridge = bridge  # type: ignore[assignment]
    assert await guest.value("f") == ["text of a", "text of b", "text of c"]


async def test_answers_that_nobody_awaits_any_more_are_dropped(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export function f(store, studio) { studio.context.readFile('a'); return 'early'; }"
        "export function g() { return 'next'; }",
        "context",
    )

    async def never(call: BridgeCall) -> None:
        await asyncio.Event().wait()

    guest.bridge = never  # type: ignore[assignment]
    assert await guest.value("f") == "early"
    assert await guest.value("g") == "next"


@pytest.mark.clause("BR-11")
async def test_waiting_for_the_bridge_counts_against_the_limit(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export const f = async (store, studio) => { try { await studio.context.readFile('a'); }"
        " catch { for (;;); } };"
        "export const g = (store) => { store.ok = true; };",
        "context",
    )
    cancelled = asyncio.Event()

    async def never(call: BridgeCall) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    guest.bridge = never  # type: ignore[assignment]
    outcome = await guest.call("f", limits=Limits(0.2, 64))
    assert outcome.cause is Cause.OUT_OF_TIME
    assert cancelled.is_set()
    assert (await guest.call("g")).ok


@pytest.mark.clause("BR-11")
@pytest.mark.parametrize(
    "wait",
    ["new Promise(() => {})", "{ then() {} }", "import('x').catch(() => new Promise(() => {}))"],
)
async def test_a_handler_that_can_never_settle_fails_at_once(host: SandboxHost, wait: str) -> None:
    guest = await load(host, f"export async function f() {{ await ({wait}); }}")
    outcome = await guest.call("f")
    assert outcome.cause is Cause.FAILED
    assert "never finish" in str(outcome.error)


async def test_arguments_that_are_not_json_reject(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export async function f(store, studio) { const loop = []; loop.push(loop);"
        " return await studio.history.search(loop).catch((e) => e.message); }",
        "history",
    )
    assert "not JSON" in str(await guest.value("f"))


@pytest.mark.clause("BOX-02")
async def test_a_flood_of_messages_is_bounded(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export async function f(store, studio) {"
        " for (let i = 0; i < 5000; i++) { studio.log(i); console.log(i); }"
        " let refused = 0;"
        " const wait = [];"
        " for (let i = 0; i < 11000; i++)"
        "  wait.push(studio.history.search('x').catch(() => { refused++; }));"
        " await Promise.all(wait); return refused; }",
        "history",
    )
    outcome = await guest.call("f")
    assert outcome.value == 1000
    assert len([call for call in guest.bridge.calls if call.method == "log"]) == 500
    assert len(outcome.logs) <= 502
