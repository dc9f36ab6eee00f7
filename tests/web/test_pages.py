"""Pages made to hurt: they end within their time, apart, and leave no process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

from studio_qt.errors import AgentError
from studio_qt.web.child import read
from studio_qt.web.page import read_page

pytestmark = pytest.mark.clause("BR-08")


@pytest.mark.parametrize(
    "markup",
    [
        "<p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">x",
        "<div>" * 400_000 + "x",
        "<select>" + "<option>" * 200_000,
    ],
    ids=["attributes", "nesting", "options"],
)
async def test_a_page_that_takes_for_ever_is_given_up_while_the_loop_goes_on(markup: str) -> None:
    reading = asyncio.ensure_future(read_page(markup, 8000, seconds=0.5))
    longest, last = 0.0, time.monotonic()
    while not reading.done():
        await asyncio.wait([reading], timeout=0.01)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    with pytest.raises(AgentError, match="too tangled"):
        reading.result()
    assert longest < 0.4


def test_the_process_ends_by_itself_when_nobody_is_left_to_end_it() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "studio_qt", "--page-reader"],
        input=b'{"limit": 500, "seconds": 0.3}\n' + b"<div>" * 400_000,
        capture_output=True,
        check=False,
    )
    assert (run.returncode, run.stdout, run.stderr) == (1, b"", b"")


async def test_giving_up_reading_ends_the_process() -> None:
    reading = asyncio.ensure_future(read_page("<div>" * 400_000, 8000, seconds=60))
    await asyncio.wait([reading], timeout=0.3)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading  # and the bed finds no process afterwards


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "\0\0",
        "<",
        "<!--" * 10_000,
        "<b>" * 5000 + "x",
        "<table>" * 3000,
        "<a><b><p></a></b>" * 3000,
        "&#x110000;&#xD800;&bogus;&",
        "<title>" + "t" * 5000,
        "\ud800",
        "</html>" * 1000,
    ],
)
async def test_broken_markup_gives_some_page(markup: str) -> None:
    page = await read_page(markup, 8000, seconds=20)
    assert len(page.title or "") <= 300


def test_scripts_menus_and_hidden_parts_are_left_out() -> None:
    markup = """<body><nav>menu</nav><article><p>Text that stays, of some length, with commas,
    and so on.</p><script>s()</script><style>c</style><svg><text>drawn</text></svg>
    <iframe>f</iframe><p hidden>h</p><p style="display: none">d</p><template>t</template>
    <img alt="pic"><button>Press</button><object>o</object></article></body>"""
    assert read(markup, 8000)["text"] == "Text that stays, of some length, with commas, and so on."


def test_lists_of_a_plain_page_are_kept_and_a_main_part_is_all_that_is_read() -> None:
    plain = "<body><h1>Rules</h1><ul><li>One<li>Two</ul><ol><li>Three</ol>"
    assert str(read(plain, 8000)["text"]).split() == [
        "Rules",
        "•",
        "One",
        "•",
        "Two",
        "1.",
        "Three",
    ]
    banner = "<body><div>We use cookies</div><main><p>What it says.</p></main><p>Elsewhere</p>"
    assert read(banner, 8000)["text"] == "What it says."


def test_a_page_whose_main_part_is_not_found_is_read_whole() -> None:
    words = "words in a place that looks like a menu " * 30
    found = str(read(f'<body><div class="sidebar nav">{words}</div></body>', 8000)["text"])
    assert found.startswith("words in a place")


def test_the_executable_of_a_bundle_reads_pages_without_loading_the_command_line() -> None:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "studio_qt", "--page-reader"],
        input=b'{"limit": 500, "seconds": 4}\n<title>T</title><p>Hi',
        capture_output=True,
        check=True,
    )
    assert run.stdout == b'{"title": "T", "text": "Hi", "truncated": false}'
    assert b"studio_qt.cli" not in run.stderr
    assert b"PySide6" not in run.stderr
