"""Agents in Python: the same contract as in JavaScript, with Python's own habits."""

from __future__ import annotations

import asyncio
import json

import pytest

from studio_qt.errors import AgentError
from studio_qt.sandbox import AgentCode, AgentLoadError, BridgeCall, Cause, Limits, SandboxHost
from tests.support.sandbox import ROOMY, Bridge, Guest

SHORT = Limits(call_seconds=0.5, memory_mb=64)


async def load(host: SandboxHost, source: str, *apis: str, file: str = "t.agent.py") -> Guest:
    """Load a Python agent with room to work in."""
    names = frozenset(f"studio.{api}" for api in apis)
    agent = AgentCode("t.agent", "python", file, source, namespaces=names)
    return Guest(await host.load(agent, ROOMY))


@pytest.mark.clause("EXP-04")
async def test_exports_are_told_in_the_engines_words_and_called_by_them(host: SandboxHost) -> None:
    guest = await load(
        host,
        "from random import randint\n"
        "CONSTANT = 1\n"
        "class Thing: pass\n"
        "def on_load(): return 'loaded'\n"
        "async def on_tool_call(name, args): return name + args['a']\n"
        "def on_after_response(event): return event.userText\n"
        "def onConversationStart(): return 'never'\n"
        "def rememberThis(args): return args\n"
        "def _helper(): pass\n",
    )
    assert guest.agent.exports >= {"onLoad", "onToolCall", "onAfterResponse", "rememberThis"}
    assert not guest.agent.exports & {"Thing", "CONSTANT", "_helper", "on_load"}
    assert "onConversationStart" not in guest.agent.exports
    assert await guest.value("onLoad") == "loaded"
    assert await guest.value("onToolCall", "x", {"a": "y"}) == "xy"
    assert await guest.value("onAfterResponse", {"userText": "u"}) == "u"
    assert await guest.value("rememberThis", "rest of the line") == "rest of the line"


@pytest.mark.clause("EXP-04")
@pytest.mark.parametrize(
    ("definition", "given"),
    [
        ("def f(): return 0", 0),
        ("def f(name): return 1", 1),
        ("def f(name, args, store, studio, context): return context.agentId", "me"),
        ("def f(*all): return len(all)", 5),
        ("def f(name, *, quiet=True): return quiet", True),
        ("def f(name, args, store=None): return store is not None", True),
        ("f = lambda name, args: args", {"b": 2}),
        (
            "import functools\n"
            "def loud(inner):\n"
            "    @functools.wraps(inner)\n"
            "    def outer(*given): return inner(*given) + '!'\n"
            "    return outer\n"
            "@loud\n"
            "def f(name): return name",
            "n!",
        ),
        ("import functools\ndef g(a, name): return a\nf = functools.partial(g, 'p')", "p"),
        ("class C:\n    def m(self, name): return name\nf = C().m", "n"),
        ("class C:\n    def __call__(self, name): return name\nf = C()", "n"),
    ],
)
async def test_a_handler_gets_as_many_arguments_as_its_signature_takes(
    host: SandboxHost, definition: str, given: object
) -> None:
    guest = await load(host, definition)
    outcome = await guest.call("f", "n", {"b": 2}, context={"agentId": "me"})
    assert outcome.ok, outcome
    assert outcome.value == given


@pytest.mark.clause("EXP-04", "CTX-01")
async def test_event_and_context_are_dicts_with_attributes(host: SandboxHost) -> None:
    guest = await load(
        host,
        "def f(event, store, studio, context):\n"
        "    return [isinstance(event, dict), event['calls'][0].args.a, context.config.meta.deep,\n"
        "            context['config']['meta']['deep'], hasattr(context, 'toolCallId'),\n"
        "            event.get('x'), dict(context)]\n",
    )
    context = {"config": {"meta": {"deep": 1}}}
    outcome = await guest.call("f", {"calls": [{"args": {"a": 7}}]}, context=context)
    assert outcome.value == [True, 7, 1, 1, False, None, context]


