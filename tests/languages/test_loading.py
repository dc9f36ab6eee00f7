"""Loading in every language: faults with their place, libraries, missing runtimes, reloading."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt import PackageError, PlayerSettings
from studio_qt.engine import places
from tests.engine.conftest import MakePlayer, faults
from tests.languages.agents import RETURNER
from tests.languages.conftest import Play
from tests.languages.peers import LANGUAGES, SUFFIXES, Peer, manifest
from tests.support.model_server import ModelServer, text
from tests.support.packages import agent

GOOD = agent("t.good", "export const onToolCall = () => 'fine';", tools=["good"])
BROKEN = Peer(
    javascript="export const onToolCall = () => ;",
    typescript="export const onToolCall = (): string => ;",
    python="def on_tool_call(:\n    pass",
    lua="function on_tool_call( end",
    tools={"broken": {}},
)
FALLS = Peer(
    javascript="const x = 1;\nnosuch.thing();\nexport const onToolCall = () => x;",
    typescript="interface Gone { x: 1 }\nnosuch.thing();\nexport const onToolCall = () => 1;",
    python="x = 1\nnosuch.thing()\ndef on_tool_call(): return x",
    lua="local x = 1\nnosuch.thing()\nfunction on_tool_call() return x end",
    tools={"falls": {}},
)
ENDLESS = Peer(
    javascript="for (;;);",
    typescript="for (;;);",
    python="while True: pass",
    lua="while true do end",
)
IMPORTS = Peer(
    javascript="import fs from 'fs';\nexport const onToolCall = () => 1;",
    typescript="import fs from 'fs';\nexport const onToolCall = () => fs;",
    python="import numpy\ndef on_tool_call(): return 1",
    lua="local json = require('json')\nfunction on_tool_call() return 1 end",
    tools={"imports": {}},
)
OWN = Peer(
    tools={"own": {}},
    javascript="""
