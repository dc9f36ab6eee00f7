"""Agents in Lua: the same contract as in JavaScript, with Lua's own habits."""

from __future__ import annotations

import asyncio

import pytest

from studio_qt.errors import AgentError
from studio_qt.sandbox import AgentLoadError, BridgeCall, Cause, Limits, SandboxHost
from studio_qt.sandbox.languages import available_languages
from tests.support.lua import code, load
from tests.support.sandbox import ROOMY, Bridge, Guest


@pytest.mark.clause("LANG-01")
def test_lua_is_among_the_languages_that_can_be_played() -> None:
    assert available_languages()["lua"] is None


@pytest.mark.clause("EXP-04")
async def test_global_functions_are_told_in_the_engines_words_and_called_by_them(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "constant = 1\n"
        "local function helper() return 'loaded' end\n"
        "function on_load() return helper() end\n"
        "function on_tool_call(name, args) return name .. args.a end\n"
        "function on_after_response(event) return event.userText end\n"
        "function onConversationStart() return 'never' end\n"
        "rememberThis = function(args) return args end\n",
    )
    assert guest.agent.exports == {"onLoad", "onToolCall", "onAfterResponse", "rememberThis"}
    assert await guest.value("onLoad") == "loaded"
    assert await guest.value("onToolCall", "x", {"a": "y"}) == "xy"
    assert await guest.value("onAfterResponse", {"userText": "u"}) == "u"
    assert await guest.value("rememberThis", "rest of the line") == "rest of the line"


@pytest.mark.clause("EXP-01", "EXP-03", "EXP-04")
async def test_nil_and_nothing_are_null_and_parameters_may_be_left_out(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function a() return nil end function b() end function c(x) return x == nil end\n"
        "function d(x, store, studio, context, more) return {context.agentId, more == nil} end",
    )
    assert await guest.value("a") is None
    assert await guest.value("b") is None
    assert await guest.value("c", None) is True
    outcome = await guest.call("d", None, context={"agentId": "me"})
    assert outcome.value == ["me", True]


@pytest.mark.clause("EXP-06")
async def test_the_store_is_a_table_that_is_saved_when_it_changed(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function add(store) store.n = (store.n or 0) + 1 end\n"
        "function look(store) return store.n end\n"
        "function spoil(store) store.n = 99 error('no') end",
    )
    assert (await guest.call("add")).store == '{"n":1}'
    assert (await guest.call("add")).store == '{"n":2}'
    assert (await guest.call("look")).store is None
    assert not (await guest.call("spoil")).ok
    assert await guest.value("look") == 2


@pytest.mark.clause("EXP-06")
async def test_a_changed_store_keeps_the_order_of_its_fields(host: SandboxHost) -> None:
    guest = await load(host, "function f(store) store.m.new = 1 store.m.b = nil end")
    guest.store = '{"z":1,"y":{"k2":1,"k1":2},"m":{"c":1,"b":2,"a":3},"a":[{"z":0,"b":1}]}'
    await guest.call("f")
    assert guest.store == (
        '{"z":1,"y":{"k2":1,"k1":2},"m":{"c":1,"a":3,"new":1},"a":[{"z":0,"b":1}]}'
    )


async def test_a_store_that_is_edited_between_calls_is_what_the_agent_gets(
    host: SandboxHost,
) -> None:
    guest = await load(host, "function f(store) store.n = store.n + 1 return store.n end")
    guest.store = ' {"n": 1, "t": "\\u00e4\\ud83d\\ude00\\/"}\n'
    assert await guest.value("f") == 2
    assert guest.store == '{"n":2,"t":"ä😀/"}'
    before = guest.store
    assert await guest.value("f") == 3
    guest.store = before
    assert await guest.value("f") == 3
    guest.store = '{"n":10}'
    assert await guest.value("f") == 11


async def test_a_store_that_is_not_json_fails_each_call_until_it_is(host: SandboxHost) -> None:
    guest = await load(host, "function f(store) store.n = store.n + 1 return store.n end")
    guest.store = '{"n":1}'
    assert await guest.value("f") == 2
    for store in ("{'n':1}", "[1]", "[1]"):
        guest.store = store
        assert "the store is not JSON" in str((await guest.call("f")).error)
    guest.store = '{"n":5}'
    assert await guest.value("f") == 6