@pytest.mark.clause("EXP-06")
async def test_the_store_is_a_dict_that_is_mutated_in_place(host: SandboxHost) -> None:
    guest = await load(
        host,
        "def f(args, store):\n"
        "    assert type(store) is dict\n"
        "    store.setdefault('list', []).append(args)\n"
        "    store['deep'] = {'a': {'b': None}}\n"
        "    del store['old']\n",
    )
    guest.store = '{"old": 1, "kept": "ä\\u2028"}'
    assert (await guest.call("f", "x")).ok
    assert guest.kept == {"kept": "ä\u2028", "list": ["x"], "deep": {"a": {"b": None}}}


@pytest.mark.clause("EXP-06")
async def test_values_that_json_knows_otherwise_are_translated(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import enum\n"
        "class Level(enum.IntEnum):\n    HIGH = 3\n"
        "def f(args, store):\n"
        "    store.update(half=10 / 4, whole=10 / 2, negative=-0.0, large=1e20, small=1e-7,\n"
        "        tuple=(1, (2,)), level=Level.HIGH, big=2 ** 70, text='5.0 and NaN')\n"
        "    store[5] = 'int'; store[True] = 'true'; store[None] = 'none'\n"
        "    return 6 / 3\n",
    )
    outcome = await guest.call("f", 0)
    assert outcome.value == 2
    assert isinstance(outcome.value, int)
    assert '"whole":5,"negative":0,"large":100000000000000000000,' in guest.store
    assert guest.kept == {
        "half": 2.5, "whole": 5, "negative": 0, "large": 10**20, "small": 1e-7,
        "tuple": [1, [2]], "level": 3, "big": 2**70, "text": "5.0 and NaN",
        "5": "int", "true": "true", "null": "none",
    }  # fmt: skip


@pytest.mark.clause("EXP-06")
async def test_whole_floats_come_in_as_integers(host: SandboxHost) -> None:
    guest = await load(
        host, "def f(args, store): return [type(store['a']).__name__, type(args.b).__name__]"
    )
    guest.store = '{"a": 5.0}'
    outcome = await guest.call("f", {"b": 2.0})
    assert outcome.value == ["int", "int"]
    assert outcome.store is None


@pytest.mark.clause("EXP-06")
async def test_numbers_that_json_lacks_become_null_with_a_log_line(host: SandboxHost) -> None:
    guest = await load(
        host,
        "def f(args, store):\n"
        "    store.update(a=float('nan'), b=[float('inf'), -float('inf')], c='NaN')\n"
        "    return float('nan')\n",
    )
    outcome = await guest.call("f", 0)
    assert outcome.ok
    assert outcome.value is None
    assert guest.kept == {"a": None, "b": [None, None], "c": "NaN"}
    assert [line for line in outcome.logs if "store" in line and "NaN" in line]


@pytest.mark.clause("EXP-06")
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("{1, 2}", "set"),
        ("b'bytes'", "bytes"),
        ("object()", "object"),
        ("store", "itself"),
        ("10 ** 5000", "digits"),
        ("{(1, 2): 3}", "keys must be"),
        ("lambda: 1", "function"),
        ("__import__('datetime').date.today()", "date"),
    ],
)
async def test_what_is_not_json_is_refused_and_the_store_stays(
    host: SandboxHost, value: str, reason: str
) -> None:
    guest = await load(host, f"def f(args, store):\n    store['n'] = 2\n    store['x'] = {value}\n")
    guest.store = '{"n":1}'
    outcome = await guest.call("f", 0)
    assert outcome.cause is Cause.FAILED
    assert "the store cannot be saved as JSON" in str(outcome.error)
    assert reason in str(outcome.error)
    assert outcome.store is None


@pytest.mark.clause("EXP-06")
async def test_an_unchanged_store_is_not_written(host: SandboxHost) -> None:
    guest = await load(
        host,
        "def look(args, store): return store['a']\n"
        "def change(args, store): store['a'] += 1\n"
        "def back(args, store): store['a'] = store['a'] + 1 - 1.0\n",
    )
    guest.store = '{ "a" : 1, "f": 2.50 }'
    assert (await guest.call("look", 0)).store is None
    assert (await guest.call("back", 0)).store is None
    assert (await guest.call("change", 0)).store == '{"a":2,"f":2.5}'
    assert (await guest.call("look", 0)).value == 2
    assert (await guest.call("back", 0)).store is None


