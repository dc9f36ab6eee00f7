"""The screens: how each is built on a real window. A new page is one function and one line.

A builder gets a `Scene` and returns the window that shows the screen, drawn and at rest; the walker
goes over it and `packaging/pictures.py` takes its picture.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio_qt.ui.recents import Recents
from studio_qt.ui.settings.sections import SECTIONS
from studio_qt.ui.start.newsheet import NewSheet
from studio_qt.ui.start.tiles import TemplateTile
from studio_qt.ui.widgets.sheet import Sheet
from tests.ui.look import (
    arrivals,
    building,
    choices,
    forms,
    hints,
    insights,
    memories,
    parts,
    shelves,
    states,
    talks,
    trusts,
    writings,
)
from tests.ui.look.scene import NOW, Scene

__all__ = ["SCREENS", "Screen"]

Build = Callable[[Scene], Awaitable[QWidget]]


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen; `size` is that of its picture, `small` the least that it must bear."""

    build: Build
    size: tuple[int, int] = (1600, 1000)
    small: tuple[int, int] = (1000, 700)
    steady: bool = True
    """Whether it looks the same each time, so that there is a picture of it."""

    walked: Literal["all", "few", "no"] = "all"
    """In which looks the suite walks over it: a state of a page adds little to the page itself."""

    moving: bool = False
    """Whether it never settles."""


async def _main(scene: Scene) -> QWidget:
    window = (await scene.stage(scene.keeper())).window
    for path in ("config.json", "instructions.txt", "agents/keeper.signals.ts"):
        await window.pages.editors.open(path)
    await window.pages.editors.open("agents/keeper.signals.ts", 64)
    await scene.wait(lambda: window.settled)
    return window


async def _trouble(scene: Scene) -> QWidget:
    """An agent is broken, another file has unsaved text, and something is searched for in it."""
    keeper = scene.keeper()
    broken = keeper / "agents" / "keeper.omens.py"
    broken.write_text(f"{broken.read_text(encoding='utf-8')}\ndef omen(:\n", encoding="utf-8")
    window = (await scene.stage(keeper)).window
    editors = window.pages.editors
    await editors.open("agents/keeper.omens.py")
    await editors.open("instructions.txt")
    QTest.keyClicks(editors.editor, "She waits. ")
    action = window.findChild(QAction, "replace")
    assert action is not None
    action.trigger()
    await scene.wait(lambda: window.settled and window.pages.problems.isVisible())
    return window


async def _failure(scene: Scene) -> QWidget:
    folder = scene.folder / "broken"
    folder.mkdir()
    (folder / "config.json").write_text("{ no json", encoding="utf-8")
    return (await scene.stage(folder)).window


async def _command(scene: Scene) -> QWidget:
    stage = await scene.stage(scene.keeper())
    stage.type("@")
    await scene.wait(lambda: stage.find("commandDialog").isVisible())
    return stage.window


async def _message(scene: Scene) -> QWidget:
    window = (await scene.stage(scene.keeper())).window
    action = window.findChild(QAction, "about")
    assert action is not None
    action.trigger()
    await scene.wait(lambda: any(sheet.isVisible() for sheet in window.findChildren(Sheet)))
    return window


async def _start(scene: Scene) -> QWidget:
    """Four projects were opened before."""
    recents = Recents(scene.folder / "home")
    others = (
        ("lorekeeper", "The Orchard Judge", "Settles quarrels and remembers every verdict."),
        ("name-finder", "Sable and Finch", "Two locksmiths, one shop."),
        ("confidant", "Tide School", "A patient teacher of knots, charts and getting home."),
    )
    for days, (template, title, text) in enumerate(others, 2):
        recents.note(scene.copy(template, title, text), NOW - timedelta(days=days))
    recents.note(scene.keeper(), NOW - timedelta(hours=1))
    return await _first_start(scene)


