"""Agents in TypeScript are full peers of those in JavaScript."""

from __future__ import annotations

import json

import pytest

from studio_qt.sandbox import AgentLoadError, Cause, SandboxHost, compile_typescript
from tests.support.sandbox import SHORT
from tests.support.typescript import load_typescript

pytestmark = pytest.mark.usefixtures("own_cache")

FULL = """
/*---
@agent t.agent
---*/
import type { Nothing } from "./types";
interface Store { seen?: string[]; }
enum Mood { Calm, Wild = "wild" }
namespace Rules { export const limit: number = 3; }
declare const studio: { log(line: string): void };
type Pair<T> = readonly [T, T];

export async function onToolCall(
  name: string, args: { n: number }, store: Store, own: any, context: { agentId: string },
): Promise<string> {
  (store.seen ??= []).push(`${name}:${args.n}`);
  own.toast("heard");
  const text = (await own.context.readFile("a")) as string;
  return [Mood[0], Mood.Wild, Rules.limit, context.agentId, text!].join(" ");
}
export const onLoad = (store: Store) => store.seen?.length ?? 0;
"""

FEATURES = {  # an expression for `f`, and what it gives
    "(<number>5) satisfies number": 5,
    "((...all: number[]): number => all.length)(1, 2)": 2,
    "new (class<T> { constructor(private readonly x: T) {} get() { return this.x; } })(7).get()": 7,
    "new (class { #x = 1; static { } get x() { return this.#x; } })().x": 1,
    "['b', 'a'].toSorted().at(0)!": "a",
    "Colour.Green": 1,
    "Constant.Two": 2,
    "Outer.Inner.deep": "deep",
    "new Marked().shout()": "HI",
    "overloaded(4)": 4,
    "abstracted": "made",
    "disposed()": ["used", "gone"],
}
DECLARATIONS = """
enum Colour { Red, Green }
const enum Constant { One = 1, Two }
namespace Outer.Inner { export const deep = "deep"; }
function loud(method: () => string, _: ClassMethodDecoratorContext) {
  return function (this: Marked) { return method.call(this).toUpperCase(); };
}
class Marked { @loud shout(): string { return "hi"; } }
function overloaded(n: number): number;
function overloaded(n: string): string;
function overloaded(n: any): any { return n; }
abstract class Base { abstract name(): string; }
class Real extends Base { override name(): string { return "made"; } }
const abstracted = new Real().name();
function disposed(): string[] {
  const said: string[] = [];
  { using thing = { [Symbol.dispose]() { said.push("gone"); } }; said.push("used"); }
  return said;
}
"""


@pytest.mark.clause("LANG-01", "EXP-02", "BR-01")
async def test_a_typescript_agent_has_arguments_store_bridge_and_context(host: SandboxHost) -> None:
    guest = await load_typescript(host, FULL, "context")
    guest.bridge.answers["context.readFile"] = "read"
    assert guest.agent.exports == {"onToolCall", "onLoad"}
    outcome = await guest.call("onToolCall", "roll", {"n": 2}, context={"agentId": "t.agent"})
    assert outcome.value == "Calm wild 3 t.agent read"
    assert guest.bridge.said[0] == "toast: heard"
    assert guest.kept == {"seen": ["roll:2"]}
    assert await guest.value("onLoad") == 1


@pytest.mark.clause("LANG-01", "EXP-05")
async def test_types_are_erased_and_what_the_compiler_translates_runs(host: SandboxHost) -> None:
    listed = ",\n".join(f"() => ({expression})" for expression in FEATURES)
    source = f"{DECLARATIONS}\nconst all = [{listed}];\nexport const f = () => all.map((g) => g());"
    guest = await load_typescript(host, source)
    assert await guest.value("f") == list(FEATURES.values())


@pytest.mark.clause("LANG-01")
async def test_type_errors_do_not_keep_an_agent_from_running(host: SandboxHost) -> None:
    source = (
        "const n: number = 'text';\nexport const f = (): boolean => missing ?? n;\nlet missing;"
    )
    assert await (await load_typescript(host, source)).value("f") == "text"


@pytest.mark.clause("LANG-01", "BOX-01")
async def test_a_real_import_fails_as_in_javascript(host: SandboxHost) -> None:
    source = "import type { A } from './a';\nimport { b } from './b';\nexport const f = (): A => b;"
    with pytest.raises(AgentLoadError) as raised:
        await load_typescript(host, source)
    assert raised.value.file == "t.agent.ts"
    assert "could not load module" in raised.value.reason


@pytest.mark.clause("PKG-07", "LANG-01")
async def test_libraries_are_there_and_name_their_own_lines(host: SandboxHost) -> None:
    library = ("lib/helper.js", "this.helper = {\n  twice: (n) => n.double(),\n};")
    source = (
        "declare const helper: any;\ntype N = number;\nexport const f = (n: N) => helper.twice(n);"
    )
    guest = await load_typescript(host, source, libraries=(library,))
    outcome = await guest.call("f", 2)
    assert "lib/helper.js:2" in str(outcome.error)


@pytest.mark.clause("BR-11", "LANG-01")
async def test_a_loop_is_stopped_and_the_agent_runs_on_without_compiling_again(
    host: SandboxHost,
) -> None:
    source = (
        "let calls: number = 0;\nexport function f(spin: boolean) { while (spin); return ++calls; }"
    )
    guest = await load_typescript(host, source)
    outcome = await guest.call("f", True, limits=SHORT)
    assert outcome.cause is Cause.OUT_OF_TIME
    assert await guest.value("f", False) == 1


@pytest.mark.clause("STU-11", "LANG-01")
async def test_a_compiled_script_is_a_module_with_a_map_and_without_types() -> None:
    script = await compile_typescript(
        "type A = 1;\nexport const f = (n: A): A => n;\n", "agents/x.ts"
    )
    assert script.js == "export const f = (n) => n;\n"
    mapped = json.loads(script.source_map)
    assert (mapped["version"], mapped["file"], mapped["sources"]) == (3, "x.js", ["x.ts"])
