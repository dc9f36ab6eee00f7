"""The strict bed: what a test leaves behind fails it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication

ROOT = Path(__file__).resolve().parents[2]
SUITE = """
    import asyncio, subprocess, sys, threading
    from PySide6.QtCore import QTimer, qWarning
    from PySide6.QtWidgets import QLabel

    kept = []

    def test_a_careful_one(tmp_path):
        assert not list(tmp_path.iterdir())

    async def test_an_executor_that_ends_with_the_loop():
        await asyncio.to_thread(print)

    async def test_a_task():
        asyncio.get_running_loop().create_task(asyncio.sleep(60), name="loose")

    def test_a_thread():
        threading.Thread(target=threading.Event().wait, name="loose", daemon=True).start()

    def test_a_process():
        kept.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]))

    def test_a_window(qapp):
        kept.append(QLabel("loose"))
        kept[-1].show()

    def test_a_timer(qapp):
        kept.append(QTimer())
        kept[-1].start(1000)

    def test_a_message_of_qt(qapp):
        qWarning("loose")
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty suite under the conftest of this one and its options."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makeconftest("from tests.conftest import *")
    pytester.makefile(".toml", pyproject=(ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return pytester


def test_what_is_left_behind_fails_its_test_alone(suite: pytest.Pytester) -> None:
    suite.makepyfile(SUITE)
    result = suite.runpytest_subprocess(".")
    result.assert_outcomes(passed=7, errors=5, failed=1)
    result.stdout.fnmatch_lines_random(
        [
            "left behind: the task loose has not ended*",
            "left behind: the thread 'loose' still runs",
            "left behind: the process * is still there",
            "left behind: the window * is still visible",
            "left behind: the timer of None still runs, every 1000 ms",
            "*Qt messages with level WARNING*",
        ]
    )


@pytest.mark.qt_loop
async def test_a_qt_loop_test_runs_on_qasync(qapp: object) -> None:
    from qasync import QEventLoop

    assert isinstance(asyncio.get_running_loop(), QEventLoop)


def test_nothing_of_the_user_is_in_reach(tmp_path: Path) -> None:
    import keyring

    assert keyring.get_keyring().__module__ == "keyring.backends.null"
    home = Path(os.environ["STUDIO_QT_HOME"])
    assert home.is_relative_to(tmp_path.parent)
    assert not list(home.iterdir())
    assert os.environ["QT_QPA_PLATFORM"] == "offscreen"


@pytest.mark.qt_loop
async def test_a_step_that_is_due_in_the_midst_of_another_comes_later(
    qapp: QCoreApplication,
) -> None:
    done = asyncio.Event()

    async def other() -> None:
        done.set()

    task = asyncio.create_task(other())
    qapp.processEvents()  # as QTest does for keys that are sent to a window's handle
    assert not done.is_set()
    async with asyncio.timeout(5):
        await task
    assert done.is_set()
