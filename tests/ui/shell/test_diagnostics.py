"""The log of the window, and the report: whatever happens, no key is in them."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, qInstallMessageHandler, qWarning
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from studio_qt.settings import home_folder
from studio_qt.ui.diagnostics import logfile
from studio_qt.ui.diagnostics.logfile import StudioLog
from studio_qt.ui.diagnostics.masking import MASK, mask
from studio_qt.ui.diagnostics.page import Diagnostics, Facts
from studio_qt.ui.diagnostics.report import report
from studio_qt.ui.diagnostics.walls import WallsSheet
from tests.support.qt import until
from tests.ui.shell.conftest import Bench

KEY = "sk-proj-Zx81kqLm02VtY7"
qt_loop = pytest.mark.qt_loop

LEAKS = [
    f"Authorization: Bearer {KEY}",
    f"{{'authorization': 'Bearer {KEY}', 'accept': '*/*'}}",
    f'{{"api_key": "{KEY}"}}',
    f"api-key={KEY}&model=m",
    f"x-api-key: {KEY}",
    f"https://host/v1?key={KEY}&x=1",
    f"https://user:{KEY}@host/v1",
    f"the server said: invalid key {KEY}.",
    f"bearer {KEY}",
    f"password: '{KEY} with blanks'",
    f"Cookie: {KEY}",
]
LOOKALIKES = [
    "AIzaSyA1234567890abcdefghij_klmno",
    "ghp_1234567890abcdefABCDEF",
    "hf_abcdefghijklmnop",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    "Zx81kqLm02VtY7Zx81kqLm02VtY7Zx81kqLm02VtY7",
]
HARMLESS = [
    "2026-11-01 12:00:00,123 INFO studio_qt.ui: opened /home/me/keeper.maps.ts",
    "conversation_01.studio.memory-store.agent.json is 1,024 tokens",
    "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763",
    "The task keyboard-shortcuts-and-more ended.",
    'Traceback: File "/opt/studio_qt/ui/window.py", line 12, in open',
]


@pytest.mark.parametrize("text", LEAKS)
def test_a_key_is_masked_wherever_it_stands(text: str) -> None:
    assert KEY not in mask(text)
    assert "Zx81" not in mask(text)
    assert MASK in mask(text)


@pytest.mark.parametrize("text", LOOKALIKES)
def test_what_looks_like_a_key_is_masked(text: str) -> None:
    assert mask(f"sent {text} away") == f"sent {MASK} away"


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_key_stays(text: str) -> None:
    assert mask(text) == text


def test_known_keys_are_masked_whatever_they_look_like() -> None:
    log = StudioLog(home_folder())
    log.hide("correct horse")
    log.hide("it")
    assert log.masked("it is correct horse") == f"it is {MASK}"


@pytest.fixture
def log():
    made = StudioLog(home_folder())
    made.start()
    yield made
    made.close()


def written(log: StudioLog) -> str:
    return log.path.read_text(encoding="utf-8")


def test_the_log_has_what_happens_and_no_key(log: StudioLog) -> None:
    logging.getLogger("studio_qt.somewhere").info("opened with %s", KEY)
    logging.getLogger("httpx").info("a request")
    logging.getLogger("httpx").warning("an answer")
    try:
        raise ValueError(f"refused api_key={KEY}")
    except ValueError:
        logging.getLogger("studio_qt").exception("failed")
    text = written(log)
    assert f"opened with {MASK}" in text
    assert "an answer" in text
    assert "a request" not in text
    assert "Traceback" in text
    assert KEY not in text


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_the_log_is_readable_for_its_owner_alone(log: StudioLog) -> None:
    logging.getLogger("studio_qt").warning("x")
    assert log.path.stat().st_mode & 0o077 == 0


def test_another_log_of_the_process_gets_no_key_either(tmp_path: Path) -> None:
    other = logging.FileHandler(tmp_path / "other.log", encoding="utf-8")
    logging.getLogger().addHandler(other)
    log = StudioLog(home_folder())
    log.start()
    logging.getLogger("studio_qt").warning("key %s", KEY)
    log.close()
    assert other.formatter is None
    logging.getLogger().removeHandler(other)
    other.close()
    assert (tmp_path / "other.log").read_text(encoding="utf-8") == f"key {MASK}\n"


def test_closing_leaves_everything_as_it_was() -> None:
    before = (sys.excepthook, threading.excepthook, logging.getLogger().handlers[:])
    level = logging.getLogger("studio_qt").level
    log = StudioLog(home_folder())
    for _ in range(2):
        log.start()
    for _ in range(2):
        log.close()
    assert (sys.excepthook, threading.excepthook, logging.getLogger().handlers[:]) == before
    assert logging.getLogger("studio_qt").level == level


def test_exceptions_that_nobody_caught_are_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, _error, _trace: told.append(kind))
    log = StudioLog(home_folder())
    log.start()
    sys.excepthook(ValueError, ValueError("from the main thread"), None)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    log.close()
    assert told == [ValueError, KeyboardInterrupt]
    assert "from the main thread" in written(log)
    assert "KeyboardInterrupt" not in written(log)


def test_a_thread_that_fails_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda _given: None)
    log = StudioLog(home_folder())
    log.start()

    def fail() -> None:
        raise ValueError("in a thread")

    thread = threading.Thread(target=fail, name="reader")
    thread.start()
    thread.join()
    log.close()
    assert "The thread reader ended by this." in written(log)
    assert "in a thread" in written(log)


def test_messages_of_qt_are_logged_and_passed_on(qapp: object) -> None:
    heard: list[str] = []
    before = qInstallMessageHandler(lambda _kind, _context, message: heard.append(message))
    try:
        log = StudioLog(home_folder())
        log.start()
        qWarning(f"a warning with {KEY}")
        log.close()
        qWarning("afterwards")
    finally:
        qInstallMessageHandler(before)
    assert f"a warning with {MASK}" in written(log)
    assert heard == [f"a warning with {KEY}", "afterwards"]


@qt_loop
async def test_what_fails_on_the_loop_is_logged() -> None:
    log, loop = StudioLog(home_folder()), asyncio.get_running_loop()
    log.start(loop)
    loop.call_exception_handler({"message": "it broke", "exception": ValueError(KEY)})
    log.close()
    assert "On the loop: it broke" in written(log)
    assert KEY not in written(log)


def test_the_log_is_cut_into_three_files(log: StudioLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.close()
    monkeypatch.setattr(logfile, "_BYTES", 2_000)
    small = StudioLog(home_folder())
    small.start()
    for at in range(200):
        logging.getLogger("studio_qt").warning("line %s of many that fill the file", at)
    small.close()
    assert len(list(small.path.parent.iterdir())) == 3


def test_a_log_that_cannot_be_written_breaks_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be", encoding="utf-8")
    log = StudioLog(tmp_path)
    log.start()
    for _ in range(3):
        logging.getLogger("studio_qt").warning("x")
    log.close()
    assert capsys.readouterr().err.count("cannot be written") == 1
    assert log.tail(5) == []


def facts() -> Facts:
    profile = {"takes_tools": True, "extra_body": {"persona": "my secret diary"}}
    return Facts(walls=("The environment of a worker is empty.",), profile=profile)


@pytest.mark.clause("STU-10")
def test_the_report_has_versions_walls_and_no_key(log: StudioLog) -> None:
    log.hide("correct horse")
    logging.getLogger("studio_qt").warning("refused %s and correct horse", KEY)
    logging.getLogger("studio_qt").warning("in %s", Path.home() / "secret-novel")
    text = report(facts(), log)
    for part in ("version ", "Python ", "httpx ", "lua: yes", "environment of a worker"):
        assert part in text
    assert "takes_tools: True" in text
    for private in (KEY, "correct horse", "my secret diary", str(Path.home())):
        assert private not in text


@qt_loop
async def test_the_report_is_copied_from_the_menu(bench: Bench, log: StudioLog) -> None:
    page = Diagnostics(bench.desk, log, facts, bench.window)
    told: list[str] = []
    page.notice.connect(lambda text, _kind: told.append(text))
    logging.getLogger("studio_qt").warning("refused %s", KEY)
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(bench.window, Qt.Key.Key_F1, held)
    await until(lambda: bool(told))
    text = QGuiApplication.clipboard().text()
    assert "takes_tools: True" in text
    assert f"refused {MASK}" in text
    assert KEY not in text


@qt_loop
async def test_the_log_is_opened_by_the_system(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: bool(opened.append(url.toLocalFile()))
    )
    log = StudioLog(home_folder())
    page = Diagnostics(bench.desk, log, facts, bench.window)
    told: list[str] = []
    page.notice.connect(lambda text, _kind: told.append(text))
    bench.desk.actions.find("openLog").trigger()
    log.path.parent.mkdir(parents=True)
    log.path.write_text("x", encoding="utf-8")
    page.open_log()
    assert opened == [str(log.path.parent), str(log.path)]
    assert len(told) == 2


@pytest.mark.clause("BOX-01")
@qt_loop
async def test_walls_that_are_missing_are_told_apart(bench: Bench) -> None:
    walls = ("The environment is empty.", "Missing: a limit on memory.")
    sheet = WallsSheet(bench.desk.theme, bench.window, walls)
    sheet.lay()
    texts = [words.text() for words in sheet.findChildren(QLabel)]
    assert texts.index("The environment is empty.") < texts.index("A limit on memory.")
    assert "NOT OFFERED BY THIS SYSTEM" in texts
    QTest.keyClick(sheet.findChild(QWidget, "messageClose"), Qt.Key.Key_Escape)
    assert not sheet.is_open
