"""What Lua agents see of the language: the portable subset, and no way out of it."""

from __future__ import annotations

import re

import pytest

from studio_qt.sandbox import Cause, SandboxHost
from tests.support.lua import load
from tests.support.sandbox import Bridge

TAME = "function tame(store) store.n = (store.n or 0) + 1 return 'tame' end\n"

NAMES = {
    "_G _VERSION assert collectgarbage coroutine error getmetatable ipairs math next os pairs",
    "pcall print rawequal rawget rawlen rawset select setmetatable string table tonumber tostring",
    "type utf8 xpcall",
}
PARTS = {
    "coroutine": "close create isyieldable resume running status wrap yield",
    "os": "clock date difftime time",
    "string": "byte char find format gmatch gsub len lower match pack packsize rep reverse sub"
    " unpack upper",
    "table": "concat insert move pack remove sort unpack",
    "utf8": "char charpattern codepoint codes len offset",
}

WALK = """
function walk(store, studio, context)
  local seen, kinds = {}, {}
  local function visit(value, name)
    kinds[type(value)] = true
    if seen[value] or type(value) ~= "table" then return end
    seen[value] = true
    for key, item in next, value do visit(key, name) visit(item, name .. "." .. tostring(key)) end
    visit(getmetatable(value), name .. " meta")
  end
  visit(_G, "_G") visit(studio, "studio") visit(context, "context")
  visit(getmetatable(""), "string meta")
  local found = {}
  for kind in pairs(kinds) do found[#found + 1] = kind end
  table.sort(found)
  return found
end
function names(part)
  local found = {}
  for name in pairs(part and _G[part] or _G) do found[#found + 1] = name end
  table.sort(found)
  return found
end
"""


@pytest.mark.clause("BOX-01")
async def test_the_environment_is_the_portable_subset_and_nothing_else(host: SandboxHost) -> None:
    guest = await load(host, WALK)
    own = {"walk", "names"}
    assert set(await guest.value("names", None)) - own == {  # type: ignore[arg-type]
        name for line in NAMES for name in line.split()
    }
    for part, names in PARTS.items():
        assert await guest.value("names", part) == names.split()
    assert {"pi", "random", "tointeger"} <= set(await guest.value("names", "math"))  # type: ignore[arg-type]
    assert await guest.value("walk") == ["function", "nil", "number", "string", "table"]


ESCAPES = """
io.open("/etc/passwd")
io.popen("id")
os.execute("id")
os.getenv("HOME")
os.exit(0)
os.remove("x")
os.rename("x", "y")
os.tmpname()
os.setlocale("C")
require("os")
package.loadlib("libc.so.6", "system")
package.loaded.io.open("/etc/passwd")
package.searchers[2]("os")
debug.getregistry()
debug.sethook()
debug.getupvalue(print, 1)
debug.getinfo(1)
debug.traceback()
load("return io")()
load(string.char(27) .. "Lua")
loadstring("return 1")()
loadfile("/etc/passwd")
dofile("/etc/passwd")
string.dump(function() end)
("").dump(function() end)
python.eval("1 + 1")
python.builtins.open("/etc/passwd")
python.as_attrgetter(print).__globals__
python.as_function(print)
python.iter({})
_G.python.none()
getmetatable("").__index.dump(print)
getmetatable(print).__index
getmetatable(studio.log).__globals__
studio.log.__globals__
print.__class__
studio.__class__.__bases__()
collectgarbage("stop")
collectgarbage("collect")
setmetatable({}, {__gc = function() end})
string.format("%p", {})
string.format("%5p", "text")
string.format("%d %% %p", 1, print)
newproxy(true)
warn("@on")
coroutine.running().x()
getfenv(1)
setfenv(1, {})
rawset(getmetatable(studio.history.search("x")), "x", 1)
_ENV.io.open("x")
__import__("os")
studio.history.search("x").value()
error(select(2, coroutine.resume(coroutine.running())))
"""


@pytest.mark.clause("BOX-01")
async def test_every_known_way_out_ends_in_an_error_of_the_agent(host: SandboxHost) -> None:
    lines = [line for line in ESCAPES.splitlines() if line]
    cases = "".join(
        f"attempts[{i}] = function(studio) return {s} end\n" for i, s in enumerate(lines)
    )
    source = TAME + "local attempts = {}\n" + cases
    guest = await load(host, source + "function try(i, store, studio) attempts[i](studio) end")
    for index, line in enumerate(lines):
        outcome = await guest.call("try", index)
        assert outcome.cause is Cause.FAILED, line
        assert outcome.logs == ()
        assert await guest.value("tame") == "tame"
    assert guest.kept == {"n": len(lines)}


@pytest.mark.clause("BOX-01")
async def test_no_text_shows_an_address(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f(store, studio)\n"
        " local named = setmetatable({}, {__name = 'Thing'})\n"
        " local things = {{}, print, f, coroutine.create(f), named, studio.log('x')}\n"
        " local all = {tostring(things[1]) == tostring(things[1])}\n"
        " for _, thing in ipairs(things) do\n"
        "  all[#all + 1] = tostring(thing) all[#all + 1] = string.format('%s|%-3s', thing, thing)\n"
        "  print(thing)\n"
        "  all[#all + 1] = select(2, pcall(error, thing)) == thing\n"
        "  all[#all + 1] = select(2, pcall(string.rep, thing)) end\n"
        " all[#all + 1] = select(2, pcall(function() return named + 1 end))\n"
        " return all end",
    )
    outcome = await guest.call("f")
    texts = [text for text in outcome.value if isinstance(text, str)]  # type: ignore[union-attr]
    assert "Thing: 0x00000005" in texts
    for text in [*texts, *outcome.logs]:
        for number in re.findall("0x([0-9a-fA-F]+)", text):
            assert int(number, 16) < 100, text