async def test_module_variables_live_on_between_calls_and_tables_of_the_store_do_not_alias(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "local kept, n\n"
        "function f(store) n = (n or 0) + 1 if kept then kept.x = 'changed' end\n"
        " kept = store.inner return {n, store.inner.x} end",
    )
    guest.store = '{"inner":{"x":"first"}}'
    assert await guest.value("f") == [1, "first"]
    assert await guest.value("f") == [2, "first"]


CALLS = {
    "history.search": ("studio.history.search('q')", ("q",)),
    "history.range": ("studio.history.range(1, 3)", (1, 3)),
    "context.readFile": ("studio.context.readFile('a.txt')", ("a.txt",)),
    "callModel": (
        "studio.callModel('s', {{role='user', content='c'}}, 9, {model='main'})",
        ("s", [{"role": "user", "content": "c"}], 9, {"model": "main"}),
    ),
    "grants.readStore": ("studio.grants.readStore('r')", ("r",)),
    "web.fetch": ("studio.web.fetch('http://x', {maxChars=5})", ("http://x", {"maxChars": 5})),
}
NAMESPACES = {method: method.split(".")[0] for method in CALLS} | {"callModel": "model"}


class TestBridge:
    @pytest.mark.clause("BR-03", "BR-04", "BR-05", "BR-06", "BR-07", "BR-08", "BR-10")
    async def test_declared_methods_reach_the_host_and_their_answers_come_back(
        self, host: SandboxHost
    ) -> None:
        for method, (call, arguments) in CALLS.items():
            source = f"function f(store, studio) return {call}:await() end"
            guest = await load(host, source, NAMESPACES[method])
            guest.bridge = Bridge(**{method: {"text": "ä", "list": [1, 2.5, True]}})
            assert await guest.value("f") == {"text": "ä", "list": [1, 2.5, True]}
            assert guest.bridge.calls == [BridgeCall(method, arguments)]

    @pytest.mark.clause("BR-09")
    async def test_an_undeclared_namespace_rejects_with_the_missing_line(
        self, host: SandboxHost
    ) -> None:
        for method, (call, _) in CALLS.items():
            others = set(NAMESPACES.values()) - {NAMESPACES[method]}
            source = (
                f"function f(store, studio) local p = {call}\n"
                " local ok, why = pcall(function() return p:await() end) return {ok, why} end"
            )
            guest = await load(host, source, *others)
            answer = await guest.value("f")
            assert answer == [
                False,
                f'studio.{method} needs the line "@api studio.{NAMESPACES[method]}"'
                " in the agent's manifest",
            ]
            assert guest.bridge.calls == []

    @pytest.mark.clause("BR-01", "BR-02", "BR-10")
    async def test_toast_and_log_need_neither_declaration_nor_await_and_keep_their_order(
        self, host: SandboxHost
    ) -> None:
        guest = await load(
            host,
            "function f(store, studio) studio.log('one') studio.toast('two')\n"
            " studio.log(3):await() studio.log({}) return 'x' end",
        )
        assert await guest.value("f") == "x"
        assert guest.bridge.said == ["log: one", "toast: two", "log: 3", "log: table: 0x00000001"]

    @pytest.mark.clause("BR-10")
    async def test_a_missing_method_is_nil(self, host: SandboxHost) -> None:
        guest = await load(
            host,
            "function f(store, studio)\n"
            " return {studio.conversation == nil, studio.history.find == nil,\n"
            "  type(studio.callModel)} end",
        )
        assert await guest.value("f") == [True, True, "function"]

    async def test_two_calls_in_flight_are_answered_in_any_order(self, host: SandboxHost) -> None:
        guest = await load(
            host,
            "function f(store, studio) local a = studio.context.readFile('slow')\n"
            " local b = studio.context.readFile('fast')\n"
            " return a:await() .. b:await() .. a:await() end",
            "context",
        )
        second = asyncio.Event()

        async def read(call: BridgeCall) -> str:
            if call.arguments == ("slow",):
                await second.wait()
            else:
                second.set()
            return str(call.arguments[0])

        guest.bridge = read  # type: ignore[assignment]
        assert await guest.value("f") == "slowfastslow"

    async def test_a_rejection_is_an_error_with_the_hosts_words_and_the_agents_line(
        self, host: SandboxHost
    ) -> None:
        guest = await load(
            host,
            "function f(store, studio)\n local found = studio.history.search('x'):await()\n"
            " return found\nend\n"
            "function g(store, studio)\n local ok, why = pcall(f, store, studio) return why end",
            "history",
        )
        guest.bridge = Bridge(history_search=AgentError("The host says no."))
        assert (await guest.call("f")).error == "The host says no. (t.agent.lua:2)"
        assert await guest.value("g") == "The host says no."

    async def test_await_works_inside_coroutines_of_the_agent_and_protected_calls(
        self, host: SandboxHost
    ) -> None:
        guest = await load(
            host,
            "function f(store, studio)\n"
            " local function ask() return studio.context.readFile('a'):await() end\n"
            " local function each() for i = 1, 2 do coroutine.yield(ask() .. i) end end\n"
            " local all = {}\n"
            " for item in coroutine.wrap(each) do all[#all + 1] = item end\n"
            " local co = coroutine.create(function(x) return x, select(2, pcall(ask)) end)\n"
            " local ok, x, y = coroutine.resume(co, 'x')\n"
            " local inner = coroutine.wrap(function() return coroutine.wrap(ask)() end)()\n"
            " return {all[1], all[2], x .. y, inner, coroutine.status(co)} end",
            "context",
        )
        guest.bridge = Bridge(context_readFile="t")
        assert await guest.value("f") == ["t1", "t2", "xt", "t", "dead"]

    async def test_await_where_lua_cannot_yield_is_an_error_that_says_so(
        self, host: SandboxHost
    ) -> None:
        guest = await load(
            host,
            "function f(store, studio)\n"
            " local p = studio.context.readFile('a')\n"
            " return (string.gsub('x', '.', function() return p:await() end)) end\n"
            "function g(store, studio) local p = studio.context.readFile('a')\n"
            " p.await({}) end",
            "context",
        )
        guest.bridge = Bridge(context_readFile="t")
        assert "yield across a C-call" in str((await guest.call("f")).error)
        assert "studio.x(...):await()" in str((await guest.call("g")).error)

    async def test_a_promise_of_an_ended_call_cannot_be_awaited(self, host: SandboxHost) -> None:
        guest = await load(
            host,
            "function f(store, studio) kept = studio.context.readFile('a') end\n"
            "function g() return kept:await() end",
            "context",
        )
        guest.bridge = Bridge(context_readFile="t")
        await guest.call("f")
        assert "has ended" in str((await guest.call("g")).error)

    async def test_arguments_that_are_not_json_are_refused_where_they_are_awaited(
        self, host: SandboxHost
    ) -> None:
        guest = await load(
            host,
            "function f(store, studio) return studio.history.search(print):await() end\n"
            "function g(store, studio)\n"
            " return studio.history.search(('x'):rep(600000)):await() end\n"
            "function h(store, studio) return studio.callModel('s', {}):await() end",
            "history",
            "model",
        )
        assert "a function cannot be written as JSON" in str((await guest.call("f")).error)
        assert "too large" in str((await guest.call("g")).error)
        await guest.call("h")
        assert guest.bridge.calls == [BridgeCall("callModel", ("s", [], None, None))]

    @pytest.mark.clause("LOOP-07")
    async def test_a_stopped_call_changes_nothing_and_the_state_lives_on(
        self, host: SandboxHost
    ) -> None:
        guest = await load(
            host,
            "local n = 0\n"
            "function ask(store, studio) store.taken = true n = n + 1\n"
            " studio.history.search(''):await() n = 100 end\n"
            "function look(store) return {n, store.taken or false} end",
            "history",
        )
        asked = asyncio.Event()

        async def never(call: BridgeCall) -> None:
            asked.set()
            await asyncio.Event().wait()

        guest.bridge = never  # type: ignore[assignment]
        task = asyncio.create_task(guest.call("ask"))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await guest.value("look") == [1, False]