CHANGES = {
    "nothing": "pass",
    "a small value": "store['n'] += 1",
    "deep in a large value": "store['rows'][300]['tags'][0] = 'changed'",
    "a type alone": "store['rows'][7] = tuple(store['rows'][7].items())",
    "a number that stays": "store['rows'][7]['id'] = 7.0",
    "the order of keys": "store['rows'] = store.pop('rows')",
    "a large value under another name": "store['moved'] = store.pop('rows')",
    "a large value that goes": "del store['text']",
    "a large value that is small now": "store['text'] = 'short'",
    "a large value that is there twice": "store['again'] = store['rows']",
    "a large value that comes": "store['new'] = list(range(3000))",
    "a key that is a number": "store[5] = store['rows']",
    "a record inside": "store['rows'].append(context)",
    "NaN inside": "store['rows'][0] = float('nan')",
    "everything": "store.clear()",
}


@pytest.mark.clause("EXP-06")
async def test_large_stores_come_back_as_python_would_write_them(host: SandboxHost) -> None:
    handlers = [
        f"def change{n}(args, store, studio, context): {body}\n"
        for n, body in enumerate(CHANGES.values())
    ]
    guest = await load(host, "".join(handlers) + "def look(args, store): return None\n")
    rows = [{"id": n, "name": f"ä {n}", "tags": ["a"], "x": n / 2 + 0.25} for n in range(400)]
    large = {"n": 1, "rows": rows, "text": "x" * 5000, "flag": True, "none": None}
    for n, body in enumerate(CHANGES.values()):
        store = json.loads(json.dumps(large))
        guest.store = json.dumps(store)
        exec(body, {"store": store, "context": {"agentId": "me"}})
        for _ in range(2):  # the second time with the store that the agent left
            outcome = await guest.call("look", 0, context={})
            assert outcome.store is None
        outcome = await guest.call(f"change{n}", 0, context={"agentId": "me"})
        wanted = json.dumps(store, ensure_ascii=False, separators=(",", ":"))
        wanted = wanted.replace("NaN", "null").replace(":7.0,", ":7,")
        assert guest.kept == json.loads(wanted), body
        same = json.dumps(guest.kept) == json.dumps(large)
        assert outcome.store == (None if same else wanted), body


@pytest.mark.clause("EXP-06")
async def test_a_large_store_is_sent_once_and_changed_again_and_again(host: SandboxHost) -> None:
    guest = await load(
        host,
        "def f(args, store):\n"
        "    store['n'] += 1\n"
        "    store['log'].append(store['n'])\n"
        "    if store['n'] % 3 == 0: store['rows'][store['n']] = None\n",
    )
    guest.store = json.dumps({"n": 0, "log": [], "rows": ["x" * 50 for _ in range(500)]})
    for _ in range(10):
        assert (await guest.call("f", 0)).store is not None
    kept = json.loads(guest.store)
    assert kept["log"] == list(range(1, 11))
    assert [n for n, row in enumerate(kept["rows"]) if row is None] == [3, 6, 9]


@pytest.mark.clause("EXP-06")
async def test_a_store_changed_by_others_between_calls_is_seen(host: SandboxHost) -> None:
    guest = await load(host, "def f(args, store):\n    store['n'] = store.get('n', 0) + 1\n")
    await guest.call("f", 0)
    earlier = guest.store
    await guest.call("f", 0)
    guest.store = earlier
    await guest.call("f", 0)
    assert guest.kept == {"n": 2}
    guest.store = '{"n":40}'
    await guest.call("f", 0)
    assert guest.kept == {"n": 41}


@pytest.mark.clause("EXP-06")
async def test_stores_nest_500_deep_and_no_deeper(host: SandboxHost) -> None:
    guest = await load(
        host,
        "def deepen(args, store):\n"
        "    inner = []\n"
        "    for _ in range(args): inner = [inner]\n"
        "    store['x'] = inner\n"
        "def look(args, store):\n    store['y'] = 1\n",
    )
    assert (await guest.call("deepen", 498)).ok
    assert (await guest.call("look", 0)).ok
    kept = guest.store
    outcome = await guest.call("deepen", 499)
    assert outcome.cause is Cause.FAILED
    assert "nested" in str(outcome.error)
    assert guest.store == kept


