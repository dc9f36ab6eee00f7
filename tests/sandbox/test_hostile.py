"""Code that means harm: its call ends, its store stays, and the next call works."""

from __future__ import annotations

import pytest

from studio_qt.sandbox import AgentLoadError, Cause, Limits, SandboxHost
from tests.support.sandbox import ROOMY, SHORT, Guest, code, load

TAME = "export function tame(store) { store.n = (store.n ?? 0) + 1; return 'tame'; }"
THROWS = "{ toString() { for (;;); }, get message() { for (;;); }, get name() { for (;;); } }"

SOFT = {
    "a loop": "for (;;);",
    "a caught loop": "try { for (;;); } catch { } finally { for (;;); }",
    "a loop after an await": "await null; for (;;);",
    "a loop in a promise job": "await Promise.resolve().then(() => { for (;;); });",
    "a loop in a timer": "await new Promise(() => setTimeout(() => { for (;;); }, 1));",
    "jobs without end": "const f = () => Promise.resolve().then(f); await f();",
    "a loop in toString": f"throw {THROWS};",
    "a loop in a getter of the result": "return { get a() { for (;;); } };",
    "a loop in toJSON of the store": "store.x = { toJSON() { for (;;); } };",
    "a loop in a getter of the store": (
        "Object.defineProperty(store, 'x', { enumerable: true, get() { for (;;); } });"
    ),
    "a loop in a thenable": "return { get then() { for (;;); } };",
    "a loop in a proxy": (
        "return new Proxy({}, { get() { for (;;); }, ownKeys() { for (;;); } });"
    ),
    "a regular expression": "/^(a+)+$/.test('a'.repeat(40) + '!'); for (;;);",
    "recursion that is caught": "const f = () => { try { f(); } finally { f(); } }; f();",
    "a sparse array": "new Array(2 ** 31).fill(0).join();",
    "an array that sorts for ever": "[2, 1].sort(() => { for (;;); });",
    "intervals without end": "await new Promise(() => setInterval(() => 0, 0));",
}


@pytest.mark.clause("BOX-02", "BR-11")
@pytest.mark.parametrize("name", SOFT)
async def test_code_without_end_is_stopped_and_the_next_call_works(
    host: SandboxHost, name: str
) -> None:
    guest = await load(host, TAME + f"export async function wild(store) {{ {SOFT[name]} }}")
    await guest.call("tame")
    outcome = await guest.call("wild", limits=SHORT)
    assert outcome.cause in (Cause.OUT_OF_TIME, Cause.OUT_OF_MEMORY), outcome
    assert outcome.store is None
    assert await guest.value("tame") == "tame"
    assert guest.kept == {"n": 2}


HARD = {
    "indexOf": "('a'.repeat(2e6)).indexOf('a'.repeat(1e6) + 'b');",
    "a finalizer": (
        f"new FinalizationRegistry(() => {{ throw {THROWS}; }}).register({{}}, 1);"
        " await new Promise((go) => setTimeout(go, 1));"
        " 'a'.repeat(2e6).indexOf('a'.repeat(1e6) + 'b');"
    ),
}


@pytest.mark.clause("BOX-02", "BR-11")
@pytest.mark.parametrize("name", HARD)
async def test_what_the_engine_cannot_stop_is_killed_and_the_next_call_works(
    strict_host: SandboxHost, name: str
) -> None:
    guest = await load(strict_host, TAME + f"export async function wild() {{ {HARD[name]} }}")
    await guest.call("tame")
    assert (await guest.call("wild", limits=SHORT)).cause is Cause.OUT_OF_TIME
    assert await guest.value("tame") == "tame"
    assert guest.kept == {"n": 2}


