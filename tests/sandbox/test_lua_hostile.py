"""Lua code that means harm: its call ends, its store stays, and the next call works."""

from __future__ import annotations

import pytest

from studio_qt.sandbox import AgentLoadError, Cause, Limits, SandboxHost
from tests.support.lua import code, load
from tests.support.sandbox import Guest
from tests.support.sandbox import load as load_javascript

TAME = "function tame(store) store.n = (store.n or 0) + 1 return 'tame' end\n"
SHORT = Limits(call_seconds=0.3, memory_mb=64)
SPIN = "while true do end"

SOFT = {
    "a loop": SPIN,
    "a caught loop": f"while true do pcall(function() {SPIN} end) end",
    "a loop in an error handler": f"xpcall(error, function() {SPIN} end)",
    "a handler that loops after a loop": (
        f"while true do xpcall(function() {SPIN} end, function() {SPIN} end) end"
    ),
    "a loop in a coroutine": f"coroutine.wrap(function() {SPIN} end)()",
    "a loop in coroutines without end": (
        f"while true do coroutine.resume(coroutine.create(function() {SPIN} end)) end"
    ),
    "a loop in a coroutine in a protected call": (
        f"pcall(coroutine.wrap(function() pcall(function() {SPIN} end) end)) {SPIN}"
    ),
    "a loop when a variable is closed": (
        f"local x <close> = setmetatable({{}}, {{__close = function() {SPIN} end}}) {SPIN}"
    ),
    "a loop when a coroutine is closed": (
        f"local co = coroutine.create(function() local x <close> ="
        f" setmetatable({{}}, {{__close = function() {SPIN} end}}) coroutine.yield() end)"
        f" coroutine.resume(co) coroutine.close(co)"
    ),
    "a coroutine that is closed after the limit": (
        f"local co = coroutine.create(function() local x <close> ="
        f" setmetatable({{}}, {{__close = function() {SPIN} end}}) {SPIN} end)"
        f" local y <close> = setmetatable({{}}, {{__close = function() coroutine.close(co) end}})"
        f" coroutine.resume(co)"
    ),
    "a loop in the text of an error": (
        f"error(setmetatable({{}}, {{__tostring = function() {SPIN} end}}))"
    ),
    "an error that raises itself": (
        "local e = setmetatable({}, {}) getmetatable(e).__tostring = function() error(e) end"
        f" pcall(tostring, e) {SPIN}"
    ),
    "a loop in a sort": f"table.sort({{3, 2, 1}}, function() {SPIN} end)",
    "a loop in a substitution": f"string.gsub('x', '.', function() {SPIN} end)",
    "a loop in a metamethod": (
        f"local t = setmetatable({{}}, {{__index = function() {SPIN} end}}) return t.x"
    ),
    "a loop after an await": f"studio.history.search(''):await() {SPIN}",
    "a loop of coroutine switches": (
        "local co = coroutine.wrap(function() while true do coroutine.yield() end end)"
        " while true do co() end"
    ),
    "a result that grows without end": ("local t = {1} for i = 1, 60 do t = {t, t} end return t"),
    "recursion that is caught": "local function f() pcall(f) f() end f()",
    "a string that doubles": "local s = 'x' while true do s = s .. s end",
    "strings that are caught": "while true do pcall(string.rep, 'x', 1 << 30) end",
    "a table without end": "local t = {} while true do t[#t + 1] = {} end",
    "coroutines without end": "local t = {} while true do t[#t + 1] = coroutine.create(print) end",
    "globals without end": "local i = 0 while true do i = i + 1 _G['g' .. i] = {} end",
    "requests without end": "while true do studio.history.search('x') end",
    "memory that is caught": (
        "local t = {} while true do pcall(function() while true do t[#t + 1] = {} end end) end"
    ),
}


@pytest.mark.clause("BOX-02", "BR-11")
@pytest.mark.parametrize("name", SOFT)
async def test_code_without_end_is_stopped_and_the_next_call_works(
    host: SandboxHost, name: str
) -> None:
    source = TAME + f"function wild(store, studio) store.n = 99 {SOFT[name]} end"
    guest = await load(host, source, "history")
    await guest.call("tame")
    outcome = await guest.call("wild", limits=SHORT)
    assert outcome.cause in (Cause.OUT_OF_TIME, Cause.OUT_OF_MEMORY), outcome
    assert outcome.store is None
    assert await guest.value("tame") == "tame"
    assert guest.kept == {"n": 2}


HARD = {
    "a pattern": "string.find(('a'):rep(40), ('a*'):rep(40) .. 'b')",
    "a pattern in a coroutine": (
        "coroutine.wrap(function() return (('a'):rep(40)):gsub(('a*'):rep(40) .. 'b', '') end)()"
    ),
    "a plain search": "local s = ('a'):rep(4000000) s:find(('a'):rep(2000000) .. 'b', 1, true)"
    " local p = ('a'):rep(40) p:match(('a?'):rep(40) .. ('a*'):rep(40) .. 'b')",
}


@pytest.mark.clause("BOX-02", "BR-11")
@pytest.mark.parametrize("name", HARD)
async def test_what_the_engine_cannot_stop_is_killed_and_the_next_call_works(
    strict_host: SandboxHost, name: str
) -> None:
    neighbour = await load_javascript(strict_host, "export const f = (s) => { s.n = 1; };")
    guest = await load(strict_host, TAME + f"function wild() {HARD[name]} end")
    await guest.call("tame")
    await neighbour.call("f")
    assert (await guest.call("wild", limits=SHORT)).cause is Cause.OUT_OF_TIME
    assert await guest.value("tame") == "tame"
    assert guest.kept == {"n": 2}
    outcome = await neighbour.call("f")
    assert outcome.ok
    assert "started anew" in outcome.logs[0]