ERRORS = [
    ("local t = nil\n return t.x", "attempt to index a nil value (local 't') (x.lua:4)"),
    ("error('plain')", "plain (x.lua:3)"),
    ("error('blamed', 0)", "blamed (x.lua:3)"),
    ("helper()", "blamed (x.lua:3)"),
    ("error({message = 'of a table'})", "of a table (x.lua:3)"),
    ("error({})", "an error object without a message (x.lua:3)"),
    ("error()", "an error without a message (x.lua:3)"),
    ("error(setmetatable({}, {__tostring = function() return 'T' end}))", "T (x.lua:3)"),
    (
        "error(setmetatable({}, {__tostring = function() return {} end}))",
        "a value without a text (x.lua:3)",
    ),
    ("coroutine.wrap(function()\n\n error('deep') end)()", "deep (x.lua:5)"),
    ("string.rep()", "bad argument #1 to 'rep' (string expected, got no value) (x.lua:3)"),
    ("local function f() return f() + 1 end f()", "stack overflow"),
    ("coroutine.yield(1)", "attempt to yield from outside a coroutine (x.lua:3)"),
    ("return nosuch()", "attempt to call a nil value (global 'nosuch') (x.lua:3)"),
]


BROKEN = [
    ("\n\nlocal x = = 1", 3, "unexpected symbol near '='"),
    ("x = 'no end", 1, "unfinished string"),
    ("\nerror('top')", 2, "top"),
    ("local x = require('os')", 1, "global 'require'"),
    ("while true do end", None, "time limit"),
    ("local t = {} while true do t[#t + 1] = {} end", None, "memory"),
    ("coroutine.yield()", 1, "outside a coroutine"),
    ("x = " + "(" * 300 + ")" * 300, None, "overflow"),
    ("\x1bLua", None, "binary chunk"),
    ("goto nowhere", 1, "nowhere"),
]


