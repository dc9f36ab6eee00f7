"""What agents find on the global object: each table pairs an expression with its value."""

from __future__ import annotations

import pytest

from studio_qt.jsontext import JsonValue
from studio_qt.sandbox import SandboxHost
from tests.support.sandbox import load

SOURCE = """
export const f = (expressions) => expressions.map((text) => {
  try { return (0, eval)(text); } catch (error) { return `${error.name}: ${error.code ?? ''}`; }
});
"""
INVALID = "TypeError: "


async def check(host: SandboxHost, table: dict[str, JsonValue]) -> None:
    guest = await load(host, SOURCE)
    values = await guest.value("f", list(table))
    assert dict(zip(table, values, strict=True)) == table  # type: ignore[arg-type]


@pytest.mark.clause("BOX-01")
async def test_there_is_no_way_out_among_the_globals(host: SandboxHost) -> None:
    names = (
        "fetch XMLHttpRequest window document WebSocket localStorage process require WebAssembly"
        " Worker Deno Bun std os module print load quit java python importScripts navigator"
    )
    await check(host, {f"typeof {name}": "undefined" for name in names.split()})


async def test_structured_clone_copies_all_that_can_be_copied(host: SandboxHost) -> None:
    await check(
        host,
        {
            "structuredClone({ a: [1, { b: 2 }] })": {"a": [1, {"b": 2}]},
            "{ const o = {}; o.self = o; const c = structuredClone(o); c.self === c && c !== o }": (
                True
            ),
            "[...structuredClone(new Map([[{ k: 1 }, new Set([2])]])).keys()][0].k": 1,
            "structuredClone(new Set([1, 2])).has(2)": True,
            "structuredClone(new Date(5)).getTime()": 5,
            "String(structuredClone(/x/gi))": "/x/gi",
            "{ const a = new Uint8Array([1, 2]); const b = structuredClone(a); a[0] = 9; b[0] }": 1,
            "structuredClone(new Uint16Array(new Uint16Array([7, 8, 9]).buffer, 2, 1))[0]": 8,
            "structuredClone(new RangeError('q')) instanceof RangeError": True,
            "structuredClone(new Error('q', { cause: { n: 1 } })).cause.n": 1,
            "structuredClone(Object(1n)) == 1n || true": True,
            "1 in structuredClone([, 1]) && !(0 in structuredClone([, 1]))": True,
            "structuredClone(() => 1)": "DataCloneError: 25",
            "structuredClone({ f() {} })": "DataCloneError: 25",
            "structuredClone(Symbol('x'))": "DataCloneError: 25",
            "structuredClone(Promise.resolve())": "DataCloneError: 25",
        },
    )


async def test_text_is_encoded_and_decoded_as_utf_8(host: SandboxHost) -> None:
    decode = "new TextDecoder().decode(new Uint8Array({}))"
    await check(
        host,
        {
            "[...new TextEncoder().encode('aé€😀\\ud800')]": (
                [97, 195, 169, 226, 130, 172, 240, 159, 152, 128, 239, 191, 189]
            ),
            "JSON.stringify(new TextEncoder().encodeInto('a€', new Uint8Array(3)))": (
                '{"read":1,"written":1}'
            ),
            decode.replace(
                "{}", "[239, 187, 191, 97, 195, 169, 255, 240, 159, 152, 128, 226, 130]"
            ): ("aé\ufffd😀\ufffd"),
            decode.replace("{}", "[0xe0, 0x80, 0x80, 0xed, 0xa0, 0x80, 0xc0, 0x80]"): "\ufffd" * 8,
            "new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255]))": INVALID,
            "new TextDecoder('utf-16')": "RangeError: ",
            "{ const d = new TextDecoder(); d.decode(new Uint8Array([240, 159]), { stream: true })"
            " + d.decode(new Uint8Array([152, 128])) }": "😀",
            "new TextDecoder().decode(new TextEncoder().encode('€'.repeat(50000))).length": 50000,
            "btoa('hello')": "aGVsbG8=",
            "atob('aGVsbG8=')": "hello",
            "btoa('€')": "InvalidCharacterError: 5",
        },
    )


