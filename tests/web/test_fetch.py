"""What a fetch gives, and where it ends: redirects, sizes, times, kinds and characters."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import trustme

from studio_qt.errors import AgentError, ClosedError
from studio_qt.web import WebReader
from studio_qt.web.content import decode
from studio_qt.web.ranges import look_up
from tests.support.website import LOOPBACK, Site, door, moved, page

pytestmark = pytest.mark.clause("BR-08")

ARTICLE = """<!doctype html><html><head><title> The
 Light &amp; more </title><style>p{}</style><script>evil()</script></head><body>
<nav><ul><li><a href="/">Home</a></li></ul></nav>
<main><h1>Lighthouse</h1><p>A <b>tower</b>&nbsp;by the sea.<img src=x alt="ALT"></p>
<ul><li>One</li><li>Two</li></ul><noscript>Turn on</noscript></main>
<footer>Imprint</footer></body></html>"""


async def test_a_page_comes_as_readable_text_with_its_title(site: Site, reader: WebReader) -> None:
    site.pages["/a?b=c"] = page(ARTICLE)
    found = await reader.fetch(site.url("/a?b=c#d"))
    text = str(found.pop("text"))
    assert found == {
        "url": site.url("/a?b=c"),
        "status": 200,
        "contentType": "text/html",
        "title": "The Light & more",
        "truncated": False,
    }
    assert [line.strip(" •") for line in text.split("\n") if line] == [
        "Lighthouse",
        "A tower by the sea.",
        "One",
        "Two",
    ]


async def test_nothing_of_the_user_is_sent(
    site: Site, reader: WebReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.pages["/"] = page("", status=302, Location="/next", Set_Cookie="a=b")
    site.pages["/next"] = page("Here")
    await reader.fetch(f"http://user:secret@site.example:{site.port}/")
    await reader.fetch(site.url())
    for head in site.requests:
        names = {line.partition(":")[0].lower() for line in head.split("\r\n")[1:] if line}
        assert names == {"host", "user-agent", "accept", "accept-encoding", "connection"}
        assert "User-Agent: CharacterStudio/" in head
        assert f"Host: site.example:{site.port}" in head


@pytest.mark.parametrize(
    ("wanted", "length"), [(None, 8000), (0, 500), (-5, 500), (1234, 1234), (10**9, 30_000)]
)
async def test_the_text_is_cut_at_max_chars_which_is_clamped(
    site: Site, reader: WebReader, wanted: int | None, length: int
) -> None:
    site.pages["/"] = page("x" * 40_000, "text/plain")
    site.pages["/html"] = page(f"<p>{'x' * 40_000}</p>")
    for path in ("/", "/html"):
        found = await reader.fetch(site.url(path), wanted)
        assert (len(str(found["text"])), found["truncated"]) == (length, True)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_and_the_last_address_is_told(
    site: Site, reader: WebReader, status: int
) -> None:
    site.pages["/a/"] = moved("../b?c=d#e", status)
    site.pages["/b?c=d"] = moved(f"//other.example:{site.port}/end", status)
    site.pages["/end"] = page("There", "text/plain")
    found = await reader.fetch(site.url("/a/"))
    assert (found["url"], found["text"]) == (site.url("/end", "other.example"), "There")


async def test_five_redirects_are_followed_and_no_more(site: Site, reader: WebReader) -> None:
    for number in range(6):
        site.pages[f"/{number}"] = moved(f"/{number + 1}")
    site.pages["/6"] = page("End", "text/plain")
    assert (await reader.fetch(site.url("/1")))["text"] == "End"
    with pytest.raises(AgentError, match="more than 5 times"):
        await reader.fetch(site.url("/0"))


async def test_a_redirect_loop_ends(site: Site, reader: WebReader) -> None:
    site.pages["/"] = moved("/")
    with pytest.raises(AgentError, match="redirects"):
        await reader.fetch(site.url())
    assert len(site.requests) == 6


async def test_a_status_of_failure_is_a_result(site: Site, reader: WebReader) -> None:
    found = await reader.fetch(site.url("/nowhere"))
    assert (found["status"], found["text"]) == (404, "Not here.")
    site.pages["/"] = page("", kind=None, status=302)  # a redirect that does not say where
    found = await reader.fetch(site.url("/"))
    assert (found["status"], found["text"], found["title"]) == (302, "", None)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("application/json; charset=utf-8", "application/json"),
        ("application/feed+json", "application/feed+json"),
        ("TEXT/Plain", "text/plain"),
        ("text/markdown", "text/markdown"),
        ("text/csv", "text/csv"),
        ("application/rss+xml", "application/rss+xml"),
        ("text/xml", "text/xml"),
        (None, ""),
    ],
)
async def test_text_of_many_kinds_comes_as_it_is(
    site: Site, reader: WebReader, kind: str | None, said: str
) -> None:
    site.pages["/"] = page('{"a":\r\n1}', kind)
    found = await reader.fetch(site.url())
    assert (found["text"], found["contentType"], found["title"]) == ('{"a":\n1}', said, None)


@pytest.mark.parametrize(
    "kind", ["image/png", "application/pdf", "application/octet-stream", "video/mp4", "x", "a/b/c"]
)
async def test_other_kinds_are_refused_by_name_without_reading_them(
    site: Site, reader: WebReader, kind: str
) -> None:
    site.pages["/"] = page("x", kind)
    with pytest.raises(AgentError, match=f"type {kind}"):
        await reader.fetch(site.url())


async def test_bytes_that_call_themselves_text_are_refused(site: Site, reader: WebReader) -> None:
    for path, kind in {"/a": "text/plain", "/b": None}.items():
        site.pages[path] = page(b"\x89PNG\0\0\0", kind)
        with pytest.raises(AgentError, match="no text"):
            await reader.fetch(site.url(path))


async def test_control_characters_are_left_out(site: Site, reader: WebReader) -> None:
    for path, kind in {"/a": "text/plain", "/b": "text/html"}.items():
        site.pages[path] = page("a\x1b[31mb\x07\tc\x9bd", kind)
        assert (await reader.fetch(site.url(path)))["text"].split() == ["a[31mb", "cd"]


async def test_html_without_a_type_is_recognised(site: Site, reader: WebReader) -> None:
    site.pages["/"] = page("\n<!DOCTYPE HTML><title>T</title><p>Hi", None)
    found = await reader.fetch(site.url())
    assert (found["title"], found["text"]) == ("T", "Hi")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("<p>Grüße".encode(), "text/html"),
        ("<p>Grüße".encode("cp1252"), "text/html"),
        ("<p>Grüße".encode("latin-1"), "text/html; charset=ISO-8859-1"),
        ("<p>Grüße".encode("utf-16"), "text/html"),
        ("<p>Grüße".encode("utf-16-be"), 'text/html; charset="utf-16be"'),
        (b"\xef\xbb\xbf" + "<p>Grüße".encode(), "text/html; charset=latin-1"),
        (b"<meta charset=iso-8859-15><p>" + "Grüße".encode("latin-1"), "text/html"),
        (
            b'<META http-equiv=x content="text/html; charset=windows-1252">'
            + "Grüße".encode("cp1252"),
            "text/html",
        ),
        (b"<?xml version='1.0' encoding='latin-1'?><p>Gr\xfc\xdfe", "application/xhtml+xml"),
        ("<p>Grüße".encode(), "text/html; charset=punycode"),
        ("<p>Grüße".encode(), "text/html; charset=unicode_escape"),
        ("<p>Grüße".encode(), "text/html; charset=no-such"),
        ("<p>Grüße".encode(), "text/html; charset=" + "x" * 9999),
        ("<p>Grüße".encode("gb18030"), "text/html; charset=gb2312"),
    ],
)
def test_characters_are_read_as_the_page_or_its_header_says(body: bytes, kind: str) -> None:
    assert decode(body, kind, markup=True).rpartition(">")[2] == "Grüße"


async def test_a_page_in_other_characters_is_read(site: Site, reader: WebReader) -> None:
    site.pages["/"] = page(b"<meta charset=koi8-r><p>\xf0\xd2\xc9\xd7\xc5\xd4", "text/html")
    assert (await reader.fetch(site.url()))["text"] == "Привет"


async def test_a_packed_page_is_unpacked(site: Site, reader: WebReader) -> None:
    members = gzip.compress(b"first, ") + gzip.compress(b"second") + b"rubbish"
    site.pages["/"] = page(members, "text/plain", Content_Encoding="gzip")
    assert (await reader.fetch(site.url()))["text"] == "first, second"


async def test_a_damaged_or_unknown_packing_is_refused(site: Site, reader: WebReader) -> None:
    site.pages["/"] = page(b"no gzip", "text/plain", Content_Encoding="gzip")
    with pytest.raises(AgentError, match="damaged"):
        await reader.fetch(site.url())
    site.pages["/"] = page(b"x", "text/plain", Content_Encoding="br")
    with pytest.raises(AgentError, match="packed as br"):
        await reader.fetch(site.url())


async def test_a_bomb_is_unpacked_only_to_the_limit(site: Site, reader: WebReader) -> None:
    bomb = gzip.compress(b"a" * 30_000_000, 1)
    site.pages["/"] = page(bomb, "text/plain", Content_Encoding="gzip")
    found = await reader.fetch(site.url())
    assert (found["text"], found["truncated"]) == ("a" * 8000, True)


async def test_a_huge_page_is_read_to_the_limit_and_then_left(
    site: Site, reader: WebReader
) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Begin</p><!--")
        while True:
            writer.write(b"x" * 65536)
            await writer.drain()

    site.pages["/"] = endless
    found = await reader.fetch(site.url())
    assert (found["text"], found["truncated"]) == ("Begin", True)
    await site.broke_off.wait()


async def test_a_short_page_in_a_huge_one_is_marked_as_cut(site: Site, reader: WebReader) -> None:
    site.pages["/"] = page(f"Begin{' ' * 5_000_000}end", "text/plain")
    found = await reader.fetch(site.url())
    assert (found["text"], found["truncated"]) == ("Begin", True)


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nbegin"]
)
async def test_a_page_that_does_not_come_ends_at_the_time_limit(
    site: Site, reader: WebReader, start: bytes
) -> None:
    gone = asyncio.Event()

    async def stall(writer: asyncio.StreamWriter) -> None:
        writer.write(start)
        await writer.drain()
        await gone.wait()

    site.pages["/"] = stall
    try:
        with pytest.raises(AgentError, match=r"longer than 0\.1 s"):
            await reader.fetch(site.url(), seconds=0.1)
    finally:
        gone.set()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"rubbish\r\n\r\n", "does not speak HTTP"),
        (b"", "could not be reached"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort", "broke off"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 500_000 + b"\r\n\r\n", "could not be reached"),
    ],
)
async def test_a_server_that_misbehaves_is_an_error_with_a_reason(
    site: Site, reader: WebReader, answer: bytes, said: str
) -> None:
    site.pages["/"] = answer
    with pytest.raises(AgentError, match=said):
        await reader.fetch(site.url())


async def test_an_unknown_name_and_a_closed_port_are_told(site: Site) -> None:
    reader = WebReader(door=door(site, {}))
    with pytest.raises(AgentError, match="could not be found"):
        await reader.fetch(site.url())
    nobody = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.port = nobody.sockets[0].getsockname()[1]
    nobody.close()
    await nobody.wait_closed()
    reader = WebReader(door=door(site))
    with pytest.raises(AgentError, match="could not be reached"):
        await reader.fetch(site.url())
    await reader.close()


async def test_the_system_is_asked_for_all_addresses_and_what_it_cannot_look_up_is_told() -> None:
    assert await look_up("127.0.0.1", 80) == [LOOPBACK]
    with pytest.raises(AgentError, match="could not be found"):
        await look_up("x" * 70, 80)  # refused before anything is sent


async def test_the_next_address_is_tried_when_one_does_not_answer(site: Site) -> None:
    site.pages["/"] = page("Here", "text/plain")
    names = {"site.example": ["127.0.0.9", "127.0.0.1"]}
    opened = door(site, names)
    wide = type(opened)(opened.resolve, lambda address: address.is_loopback, opened.ports)
    reader = WebReader(door=wide)
    assert (await reader.fetch(site.url()))["text"] == "Here"
    await reader.close()


async def test_many_pages_at_once_wait_for_their_turn(site: Site, reader: WebReader) -> None:
    running, most = 0, 0
    enough = asyncio.Event()

    async def slowly(writer: asyncio.StreamWriter) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if most == 4:
            enough.set()
        await enough.wait()
        running -= 1
        writer.write(page("ok", "text/plain"))
        await writer.drain()

    site.pages["/"] = slowly
    found = await asyncio.gather(*(reader.fetch(site.url()) for _ in range(12)))
    assert [page["text"] for page in found] == ["ok"] * 12
    assert most == 4


async def test_a_closed_reader_reads_nothing(site: Site, reader: WebReader) -> None:
    await reader.close()
    await reader.close()
    with pytest.raises(ClosedError):
        await reader.fetch(site.url())


# TLS


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest_asyncio.fixture
async def secure(authority: trustme.CA) -> AsyncIterator[Site]:
    """A server whose certificate is for site.example alone."""
    site = Site(pages={"/": page("Safe", "text/plain")})
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example").configure_cert(context)
    async with await asyncio.start_server(site.serve, "127.0.0.1", 0, ssl=context) as server:
        site.port = server.sockets[0].getsockname()[1]
        yield site


def _trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


async def test_a_pinned_connection_still_verifies_the_name(
    secure: Site, authority: trustme.CA
) -> None:
    reader = WebReader(door=door(secure), tls=_trusting(authority))
    assert (await reader.fetch(secure.url(scheme="https")))["text"] == "Safe"
    for host in ("other.example", str(LOOPBACK)):
        with pytest.raises(AgentError, match="certificate is not to be trusted"):
            await reader.fetch(secure.url(scheme="https", host=host))
    assert len(secure.requests) == 1
    await reader.close()


async def test_a_certificate_of_an_unknown_authority_is_refused(secure: Site) -> None:
    reader = WebReader(door=door(secure))
    with pytest.raises(AgentError, match="certificate is not to be trusted"):
        await reader.fetch(secure.url(scheme="https"))
    assert secure.requests == []
    await reader.close()


async def test_a_server_without_tls_is_told(site: Site, reader: WebReader) -> None:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(page("plain", "text/plain"))
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as plain:
        site.port = plain.sockets[0].getsockname()[1]
        reader = WebReader(door=door(site))
        with pytest.raises(AgentError, match="could not be reached"):
            await reader.fetch(site.url(scheme="https"))
        await reader.close()