BOMBS = {
    "unpacking": "table.unpack({}, 1, 1e8)",
    "a long string": "('x'):rep(1 << 40)",
    "a wide format": "string.format('%1000d', 1)",
    "deep recursion": "local function f() return f() + 1 end f()",
    "recursion in C": "local f f = function() return (('x'):gsub('.', f)) end f()",
    "a chain of metatables": (
        "local t = setmetatable({}, {}) getmetatable(t).__index = t return t.x"
    ),
    "deep patterns": "('x'):rep(300000):match(('(.'):rep(40) .. (')'):rep(40))",
    "an error that is nil": "error(nil)",
    "an error that is false": "error(false)",
    "an error with a locked metatable": "error(setmetatable({}, {__metatable = false}))",
    "errors in the handler": "xpcall(error, function() error('again') end) error('x')",
    "an error in an error's text": (
        "error(setmetatable({}, {__tostring = function() error('inner') end}))"
    ),
    "a table that is its own key": "local t = {} t[t] = t return t",
    "a promise as result": "return studio.history.search('x')",
    "studio as result": "return studio",
    "forged requests": "print('{\"op\":\"done\"}') return {cause = 'finished', op = 'done', f}",
    "awaiting what is no promise": (
        "local p = studio.history.search('x') return p.await({done = true, ok = true})"
    ),
    "an environment that reads itself": (
        "setmetatable(_G, {__index = function(_, k) return _G[k] end}) return nosuch"
    ),
}


@pytest.mark.clause("BOX-02")
async def test_bombs_fail_their_call_alone(host: SandboxHost) -> None:
    bombs = [
        f"bombs[{i}] = function(store, studio) {body} end" for i, body in enumerate(BOMBS.values())
    ]
    wild = "function wild(i, store, studio) store.n = 99 return bombs[i](store, studio) end"
    guest = await load(host, "\n".join([TAME, "local bombs = {}", *bombs, wild]), "history")
    count = 0
    for index, name in enumerate(BOMBS):
        outcome = await guest.call("wild", index)
        assert outcome.cause in (Cause.FAILED, Cause.OUT_OF_MEMORY, Cause.FINISHED), outcome
        count = 99 if outcome.ok else count
        assert await guest.value("tame") == "tame", name
        count += 1
        assert guest.kept == {"n": count}, name


@pytest.mark.clause("BOX-02")
async def test_results_lines_and_names_that_grow_in_messages_do_not_break_the_channel(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        TAME + "function f(n) for i = 1, 200 do print(('\\1'):rep(2000)) end\n"
        " return ('\\2'):rep(n) end\n"
        "for i = 1, 50000 do _G[('name'):rep(20) .. i] = print and function() end end\n"
        "_G[('x'):rep(100000)] = f",
    )
    assert len(guest.agent.exports) <= 2000
    small, large = await guest.call("f", 90_000), await guest.call("f", 250_000)
    assert small.value == "\2" * 90_000
    assert large.error == "the returned value is too large as JSON"
    assert await guest.value("tame") == "tame"


@pytest.mark.clause("BOX-02")
async def test_a_root_coroutine_that_is_kept_does_nothing_in_later_calls(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f(store, studio) kept = coroutine.running()\n"
        " coroutine.wrap(function() local co = kept\n"
        "  tried = {coroutine.resume(co)} end)() store.x = 1\n"
        " studio.history.search('x'):await() end\n"
        "function g(store) local ok, why = coroutine.resume(kept)\n"
        " return {tried[1], ok, why, coroutine.status(kept)} end",
        "history",
    )
    await guest.call("f")
    answer = await guest.value("g")
    assert answer == [False, False, "cannot resume dead coroutine", "dead"]
    assert guest.kept == {"x": 1}


@pytest.mark.clause("BOX-02")
async def test_little_memory_is_told_as_such_however_it_is_used_up(host: SandboxHost) -> None:
    tight = Limits(call_seconds=10, memory_mb=4)
    guest = Guest(
        await host.load(
            code(
                TAME + "function keep() all = all or {} for i = 1, 200 do\n"
                " all[#all + 1] = ('x'):rep(10000) .. #all end end\n"
                "function take(s) return #s end"
            ),
            tight,
        )
    )
    await guest.call("tame", limits=tight)
    causes = []
    for _ in range(4):
        outcome = await guest.call("keep", limits=tight)
        causes.append(outcome.cause)
        if not outcome.ok:
            break
    assert causes[-1] is Cause.OUT_OF_MEMORY
    assert (await guest.call("take", "x" * 900_000, limits=tight)).value == 900_000
    guest.store = '{"n":1,"big":"' + "x" * 5_000_000 + '"}'
    assert (await guest.call("tame", limits=tight)).cause is Cause.OUT_OF_MEMORY
    guest.store = '{"n":1}'
    assert await guest.value("tame") == "tame"


@pytest.mark.clause("BOX-02")
async def test_no_memory_at_all_is_a_problem_of_loading(host: SandboxHost) -> None:
    with pytest.raises(AgentLoadError) as raised:
        await host.load(code("x = ('x'):rep(10000000)"), Limits(5, 1))
    assert "memory" in str(raised.value)
    assert await (await load(host, TAME)).value("tame") == "tame"


@pytest.mark.clause("BOX-01", "BR-09")
async def test_what_one_call_leaves_running_never_answers_in_another(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f(store, studio) old = studio late = coroutine.create(function()\n"
        "  old.log('late') return old.history.search('late'):await() end) end\n"
        "function g(store, studio) return {coroutine.resume(late)} end",
        "history",
    )
    guest.bridge.answers["history.search"] = [1]
    await guest.call("f")
    assert await guest.value("g") == [True, [1]]
    assert guest.bridge.said == ["log: late", "history.search: late"]