async def test_random_values_are_random_and_uuids_have_their_form(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export const f = () => [crypto.randomUUID(),"
        " [...crypto.getRandomValues(new Uint32Array(64))]];"
        "export const big = () => crypto.getRandomValues(new Uint8Array(65537));",
    )
    other = await load(host, "export const f = () => [crypto.randomUUID()];")
    import uuid

    first, numbers = await guest.value("f")  # type: ignore[misc]
    [second] = await other.value("f")  # type: ignore[misc]
    assert uuid.UUID(str(first)).version == 4
    assert first != second
    assert len(set(numbers)) == 64  # type: ignore[arg-type]
    assert not (await guest.call("big")).ok


async def test_urls_follow_the_standard(host: SandboxHost) -> None:
    def href(text: str, base: str | None = None) -> str:
        second = "" if base is None else f", {base!r}"
        return f"new URL({text!r}{second}).href"

    await check(
        host,
        {
            href("http://EXAMPLE.com:80/a/../b?q=ä#f g"): "http://example.com/b?q=%C3%A4#f%20g",
            href("../x", "http://a.b/c/d/e"): "http://a.b/c/x",
            href("?z", "http://a.b/c/d?y#k"): "http://a.b/c/d?z",
            href("", "http://a.b/c/d?y#k"): "http://a.b/c/d?y",
            href("#n", "http://a.b/c/d?y#k"): "http://a.b/c/d?y#n",
            href("//h/p", "https://a.b/c"): "https://h/p",
            href("/p", "https://u:p@a.b:8080/c"): "https://u:p@a.b:8080/p",
            href("mailto:x@y.z"): "mailto:x@y.z",
            href("data:text/plain,hi there"): "data:text/plain,hi there",
            href("http://[::1]:3000/"): "http://[::1]:3000/",
            href("http://[2001:db8:0:0:1:0:0:1]/"): "http://[2001:db8::1:0:0:1]/",
            href("http://[::ffff:1.2.3.4]/"): "http://[::ffff:102:304]/",
            href("http://192.168.0.1."): "http://192.168.0.1/",
            href("http://0x7f.1/"): "http://127.0.0.1/",
            href("http://münchen.de/ö"): "http://xn--mnchen-3ya.de/%C3%B6",
            href("http://日本語.jp"): "http://xn--wgv71a119e.jp/",
            href("file:///C:/a/../b"): "file:///C:/b",
            href("http:\\\\x\\y"): "http://x/y",
            href("https:example.org"): "https://example.org/",
            href("http://a/%2e%2e/b/./c"): "http://a/b/c",
            href("x://h:1/p?q"): "x://h:1/p?q",
            href("http://a:b@c:29/d"): "http://a:b@c:29/d",
            href("http://a/ b?c d"): "http://a/%20b?c%20d",
            href("foo"): INVALID,
            href("http://"): INVALID,
            href("http://a b/"): INVALID,
            href("http://a:99999/"): INVALID,
            href("http://256.1.1.1/"): INVALID,
            href("http://user@/www"): INVALID,
            href("http://[::1"): INVALID,
            href("x", "mailto:a@b"): INVALID,
            "URL.canParse('x')": False,
            "URL.parse('x')": None,
            "JSON.stringify({ u: new URL('http://a') })": '{"u":"http://a/"}',
        },
    )


async def test_the_parts_of_a_url_can_be_read_and_set(host: SandboxHost) -> None:
    whole = {
        "protocol": "https:",
        "username": "u",
        "password": "p",
        "host": "ex.org:8443",
        "hostname": "ex.org",
        "port": "8443",
        "pathname": "/a",
        "search": "?x=1",
        "hash": "#h",
        "origin": "https://ex.org:8443",
    }
    guest = await load(
        host,
        "export const read = (text, parts) => { const url = new URL(text);"
        " return parts.map((part) => url[part]); };"
        "export const set = (text, changes) => { const url = new URL(text);"
        " return changes.map(([part, value]) => { url[part] = value; return url.href; }); };"
        "export const query = () => { const url = new URL('http://a/?x=1');"
        " url.searchParams.append('k k', 'v&1'); const first = url.href; url.search = 'y=2';"
        " return [first, url.searchParams.get('y'), url.searchParams.size]; };",
    )
    read = await guest.value("read", "https://u:p@ex.org:8443/a?x=1#h", list(whole))
    assert read == list(whole.values())
    changes: JsonValue = [
        ["port", "443"],
        ["pathname", "/q?r"],
        ["hash", "z"],
        ["protocol", "http"],
    ]
    assert await guest.value("set", "https://a:1/", changes) == [
        "https://a/",
        "https://a/q%3Fr",
        "https://a/q%3Fr#z",
        "http://a/q%3Fr#z",
    ]
    assert await guest.value("query") == ["http://a/?x=1&k+k=v%261", "2", 1]


async def test_search_params_follow_the_standard(host: SandboxHost) -> None:
    await check(
        host,
        {
            "[...new URLSearchParams('a=1&b=2&a=3&c=%20+')]": (
                [["a", "1"], ["b", "2"], ["a", "3"], ["c", "  "]]
            ),
            "new URLSearchParams('?q=1').get('q')": "1",
            "new URLSearchParams('a=1&a=2').getAll('a')": ["1", "2"],
            "new URLSearchParams({ x: '1', y: 'ü ~' }).toString()": "x=1&y=%C3%BC+%7E",
            "new URLSearchParams([['a', 'b']]).has('a', 'c')": False,
            "{ const p = new URLSearchParams('b=1&a=2&b=3'); p.set('b', 4); p.sort(); `${p}` }": (
                "a=2&b=4"
            ),
            "new URLSearchParams('').get('none')": None,
            "new URLSearchParams([['a']])": INVALID,
        },
    )


async def test_numbers_have_the_forms_of_en_us(host: SandboxHost) -> None:
    await check(
        host,
        {
            "(1234567.8916).toLocaleString()": "1,234,567.892",
            "(100).toLocaleString()": "100",
            "(0).toLocaleString()": "0",
            "(-1234.5).toLocaleString('en-US', { minimumFractionDigits: 2 })": "-1,234.50",
            "(0.256).toLocaleString('en', { style: 'percent' })": "26%",
            "(12.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })": "$12.50",
            "(1234.5678).toLocaleString(undefined, { maximumFractionDigits: 0 })": "1,235",
            "(1234).toLocaleString('en', { useGrouping: false })": "1234",
            "(5).toLocaleString('en', { minimumIntegerDigits: 2 })": "05",
            "(1e21).toLocaleString()": "1,000,000,000,000,000,000,000",
            "NaN.toLocaleString()": "NaN",
            "12345678901234567890n.toLocaleString()": "12,345,678,901,234,567,890",
            "[1234.5, 2].toLocaleString()": "1,234.5,2",
        },
    )


async def test_dates_have_the_forms_of_en_us_in_the_users_time(host: SandboxHost) -> None:
    at = "new Date(Date.UTC(2020, 6, 1, 22, 5, 9))"
    long = "weekday: 'long', year: 'numeric', month: 'long', day: 'numeric'"
    await check(
        host,
        {
            f"{at}.toLocaleString()": "7/2/2020, 12:05:09 AM",
            f"{at}.toLocaleDateString()": "7/2/2020",
            f"{at}.toLocaleTimeString()": "12:05:09 AM",
            f"{at}.toLocaleString('en-US', {{ timeZone: 'UTC' }})": "7/1/2020, 10:05:09 PM",
            f"{at}.toLocaleDateString('en-US', {{ {long} }})": "Thursday, July 2, 2020",
            f"{at}.toLocaleDateString('en', {{ month: 'short', day: 'numeric' }})": "Jul 2",
            f"{at}.toLocaleDateString('en', {{ month: 'long', year: 'numeric' }})": "July 2020",
            f"{at}.toLocaleTimeString([], {{ hour: '2-digit', minute: '2-digit' }})": "12:05 AM",
            f"{at}.toLocaleTimeString([], {{ hour12: false }})": "00:05:09",
            f"{at}.toLocaleString('en', {{ dateStyle: 'medium', timeStyle: 'short' }})": (
                "Jul 2, 2020, 12:05 AM"
            ),
            f"{at}.getTimezoneOffset()": -120,
            f"{at}.getHours()": 0,
            "new Date(2020, 0, 1).toISOString()": "2019-12-31T22:00:00.000Z",
            "new Date(2020, 0, 1).toString().slice(0, 33)": "Wed Jan 01 2020 00:00:00 GMT+0200",
            "new Date(NaN).toLocaleString()": "Invalid Date",
        },
    )


async def test_text_sorts_as_people_sort_it(host: SandboxHost) -> None:
    await check(
        host,
        {
            "['b', 'a', 'Z', 'ä', 'B', 'A', 'z'].sort((x, y) => x.localeCompare(y)).join('')": (
                "aAäbBzZ"
            ),
            "'a'.localeCompare('A', undefined, { sensitivity: 'base' })": 0,
            "'résumé'.localeCompare('resume')": 1,
            "'f9'.localeCompare('f10', [], { numeric: true })": -1,
        },
    )


async def test_console_lines_reach_the_log(host: SandboxHost) -> None:
    guest = await load(
        host,
        "console.log('while loading');"
        "export function f() { console.log('a', 1, { b: [2] }, null, undefined, 3n);"
        " console.warn(new TypeError('w')); console.error('e'); console.assert(false, 'no');"
        " console.group('g'); console.info('in'); console.groupEnd(); console.count();"
        " console.log(Symbol('s'), () => 1, new Map([[1, 2]])); throw new Error('x'); }",
    )
    assert (await guest.call("f")).logs == (
        "while loading",
        'a 1 {"b":[2]} null undefined 3n',
        "warning: TypeError: w",
        "error: e",
        "assertion failed: no",
        "g",
        "  in",
        "default: 1",
        "a symbol [function anonymous] Map(1) [[1,2]]",
    )


async def test_microtasks_run_in_order_and_their_errors_are_log_lines(host: SandboxHost) -> None:
    guest = await load(
        host,
        "export async function f() { const seen = [];"
        " queueMicrotask(() => { throw new Error('loose'); }); queueMicrotask(() => seen.push(1));"
        " await null; await null; seen.push(2); return seen; }",
    )
    outcome = await guest.call("f")
    assert outcome.value == [1, 2]
    assert "loose" in outcome.logs[0]