@pytest.mark.clause("EXP-06")
async def test_lone_surrogates_are_replaced(host: SandboxHost) -> None:
    guest = await load(
        host, "def f(args, store):\n    store['x'] = 'a\\ud800b'\n    return '\\udfff'\n"
    )
    assert await guest.value("f", 0) == "\ufffd"
    assert guest.kept == {"x": "a\ufffdb"}


@pytest.mark.clause("EXP-02")
async def test_tracebacks_name_the_agents_file_and_lines_only(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import json\n\n"
        "def read(text):\n    return json.loads(text)\n\n"
        "def f(args):\n    return read('{')\n",
    )
    outcome = await guest.call("f", 0)
    assert outcome.cause is Cause.FAILED
    assert str(outcome.error).startswith("JSONDecodeError: ")
    assert str(outcome.error).endswith("(t.agent.py:4)")
    told = "\n".join(outcome.logs)
    assert '  File "t.agent.py", line 7, in f\n    return read(' in told
    assert "decoder.py" not in told
    assert "<string>" not in told


async def test_a_traceback_that_an_agent_prints_shows_its_lines(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import traceback\n"
        "def f(args):\n"
        "    try: 1 / 0\n"
        "    except ZeroDivisionError: print(traceback.format_exc())\n",
    )
    outcome = await guest.call("f", 0)
    assert '  File "t.agent.py", line 3, in f' in outcome.logs
    assert "    try: 1 / 0" in outcome.logs


@pytest.mark.clause("LANG-01")
@pytest.mark.parametrize(
    ("source", "line", "reason"),
    [
        ("x = 1\ndef f(:\n", 2, "invalid syntax"),
        ("x = 1\n\ny = x / 0\n", 3, "ZeroDivisionError: division by zero"),
        ("import numpy\n", 1, "ModuleNotFoundError"),
        ("raise SystemExit(3)", 1, "SystemExit: 3"),
        ("while True: pass", None, "time limit"),
        ("x = bytearray(10 ** 9)", None, "memory"),
        ("import os; os._exit(0)", None, "ended its interpreter"),
        ("x = '\x00'", None, "null bytes"),
    ],
)
async def test_a_module_that_cannot_be_loaded_says_where_and_why(
    host: SandboxHost, source: str, line: int | None, reason: str
) -> None:
    agent = AgentCode("t", "python", "t.py", source)
    with pytest.raises(AgentLoadError) as caught:
        await host.load(agent, Limits(call_seconds=1.0, memory_mb=64))
    assert reason in caught.value.reason
    assert (caught.value.file, caught.value.line) == ("t.py", line)


async def test_a_source_may_begin_with_a_mark_and_end_lines_as_windows_does(
    host: SandboxHost,
) -> None:
    guest = await load(host, '\ufeff"""\r\n@agent t\r\n"""\r\ndef f():\r\n    return 1 / 0\r\n')
    assert str((await guest.call("f")).error).endswith("(t.agent.py:5)")


async def test_what_is_printed_goes_to_the_agent_log(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import sys, warnings\n"
        "print('loading')\n"
        "def f(args):\n"
        "    print('a', 2); print('no end', end=''); print('to stderr', file=sys.stderr)\n"
        "    warnings.warn('careful')\n"
        "def g(args):\n"
        "    for n in range(2000): print(n)\n"
        "def h(args): print('x' * 10 ** 6)\n",
    )
    logs = (await guest.call("f", 0)).logs
    assert logs[:2] == ("loading", "a 2")
    assert {"no end", "to stderr"} <= {part for line in logs for part in line.split("no end")} | {
        line[:6] for line in logs
    }
    assert any("careful" in line for line in logs)
    assert len((await guest.call("g", 0)).logs) == 501
    assert len((await guest.call("h", 0)).logs[0]) == 2001