@pytest.mark.clause("BOX-01")
async def test_random_seeds_tell_nothing_of_the_process(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f() local _, a = math.randomseed() local _, b = math.randomseed()\n"
        " return a ~= b end\n"
        "function g() math.randomseed(42) local a = math.random(1000) math.randomseed(42)\n"
        " return a == math.random(1000) end\n"
        "function h() return math.random(0) end",
    )
    other = await load(host, "function h() return math.random(0) end")
    assert await guest.value("f") is True
    assert await guest.value("g") is True
    assert await (await load(host, "function h() return math.random(0) end")).value(
        "h"
    ) != await other.value("h")


@pytest.mark.clause("BOX-01")
async def test_string_methods_are_each_agents_own(host: SandboxHost) -> None:
    bad = await load(
        host,
        "string.upper = function() return 'patched' end\n"
        "getmetatable('').__index = function() return function() return 'stolen' end end\n"
        "getmetatable('').__add = function() return 'sum' end\n"
        "function f() return {('x'):lower(), '1' + 2} end",
    )
    good = await load(host, "function f() return {('x'):upper(), '1' + 2, string.upper('y')} end")
    assert await bad.value("f") == ["stolen", "sum"]
    assert await good.value("f") == ["X", 3, "Y"]


@pytest.mark.clause("BOX-01", "BR-09")
async def test_an_agent_that_breaks_its_whole_environment_breaks_nothing_else(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "local pairs, print = pairs, print\n"
        "local function evil() print('evil') error('evil') end\n"
        "local meta = getmetatable('')\n"
        "for _, part in pairs({string, table, math, utf8, os, coroutine}) do\n"
        " for name in pairs(part) do part[name] = evil end end\n"
        "for _, event in pairs({'index', 'newindex', 'len', 'concat', 'eq', 'lt', 'le', 'call',\n"
        " 'add', 'idiv', 'unm', 'close', 'tostring', 'name', 'pairs'}) do\n"
        " meta['__' .. event] = evil end\n"
        "for name in pairs(_G) do if name ~= '_G' then _G[name] = evil end end\n"
        "function f(a, store, studio) store.n = store.n + 1.5 store.text = 'ä\"\\n'\n"
        " store.new = {b = {}, a = {1, 2}} studio.log('said')\n"
        " return studio.context.readFile('a'):await() .. a end\n"
        "function g(store, studio) studio.history.search('x'):await() end\n"
        "function h() return nosuch.x end",
        "context",
    )
    guest.bridge = Bridge(context_readFile="text")
    guest.store = '{"n":1}'
    outcome = await guest.call("f", "!")
    assert (outcome.value, outcome.logs) == ("text!", ())
    assert guest.store == '{"n":2.5,"new":{"a":[1,2],"b":{}},"text":"ä\\"\\n"}'
    assert guest.bridge.said[0] == "log: said"
    assert "@api studio.history" in str((await guest.call("g")).error)
    assert "nosuch" in str((await guest.call("h")).error)


@pytest.mark.clause("EXP-04")
async def test_the_subset_works_as_in_lua(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f()\n"
        " local log = {}\n"
        " local function note(x) log[#log + 1] = x end\n"
        " note(select('#', coroutine.resume(coroutine.create(function() end))))\n"
        " note(select('#', coroutine.resume(coroutine.create(function() return nil, nil end))))\n"
        " note(select(2, coroutine.running()))\n"
        " note(coroutine.isyieldable())\n"
        " coroutine.wrap(function() note(coroutine.isyieldable())\n"
        "  note(select(2, coroutine.running())) end)()\n"
        " note(select(2, pcall(coroutine.wrap(function() error({code = 7}) end))).code)\n"
        " note({xpcall(function(a) error(a .. '!', 0) end, string.upper, 'x')})\n"
        " note({pcall(select, -1, 'a', 'b')})\n"
        " do local c <close> = setmetatable({}, {__close = function() note('closed') end}) end\n"
        " local co = coroutine.create(function()\n"
        "  local c <close> = setmetatable({}, {__close = function() note('c2') end})\n"
        "  coroutine.yield() end)\n"
        " coroutine.resume(co) note(coroutine.close(co)) note(coroutine.status(co))\n"
        " note(string.format('%5.1f|%q|%s|%%|%x|%s', 1.25, 'a\"', nil, 255, true))\n"
        " note(('%d items'):format(3)) note(#'äö' .. utf8.len('äö'))\n"
        " note(type(os.time()) .. os.date('!%Y', 0) .. type(os.clock()))\n"
        " note(tostring(setmetatable({}, {__tostring = function() return 'own' end})))\n"
        " note(_G._G == _G and _VERSION) note(type(collectgarbage('count')))\n"
        " note(rawlen({1}) + rawget({5}, 1)) note(10 // 3 | 4) note(1e15) note(2^31 | 0)\n"
        " local t = setmetatable({}, {__mode = 'k', __index = function(_, k) return k end})\n"
        " note(t.key) goto done note('never') ::done::\n"
        " return log end",
    )
    assert await guest.value("f") == [
        *(1, 3, True, False, True, False, 7),
        [False, "X!"],
        [True, "b"],
        *("closed", "c2", True, "dead"),
        '  1.2|"a\\""|nil|%|ff|true',
        *("3 items", "42", "number1970number", "own", "Lua 5.4", "number"),
        *(6, 7, 10**15, 2**31, "key"),
    ]