class Point { #x = 1; get x() { return this.#x; } }
const sorted = [3, 1, 2].toSorted();
export const onToolCall = () => [new Point().x, sorted, Object.groupBy("ab", (c) => c).a];
""",
    typescript="""
enum Level { Low = 1, High }
namespace Space { export const name = "space"; }
function first<T extends unknown[]>(all: T): T[0] { return all[0]; }
abstract class Base { constructor(protected readonly kept: string) {} }
class Own extends Base { get text(): string { return this.kept!; } }
export const onToolCall = () => [Level.High, Level[1], Space.name, first(["a"]), new Own("k").text];
""",
    python="""
import dataclasses, decimal, itertools, re
@dataclasses.dataclass(frozen=True)
class Point:
    x: int = 1
def on_tool_call():
    if (found := re.search(r"(?P<word>b+)", "abbc")):
        return [dataclasses.asdict(Point()), str(decimal.Decimal("0.1") * 3), found["word"],
                list(itertools.accumulate([1, 2, 3])), [*range(3)]]
""",
    lua="""
local function sum(...)
  local total <const> = select("#", ...)
  for i = 1, total do if i == 2 then goto done end end
  ::done::
  return total // 1 | 0
end
function on_tool_call()
  local words = {}
  for word in ("a bb ccc"):gmatch("%a+") do words[#words + 1] = word end
  return {sum(1, 2), 7 // 2, 1 << 4, words, utf8.len("äö"), ("%5.2f"):format(1.5), math.type(2)}
end
""",
)
SPEAKS = {
    "javascript": '[1,[1,2,3],["a"]]',
    "typescript": '[2,"Low","space","a","k"]',
    "python": '[{"x":1},"0.3","bb",[1,3,6],[0,1,2]]',
    "lua": '[2,3,16,["a","bb","ccc"],2," 1.50","integer"]',
}


@pytest.mark.clause("LANG-01")
async def test_each_runs_in_a_real_engine_of_its_language(play: Play, language: str) -> None:
    player = await play(OWN)
    assert await player.call_tool("own", {}) == SPEAKS[language]


@pytest.mark.clause("PKG-10", "LANG-01")
@pytest.mark.parametrize("peer", [BROKEN, FALLS, IMPORTS], ids=["syntax", "run", "import"])
async def test_an_agent_that_does_not_load_is_a_problem_with_its_place_and_the_rest_plays(
    play: Play, model: ModelServer, language: str, peer: Peer
) -> None:
    player = await play(peer, files={"agents/t.good.js": GOOD})
    (problem,) = faults(player)
    assert (problem.severity, problem.file) == ("error", peer.path(language))
    if peer is not IMPORTS:
        words = "nosuch.thing" if peer is FALLS else "on_tool_call(" if peer is BROKEN else ""
        if language in ("javascript", "typescript") and peer is BROKEN:
            words = "=> ;"
        assert problem.line == peer.line(language, words)
    model.script(text("Ok."))
    await player.send("Hi")
    assert model.requests[0].tool_names == ["good"]


@pytest.mark.clause("MAN-01", "BOX-02")
async def test_a_manifest_is_read_without_running_what_would_never_end(
    play: Play, language: str
) -> None:
    peer = ENDLESS.but(tools={"endless": {}}, commands={"@endless": "x"})
    settings = PlayerSettings(call_timeout=0.4)
    player = await play(peer, files={"agents/t.good.js": GOOD}, settings=settings)
    (problem,) = faults(player)
    assert problem.file == peer.path(language)
    assert "time limit" in problem.message
    assert await player.call_tool("good", {}) == "fine"


@pytest.mark.clause("MAN-03", "MAN-04", "PKG-10")
async def test_faults_of_a_manifest_name_their_line_and_the_rest_of_it_counts(
    play: Play, language: str
) -> None:
    peer = RETURNER.but(
        tags='@tool bad\n@tool-params {\n@tool worse\n@tool-params {"type": 5}\n@hook nosuch'
    )
    player = await play(peer)
    found = {problem.line: problem for problem in faults(player)}
    assert {line: problem.severity for line, problem in found.items()} == {
        peer.line(language, "@tool-params {\n"): "error",
        peer.line(language, '@tool-params {"type": 5}'): "error",
        peer.line(language, "@hook nosuch"): "warning",
    }
    assert "bad" in found[peer.line(language, "@tool-params {\n")].message
    assert await player.call_tool("give", {"kind": "number"}) == "42"
    assert [tool["function"]["name"] for tool in player.tools()] == ["give"]


@pytest.mark.clause("MAN-04", "PKG-10")
async def test_a_file_without_an_agent_tag_is_not_registered(
    make_player: MakePlayer, language: str
) -> None:
    path = f"agents/t.anon{SUFFIXES[language]}"
    player = await make_player({path: manifest(language, "@tool anon", "@version 1")})
    (problem,) = faults(player)
    assert (problem.severity, problem.file) == ("error", path)
    assert "@agent" in problem.message
    assert player.tools() == []


LIBRARY = "(function (global) { global.pair = { of: (x) => [x, x] }; })(globalThis);"


@pytest.mark.clause("LIB-01", "MAN-05")
async def test_a_library_is_there_in_javascript_and_typescript_and_a_warning_elsewhere(
    play: Play, language: str
) -> None:
    reader = Peer(
        tools={"pair": {}},
        tags="@lib pair",
        javascript="export const onToolCall = () => pair.of(1);",
        typescript="declare const pair: any; export const onToolCall = () => pair.of(1);",
        python="def on_tool_call(): return 'pair' in globals()",
        lua="function on_tool_call() return pair ~= nil end",
    )
    player = await play(reader, files={"agents/lib/pair.js": LIBRARY}, agents=["t.peer"])
    warnings = [(problem.severity, "@lib" in problem.message) for problem in faults(player)]
    if language in ("javascript", "typescript"):
        assert warnings == []
        assert await player.call_tool("pair", {}) == "[1,1]"
    else:
        assert warnings == [("warning", True)]
        assert await player.call_tool("pair", {}) == "false"


@pytest.mark.clause("LANG-01")
async def test_a_character_whose_language_is_missing_is_refused_with_agent_and_reason(
    play: Play, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {**dict.fromkeys(LANGUAGES), language: "its engine was left at home"}
    monkeypatch.setattr(places, "available_languages", lambda: missing)
    with pytest.raises(PackageError, match="left at home") as caught:
        await play(RETURNER)
    assert "t.peer" in str(caught.value)


@pytest.mark.clause("STU-02", "BOX-02", "PKG-10")
async def test_a_changed_agent_is_exchanged_and_a_broken_one_leaves_the_old_running(
    play: Play, language: str, tmp_path: Path
) -> None:
    player = await play(RETURNER)
    file = tmp_path / "package" / RETURNER.path(language)
    await player.call_tool("give", {"kind": "text"})
    file.write_text(RETURNER.source(language).replace("from ", "anew from "), "utf-8")
    await player.reload()
    assert await player.call_tool("give", {"kind": "text"}) == "anew from give"
    file.write_text(BROKEN.but(tools=RETURNER.tools).source(language), "utf-8")
    await player.reload()
    assert [problem.file for problem in faults(player)] == [RETURNER.path(language)]
    assert await player.call_tool("give", {"kind": "text"}) == "anew from give"
    assert player.store("t.peer") == {"calls": 3}


@pytest.mark.clause("MAN-01")
@pytest.mark.parametrize("fence", ["--[==[\n{}\n]==]", "--[=[ {} ]=]", "-- {}", '"{}"'])
async def test_other_comments_of_lua_are_no_manifest(make_player: MakePlayer, fence: str) -> None:
    source = fence.format("@agent t.x") + "\nfunction on_load() end\n"
    player = await make_player({"agents/t.x.lua": source})
    (problem,) = faults(player)
    assert (problem.severity, problem.file) == ("error", "agents/t.x.lua")


@pytest.mark.clause("MAN-01")
@pytest.mark.parametrize("name", ["python", "lua"])
async def test_stars_before_the_tags_are_welcome_in_python_and_lua_too(
    make_player: MakePlayer, name: str
) -> None:
    peer = RETURNER.but(tools={})
    head = manifest(name, "@agent t.peer", "@tool starred", star="  * ")
    source = head + getattr(peer, name)
    player = await make_player({peer.path(name): source})
    assert faults(player) == []
    assert [tool["function"]["name"] for tool in player.tools()] == ["starred"]


@pytest.mark.clause("PKG-05")
async def test_of_several_files_of_one_name_the_first_language_is_loaded(
    make_player: MakePlayer, tmp_path: Path
) -> None:
    peer = Peer(
        tools={"which": {}},
        javascript="export const onToolCall = () => 'javascript';",
        typescript="export const onToolCall = (): string => 'typescript';",
        python="def on_tool_call(): return 'python'",
        lua="function on_tool_call() return 'lua' end",
    )
    files = {path: code for name in LANGUAGES for path, code in peer.files(name).items()}
    player = await make_player(files, agents=["t.peer"])
    for name in LANGUAGES:
        assert await player.call_tool("which", {}) == name
        (tmp_path / "package" / peer.path(name)).unlink()
        if name != LANGUAGES[-1]:
            await player.reload()
