"""What a repaint and a step of a resize cost: how often things are painted, drawn and laid out."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QTabWidget,
    QToolButton,
    QWidget,
)

from studio_qt.ui.editors.code import CodeEditor
from studio_qt.ui.prose.view import ProseView
from studio_qt.ui.theme.theme import Theme
from studio_qt.ui.widgets.basics import Avatar
from studio_qt.ui.widgets.rowpictures import RowPictures
from studio_qt.ui.widgets.stilltabs import StillTabs
from tests.support.qt import until
from tests.support.window import Stage, write_package
from tests.ui.conftest import OpenStage

pytestmark = pytest.mark.qt_loop

LONG = "".join(f"const tide{n} = '{'high ' * 40}';\n" for n in range(200))


class Count(QObject):
    """Counts what comes to a widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.seen: Counter[QEvent.Type] = Counter()
        widget.installEventFilter(self)

    def eventFilter(self, _widget: QObject, event: QEvent) -> bool:
        self.seen[event.type()] += 1
        return False


async def furnished(stage_on: OpenStage, folder: Path) -> Stage:
    """Open a window with tree, tabs, an editor with both scroll bars, and lines in the log."""
    debugged = "/**\n * @agent test.roller\n * @debug true\n * @tool roll\n"
    debugged += " * @tool-description Rolls.\n */\nexport function onToolCall() { return '6'; }\n"
    files = {"agents/test.roller.js": debugged, "notes/long.js": LONG}
    stage = await stage_on(write_package(folder, files))
    stage.window.resize(1400, 880)
    for path in ("config.json", "notes/long.js"):
        await stage.window.pages.editors.open(path)
    await stage.send("[[call roll {}]][[say So.]]")
    stage.window.inside.workbench.show_bottom("agentLog")
    for width in (1380, 1400):
        await resized(stage, width)
    return stage


def current(stage: Stage) -> CodeEditor:
    editor = stage.window.pages.editors.editor
    assert editor is not None
    return editor


async def resized(stage: Stage, width: int) -> None:
    """Make a step of a resize, and wait until nothing of it is left."""
    stage.window.resize(width, 880 + width % 7)
    await stage.idle()
    for _ in range(5):
        await asyncio.sleep(0.01)


async def test_a_step_of_a_resize_paints_everything_once_and_asks_for_no_other_layout(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await furnished(stage_on, tmp_path / "ada")
    editor = current(stage)
    tree, log = (stage.find(name, QAbstractItemView) for name in ("projectTree", "agentLogTable"))
    assert isinstance(tree, QAbstractItemView) and isinstance(log, QAbstractItemView)
    views = (tree.viewport(), log.viewport(), editor.viewport(), editor.gutter)
    watched = [Count(view) for view in views]
    above = [Count(stage.find(name)) for name in ("editorsPage", "middlePane")]
    painted, asked = [], []
    for width in (1380, 1360, 1340):
        for one in (*watched, *above):
            one.seen.clear()
        await resized(stage, width)
        painted.append([one.seen[QEvent.Type.Paint] for one in watched])
        asked.append([one.seen[QEvent.Type.LayoutRequest] for one in above])
    assert [1, 1, 1, 1] in painted, painted  # a step may bring a line of the log with it
    assert [0, 0] in asked, asked


async def test_rows_at_rest_are_drawn_once_and_then_copied_at_all_widths(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await furnished(stage_on, tmp_path / "ada")
    pictures = [one for one in stage.window.findChildren(RowPictures) if one.drawn]
    before = sum(one.drawn for one in pictures)
    assert before > 20
    for width in (1380, 1300, 1180, 1400):
        await resized(stage, width)
    for view in (stage.find("projectTree"), stage.find("agentLogTable"), current(stage)):
        view.update()
    await resized(stage, 1400)
    assert sum(one.drawn for one in pictures) <= before + 3  # a row more, or the end of a name


async def test_pictures_of_rows_look_as_what_is_painted_in_their_place(
    stage_on: OpenStage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = await furnished(stage_on, tmp_path / "ada")
    names = ("projectTree", "agentLogTable", "conversationsFootList")
    views = [*(stage.find(name) for name in names), current(stage)]
    copied = [picture_of(view) for view in views]
    monkeypatch.setattr(RowPictures, "draw", painted_in_place)
    assert [picture_of(view) for view in views] == copied


def picture_of(widget: QWidget) -> QImage:
    return widget.grab().toImage()


def painted_in_place(
    _pictures: RowPictures, painter: QPainter, place: QRect, _key: object, _ground: str, paint
) -> None:
    painter.save()
    painter.setClipRect(place)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint(painter)
    painter.restore()


async def test_another_theme_draws_rows_anew(stage_on: OpenStage, tmp_path: Path) -> None:
    stage = await furnished(stage_on, tmp_path / "ada")
    tree = stage.find("projectTree")
    theme = stage.window.inside.theme
    pictures = []
    for choice in ("dark", "light", "dark"):
        theme.choose(choice)
        await until(lambda: theme.settled)
        pictures.append(picture_of(tree))
    assert pictures[0] == pictures[2] != pictures[1]


async def test_an_editor_that_wraps_nothing_keeps_its_lines_in_a_resize(
    stage_on: OpenStage, tmp_path: Path
) -> None:
    stage = await furnished(stage_on, tmp_path / "ada")
    editor = current(stage)
    block, bar = editor.firstVisibleBlock(), editor.horizontalScrollBar()
    before = bar.maximum() + editor.viewport().width()
    editor.resize(editor.width() - 50, editor.height())
    assert block.layout().lineCount() == 1
    assert bar.maximum() + editor.viewport().width() == before


def test_an_avatar_is_drawn_once_until_the_name_is_another(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[object] = []
    draw = Avatar.draw
    monkeypatch.setattr(Avatar, "draw", lambda *given: drawn.append(given) or draw(*given))
    avatar = Avatar("Ada Byron")
    first = picture_of(avatar)
    assert picture_of(avatar) == first
    assert len(drawn) == 1
    avatar.set_name("Charles Babbage")
    assert picture_of(avatar) != first
    avatar.deleteLater()


def test_still_tabs_place_their_parts_as_qt_does(qapp: QApplication) -> None:
    places = []
    for kind in (StillTabs, QTabWidget):
        tabs = kind()
        tabs.setDocumentMode(True)
        tabs.addTab(QLabel("one"), "One")
        tabs.addTab(QLabel("two"), "Two")
        tabs.setCornerWidget(QToolButton())
        tabs.resize(300, 200)
        tabs.show()
        QTest.qWait(0)
        tabs.resize(410, 260)
        parts = (tabs.tabBar(), tabs.currentWidget(), tabs.cornerWidget())
        places.append([part.geometry() for part in parts])
        tabs.close()
        tabs.deleteLater()
    assert places[0] == places[1]


def test_a_colour_of_a_theme_is_made_once(qapp: QApplication) -> None:
    theme = Theme("dark")
    assert theme.colour("fg") is theme.colour("fg")


def test_a_text_that_comes_to_have_a_plate_or_loses_it_is_painted_so(qapp: QApplication) -> None:
    theme = Theme("dark")
    view = ProseView(theme)
    view.resize(300, 120)
    looks = []
    for text in ("plain", "```\ncode\n```", "plain"):
        view.show_text(text)
        image = picture_of(view)
        plate = theme.colour("code").rgb()
        looks.append(any(image.pixel(250, y) == plate for y in range(120)))
    assert looks == [False, True, False]
    view.deleteLater()