@pytest.mark.clause("BOX-02")
@pytest.mark.parametrize(
    "bomb",
    [
        "JSON.parse('['.repeat(1e6));",
        "(function f(n) { return f(n + 1) + 1; })(0);",
        "let a = {}; for (let i = 0; i < 3e5; i++) a = { a }; JSON.stringify(a);",
        "new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('');",
        "eval('['.repeat(1e5) + ']'.repeat(1e5));",
        "new Array(-1);",
        "'x'.repeat(2 ** 31);",
        "throw undefined;",
        "throw Symbol('x');",
        "throw { toString: null };",
        "throw Object.create(null);",
        "throw new Proxy({}, { get() { throw 1; } });",
        "Object.setPrototypeOf(Promise.prototype, new Proxy({}, {}));  null.x;",
        "import('studio');",
        "await import('./other.js');",
    ],
)
async def test_a_bomb_fails_its_call_alone(host: SandboxHost, bomb: str) -> None:
    guest = await load(host, TAME + f"export async function wild(store) {{ {bomb} return 'ok'; }}")
    outcome = await guest.call("wild", limits=Limits(20, 128))
    assert outcome.cause in (Cause.FAILED, Cause.OUT_OF_MEMORY, Cause.FINISHED), outcome
    assert await guest.value("tame") == "tame"


@pytest.mark.clause("BOX-02")
@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("for (;;);", "time limit"),
        ("await null; for (;;);", "time limit"),
        ("throw new Error('top');", "line 1: top"),
        ("\nthrow 'text';", "text"),
        ("await Promise.reject(new TypeError('late'));", "TypeError: late"),
        ("await new Promise(() => {});", "never finish"),
        ("const a = []; for (;;) a.push({});", "memory"),
        ("import fs from 'fs';", "fs"),
        ("\n\nlet x = ;", "line 3"),
        ("let x = 'no end", "SyntaxError"),
        ("await import('x');", "could not load module"),
        ("export const a = 1; export const a = 2;", "SyntaxError"),
        ("(function f() { f(); })();", "RangeError"),
        ("let a\0b;", "t.agent.js"),
    ],
)
async def test_a_module_that_cannot_be_loaded_says_where_and_why(
    host: SandboxHost, source: str, word: str
) -> None:
    with pytest.raises(AgentLoadError) as raised:
        await host.load(code(source), Limits(0.4, 24))
    assert str(raised.value).startswith("t.agent.js")
    assert word in str(raised.value)
    assert await (await load(host, TAME)).value("tame") == "tame"


@pytest.mark.clause("BOX-02")
async def test_a_module_that_throws_something_monstrous_does_not_hang_the_host(
    strict_host: SandboxHost,
) -> None:
    with pytest.raises(AgentLoadError):
        await strict_host.load(code(f"throw {THROWS};"), SHORT)
    assert await (await load(strict_host, TAME)).value("tame") == "tame"


PATCHES = """
Object.prototype.toJSON = () => "forged";
Array.prototype.toJSON = () => "forged";
String.prototype.toJSON = () => "forged";
JSON.stringify = () => "forged"; JSON.parse = () => { throw 1; };
Promise.prototype.then = () => { throw 1; };
Promise.resolve = () => { throw 1; };
Array.prototype[Symbol.iterator] = () => { throw 1; };
Array.prototype.push = () => { throw 1; };
Object.prototype.get = () => { throw 1; };
Object.defineProperty(Object.prototype, "cause", { set() { throw 1; } });
Map.prototype.get = Map.prototype.set = () => { throw 1; };
Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => "forged";
Reflect.apply = Reflect.ownKeys = Object.setPrototypeOf = () => { throw 1; };
Date.now = () => NaN;
String.prototype.slice = String.prototype.indexOf = () => { throw 1; };
Error.prototype.toString = () => "forged"; Error.prepareStackTrace = () => { throw 1; };
globalThis.Promise = globalThis.JSON = globalThis.Error = globalThis.Object = undefined;
globalThis.queueMicrotask = undefined;
"""


@pytest.mark.clause("BOX-01")
async def test_an_agent_that_patches_the_language_still_works(host: SandboxHost) -> None:
    patches = "".join(line for line in PATCHES.splitlines(True) if "toJSON" not in line)
    guest = await load(
        host,
        patches + "export async function f(a, store, studio) { store.n++; console.log('line');"
        " return await studio.context.readFile('a') + a; }",
        "context",
    )
    guest.bridge.answers["context.readFile"] = "text"
    guest.store = '{"n":1}'
    outcome = await guest.call("f", 1)
    assert (outcome.value, outcome.store, outcome.logs) == ("text1", '{"n":2}', ("line",))