@pytest.mark.clause("LANG-01")
async def test_the_standard_library_is_there(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import collections, dataclasses, datetime, decimal, fractions, functools, hashlib\n"
        "import itertools, json, math, random, re, sqlite3, statistics, string, textwrap, uuid\n"
        "@dataclasses.dataclass\n"
        "class Point:\n    x: int\n    y: int = 2\n"
        "def f(args):\n"
        "    base = sqlite3.connect(':memory:')\n"
        "    return [str(decimal.Decimal('0.1') * 3), re.sub('a+', 'b', 'caat'),\n"
        "        dataclasses.asdict(Point(1)), base.execute('select 1 + 1').fetchone(),\n"
        "        len(str(uuid.uuid4())), datetime.date(2024, 2, 29).isoformat(),\n"
        "        hashlib.sha256(b'').hexdigest()[:8], random.random() < 1]\n",
    )
    assert await guest.value("f", 0) == [
        "0.3", "cbt", {"x": 1, "y": 2}, [2], 36, "2024-02-29", "e3b0c442", True,
    ]  # fmt: skip


@pytest.mark.clause("BOX-02")
async def test_module_state_lives_from_call_to_call(host: SandboxHost) -> None:
    guest = await load(host, "n = 0\ndef f(args):\n    global n\n    n += 1\n    return n\n")
    other = await load(host, "n = 10\ndef f(args): return n")
    assert [await guest.value("f", 0) for _ in range(3)] == [1, 2, 3]
    assert await other.value("f", 0) == 10


# ---- the bridge

CALLS = {
    "history.search": ("studio.history.search('q')", ("q",)),
    "history.range": ("studio.history.range(1, end=3)", (1, 3)),
    "context.readFile": ("studio.context.readFile('a.txt')", ("a.txt",)),
    "callModel": (
        "studio.callModel('s', [{'role': 'user', 'content': 'c'}], 9, {'model': 'main'})",
        ("s", [{"role": "user", "content": "c"}], 9, {"model": "main"}),
    ),
    "grants.readStore": ("studio.grants.readStore('r')", ("r",)),
    "web.fetch": ("studio.web.fetch('http://x', {'maxChars': 5})", ("http://x", {"maxChars": 5})),
}
NAMESPACES = {method: method.split(".")[0] for method in CALLS} | {"callModel": "model"}
WITH_ASYNCIO = pytest.mark.parametrize("head", ["", "import asyncio\n"], ids=["bare", "asyncio"])


@WITH_ASYNCIO
@pytest.mark.clause("BR-03", "BR-04", "BR-05", "BR-06", "BR-07", "BR-08", "BR-10")
@pytest.mark.parametrize("method", CALLS)
async def test_a_declared_method_reaches_the_host_and_its_answer_comes_back(
    host: SandboxHost, method: str, head: str
) -> None:
    call, arguments = CALLS[method]
    source = f"{head}async def f(args, store, studio): return await {call}"
    guest = await load(host, source, NAMESPACES[method])
    guest.bridge = Bridge(**{method: {"text": "ä", "list": [1, None]}})
    assert await guest.value("f", 0) == {"text": "ä", "list": [1, None]}
    assert guest.bridge.calls == [BridgeCall(method, arguments)]


@WITH_ASYNCIO
@pytest.mark.clause("BR-09")
@pytest.mark.parametrize("method", CALLS)
async def test_an_undeclared_namespace_rejects_with_the_missing_line(
    host: SandboxHost, method: str, head: str
) -> None:
    others = set(NAMESPACES.values()) - {NAMESPACES[method]}
    guest = await load(
        host,
        f"{head}async def f(args, store, studio):\n"
        f"    try: await {CALLS[method][0]}\n"
        "    except RuntimeError as error: return str(error)\n"
        f"def g(args, store, studio):\n    {CALLS[method][0]}\n",
        *others,
    )
    assert f"@api studio.{NAMESPACES[method]}" in str(await guest.value("f", 0))
    assert (await guest.call("g", 0)).logs == ()
    assert guest.bridge.calls == []


@pytest.mark.clause("BR-09")
async def test_a_forged_request_is_stopped_at_the_gate(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import __main__\n"
        "__main__.NEEDS = dict.fromkeys(__main__.NEEDS)\n"
        "async def f(args, store, studio):\n"
        "    try: await studio.callModel('s')\n"
        "    except RuntimeError as error: return str(error)\n",
    )
    assert "@api studio.model" in str(await guest.value("f", 0))
    assert guest.bridge.calls == []


