"""Characters from an address, in a real window and over real HTTP on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit

from studio_qt.authoring.trust import TrustBook
from studio_qt.settings import home_folder
from tests.authoring.test_cards import V2
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage
from tests.ui.incoming.parcels import FILES, drop, packed, said

pytestmark = [pytest.mark.qt_loop, pytest.mark.clause("CONS-04")]


class Site:
    """A web server on loopback; a page of `slow` sends half of itself, then waits for `go`."""

    def __init__(self) -> None:
        pages = self.pages = {}  # type: dict[str, bytes]
        slow = self.slow = set()  # type: set[str]
        go = self.go = threading.Event()
        asked = self.asked = []  # type: list[str]

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                found = pages.get(self.path)
                self.send_response(200 if found is not None else 404)
                self.send_header("Content-Length", str(len(found or b"")))
                self.end_headers()
                data = found or b""
                half = len(data) // 2 if self.path in slow else len(data)
                self.wfile.write(data[:half])
                self.wfile.flush()
                if half < len(data):
                    go.wait(20)
                    try:
                        self.wfile.write(data[half:])
                    except OSError:
                        self.close_connection = True  # whoever asked has gone

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
    site.go.set()
    site.server.shutdown()
    thread.join()
    site.server.server_close()


async def ask(stage: Stage, address: str) -> None:
    """Write an address into the sheet, and press Enter."""
    action = stage.window.inside.desk.actions.find("importAddress")
    assert action is not None
    action.trigger()
    await until(lambda: bool(stage.all("importAddress")))
    field = stage.find("importAddress", QLineEdit)
    assert field.hasFocus()
    QTest.keyClicks(field, address)
    QTest.keyClick(field, Qt.Key.Key_Return)


def shown(stage: Stage) -> str:
    sheet = stage.find("addressSheet")
    return "\n".join(one.text() for one in sheet.findChildren(QLabel) if one.isVisible())


async def test_a_zip_by_address_plays_and_its_code_is_asked_about(
    stage_on: OpenStage, tmp_path: Path, site: Site
) -> None:
    site.pages["/kay.zip"] = packed(tmp_path / "kay.zip", FILES).read_bytes()
    stage = await stage_on(write_package(tmp_path / "ada"))
    await ask(stage, f"{site.url}/kay.zip")
    await until(lambda: bool(stage.all("importPlay")), 10)
    assert f"from {site.url}/kay.zip" in said(stage)
    stage.click("importPlay")
    await until(lambda: stage.window.pages.trusting.sheet is not None, 20)
    place = stage.window.session.place
    assert place is not None
    assert place.parent == home_folder() / "zips"
    assert TrustBook(home_folder()).record(place).origin == f"{site.url}/kay.zip"


async def test_a_card_by_address_comes_in(stage_on: OpenStage, tmp_path: Path, site: Site) -> None:
    site.pages["/hanne"] = json.dumps(V2).encode()
    stage = await stage_on(write_package(tmp_path / "ada"))
    await ask(stage, f"{site.url}/hanne")
    await until(lambda: bool(stage.all("importOpen")), 10)
    assert "Import Hanne" in said(stage)


async def test_progress_is_told_and_stop_ends_it(
    stage_on: OpenStage, tmp_path: Path, site: Site
) -> None:
    site.pages["/kay.zip"] = packed(tmp_path / "kay.zip", FILES).read_bytes() + b" " * 4_000_000
    site.slow.add("/kay.zip")
    stage = await stage_on(write_package(tmp_path / "ada"))
    await ask(stage, f"{site.url}/kay.zip")
    await until(lambda: "of 3.8 MB have come" in shown(stage), 10)
    stage.click("addressCancel")
    await until(lambda: "Stopped" in shown(stage))
    assert stage.find("addressFetch").isEnabled()
    stage.press(Qt.Key.Key_Escape, stage.find("importAddress"))
    assert not stage.all("addressSheet")


@pytest.mark.parametrize(
    ("path", "why"),
    [("/gone.zip", "answered with 404"), ("/text", "is no card"), ("/cut.zip", "is not a zip")],
)
async def test_what_does_not_come_says_why_beside_the_address(
    path: str, why: str, stage_on: OpenStage, tmp_path: Path, site: Site
) -> None:
    site.pages |= {"/text": b"\xff\x00", "/cut.zip": b"PK\x03\x04 cut"}
    stage = await stage_on(write_package(tmp_path / "ada"))
    await ask(stage, f"{site.url}{path}")
    await until(lambda: why in shown(stage), 10)
    assert stage.find("importAddress").hasFocus()


async def test_other_addresses_than_https_are_not_fetched(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    await ask(stage, "http://example.org/kay.zip")
    await until(lambda: "by https" in shown(stage), 10)


async def test_a_link_that_is_dropped_is_asked_about_before_it_is_fetched(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await stage_on(write_package(tmp_path / "ada"))
    assert drop(stage.window, link="https://example.org/kay.zip")
    await until(lambda: bool(stage.all("importAddress")))
    assert stage.find("importAddress", QLineEdit).text() == "https://example.org/kay.zip"  # type: ignore[attr-defined]
    assert "import" not in stage.window.tasks.names
