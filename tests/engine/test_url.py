"""A package by URL: fetched within limits, checked, played, kept with the user."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from studio_qt import CharacterPlayer, PackageError
from studio_qt.files import ZipLimits
from studio_qt.package.download import download_package
from tests.support.packages import agent, build, zip_of


class Site:
    """A web server on loopback: bytes by path, or a redirect where the value is a text."""

    def __init__(self) -> None:
        pages = self.pages = {}  # type: dict[str, bytes | str]

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found = pages.get(self.path)
                if isinstance(found, str):
                    self.send_response(302)
                    self.send_header("Location", found)
                    self.end_headers()
                    return
                self.send_response(200 if found is not None else 404)
                self.end_headers()
                self.wfile.write(found or b"")

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    thread = threading.Thread(target=site.server.serve_forever, args=(0.01,))
    thread.start()
    yield site
    site.server.shutdown()
    thread.join()
    site.server.server_close()


def zipped(tmp_path: Path) -> bytes:
    source = agent("t.x", "export const onToolCall = () => 'from afar';", tools=["far"])
    folder = build(tmp_path / "src", {"agents/t.x.js": source})
    return zip_of(folder, tmp_path / "p.zip").read_bytes()


@pytest.mark.clause("CONS-04", "PKG-13")
async def test_a_zip_by_url_plays_and_its_conversation_is_found_again(
    tmp_path: Path, site: Site
) -> None:
    site.pages |= {"/hero.zip": zipped(tmp_path), "/moved": "/hero.zip"}
    for expected in (0, 2):
        async with CharacterPlayer(f"{site.url}/moved") as player:
            assert len(player) == expected
            assert await player.call_tool("far", {}) == "from afar"
            await player.send("[[say Hello.]]")


@pytest.mark.clause("CONS-04")
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nosuch.zip", "404"),
        ("/page", "not a zip"),
        ("/loop", "without end"),
        ("/away", "https"),
        ("/file", "https"),
    ],
)
async def test_what_cannot_be_fetched_says_why(site: Site, path: str, words: str) -> None:
    site.pages |= {
        "/page": b"<html>hello</html>",
        "/loop": "/loop",
        "/away": "http://example.org/x.zip",
        "/file": "file:///etc/passwd",
    }
    player = CharacterPlayer(site.url + path)
    with pytest.raises(PackageError, match=words):
        await player.open()
    await player.close()


@pytest.mark.clause("CONS-04")
@pytest.mark.parametrize(
    "url", ["http://example.org/a.zip", "https:///a.zip", "http://[::1/a.zip", "https://h:x/a.zip"]
)
async def test_an_address_that_is_not_fetched_is_refused_before_anything_is_asked(
    url: str,
) -> None:
    player = CharacterPlayer(url)
    with pytest.raises(PackageError, match=r"address|https"):
        await player.open()
    await player.close()


@pytest.mark.clause("CONS-04", "PKG-13")
async def test_a_download_over_the_limit_is_refused(site: Site) -> None:
    site.pages["/big.zip"] = b"x" * 3_000_000
    with pytest.raises(PackageError, match="2 MB"):
        await download_package(f"{site.url}/big.zip", limits=ZipLimits(unpacked=2 << 20))


@pytest.mark.clause("CONS-04")
async def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(PackageError, match="could not be fetched"):
        await download_package("http://127.0.0.1:9/a.zip")