@pytest.mark.clause("BR-01", "BR-02")
async def test_toast_and_log_need_no_declaration_and_no_await_and_keep_their_order(
    host: SandboxHost,
) -> None:
    guest = await load(
        host,
        "def f(args, store, studio):\n"
        "    studio.log('one'); studio.toast('two'); studio.log(3)\n"
        "async def g(args, store, studio):\n    await studio.log('four')\n",
    )
    assert (await guest.call("f", 0)).logs == ()
    await guest.call("g", 0)
    assert guest.bridge.said == ["log: one", "toast: two", "log: 3", "log: four"]


@pytest.mark.clause("BR-02", "BR-11")
async def test_what_was_said_before_a_failure_or_a_timeout_is_delivered(host: SandboxHost) -> None:
    guest = await load(
        host,
        "def f(args, store, studio):\n    studio.log('a'); print('p'); raise ValueError('no')\n"
        "def g(args, store, studio):\n    studio.log('b'); print('q')\n    while True: pass\n",
    )
    assert (await guest.call("f", 0)).logs == ("p",)
    assert (await guest.call("g", 0, limits=SHORT)).logs == ("q",)
    assert guest.bridge.said == ["log: a", "log: b"]


@pytest.mark.clause("BR-10")
async def test_a_missing_method_can_be_tested_for(host: SandboxHost) -> None:
    guest = await load(
        host,
        "def f(args, store, studio):\n"
        "    return [hasattr(studio, 'conversation'), hasattr(studio, 'callModel'),\n"
        "            hasattr(studio.context, 'readFile'), hasattr(studio.context, 'write')]\n",
    )
    assert await guest.value("f", 0) == [False, True, True, False]


@WITH_ASYNCIO
async def test_an_error_of_the_host_becomes_an_exception(host: SandboxHost, head: str) -> None:
    guest = await load(
        host, f"{head}async def f(args, store, studio): await studio.callModel('s', [])", "model"
    )
    guest.bridge = Bridge(callModel=AgentError("budget exhausted for this response"))
    outcome = await guest.call("f", 0)
    assert outcome.cause is Cause.FAILED
    line = 2 if head else 1
    assert outcome.error == f"budget exhausted for this response (t.agent.py:{line})"


@pytest.mark.parametrize(
    "source",
    [
        "async def f(args, store, studio):\n"
        "    asked = [studio.context.readFile(name) for name in 'abc']\n"
        "    return [await item for item in asked]\n",
        "import asyncio\n"
        "async def f(args, store, studio):\n"
        "    return await asyncio.gather(*(studio.context.readFile(name) for name in 'abc'))\n",
        "import asyncio\n"
        "async def read(studio, name): return await studio.context.readFile(name)\n"
        "async def f(args, store, studio):\n"
        "    async with asyncio.TaskGroup() as group:\n"
        "        tasks = [group.create_task(read(studio, name)) for name in 'abc']\n"
        "    return [task.result() for task in tasks]\n",
    ],
)
async def test_requests_in_flight_are_answered_side_by_side(host: SandboxHost, source: str) -> None:
    guest = await load(host, source, "context")
    all_there = asyncio.Barrier(3)

    async def bridge(call: BridgeCall) -> str:
        await all_there.wait()
        return f"text of {call.arguments[0]}"

    guest.bridge = bridge  # type: ignore[assignment]
    assert await guest.value("f", 0) == ["text of a", "text of b", "text of c"]


