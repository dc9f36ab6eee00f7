"""@lib: scripts in the agent's own context, before the agent."""

from __future__ import annotations

import pytest

from studio_qt.sandbox import AgentLoadError, SandboxHost
from tests.support.sandbox import load

CHOICE = (
    "(function (global) { 'use strict'; global.choice = { pick: (items) => items[0] }; })"
    "(typeof globalThis !== 'undefined' ? globalThis : this);"
)
UMD = (
    "!function (root, make) { if (typeof exports === 'object') module.exports = make();"
    " else if (typeof define === 'function' && define.amd) define([], make);"
    " else root.umd = make(); }(this, function () { return { n: 7 }; });"
)


@pytest.mark.clause("LIB-01")
async def test_libraries_register_on_the_global_scope_before_the_agent(host: SandboxHost) -> None:
    guest = await load(
        host,
        "const early = choice.pick(['x']); export const f = () => [early, umd.n, shared()];",
        libraries=(
            ("lib/choice.js", CHOICE),
            ("lib/umd.js", UMD),
            ("lib/fn.js", "var base = 1; function shared() { return base + umd.n; }"),
        ),
    )
    assert await guest.value("f") == ["x", 7, 8]
    assert guest.agent.notices == ()


@pytest.mark.clause("LIB-01")
async def test_a_library_belongs_to_its_agent_alone(host: SandboxHost) -> None:
    await load(host, "export const f = 1;", libraries=(("lib/choice.js", CHOICE),))
    other = await load(host, "export const f = () => typeof choice;")
    assert await other.value("f") == "undefined"


@pytest.mark.clause("LIB-01")
@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("\n\nthrow new Error('needs a window');", "line 3: the library failed: needs a window"),
        ("let x = ;", "line 1: the library failed: SyntaxError"),
        ("export const a = 1;", "SyntaxError"),
        ("a\0b", "lib/bad.js"),
    ],
)
async def test_a_library_that_fails_is_a_notice_and_the_agent_loads(
    host: SandboxHost, source: str, words: str
) -> None:
    guest = await load(
        host,
        "export const f = () => choice.pick([1]);",
        libraries=(("lib/bad.js", source), ("lib/choice.js", CHOICE)),
    )
    [notice] = guest.agent.notices
    assert notice.startswith("lib/bad.js")
    assert words in notice
    assert await guest.value("f") == 1


@pytest.mark.clause("LIB-01", "BOX-02")
async def test_a_library_without_end_fails_the_agent(strict_host: SandboxHost) -> None:
    from tests.support.sandbox import SHORT, code

    with pytest.raises(AgentLoadError, match="time limit"):
        await strict_host.load(code("", libraries=(("lib/a.js", "for (;;);"),)), SHORT)


async def test_errors_tell_the_library_from_the_agent(host: SandboxHost) -> None:
    guest = await load(
        host,
        "\nexport const inside = () => boom();\nexport const own = () => boom2;",
        libraries=(("lib/a.js", "\n\nvar n;"), ("lib/b.js", "\nfunction boom() { null.x; }")),
    )
    assert "(lib/b.js:2)" in str((await guest.call("inside")).error)
    assert "(t.agent.js:3)" in str((await guest.call("own")).error)


async def test_the_place_of_an_error_is_the_agents_line_not_ours(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export function f() {\n  structuredClone(() => 1);\n}\n"
        "export function g(s, studio) {\n  return studio.history.search('x');\n}\n"
        "export function h() {\n  new URL('nowhere');\n}",
    )
    for handler, line in (("f", 2), ("g", 5), ("h", 8)):
        assert f"(t.agent.js:{line})" in str((await guest.call(handler)).error)