@pytest.mark.clause("BOX-01", "BR-09")
async def test_patched_primordials_change_no_report(host: SandboxHost) -> None:
    guest = await load(
        host,
        "const { freeze } = Object;" + PATCHES + "freeze(globalThis);"
        "export async function f(a, store, studio) { studio.log('hi');"
        " return await studio.context.readFile('a') + a; }"
        "export async function g(store, studio) { await studio.history.search('x'); }"
        "export const h = () => 'sync';",
        "context",
    )
    guest.bridge.answers["context.readFile"] = "text"
    guest.store = '{"n":1}'
    outcome = await guest.call("f", 1)
    assert outcome.error == "the store cannot be saved: it must be a JSON object"
    assert guest.bridge.said == ["log: hi", "context.readFile: a"]
    assert "@api studio.history" in str((await guest.call("g")).error)
    assert "JSON object" in str((await guest.call("h")).error)


@pytest.mark.clause("BOX-01")
async def test_an_agent_that_breaks_the_engines_own_json_breaks_itself_alone(
    host: SandboxHost,
) -> None:
    with pytest.raises(AgentLoadError):
        await load(host, "Object.defineProperty(Array.prototype, 0, { set() { throw 1; } });")
    assert await (await load(host, TAME)).value("tame") == "tame"


@pytest.mark.clause("BOX-01")
async def test_what_one_agent_patches_no_other_agent_sees(host: SandboxHost) -> None:
    bad = await load(
        host,
        "Object.prototype.x = 1; globalThis.secret = 's'; Array.prototype.map = 0;"
        "export const f = () => { globalThis.more = 1; };",
    )
    await bad.call("f")
    good = await load(
        host,
        "export const f = () =>"
        " [({}).x ?? 0, typeof secret, typeof more, [1].map((n) => n + 1)[0]];",
    )
    assert await good.value("f") == [0, "undefined", "undefined", 2]


@pytest.mark.clause("BOX-01")
@pytest.mark.parametrize(
    "reach",
    [
        "(0, eval)('Object.getOwnPropertyNames(globalThis)')",
        "new Function('return Object.getOwnPropertyNames(globalThis)')()",
        "(async () => 0).constructor('return Object.getOwnPropertyNames(globalThis)')()",
        "[...(function* () {}).constructor('yield* Object.getOwnPropertyNames(globalThis)')()]",
        "studio.log.constructor('return Object.getOwnPropertyNames(globalThis)')()",
    ],
)
async def test_no_way_to_the_global_object_finds_more_than_the_language(
    host: SandboxHost, reach: str
) -> None:
    guest = await load(host, f"export const f = (store, studio) => {reach};")
    names = await guest.value("f")
    assert isinstance(names, list)
    assert {"Object", "URL", "console"} <= set(names)
    outside = "fetch window document WebSocket localStorage process require WebAssembly std os"
    assert not {*outside.split(), "print", "Worker", "scriptArgs", "python"} & set(names)


@pytest.mark.clause("BOX-01")
async def test_a_stack_overflow_cannot_reach_the_tools_of_the_guest(host: SandboxHost) -> None:
    guest = await load(
        host,
        TAME + "export function wild(store, studio) { const deep = (n) => { try { deep(n + 1); }"
        " catch (error) { try { studio.log(error.constructor.constructor('return 1')()); }"
        " catch { } throw error; } }; deep(0); }",
    )
    assert not (await guest.call("wild")).ok
    assert await guest.value("tame") == "tame"


@pytest.mark.clause("BOX-01")
async def test_caller_and_stack_frames_show_nothing_of_the_guest(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export function f() { let seen = []; Error.prepareStackTrace = (e, frames) => {"
        " seen = frames.map((frame) => typeof frame.getThis?.() + typeof frame.getFunction?.());"
        " return ''; }; new Error('x').stack; return seen.join(); }",
    )
    assert "object" not in str(await guest.value("f"))


@pytest.mark.clause("BOX-02")
async def test_many_hostile_calls_in_a_row_leave_a_working_host(strict_host: SandboxHost) -> None:
    good = await load(strict_host, TAME)
    for body in ("for (;;);", HARD["indexOf"], "throw null;", "return 10n;"):
        bad = Guest(await strict_host.load(code(f"export const f = () => {{ {body} }};"), ROOMY))
        assert not (await bad.call("f", limits=Limits(0.2, 64))).ok
        await good.call("tame")
    assert good.kept == {"n": 4}
