"""How values pass between JSON and Lua: numbers, arrays, text, and what is refused."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio_qt.jsontext import JsonValue
from studio_qt.sandbox import Cause, Limits, SandboxHost
from studio_qt.sandbox.workers.lua import LuaAgent
from studio_qt.sandbox.workers.lua_text import constructor, names_in
from tests.support.lua import load

BACK = "function f(x) return x end function keep(x, store) store.x = x end"


VALUES: list[JsonValue] = [
    0,
    -1,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    0.1,
    1e-300,
    1.7976931348623157e308,
    123456789.123456789,
    True,
    "",
    "ä😀\x00\x01\x1f\x7f\"\\/\n\r\t\b\f' \\u0041 \\\\u0041",
    [],
    [1, 2, 3],
    [[], [[]], {}],
    ["a", 1, 1.5, True, {"k": "v"}],
    {"": 1, "1": "one", "a b": [], 'q"': {}, "ä": 0, "null": "null", "}": "{", "nil": "[]"},
    [{"a": []}, {"a": {}}],
]


@pytest.mark.clause("EXP-06", "EXP-07")
async def test_values_come_back_as_they_went(host: SandboxHost) -> None:
    guest = await load(host, BACK)
    for value in VALUES:
        assert _sorted(await guest.value("f", value)) == _sorted(value)


@pytest.mark.clause("EXP-06")
async def test_numbers_follow_the_rules_of_the_border(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f() return {10 / 2, 7 // 2, 1e15, -0.0, 2^53, 1e20, 1e300, 0.1 + 0.2,\n"
        " math.maxinteger, math.mininteger} end\n"
        "function kind(x) return math.type(x) end\n"
        "function odd(store) store.list = {1, 0/0, 1/0, -1/0} end",
    )
    outcome = await guest.value("f")
    assert json.dumps(outcome) == (
        "[5, 3, 1000000000000000, 0, 9007199254740992, 100000000000000000000, 1e+300,"
        f" 0.30000000000000004, {2**63 - 1}, {-(2**63)}]"
    )
    for value, kind in ((1, "integer"), (1.5, "float"), (2**70, "float"), (-(2**63), "integer")):
        assert await guest.value("kind", value) == kind
    outcome = await guest.call("odd")
    assert outcome.store == '{"list":[1,null,null,null]}'
    assert "NaN or Infinity" in outcome.logs[0]


@pytest.mark.clause("EXP-07")
async def test_an_empty_table_is_an_array_where_it_or_its_place_was_one(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f(store, studio)\n"
        " table.remove(store.emptied)\n"
        " store.replaced = {}\n"
        " store.deep.a[1].list = {}\n"
        " store.moved, store.from = store.from, nil\n"
        " store.fresh = {}\n"
        " store.object = {}\n"
        " store.flag = store.flag end",
    )
    guest.store = (
        '{"emptied":[1],"replaced":[{"x":1}],"deep":{"a":[{"list":[1]}]},"from":[],'
        '"object":{"k":1},"flag":{}}'
    )
    await guest.call("f")
    assert guest.kept == {
        "emptied": [],
        "replaced": [],
        "deep": {"a": [{"list": []}]},
        "moved": [],
        "fresh": {},
        "object": {},
        "flag": {},
    }
    await guest.call("f")
    assert guest.kept["emptied"] == []  # type: ignore[call-overload,index]


@pytest.mark.clause("EXP-07")
async def test_the_store_itself_is_an_object_also_when_empty(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f(store) store.a = nil end function g(store) store[1] = 'x' end\n"
        "function h(store) for key in pairs(store) do store[key] = nil end end",
    )
    guest.store = '{"a":1}'
    await guest.call("f")
    assert guest.store == "{}"
    outcome = await guest.call("g")
    assert outcome.cause is Cause.FAILED
    assert "must be an object" in str(outcome.error)
    assert guest.store == "{}"


MADE: list[tuple[str, JsonValue]] = [
    ("{1, nil, 3}", {"1": 1, "3": 3}),
    ("{[3] = 'x'}", {"3": "x"}),
    ("{1, 2, x = 3}", {"1": 1, "2": 2, "x": 3}),
    ("{[1.5] = 'a', [-1] = 'b', [0] = 'c'}", {"1.5": "a", "-1": "b", "0": "c"}),
    ("{[2.0] = 'b', [1] = 'a'}", ["a", "b"]),
    ("{[1] = 'number', ['1'] = 'text'}", {"1": "text"}),
    (
        "(function() local t = {} for i = 5, 1, -1 do t[i] = i end return t end)()",
        [1, 2, 3, 4, 5],
    ),
    ("setmetatable({1}, {__index = {2}, __len = function() return 9 end})", [1]),
    ("setmetatable({}, {__index = {x = 1}, __pairs = function() error('x') end})", {}),
    ("{'a\\xffb\\xed\\xa0\\x80c'}", ["a\ufffdb\ufffd\ufffd\ufffdc"]),
    ("{['k\\xff'] = 1}", {"k\ufffd": 1}),
    ("('x'):rep(41, '\\n')", "\n".join("x" * 41)),
]


@pytest.mark.clause("EXP-06")
async def test_tables_that_lua_alone_can_make_become_json(host: SandboxHost) -> None:
    lines = [f"makers[{i}] = function() return {made} end" for i, (made, _) in enumerate(MADE)]
    source = "\n".join(["local makers = {}", *lines, "function f(i) return makers[i]() end"])
    guest = await load(host, source)
    for index, (made, expected) in enumerate(MADE):
        assert await guest.value("f", index) == expected, made


@pytest.mark.clause("EXP-07")
async def test_holes_in_what_was_an_array_are_null(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f(store) store.a[2] = nil store.b[5] = 'e' store.c = {[2] = 'x'} end",
    )
    guest.store = '{"a":[1,2,3],"b":["a"],"c":[],"d":[1,null,3]}'
    await guest.call("f")
    assert guest.kept == {
        "a": [1, None, 3],
        "b": ["a", None, None, None, "e"],
        "c": [None, "x"],
        "d": [1, None, 3],
    }


@pytest.mark.clause("EXP-06")
@pytest.mark.parametrize(
    ("put", "word"),
    [
        ("store.x = print", 'a function cannot be written as JSON (at ["x"])'),
        (
            "store.a = {1, {k = coroutine.create(f)}}",
            'thread cannot be written as JSON (at ["a"][2]["k"])',
        ),
        ("store.x = {[true] = 1}", "a boolean as a key"),
        ("store.x = {[{}] = 1}", "a table as a key"),
        ("store.x = store", "nested more than 500 deep, or contains itself"),
        ("local t = {} store.x = t for i = 1, 600 do t[1] = {} t = t[1] end", "500 deep"),
        ("store.x = ('x'):rep(17000000)", "larger than 16 MB"),
        ("local s = ('x'):rep(1000000) store.x = {} for i = 1, 20 do store.x[i] = s end", "16 MB"),
    ],
)
async def test_what_is_not_json_is_refused_and_the_store_stays(
    host: SandboxHost, put: str, word: str
) -> None:
    source = f"function f(store) store.n = 2 {put} end function g(store) return store.n end"
    guest = await load(host, source)
    guest.store = '{"n":1}'
    outcome = await guest.call("f", limits=Limits(20, 256))
    assert outcome.cause is Cause.FAILED
    assert word in str(outcome.error)
    assert await guest.value("g") == 1


@pytest.mark.clause("EXP-06")
async def test_results_have_a_size_and_are_json_too(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f(n) return ('x'):rep(n) end function g() return print end\n"
        "function h(n) local t = {} for i = 1, n do t[i] = 'xxxxxxxx' end return t end",
    )
    assert len(str(await guest.value("f", 256 * 1024))) == 256 * 1024
    assert "larger than 256 KB" in str((await guest.call("f", 256 * 1024 + 1)).error)
    assert "larger than 256 KB" in str((await guest.call("h", 30_000)).error)
    assert "not JSON: a function" in str((await guest.call("g")).error)


async def test_deep_and_large_stores_pass_though_no_compiler_takes_them(host: SandboxHost) -> None:
    guest = await load(
        host,
        "function f(store) store.n = store.n + 1 local d, t = 0, store.deep\n"
        " while type(t) == 'table' do d = d + 1 t = t[1] end return d end",
    )
    deep = "[" * 490 + '"\\u0001 end \\\\"' + "]" * 490
    filler = json.dumps(['text with "quotes" and \\', 1.5, None, True, {"k": []}] * 30_000)
    for store in (f'{{"n":1,"deep":{deep}}}', f'{{"n":1,"deep":[[]],"big":{filler}}}'):
        guest.store = store
        assert await guest.value("f") == (490 if deep in store else 2)
        assert guest.kept == json.loads(store) | {"n": 2}
        await guest.call("f")
        assert guest.kept == json.loads(store) | {"n": 3}


async def test_maps_with_many_keys_keep_their_order_and_come_back(host: SandboxHost) -> None:
    guest = await load(host, "function f(store) store.m.k7, store.m.extra = nil, 0 end")
    many = {f"k{(n * 7919) % 5000}": n for n in range(5000)}
    guest.store = json.dumps({"m": many})
    await guest.call("f")
    del many["k7"]
    assert list(guest.kept["m"].items()) == [*many.items(), ("extra", 0)]  # type: ignore[call-overload,index,union-attr]


class TestText:
    def test_a_constructor_is_the_value_in_lua(self) -> None:
        json_text = rb'{"a":[1,null],"q\"":{},"b":"x\\\"[]{}null","u":"\u0007"}'
        assert constructor(json_text) == (
            rb'return {["a"]=A{1,nil},["q\""]=O{},["b"]="x\\\"[]{}null",["u"]="\u{0007}"}'
        )

    def test_names_come_in_the_order_of_the_text(self) -> None:
        json_text = rb'{"b":{"z":"a:"},"a":["c",{"b":1,"\"k\\":2}],"":0}'
        assert names_in(json_text) == [b"b", b"z", b"a"]


JSON = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


def _sorted(value: object) -> str:
    """Tell 1 from true and from 1.0, whatever the order of keys."""
    return json.dumps(value, sort_keys=True)


def _whole(value: object) -> object:
    """Return what comes back: integral floats as integers, also large ones."""
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, float) and value.is_integer() and math.fabs(value) <= 1e21:
        return int(value)
    return value


@pytest.fixture(scope="module")
def echo() -> LuaAgent:
    """An agent in this process that returns its argument and changes a little of its store."""
    source = "function f(x, store) store.n = 1 return x end"
    agent = LuaAgent({"file": "t.lua", "source": source, "namespaces": []})
    end = agent.load(60, 64).end
    assert end is not None
    assert agent.finish_loading(end).cause == "finished"
    return agent


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(value=JSON)
def test_any_json_comes_back(echo: LuaAgent, value: object) -> None:
    echo.allow(60, 64)
    head = json.dumps({"handler": "f", "arguments": [value], "context": {}}, ensure_ascii=False)
    packed = json.dumps(json.loads(head), ensure_ascii=False, separators=(",", ":"))
    store = json.dumps({"v": value})
    end = echo.call(packed, store, 0).end
    assert end is not None
    assert end.cause == "finished", end
    assert _sorted(end.value) == _sorted(_whole(value))
    assert end.store is not None
    assert json.loads(end.store) == {"v": _whole(value), "n": 1}
