"""`studio.web.fetch` through a real player: off, on, and held to the call's own time."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any

import pytest

from studio_qt import CharacterPlayer, ClosedError, PlayerSettings
from studio_qt.web import WebReader
from tests.engine.conftest import MakePlayer
from tests.support.packages import agent
from tests.support.website import Site, door, page

pytestmark = pytest.mark.clause("BR-08")

READER = agent(
    "t.reader",
    """
export async function onToolCall(name, args, store, studio) {
  const page = await studio.web.fetch(args.url, args.options).catch((e) => e.message);
  return JSON.stringify(page);
}
export async function onLoad(store, studio) {
  return await studio.web.fetch("http://10.0.0.1/").catch((e) => e.message);
}
""",
    tools={"read": {"url": {}, "options": {}}},
    tags="@api studio.web\n@preload true",
)
ON = PlayerSettings(web_access=True)


async def read(player: CharacterPlayer, url: object, **options: object) -> Any:
    return json.loads(await player.call_tool("read", {"url": url, "options": options}))  # type: ignore[dict-item]


async def test_an_agent_reads_a_page_when_the_user_allows_it(
    make_player: MakePlayer,
    site: Site,
) -> None:
    site.pages["/"] = page(f"<title>Tides</title><p>{'High water. ' * 100}")
    reader = WebReader(door=door(site))
    player = await make_player({"agents/t.reader.js": READER}, settings=ON, web=reader)
    found = await read(player, site.url(), maxChars=600.9)
    assert (found["title"], found["status"], found["truncated"]) == ("Tides", 200, True)
    assert len(found["text"]) == 600
    assert set(found) == {"url", "status", "contentType", "title", "text", "truncated"}
    await player.close()
    with pytest.raises(ClosedError):
        await reader.fetch(site.url())


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://127.0.0.1:8080/", "blocked"),
        ("http://[::ffff:a9fe:a9fe]/latest", "blocked"),
        ("file:///etc/passwd", "only http(s)"),
        ("nonsense", "not a valid URL"),
        (None, "not a valid URL"),
        ({"toString": 1}, "not a valid URL"),
        (5, "not a valid URL"),
    ],
)
async def test_the_real_reader_refuses_with_the_words_of_the_contract(
    make_player: MakePlayer, url: object, said: str
) -> None:
    player = await make_player({"agents/t.reader.js": READER}, settings=ON)
    assert said in await read(player, url)


async def test_access_is_off_until_it_is_switched_on_and_off_again(
    make_player: MakePlayer,
    site: Site,
) -> None:
    site.pages["/"] = page("Hello", "text/plain")
    reader = WebReader(door=door(site))
    player = await make_player({"agents/t.reader.js": READER}, web=reader)
    refused = "studio.web.fetch is not implemented in this player."
    assert await read(player, site.url()) == refused
    await player.configure(settings=ON)
    assert (await read(player, site.url()))["text"] == "Hello"
    await player.configure(settings=dataclasses.replace(ON, web_access=False))
    assert await read(player, site.url()) == refused
    assert len(site.requests) == 1


@pytest.mark.clause("BR-11")
async def test_a_page_that_does_not_come_is_told_before_the_call_is_ended(
    make_player: MakePlayer,
    site: Site,
) -> None:
    gone = asyncio.Event()

    async def stall(_: asyncio.StreamWriter) -> None:
        await gone.wait()

    site.pages["/"] = stall
    settings = PlayerSettings(web_access=True, call_timeout=1.5)
    reader = WebReader(door=door(site))
    player = await make_player({"agents/t.reader.js": READER}, settings=settings, web=reader)
    assert "took longer than 1.2 s" in await read(player, site.url())
    gone.set()


async def test_looking_at_a_prompt_reads_no_page(make_player: MakePlayer) -> None:
    player = await make_player({"agents/t.reader.js": READER}, settings=ON)
    prepared = await player.prepare_request("Hi")
    assert "No page is read" in json.dumps(prepared["messages"])