async def _first_start(scene: Scene) -> QWidget:
    window = (await scene.stage(None)).window
    await scene.wait(lambda: window.settled and bool(window.findChildren(TemplateTile)))
    connections = window.pages.connections
    await scene.wait(lambda: connections.looked_at is not None and not connections.looking)
    return window


async def _new_character(scene: Scene) -> QWidget:
    window = await _first_start(scene)
    button = window.findChild(QWidget, "startNew")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    await scene.wait(lambda: any(one.place.text() for one in window.findChildren(NewSheet)))
    return window


SCREENS: dict[str, Screen] = {
    "main": Screen(_main),
    "trouble": Screen(_trouble),
    "failure": Screen(_failure, walked="few"),
    "command": Screen(_command, walked="few"),
    "message": Screen(_message, walked="few"),
    "start": Screen(_start),
    "first-start": Screen(_first_start, walked="few"),
    "new-character": Screen(_new_character, walked="few"),
    "start-narrow": Screen(_start, (720, 1000), (420, 420), walked="few"),
    "streaming": Screen(talks.streaming, steady=False, moving=True, walked="few"),
    "failed": Screen(talks.failed, steady=False, walked="few"),
    "edited": Screen(talks.edited, walked="few"),
    "unfolded": Screen(talks.unfolded, (620, 760), (420, 500), walked="few"),
    "zip": Screen(talks.zip_player, (900, 900), (420, 500), walked="few"),
    "compared": Screen(talks.compared, walked="few"),
    "command-error": Screen(talks.command_error, (1100, 800), (420, 420), walked="few"),
    **{
        f"ask-{question}": Screen(talks.asks(question), (1100, 800), (420, 420), walked="few")
        for question in ("close", "clear", "delete")
    },
    "conversations": Screen(shelves.listed, steady=False, walked="few"),
    "conversations-found": Screen(shelves.found, steady=False, walked="few"),
    "conversation-export": Screen(shelves.export, (1100, 800), (420, 600), walked="few"),
    "conversation-models": Screen(shelves.models, (1100, 800), (420, 600), walked="few"),
    **{
        f"stores-{state}": Screen(
            memories.stores(state), small=(1000, 700), steady=False, walked="few"
        )
        for state in ("tree", "raw", "wrong", "moment", "default", "empty")
    },
    "agent-log": Screen(memories.agent_log, small=(1000, 700), steady=False, walked="few"),
    "inspector": Screen(insights.inspector, steady=False, walked="few"),
    "inspector-sent": Screen(insights.sent, steady=False, walked="few"),
    "tester": Screen(insights.tester, steady=False, walked="few"),
    "builder": Screen(building.builder("edit"), (1352, 884), (700, 600)),
    "builder-new": Screen(building.builder("new"), (1352, 884), (700, 600), walked="few"),
    "builder-changed": Screen(building.builder("changed"), (1000, 700), (700, 600), walked="few"),
    **{
        f"generate-{state}": Screen(
            writings.generating(state),
            (1200, 860),
            (620, 640),
            steady=state in ("empty", "wrong", "draft", "text"),
            moving=state == "writing",
            walked="few",
        )
        for state in ("empty", "wrong", "writing", "failed", "noted", "draft", "agent", "text")
    },
    **{
        f"polish-{state}": Screen(
            writings.polishing(state),
            (1200, 860),
            (620, 640),
            steady=state in ("compared", "needs-model"),
            moving=state == "writing",
            walked="few",
        )
        for state in ("writing", "compared", "refused", "needs-model")
    },
    "permission": Screen(trusts.permission("asked"), (1100, 1000), (420, 500)),
    "permission-code": Screen(
        trusts.permission("code"), (1100, 900), (420, 500), steady=False, walked="few"
    ),
    "permission-settled": Screen(
        trusts.permission("settled"), (1100, 1000), (420, 500), walked="few"
    ),
    "permission-waiting": Screen(trusts.waiting, (1400, 860), walked="few"),
    **{
        f"bars-{state}": Screen(trusts.bars(state), (1400, 860), walked="few")
        for state in ("overridden", "not-listed")
    },
    "palette": Screen(parts.palette, (1200, 800), (700, 600)),
    "configuration": Screen(forms.configuration, (1320, 852), (700, 500), walked="few"),
    "export": Screen(forms.export, (1100, 940), (560, 500), walked="few"),
    **{
        f"import-{kind}": Screen(
            arrivals.arriving(kind), (1200, 860), (420, 500), steady=kind == "card", walked="few"
        )
        for kind in ("card", "zip", "refused")
    },
    "import-address": Screen(arrivals.address, (1100, 700), (420, 420), steady=False, walked="few"),
    **{
        f"library-{kind}": Screen(
            arrivals.library(kind), (1300, 800), (420, 500), steady=False, walked="few"
        )
        for kind in ("filled", "gone", "empty")
    },
    "no-match": Screen(choices.no_match, (1200, 800), (420, 420), walked="few"),
    "shortcuts": Screen(parts.shortcuts, (1200, 800), (700, 600)),
    "editors": Screen(parts.editors, (900, 800), (420, 400)),
    **{
        f"completing-{state}": Screen(
            hints.completing(state), (1200, 760), (700, 500), walked="few"
        )
        for state in ("fields", "macros", "bridge", "agents")
    },
    "explaining": Screen(hints.explaining, (900, 600), (420, 400), walked="few"),
    "mending": Screen(hints.mending, (200, 68), (200, 68), steady=False, walked="no"),
    "no-editor": Screen(states.no_editor, (900, 500), (300, 300), walked="few"),
    "foreign-change": Screen(states.foreign_change, (900, 600), (420, 400), walked="few"),
    "gone-file": Screen(states.gone_file, (900, 400), (420, 300), walked="few"),
    "broken-agent": Screen(states.broken_agent, (900, 600), (420, 400), walked="few"),
    "picture": Screen(states.shown_file("lamp.png"), (900, 600), (420, 300), walked="few"),
    "binary": Screen(states.shown_file("lamp.bin"), (900, 500), (420, 300), walked="few"),
    "problems": Screen(states.problems, (900, 400), (420, 300), walked="few"),
    "opening": Screen(states.opening, (600, 500), (300, 300), walked="few"),
    "draft": Screen(states.draft, (300, 800), (300, 400), walked="no"),
    "gone-folder": Screen(states.gone_folder, (300, 500), (300, 300), walked="few"),
    "project": Screen(parts.project, (300, 800), (200, 400)),
    "compare": Screen(parts.compare, (1000, 700), (520, 400)),
    "search": Screen(parts.search, (300, 800), (200, 400)),
    "replacing": Screen(states.replacing, (300, 800), (300, 400), walked="few"),
    "history": Screen(states.history, (300, 500), (300, 300)),
    **{
        f"settings-{section.name}": Screen(
            parts.settings(section.name),
            (1240, 820),
            (480, 600),
            walked="all" if section.name == "trust" else "few",
        )
        for section in SECTIONS
    },
    "settings-sought": Screen(
        choices.setting(search="token"), (1240, 820), (420, 500), walked="few"
    ),
    "settings-wrong": Screen(choices.setting(wrong="many"), (1240, 820), (420, 700), walked="few"),
    **{
        f"connection-{verdict}": Screen(
            choices.connection(verdict), (1240, 820), (420, 500), steady=False, walked="few"
        )
        for verdict in ("works", "key")
    },
    **{
        f"answering-{which}": Screen(
            choices.answering(which), (400, 900), (330, 900), steady=False, walked="few"
        )
        for which in ("found", "key", "another")
    },
    "handbook-sought": Screen(states.handbook_search, (1100, 800), (480, 360), walked="few"),
    "handbook": Screen(parts.handbook, (1100, 800), (480, 360)),
    "gallery": Screen(parts.gallery, (1600, 1120), (1360, 1120)),
}
