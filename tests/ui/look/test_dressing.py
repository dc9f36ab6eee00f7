"""A change of the look: what comes of it, and that it never holds up the window."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from shiboken6 import Shiboken

from studio_qt.settings import home_folder
from studio_qt.ui.preferences import Preferences
from studio_qt.ui.theme.dressing import SLICE, Dressing
from studio_qt.ui.theme.style import stylesheet
from studio_qt.ui.theme.tokens import load_tokens
from studio_qt.ui.theme.unveiling import ROOM
from studio_qt.ui.window import StudioWindow
from tests.support.qt import until
from tests.ui.look.scene import Scene

pytestmark = pytest.mark.qt_loop

CHANGES = [
    (("dark", 13), ("light", 13)),
    (("light", 10), ("dark", 24)),
    (("contrast", 24), ("light", 10)),
    (("dark", 13), ("contrast", 13)),
]
SPLIT = {"agentStores", "promptInspector", "toolTester", "sideSplit", "editorsPane"}
"""Where panes keep the widths that they had; only a change of colours leaves them all alike."""


async def opened(scene: Scene) -> StudioWindow:
    """Open the window on a project with one file in the editors."""
    window = (await scene.stage(scene.keeper())).window
    await window.pages.editors.open("config.json")
    await until(lambda: window.settled, 20)
    return window


async def change(window: StudioWindow, theme: str, size: int) -> None:
    """Choose another look, and wait for it."""
    window.inside.preferences.change_window(theme=theme, interface_size=size)
    await until(lambda: window.theme.settled)


def dressing(window: StudioWindow) -> Dressing:
    """Return what dresses a window."""
    found = window.findChild(QObject, "dressing")
    assert isinstance(found, Dressing)
    return found


async def pictures(window: StudioWindow) -> dict[str, QImage]:
    """Return how the places of the window look; most were hidden at the change."""
    bench = window.inside.workbench
    places: dict[str, tuple[Callable[[str], None], str]] = {
        "stores": (bench.show_large, "agentStores"),
        "inspector": (bench.show_large, "promptInspector"),
        "tester": (bench.show_large, "toolTester"),
        "search": (bench.show_side, "searchPage"),
        "history": (bench.show_side, "historyPage"),
        "project": (bench.show_side, "sideSplit"),
    }
    shots = {}
    for name, (show, page) in places.items():
        show(name)
        await drawn(window, page)
        shots[page] = await still(window, page)
    for name in ("topBar", "rail", "editorsPane", "bottomPanel", "statusLine"):
        shots[name] = await still(window, name)
    return shots


async def drawn(window: StudioWindow, name: str) -> None:
    """Wait until a page, too, of which the window does not tell, has read all that it shows."""
    page = part(window, name)
    await until(lambda: window.settled and bool(getattr(page, "settled", True)), 20)


async def still(window: StudioWindow, name: str) -> QImage:
    """Return the picture of a part that has the focus nowhere and stands still."""
    window.chat.setFocus()
    before = QImage()
    for _ in range(40):
        now = part(window, name).grab().toImage()
        if now == before:
            break
        before = now
        await asyncio.sleep(0.05)
    return before


@pytest.mark.parametrize(("first", "then"), CHANGES)
async def test_a_window_that_was_changed_looks_like_one_that_was_opened_so(
    tmp_path: Path, first: tuple[str, int], then: tuple[str, int]
) -> None:
    async with Scene(tmp_path) as scene:
        window = await opened(scene)
        await change(window, *first)
        await pictures(window)  # what was shown once is dressed in the first look
        await change(window, *then)
        changed = await pictures(window)
    async with Scene(tmp_path) as scene:
        fresh = await opened(scene)
        assert (fresh.theme.asked, fresh.theme.interface_size) == then
        expected = await pictures(fresh)
    unlike = {name for name, shot in expected.items() if changed[name] != shot}
    assert unlike <= (SPLIT if first[1] != then[1] else set())


@pytest.mark.parametrize("turns", [0, 1, 3])
async def test_a_theme_that_is_changed_ten_times_at_once_ends_in_the_last_look(
    tmp_path: Path, turns: int
) -> None:
    """So many turns of the loop lie between two choices: each begins while another is under way."""
    async with Scene(tmp_path) as scene:
        window = await opened(scene)
        await change(window, "light", 13)
        watched = dressing(window)
        for number in range(10):
            window.theme.choose("light" if number % 2 else "dark")
            for _ in range(turns):
                await asyncio.sleep(0)
        window.theme.choose("dark")
        await until(lambda: window.theme.settled)
        shown = [part for part in watched.parts() if part.isVisible()]
        assert {part.styleSheet() == watched.sheet_for(part) for part in shown} == {True}
        assert watched.sheet == stylesheet(load_tokens("dark"), 13)
        assert (window.updatesEnabled(), window.theme.tokens.name) == (True, "dark")
        preferences = window.inside.preferences
        preferences.flush()
        assert (preferences.window.theme, Preferences(home_folder()).window.theme) == ("dark",) * 2


async def test_no_turn_dresses_more_than_a_slice_and_nothing_is_painted_between(
    tmp_path: Path,
) -> None:
    async with Scene(tmp_path) as scene:
        window = await opened(scene)
        await change(window, "light", 13)
        watched, turns = dressing(window), list[list[int]]()
        parts = {part: len(part.findChildren(QWidget)) + 1 for part in watched.parts()}
        shown = {part for part in parts if part.isVisible()}
        assert max(parts[part] for part in shown) <= 2 * SLICE
        with Painted(shown) as painted:
            window.theme.choose("dark")
            before = worn(watched, parts)
            assert before.isdisjoint(shown)
            while not shown <= before:
                assert painted.parts == []
                await asyncio.sleep(0)
                now = worn(watched, parts)
                turns.append([parts[part] for part in now - before])
                before = now
        assert all(sum(turn) <= SLICE or len(turn) == 1 for turn in turns)
        assert any(part not in before for part in parts)  # hidden: in a rest, or on their show
        assert window.theme.tokens.name == "dark"


@pytest.mark.parametrize("name", ["stores", "inspector", "tester"])
async def test_a_page_that_is_shown_before_it_was_dressed_is_dressed_in_several_turns_unseen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(Dressing, "_dress_hidden", lambda _dressing: False)  # no rest
    async with Scene(tmp_path) as scene:
        window = await opened(scene)
        await change(window, "light", 13)
        watched, turns = dressing(window), list[list[int]]()
        parts = {part: len(part.findChildren(QWidget)) + 1 for part in watched.parts()}
        before = worn(watched, parts)
        window.inside.workbench.show_large(name)
        page = window.inside.workbench.large.currentWidget()
        assert page is not None
        shown = {part for part in parts if part.isVisible()}
        while True:
            now = worn(watched, parts)
            turns.append([parts[part] for part in now - before])
            before = now
            if window.theme.settled:
                break
            assert not page.updatesEnabled()
            await asyncio.sleep(0)
        assert page.updatesEnabled()
        assert shown <= before
        assert len([turn for turn in turns if turn]) > 1
        assert all(sum(turn) <= SLICE or len(turn) == 1 for turn in turns)


async def test_a_new_look_is_painted_pane_by_pane(tmp_path: Path) -> None:
    async with Scene(tmp_path) as scene:
        window = await opened(scene)
        await change(window, "light", 13)
        names = ("topBar", "rail", "chatPage", "editorsPane", "sideSplit", "bottomPanel")
        panes = {part(window, name) for name in names}
        window.theme.choose("dark")
        veiled, turns = panes, list[list[int]]()
        while not window.theme.settled:
            assert {pane for pane in panes if not pane.updatesEnabled()} == veiled
            await asyncio.sleep(0)
            now = {pane for pane in panes if not pane.updatesEnabled()}
            turns.append([pane.width() * pane.height() for pane in veiled - now])
            veiled = now
        assert veiled == set()
        assert all(sum(turn) <= ROOM or len(turn) == 1 for turn in turns)
        assert len([turn for turn in turns if turn]) > 2
        assert not any(pane.testAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent) for pane in panes)


@pytest.mark.parametrize("theme", ["dark", "contrast"])
async def test_a_part_that_reads_some_of_the_sheets_needs_none_of_the_others(
    tmp_path: Path, theme: str
) -> None:
    async with Scene(tmp_path) as scene:
        window = await opened(scene)
        await change(window, theme, 13)
        some = 0
        for one in dressing(window).parts():
            whole, read = (
                subjects(sheet) for sheet in (dressing(window).sheet, sheet_of(window, one))
            )
            some += len(read) < len(whole)
            missed = {
                subject
                for widget in (one, *one.findChildren(QWidget))
                for subject in whole - read
                if is_meant(subject, widget)
            }
            assert missed == set(), one.objectName()
        assert some > 5


class Painted(QObject):
    """Notes which of some widgets are painted."""

    def __init__(self, parts: set[QWidget]) -> None:
        super().__init__()
        self._watched, self.parts = parts, list[QWidget]()

    def __enter__(self) -> Painted:
        for one in self._watched:
            one.installEventFilter(self)
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._watched:
            one.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget):
            self.parts.append(watched)
        return False


def worn(watched: Dressing, parts: Iterable[QWidget]) -> set[QWidget]:
    """Return the parts that have the sheet in force, of those that are left."""
    left = filter(Shiboken.isValid, parts)  # a chat's cells come and go
    return {part for part in left if part.styleSheet() == watched.sheet_for(part)}


def part(window: StudioWindow, name: str) -> QWidget:
    """Return a widget of the window by its name."""
    found = window.findChild(QWidget, name)
    assert found is not None
    return found


def sheet_of(window: StudioWindow, one: QWidget) -> str:
    """Return the sheet that a part reads."""
    return dressing(window).sheet_for(one)


def subjects(sheet: str) -> set[str]:
    """Return whom the rules of a sheet are about, without states and pseudo-elements."""
    selectors = (one for rule in re.findall(r"([^{}]+)\{", sheet) for one in rule.split(","))
    return {re.split(r"[ >]+", one.strip())[-1].partition(":")[0] for one in selectors}


def is_meant(subject: str, widget: QWidget) -> bool:
    """Say whether a rule's subject, as `QLabel[role="name"]`, is such a widget."""
    found = re.fullmatch(r"(\w+|\*)?(?:#(\w+))?((?:\[[^]]+\])*)(?:#(\w+))?", subject)
    assert found is not None, subject
    kind, first, wanted, second = found.groups()
    name = first or second
    if kind not in (None, "*") and not widget.inherits(kind):
        return False
    pairs = re.findall(r"\[(\w+)(?:=\"([^\"]*)\")?\]", wanted)
    fits = (
        str(widget.property(key)).lower() == value.lower() if value else widget.property(key)
        for key, value in pairs
    )
    return name in (None, widget.objectName()) and all(fits)