class TestErrors:
    @pytest.mark.clause("EXP-02")
    async def test_an_error_says_why_and_where(self, host: SandboxHost) -> None:
        for body, said in ERRORS:
            source = f"function helper() error('blamed', 2) end\nfunction f()\n {body}\nend"
            guest = await load(host, source, file="x.lua")
            outcome = await guest.call("f", limits=Limits(20, 256))
            assert outcome.cause is Cause.FAILED
            assert said in str(outcome.error)

    async def test_long_file_names_do_not_spoil_the_place(self, host: SandboxHost) -> None:
        file = "agents/" + "long-" * 30 + "name.lua"
        guest = await load(host, "function f()\n error('here') end", file=file)
        assert (await guest.call("f")).error == f"here ({file}:2)"

    @pytest.mark.clause("BOX-02")
    async def test_a_chunk_that_cannot_be_loaded_says_where_and_why(
        self, host: SandboxHost
    ) -> None:
        for source, line, word in BROKEN:
            with pytest.raises(AgentLoadError) as raised:
                await host.load(code(source), Limits(1.0, 16))
            assert raised.value.line == line
            assert word in str(raised.value)
        assert await (await load(host, "function f() return 1 end")).value("f") == 1

    async def test_what_lua_skips_at_the_start_of_files_is_skipped(self, host: SandboxHost) -> None:
        guest = await load(host, "\ufeff#!/usr/bin/lua\nfunction f()\n error('x') end")
        assert (await guest.call("f")).error == "x (t.agent.lua:3)"

    async def test_an_unknown_handler_fails_with_its_name(self, host: SandboxHost) -> None:
        guest = await load(host, "x = 1")
        assert 'no global function named "on_load"' in str((await guest.call("onLoad")).error)
        assert 'no global function named "print2"' in str((await guest.call("print2")).error)


@pytest.mark.clause("MAN-05", "BOX-02")
async def test_prints_are_lines_of_the_agent_log_within_bounds(host: SandboxHost) -> None:
    guest = await load(
        host,
        "print('at load', nil, 1.5, true)\n"
        "function f() print(('ä'):rep(2000)) print('bad \\xff') end\n"
        "function g() for i = 1, 2000 do print(i) end end",
    )
    first = await guest.call("f")
    assert first.logs[0] == "at load\tnil\t1.5\ttrue"
    assert first.logs[1] == "ä" * 1000 + "…"
    assert first.logs[2] == "bad \ufffd"
    outcome = await guest.call("g")
    assert len(outcome.logs) == 501
    assert "dropped" in outcome.logs[-1]


@pytest.mark.clause("BOX-02")
async def test_lua_and_javascript_share_a_worker_and_nothing_else(host: SandboxHost) -> None:
    from tests.support.sandbox import load as load_javascript

    lua = await load(host, "n = 1 function f() n = n + 1 return n end")
    other = await load(host, "function f() return tostring(n) end")
    script = await load_javascript(host, "export const f = () => typeof n;")
    assert [await guest.value("f") for guest in (lua, other, script)] == [2, "nil", "undefined"]


@pytest.mark.clause("BOX-02")
async def test_an_unloaded_agent_leaves_the_others_alone(host: SandboxHost) -> None:
    first = await load(host, "function f() return 1 end")
    second = Guest(await host.load(code("function f() return 2 end"), ROOMY, role="sub-agents"))
    await first.agent.unload()
    assert await second.value("f") == 2
