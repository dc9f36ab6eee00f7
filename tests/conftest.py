"""The bed that every test lies in: fresh settings and environment, and nothing left behind.

Async tests run on asyncio. Those marked `qt_loop` run on a qasync loop with a QApplication, as
the window does: `pytestmark = pytest.mark.qt_loop`, or one of these on a single test. In them,
wait with `await`, never with `qtbot.waitSignal` or another nested loop; `tests/support/qt.py`
has awaitable waits.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hypothesis
import platformdirs
import pytest
import pytest_asyncio

from tests.leaks import Bed, unfinished_tasks
from tests.support.fixtures import model  # noqa: F401  (fixtures that several areas use)

# Before anything imports Qt or keyring, and for child processes as well: no display is asked for
# and no keychain is touched, whatever the machine has.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_API"] = "pyside6"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"

pytest_plugins = ["tests.clauses", "tests.interoperability", "pytester"]

hypothesis.settings.register_profile("studio", database=None, deadline=None, derandomize=True)
hypothesis.settings.load_profile("studio")

_CACHE = str(platformdirs.user_cache_path("studio_qt-tests", appauthor=False))
"""What takes long to make and is the same in every run: it outlives tests and runs."""

_FOREIGN = ("STUDIO_", "OPENAI_", "QT_SCALE", "QT_STYLE", "PYTHONASYNCIO")
_HOMES = {
    "STUDIO_QT_HOME": "studio",
    "HOME": "user",
    "USERPROFILE": "user",
    "APPDATA": "user",
    "LOCALAPPDATA": "user",
    "XDG_CACHE_HOME": "user/cache",
    "XDG_CONFIG_HOME": "user/config",
    "XDG_DATA_HOME": "user/data",
    "XDG_STATE_HOME": "user/state",
    "XDG_RUNTIME_DIR": "run",
}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "qt_loop: an async test that runs on a qasync loop")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let async tests be watched from inside their own loop, outermost of their fixtures."""
    for item in items:
        if not pytest_asyncio.is_async_test(item):
            continue
        names, marker = item.fixturenames, item.get_closest_marker("asyncio")
        shares = marker is not None and marker.kwargs.get("loop_scope") == "module"
        watch = "no_task_left_on_the_loop_of_the_module" if shares else "no_task_left_behind"
        names.insert(names.index("nothing_left_behind") + 1, watch)
        if item.get_closest_marker("qt_loop"):
            names.insert(0, "qapp")


@pytest.hookimpl(trylast=True)
def pytest_asyncio_loop_factories(
    item: pytest.Item,
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("qt_loop"):
        return {"qasync": _qt_loop}
    return {"asyncio": asyncio.new_event_loop}


def _qt_loop() -> asyncio.AbstractEventLoop:
    from tests.support.qtloop import new_loop

    return new_loop()


@pytest.fixture(autouse=True)
def fresh_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty home and no settings of the machine; the current folder is `tmp_path`.

    The home lies beside `tmp_path`, which starts empty.
    """
    home = tmp_path.with_name(f"{tmp_path.name}-home")
    for name in list(os.environ):
        if name.startswith(_FOREIGN) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name, folder in _HOMES.items():
        (home / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        monkeypatch.setenv(name, str(home / folder))
    monkeypatch.setenv("STUDIO_QT_CACHE", _CACHE)
    monkeypatch.chdir(tmp_path)
    yield
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(autouse=True)
def nothing_left_behind(fresh_environment: None, request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, a child process, a timer or a visible window behind."""
    bed = Bed.now(qt="qapp" in request.fixturenames)
    yield
    if found := bed.left_behind():
        pytest.fail("left behind: " + "; ".join(found), pytrace=False)


@pytest_asyncio.fixture
async def no_task_left_behind() -> AsyncIterator[None]:
    """Fail an async test that leaves a task behind; the loop cancels it afterwards."""
    yield
    if found := await unfinished_tasks():
        pytest.fail("left behind: " + "; ".join(found), pytrace=False)


@pytest_asyncio.fixture(loop_scope="module")
async def no_task_left_on_the_loop_of_the_module() -> AsyncIterator[None]:
    """As `no_task_left_behind`, where the tests of a module share a loop: not its threads."""
    with ThreadPoolExecutor() as threads:
        asyncio.get_running_loop().set_default_executor(threads)
        yield
    if found := await unfinished_tasks():
        pytest.fail("left behind: " + "; ".join(found), pytrace=False)
