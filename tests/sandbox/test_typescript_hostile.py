"""Sources that are made to hurt the compiler hurt nobody, and the next source compiles."""

from __future__ import annotations

import asyncio

import pytest

from studio_qt.errors import ClosedError
from studio_qt.sandbox import AgentLoadError, SandboxHost
from studio_qt.sandbox.lane import Lane
from studio_qt.sandbox.typescript import ROLE, TypeScriptCompiler
from tests.support.typescript import compiler, load_typescript

pytestmark = pytest.mark.usefixtures("own_cache")

GOOD = "export const f = (): string => 'well';"
DEEP = {
    "parentheses": "export const x = " + "(" * 1000 + "1" + ")" * 1000 + ";",
    "many parentheses": "(" * 300_000,
    "types": "type X = " + "A<" * 100_000,
    "templates": "`" + "${`" * 20_000,
    "blocks": "{" * 300_000,
    "namespaces": "namespace a {" * 50_000,
}


@pytest.mark.clause("BOX-02", "LANG-01")
async def test_deep_nesting_is_an_error_and_the_compiler_goes_on() -> None:
    async with compiler() as made:
        for name, source in DEEP.items():
            with pytest.raises(AgentLoadError, match=r"nested too deeply|expected"):
                await made.compile(source, f"{name}.ts")
        assert "well" in (await made.compile(GOOD, "good.ts")).js


@pytest.mark.clause("BOX-02")
async def test_a_source_that_takes_too_long_is_given_up_and_the_next_compiles() -> None:
    slow = "export const x = " + "1 + " * 100_000 + "1;"
    async with compiler(seconds=3.0) as made:
        with pytest.raises(AgentLoadError, match="did not finish within 3 s"):
            await made.compile(slow, "slow.ts")
    async with compiler() as made:
        assert "well" in (await made.compile(GOOD, "good.ts")).js


@pytest.mark.clause("BOX-02")
async def test_a_huge_source_is_refused_without_the_compiler() -> None:
    async with compiler() as made:
        for size in (1 << 20, 40 << 20):
            with pytest.raises(AgentLoadError, match="larger than 1 MB"):
                await made.compile("//" + "x" * size, "huge.ts")


@pytest.mark.clause("BOX-02", "LANG-01")
async def test_odd_characters_are_no_way_out_of_the_source(host: SandboxHost) -> None:
    source = (
        "// \ud800 \u2028 \u2029\n"
        "export const f = (): string[] => ['\ud800', '\U0001f600', \"</script>`${'\", '\\u0000'];"
    )
    guest = await load_typescript(host, source)
    assert await guest.value("f") == ["\ufffd", "\U0001f600", "</script>`${'", "\x00"]
    with pytest.raises(AgentLoadError):
        await load_typescript(host, "export const f = '\x00';")
    assert await guest.value("f")


@pytest.mark.clause("BOX-01")
async def test_a_source_cannot_reach_the_compiler(host: SandboxHost) -> None:
    source = "declare const ts: any;\n/// <reference path='/etc/passwd' />\n" + (
        "// @ts-nocheck\n//# sourceMappingURL=/etc/passwd\nexport const f = () => typeof ts;"
    )
    assert await (await load_typescript(host, source)).value("f") == "undefined"


@pytest.mark.clause("LOOP-05")
async def test_who_stops_waiting_does_not_take_the_result_from_others() -> None:
    async with compiler() as made:
        first = asyncio.create_task(made.compile(GOOD, "a.ts"))
        second = asyncio.create_task(made.compile(GOOD, "b.ts"))
        await asyncio.sleep(0)
        first.cancel()
        assert "well" in (await second).js
        assert first.cancelled() or (await asyncio.wait({first}))


async def test_closing_ends_a_compilation_with_an_error_not_a_hang() -> None:
    lane = Lane(ROLE, grace=0.0, time_zone=None)
    made = TypeScriptCompiler(lane)
    waiting = asyncio.create_task(made.compile(GOOD, "a.ts"))
    while lane.walls == () and not waiting.done():
        await asyncio.sleep(0)
    await lane.close()
    await made.close()
    with pytest.raises((AgentLoadError, ClosedError)):
        await waiting
    with pytest.raises(ClosedError):
        await made.compile(GOOD, "a.ts")
