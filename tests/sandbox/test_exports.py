"""Which functions of a module are exports, and what their callers get."""

from __future__ import annotations

import pytest

from studio_qt.sandbox import Cause, SandboxHost
from tests.support.sandbox import load


@pytest.mark.clause("EXP-05")
@pytest.mark.parametrize(
    "source",
    [
        "export function onLoad() { return 'in'; }",
        "export async function onLoad() { await null; return 'in'; }",
        "export const onLoad = () => 'in';",
        "function inner() { return 'in'; } export { inner as onLoad };",
        "export default { onLoad() { return 'in'; } };",
        "export default { word: 'in', onLoad() { return this.word; } };",
        "const text = await Promise.resolve('in'); export const onLoad = () => text;",
        "export const onLoad = () => ({ then(done) { done('in'); } });",
    ],
)
async def test_every_form_of_export_can_be_called(host: SandboxHost, source: str) -> None:
    guest = await load(host, source)
    assert guest.agent.exports == {"onLoad"}
    assert await guest.value("onLoad") == "in"


@pytest.mark.clause("EXP-05")
async def test_a_named_export_wins_over_the_default_object(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export function a() { return 'named'; }"
        "export default { a: () => 'default', b: () => 'default' };",
    )
    assert guest.agent.exports == {"a", "b"}
    assert [await guest.value("a"), await guest.value("b")] == ["named", "default"]


@pytest.mark.clause("EXP-05")
async def test_values_that_are_no_functions_are_no_exports(host: SandboxHost) -> None:
    guest = await load(host, "export const n = 1; export let o = {}; export function f() {}")
    assert guest.agent.exports == {"f"}


@pytest.mark.clause("EXP-02")
async def test_a_handler_gets_its_arguments_then_store_studio_and_context(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "export function onToolCall(name, args, store, studio, context) {"
        " return [name, args.n, store.k, typeof studio.toast, context.agentId]; }",
    )
    guest.store = '{"k": "v"}'
    outcome = await guest.call("onToolCall", "roll", {"n": 2}, context={"agentId": "t"})
    assert outcome.value == ["roll", 2, "v", "function", "t"]


@pytest.mark.clause("EXP-04")
async def test_trailing_parameters_may_be_left_out(host: SandboxHost) -> None:
    guest = await load(host, "export const onToolCall = (name) => name;")
    assert await guest.value("onToolCall", "x", {}) == "x"


@pytest.mark.clause("EXP-01")
@pytest.mark.parametrize("nothing", ["null", "undefined", "() => 1"])
async def test_null_and_undefined_come_out_as_none(host: SandboxHost, nothing: str) -> None:
    guest = await load(host, f"export const onLoad = () => ({nothing});")
    assert await guest.value("onLoad") is None


@pytest.mark.clause("EXP-02")
async def test_other_values_come_out_as_json(host: SandboxHost) -> None:
    guest = await load(
        host, "export const f = () => ({ a: [1, 2.5, true, null], d: new Date(0), n: NaN });"
    )
    expected = {"a": [1, 2.5, True, None], "d": "1970-01-01T00:00:00.000Z", "n": None}
    assert await guest.value("f") == expected


@pytest.mark.clause("EXP-02")
@pytest.mark.parametrize("text", ["", "ünï ☃ 😀", "a\u0000b", "line\nbreak\u2028", '"\\'])
async def test_any_text_passes_both_ways(host: SandboxHost, text: str) -> None:
    guest = await load(host, "export function f(t, store) { store.t = t; return t; }")
    assert await guest.value("f", text) == text
    assert guest.kept == {"t": text}


async def test_a_lone_surrogate_comes_out_as_a_replacement_character(host: SandboxHost) -> None:
    guest = await load(host, "export const f = () => 'a\\ud800b';")
    assert await guest.value("f") == "a\ufffdb"


async def test_large_integers_pass_as_numbers(host: SandboxHost) -> None:
    guest = await load(host, "export const f = (n) => n + 1;")
    assert await guest.value("f", 2**40) == 2**40 + 1


@pytest.mark.clause("EXP-05")
async def test_a_missing_handler_fails_with_its_name(host: SandboxHost) -> None:
    guest = await load(host, "export function f() {}")
    outcome = await guest.call("onAfterResponse", {})
    assert outcome.cause is Cause.FAILED
    assert "onAfterResponse" in str(outcome.error)


@pytest.mark.clause("EXP-02")
async def test_a_result_over_256_kb_is_refused_and_the_store_stays(host: SandboxHost) -> None:
    guest = await load(host, "export function f(n, store) { store.n = n; return 'ä'.repeat(n); }")
    assert len(str(await guest.value("f", 131_072))) == 131_072
    outcome = await guest.call("f", 131_073)
    assert outcome.cause is Cause.FAILED
    assert "256 KB" in str(outcome.error)
    assert guest.kept == {"n": 131_072}


@pytest.mark.clause("EXP-02")
@pytest.mark.parametrize("value", ["10n", "(() => { const a = []; a.push(a); return a; })()"])
async def test_a_result_that_is_not_json_fails(host: SandboxHost, value: str) -> None:
    guest = await load(host, f"export const f = () => ({value}); export const g = () => 1;")
    outcome = await guest.call("f")
    assert outcome.cause is Cause.FAILED
    assert "not JSON" in str(outcome.error)
    assert await guest.value("g") == 1