@pytest.mark.clause("EXP-04")
async def test_asyncio_works_in_the_guest(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import asyncio\n"
        "async def f(args, store, studio):\n"
        "    order = []\n"
        "    async def put(name, delay):\n"
        "        await asyncio.sleep(delay); order.append(name)\n"
        "    await asyncio.gather(put('late', 0.06), put('early', 0.01), put('now', 0))\n"
        "    try: await asyncio.wait_for(studio.context.readFile('never'), 0.05)\n"
        "    except TimeoutError: order.append('timeout')\n"
        "    event = asyncio.Event()\n"
        "    asyncio.get_running_loop().call_later(0.01, event.set)\n"
        "    await event.wait()\n"
        "    asyncio.create_task(put('dropped', 60))\n"
        "    return order\n"
        "def g(args): return asyncio.run(asyncio.sleep(0.01, 'ran'))\n",
        "context",
    )

    async def never(call: BridgeCall) -> None:
        await asyncio.Event().wait()

    guest.bridge = never  # type: ignore[assignment]
    outcome = await guest.call("f", 0)
    assert outcome.value == ["now", "early", "late", "timeout"], outcome
    assert outcome.logs == ()
    assert await guest.value("g", 0) == "ran"


async def test_sleeping_takes_its_time_and_lets_replies_wait(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import asyncio, time\n"
        "async def f(args, store, studio):\n"
        "    asked = studio.context.readFile('a')\n"
        "    before = time.monotonic(); time.sleep(0.15); await asyncio.sleep(0.15)\n"
        "    return [await asked, 0.29 < time.monotonic() - before < 5]\n",
        "context",
    )
    guest.bridge = Bridge(context_readFile="text")
    assert await guest.value("f", 0) == ["text", True]


async def test_the_store_is_taken_when_the_handler_settles(host: SandboxHost) -> None:
    guest = await load(
        host,
        "import asyncio\n"
        "async def f(args, store, studio):\n"
        "    async def late():\n"
        "        try: await asyncio.sleep(60)\n"
        "        finally: store['late'] = True\n"
        "    task = asyncio.create_task(late())\n"
        "    await asyncio.sleep(0)\n"
        "    store['n'] = 1\n",
    )
    await guest.call("f", 0)
    assert guest.kept == {"n": 1}


@pytest.mark.clause("BR-11")
@pytest.mark.parametrize(
    "source",
    [
        "import asyncio\nasync def f(): await asyncio.Event().wait()\n",
        "class Never:\n    def __await__(self): yield 1\nasync def f(): await Never()\n",
    ],
)
async def test_a_handler_that_can_never_settle_fails_at_once(
    host: SandboxHost, source: str
) -> None:
    guest = await load(host, source + "def g(): return 'alive'\n")
    outcome = await guest.call("f")
    assert outcome.cause is Cause.FAILED
    assert await guest.value("g") == "alive"


async def test_arguments_that_are_not_json_are_refused(host: SandboxHost) -> None:
    guest = await load(
        host,
        "async def f(query, store, studio):\n"
        "    values = [{1}, b'x', [[]]]\n"
        "    for _ in range(600): values[2] = [values[2]]\n"
        "    loop = []; loop.append(loop); values.append(loop); values.append('x' * 600_000)\n"
        "    told = []\n"
        "    for value in values:\n"
        "        try: await studio.history.search(value)\n"
        "        except RuntimeError as error: told.append(str(error))\n"
        "    return told\n",
        "history",
    )
    told = await guest.value("f", 0)
    assert isinstance(told, list)
    assert len(told) == 5
    assert guest.bridge.calls == []


@pytest.mark.clause("BR-06")
async def test_numbers_in_arguments_follow_the_same_rules(host: SandboxHost) -> None:
    guest = await load(
        host,
        "async def f(args, store, studio):\n    await studio.history.range(4 / 2, float('nan'))\n",
        "history",
    )
    await guest.call("f", 0)
    assert guest.bridge.calls == [BridgeCall("history.range", (2, None))]


@pytest.mark.clause("BOX-02")
async def test_a_flood_of_messages_is_bounded(host: SandboxHost) -> None:
    guest = await load(
        host,
        "async def f(args, store, studio):\n"
        "    for n in range(2000): studio.log(n)\n"
        "    asked = [studio.history.search('x') for _ in range(10_100)]\n"
        "    refused = 0\n"
        "    for item in asked:\n"
        "        try: await item\n"
        "        except RuntimeError: refused += 1\n"
        "    return refused\n",
        "history",
    )
    outcome = await guest.call("f", 0, limits=Limits(60, 128))
    assert outcome.value == 100, outcome
    assert len(guest.bridge.said) - 10_000 == 500
